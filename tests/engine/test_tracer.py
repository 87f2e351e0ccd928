"""A kernel at the key Tracer writes down what a program calls, whatever the operator."""

import threading

import pytest
from compare import engine
from fresh import Fresh

from engine.dispatch import tracer
from engine.dispatch.local import ExcludeDispatchKeyGuard, local


def lines_of(program):
    with tracer.tracing() as graph:
        program()
    return str(graph).splitlines()


def test_a_line_names_the_operator_its_inputs_and_its_results():
    x, y = engine.ones(2, 2), engine.ones(2, 2)
    assert lines_of(lambda: engine.cat([x, x + y], 1)) == [
        "%2 = aten::add.Tensor(%0, %1, 1)",
        "%3 = aten::cat([%0, %2], 1)",
    ]


def test_a_tensor_that_is_written_to_has_another_name_afterwards():
    x = engine.ones(2)
    assert lines_of(lambda: (x.mul_(2), x.neg())) == ["%2 = aten::mul_.Tensor(%0, %1)", "%3 = aten::neg(%2)"]


def test_operators_with_several_results_with_a_list_and_with_none():
    x = engine.ones(2, 2)
    assert lines_of(lambda: (x.max(0), x.unbind())) == [
        "%1, %2 = aten::max.dim(%0, 0, False)",
        "[%3, %4] = aten::unbind.int(%0, 0)",
    ]
    with Fresh(engine) as fresh:
        fresh.define("nothing(Tensor x) -> ()")
        fresh.impl("nothing", lambda x: None, "CPU")
        with tracer.tracing() as graph:
            fresh.ops.nothing(x)
    assert [(node.inputs, node.outputs) for node in graph.nodes] == [(("%0",), ())]


def test_calls_inside_an_operator_are_not_written_down():
    x = engine.ones(2, 2)
    assert lines_of(lambda: engine.matmul(x, x)) == ["%1 = aten::matmul(%0, %0)"]


def test_a_call_that_raises_leaves_no_line_and_the_thread_as_it_was():
    before = local.state
    with tracer.tracing() as graph:
        inside = local.state
        with pytest.raises(RuntimeError):
            engine.matmul(engine.ones(2, 3), engine.ones(2, 3))
        assert local.state is inside
    assert [node.op for node in graph.nodes] == ["aten::ones", "aten::ones"]
    assert local.state is before and tracer.current.graph is None


def test_recordings_nest_and_belong_to_one_thread():
    x = engine.ones(2)
    with tracer.tracing() as outer:
        x.neg()
        with tracer.tracing() as inner:
            x.exp()
            thread = threading.Thread(target=x.sqrt)
            thread.start()
            thread.join()
        x.sin()
    assert [node.op for node in outer.nodes] == ["aten::neg", "aten::sin"]
    assert [node.op for node in inner.nodes] == ["aten::exp"]


def test_a_guard_may_be_entered_again_after_it_was_left():
    guard, states = ExcludeDispatchKeyGuard(tracer.K.AutogradCPU), []
    before = local.state
    for _ in range(2):
        with guard:
            states.append(local.state)
        assert local.state is before
    assert states[0] is states[1] is not before


def test_a_kernel_is_taken_away_once():
    entry = engine.dispatch.registry.OperatorEntry("test::op")
    kernel = engine.dispatch.registry.Kernel(print)
    entry.register_kernel(tracer.K.CPU, kernel)
    entry.deregister_kernel(tracer.K.CPU, kernel)
    with pytest.raises(RuntimeError, match="no such kernel is registered at CPU"):
        entry.deregister_kernel(tracer.K.CPU, kernel)
    assert entry.registered == {}
