"""The records of a profile, compared with PyTorch's; a profile leaves nothing behind."""

import threading
import time

import pytest
from compare import needs_torch, torch
from profiles import network, profiled, tops, tree
from replaying import as_before

import engine
from engine.dispatch import observers, registry
from engine.native import switch
from engine.profiler import ProfilerActivity, places, profile, record_function, recorder

CPU = [ProfilerActivity.CPU]
PROGRAMS = {
    "an operator": lambda T: T.ones(3) + 1,
    "views": lambda T: T.ones(2, 3).t().reshape(6).view(2, 3)[0].sum(),
    "matrices": lambda T: T.ones(2, 3) @ T.ones(3, 4),
    "batches": lambda T: T.ones(2, 2, 3) @ T.ones(2, 3, 4),
    "in place": lambda T: T.ones(3).add_(2).mul_(T.ones(3)),
    "functions": lambda T: T.nn.functional.softmax(T.nn.functional.relu(T.ones(2, 3)), dim=1),
    "lists": lambda T: T.stack([T.ones(2), T.zeros(2)]).sum().item(),
    "training": network,
}
INSIDE = {"aten::as_strided", "aten::resolve_conj", "aten::empty", "aten::to", "aten::_to_copy", "aten::copy_",
          "aten::empty_strided", "detach", "aten::transpose", "aten::permute", "aten::clamp_min", "aten::expand",
          "aten::view", "aten::fill_", "aten::empty_like", "aten::_reshape_alias", "aten::zero_", "aten::reshape",
          "aten::unsqueeze", "aten::detach", "aten::narrow", "aten::slice", "aten::cat", "[memory]"}  # fmt: skip
"""Events that the engine or PyTorch makes inside others, and the other of the two does not."""


@needs_torch
@pytest.mark.parametrize("name", PROGRAMS)
def test_operators_called_by_the_program_are_those_of_pytorch(name):
    seen = [[event.name for event in tops(profiled(T, PROGRAMS[name]))] for T in (engine, torch)]
    assert seen[0] == seen[1]


@needs_torch
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_lies_in_what_is_as_in_pytorch(name):
    seen = [[tree(event, INSIDE | {"aten::t"}) for event in tops(profiled(T, PROGRAMS[name]))] for T in (engine, torch)]
    assert seen[0] == seen[1]


@needs_torch
def test_shapes_kinds_and_numbers_of_arguments_are_those_of_pytorch():
    def program(T):
        x = T.ones(2, 3)
        T.add(x, x, alpha=2.5)
        T.cat([x, x], 0)
        T.full((2,), 7, dtype=T.int64) * 2
        x.sum(1, keepdim=True)
        T.gt(x.t(), x.t())
        x.transpose(0, 1)

    def seen(T):
        return [
            (one.name, one.input_shapes, one.structured_input_shapes, one.structured_input_strides, one.input_dtypes,
             one.concrete_inputs)
            for one in tops(profiled(T, program, record_shapes=True))
            if one.name not in ("[memory]", "aten::full")
        ]  # fmt: skip

    assert seen(engine) == seen(torch)


@needs_torch
def test_forward_and_backward_have_the_sequence_numbers_of_pytorch():
    def program(T):
        x = T.ones(3, requires_grad=True)
        (x * x + T.ones(3)).exp().sum().backward()

    def seen(T):
        events = [one for one in tops(profiled(T, program)) if one.sequence_nr >= 0]
        first = min(one.sequence_nr for one in events)
        return [
            (one.name, one.sequence_nr - first, one.scope, one.fwd_thread, [child.scope for child in one.cpu_children])
            for one in events
        ]

    assert [entry[:4] for entry in seen(engine)] == [entry[:4] for entry in seen(torch)]


@needs_torch
@pytest.mark.parametrize("create_graph", [False, True])
def test_the_gradient_that_backward_makes_has_no_sequence_number(create_graph):
    def program(T):
        x = T.ones(3, requires_grad=True)
        T.autograd.grad((x * x).sum(), x, create_graph=create_graph)
        (x * x).sum().backward()

    def numbers(T):
        return [one.sequence_nr for one in profiled(T, program).events() if one.name == "aten::ones_like"]

    assert numbers(engine) == numbers(torch) == [-1, -1]


@needs_torch
def test_a_function_of_ones_own_is_an_event_with_the_number_of_its_node():
    def program(T):
        class Double(T.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * T.ones(3)

            @staticmethod
            def backward(ctx, grad):
                return grad + grad

        Double.apply(T.ones(3, requires_grad=True)).sum().backward()

    def seen(T):
        events = profiled(T, program, record_shapes=True).events()
        (number,) = [one.sequence_nr for one in events if one.name == "Double"]
        return [
            (
                one.name,
                one.sequence_nr - number,
                one.scope,
                one.input_shapes,
                [child.name for child in one.cpu_children],
            )
            for one in events
            if "Double" in one.name
        ]

    assert seen(engine) == seen(torch)


def test_an_operator_that_makes_a_node_and_the_node_have_one_number():
    def program(T):
        x = T.ones(3, requires_grad=True)
        y = x * 2
        y.exp().sum().backward()
        program.nodes = {y.grad_fn.name(): y.grad_fn._sequence_nr()}

    events = profiled(engine, program).events()
    number = program.nodes["MulBackward0"]
    assert [one.name for one in events if one.sequence_nr == number] == [
        "aten::mul", "autograd::engine::evaluate_function: MulBackward0", "MulBackward0",
    ]  # fmt: skip


def test_hooks_of_tensors_run_beside_the_formula_and_not_in_it():
    def program(T):
        x = T.ones(3, requires_grad=True)
        y = x * 2
        y.register_hook(lambda grad: grad.neg())
        y.sum().backward()

    events = profiled(engine, program).events()
    (evaluated,) = [one for one in events if one.name.endswith("function: MulBackward0")]
    assert [one.name for one in evaluated.cpu_children] == ["aten::neg", "MulBackward0"]


def test_own_time_is_the_whole_less_that_of_the_children_for_every_event():
    events = profiled(engine, network).events()
    assert len(events) > 30
    for one in events:
        inside = sum(child.cpu_time_total for child in one.cpu_children)
        assert one.self_cpu_time_total == pytest.approx(one.cpu_time_total - inside)
        assert one.self_cpu_time_total >= 0
        assert all(child.cpu_parent is one for child in one.cpu_children)


# ---- names of one's own


def test_a_name_brackets_a_block_and_each_call_of_a_function():
    @record_function("called")
    def twice(x):
        return x * 2

    def program(T):
        with record_function("block"):
            twice(T.ones(2))
        twice(twice(T.ones(2)))

    prof = profiled(engine, program)
    assert [tree(one) for one in tops(prof)] == [
        ("block", [("aten::ones", [("aten::fill_", [])]), ("called", [("aten::mul", [])])]),
        ("aten::ones", [("aten::fill_", [])]),
        ("called", [("aten::mul", [])]),
        ("called", [("aten::mul", [])]),
    ]
    assert {one.name for one in prof.events() if one.is_user_annotation} == {"block", "called"}


def test_a_function_that_calls_itself_has_an_event_for_each_call():
    @record_function("call")
    def count(number):
        with record_function("other"):
            return number and count(number - 1)

    names = [one.name for one in profiled(engine, lambda T: count(2)).events()]
    assert names == ["call", "other"] * 3


def test_an_error_ends_the_events_that_it_leaves():
    def program(T):
        with pytest.raises(RuntimeError), record_function("fails"):
            T.ones(2) @ T.ones(3)
        T.ones(1)

    assert [one.name for one in tops(profiled(engine, program))] == ["fails", "aten::ones"]


def test_an_event_that_still_runs_ends_with_the_profile():
    prof = profile(activities=CPU)
    prof.start()
    name = record_function("open")
    name.__enter__()
    engine.ones(1)
    prof.stop()
    name.__exit__()
    assert [one.name for one in tops(prof)] == ["open"]


# ---- threads


def run_beside(program):
    thread = threading.Thread(target=program)
    thread.start()
    thread.join()


def test_other_threads_are_not_looked_at_unless_one_asks_as_in_pytorch():
    def program(T):
        with T.profiler.record_function("outside"):
            run_beside(lambda: T.ones(2) + 1)

    assert [one.name for one in profiled(engine, program).events()] == ["outside"]


def test_events_of_a_thread_never_lie_in_those_of_another():
    def work():
        with record_function("inside"):
            engine.ones(2) + 1

    def program(T):
        with record_function("outside"):
            run_beside(work)
            T.ones(3)

    config = engine._C._profiler._ExperimentalConfig(profile_all_threads=True)
    prof = profiled(engine, program, experimental_config=config)
    assert [(one.name, one.thread) for one in tops(prof)] == [("outside", 1), ("inside", 2)]
    assert all(child.thread == one.thread for one in prof.events() for child in one.cpu_children)


def test_many_threads_at_once_have_a_nesting_each():
    def work(name):
        for _ in range(20):
            with record_function(name):
                engine.ones(2) + 1

    config = engine._C._profiler._ExperimentalConfig(profile_all_threads=True)
    threads = [threading.Thread(target=work, args=(f"work {number}",)) for number in range(4)]
    with profile(activities=CPU, experimental_config=config) as prof:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    expected = ("aten::ones", [("aten::fill_", [])]), ("aten::add", [])
    assert sorted(map(str, map(tree, tops(prof)))) == sorted(
        str((f"work {number}", [*expected])) for number in range(4) for _ in range(20)
    )


# ---- off


def everything_called():
    """Everything that calls look up, including operators' functions with their bytecode."""
    looked_up = [
        (place.name, function.__code__ if hasattr(function, "__code__") else function)
        for place in places.PLACES
        for owner in place.owners()
        for function in [places.entries_of(owner)[place.name]]
    ]
    entries = [registry.find(name) for name in ("aten::add.Tensor", "aten::mul.Tensor", "aten::sum")]
    made = [(entry.call, entry.call.__code__.co_code, entry.redispatch.__code__.co_code) for entry in entries]
    return looked_up, made, [{**entry.calls, **entry.redispatches} for entry in entries]


def program_of_three():
    x = engine.ones(3, requires_grad=True)
    (x * x + x).sum().backward()
    return type((x * x).grad_fn)


def of_recorder(resolved):
    """The resolved functions that the recorder has put in front; a native one has no code to tell by."""
    functions = [function for calls in resolved for function in calls.values()]
    return [one for one in functions if hasattr(one, "__code__") and one.__code__.co_filename == recorder.__file__]


def test_nothing_is_executed_for_a_profile_that_is_off():
    kind = program_of_three()
    before, apply = everything_called(), kind.apply
    with profile(activities=CPU, record_shapes=True, profile_memory=True, with_stack=True):
        program_of_three()
        assert kind.apply is not apply
        assert observers.is_on()
        assert of_recorder(everything_called()[2])
    program_of_three()
    after = everything_called()
    assert after[:2] == before[:2]
    assert kind.apply is apply
    assert not observers.is_on()
    assert any(after[2])
    assert of_recorder(after[2]) == []


def test_an_error_in_the_block_switches_it_off():
    with pytest.raises(ZeroDivisionError), profile(activities=CPU):
        raise ZeroDivisionError
    assert recorder.active is None
    assert not observers.is_on()


def test_a_second_profile_inside_the_first_is_refused_and_says_what_to_do():
    with profile(activities=CPU) as outer:
        with pytest.raises(RuntimeError, match=r"stop\(\) the first"):
            profile(activities=CPU).start()
        engine.ones(1)
    assert [one.name for one in tops(outer)] == ["aten::ones"]


def test_a_trace_and_a_profile_may_look_at_the_same_calls():
    x = engine.ones(2)
    with engine.dispatch.trace() as steps, profile(activities=CPU) as prof:
        x.neg()
    assert [step.op for step in steps] == ["aten::neg"] * 2
    assert [one.name for one in prof.events()] == ["aten::neg"]


def test_an_event_costs_less_than_twice_the_addition_that_it_records():
    x = engine.ones(8)

    def lap():
        start = time.thread_time_ns()
        for _ in range(200):
            x + x
        return (time.thread_time_ns() - start) / 200

    off, on = [], []
    with as_before():
        switch.disable()  # a profile is of kernels in Python
        for _ in range(15):  # interleaved; the best of each is what neither the machine nor the collector disturbed
            lap()
            off.append(lap())
            with profile(activities=CPU):
                lap()
                on.append(lap())
    assert min(on) < 3 * min(off), f"{min(on):.0f} ns against {min(off):.0f} ns"


@needs_torch
def test_callers_are_shown_without_the_engine_but_with_modules():
    def forward(model, x):
        return model(x).sum()

    def program(T):
        T.manual_seed(0)
        forward(T.nn.Linear(2, 2), T.ones(1, 2)).backward()

    prof = profiled(engine, program, with_stack=True)
    (linear,) = [one for one in prof.events() if one.name == "aten::linear"]
    assert linear.stack[3] == "nn.Module: Linear_0"
    files = [entry.partition("(")[0] for entry in linear.stack]
    assert files[:2] == ["engine/nn/functional/linear.py", "engine/nn/modules/linear.py"]
    assert [entry.partition(": ")[2] for entry in linear.stack if "test_profiler" in entry][:2] == [
        "forward",
        "program",
    ]
    assert not [file for file in files if file.startswith("engine/") and not file.startswith("engine/nn/")]
    (node,) = [one for one in prof.events() if one.name == "AddmmBackward0"]
    assert node.stack == linear.stack
