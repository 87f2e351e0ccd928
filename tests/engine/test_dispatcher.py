"""The dispatcher as a student writes it: it carries every call while it is live, and nothing differs but the time."""

import pytest

import engine
from autograder import overlay
from engine.dispatch import dispatcher, recording, registry

NAME = "dispatch.dispatcher.Dispatcher"
COUNTING = """
class Dispatcher:
    def call(self, entry, arguments):
        SEEN.append(("call", entry.name))
        return self.run(entry, key_set_of_stack(arguments), arguments, "call")

    def redispatch(self, entry, key_set, arguments):
        SEEN.append(("redispatch", entry.name))
        return self.run(entry, key_set, arguments, "redispatch")
"""
PROGRAMS = {
    "addition": lambda: engine.ones(2) + engine.ones(2),
    "in place": lambda: engine.ones(2).add_(1),
    "composite": lambda: engine.matmul(engine.ones(2, 5, 3), engine.ones(3, 4)),
    "a list": lambda: engine.cat([engine.ones(2), engine.zeros(1)]),
    "no tensor": lambda: engine.ops.aten.randn([2, 3], device="meta"),
    "keyword": lambda: engine.ops.aten.sum.dim_IntList(engine.ones(2, 3), [1], keepdim=True),
    "two results": lambda: engine.ones(2, 3).max(1)[0],
}


def gradient():
    x = engine.tensor([1.0, 2.0], requires_grad=True)
    (x * x.exp()).sum().backward()
    return x.grad.tolist()


def traced(program):
    with recording.trace() as steps:
        program()
    return [str(step) for step in steps]


@pytest.fixture
def seen(monkeypatch):
    """A student's part that notes its calls is live."""
    calls = []
    monkeypatch.setattr(dispatcher, "SEEN", calls, raising=False)
    overlay.carry("dispatch.dispatcher", is_carried=True)  # the test of another lab's notebook may have left it out
    overlay.graft(NAME, COUNTING)
    overlay.rebuilt([NAME])
    yield calls
    overlay.restore(NAME)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_call_enters_the_same_kernels(program):
    program()  # kernels are compiled at the first call
    wanted = traced(program)
    with dispatcher.live():
        assert traced(program) == wanted


def test_gradients_are_the_same():
    wanted = gradient()
    with dispatcher.live():
        assert gradient() == wanted


def test_each_kernel_is_entered_through_the_part(seen):
    x = engine.ones(2)
    steps = traced(lambda: x + x)
    seen.clear()
    x + x
    assert seen == [("call", "aten::add.Tensor"), ("redispatch", "aten::add.Tensor")] and len(steps) == 2


def test_calls_inside_of_operators_go_through_the_part(seen):
    engine.matmul(engine.ones(2, 5, 3), engine.ones(3, 4))
    assert {name for _, name in seen} >= {"aten::matmul", "aten::view", "aten::mm", "aten::_unsafe_view"}


def test_generated_calls_leave_the_part_out(seen):
    with dispatcher.generated():
        engine.ones(2) + engine.ones(2)
    assert not seen
    engine.ones(2) + engine.ones(2)
    assert seen


def test_calls_inside_a_swap_are_generated_and_the_part_carries_them_again_afterwards(seen):
    with overlay.swapped({NAME: COUNTING}):
        assert not dispatcher.is_live()
        engine.ones(2) + engine.ones(2)
    assert not seen and dispatcher.is_live()
    engine.ones(2) + engine.ones(2)
    assert seen


def test_a_part_that_is_not_to_be_used_is_left_out(seen):
    try:
        overlay.carry("dispatch.dispatcher", is_carried=False)
        engine.ones(2) + engine.ones(2)
        assert not seen
    finally:
        overlay.carry("dispatch.dispatcher", is_carried=True)
    assert dispatcher.is_live()


@pytest.mark.parametrize("names", [(NAME,), ()], ids=["one part", "all parts"])
def test_restoring_the_part_brings_the_generated_calls_back(names, seen):
    overlay.restore(*names)
    assert not dispatcher.is_live()
    engine.ones(2) + engine.ones(2)
    assert not seen


def test_a_kernel_that_comes_or_goes_counts_for_the_next_call():
    x = engine.ones(2)
    library = engine.library.Library("aten", "IMPL")
    with dispatcher.live():
        assert x.neg().tolist() == [-1.0, -1.0]
        handle = library.impl("neg", lambda x: x, "CPU")
        assert x.neg() is not None and engine.ops.aten.neg(x).tolist() == [1.0, 1.0]
        handle.destroy()
        assert x.neg().tolist() == [-1.0, -1.0]
    library._destroy()


def test_an_operator_that_is_defined_meanwhile_is_called_the_same_way():
    library = engine.library.Library("written", "DEF")
    try:
        with dispatcher.live():
            library.define("twice(Tensor x) -> Tensor")
            library.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")
            assert engine.ops.written.twice(engine.ones(1)).tolist() == [2.0]
        assert engine.ops.written.twice(engine.ones(1)).tolist() == [2.0]
    finally:
        library._destroy()


def test_refusals_are_the_same():
    stack = [engine.ones(2)]
    entry = registry.find("aten::neg")
    for call in (lambda: entry.redispatch(0, *stack), lambda: dispatcher.DISPATCHER.redispatch(entry, 0, stack)):
        with pytest.raises(NotImplementedError, match="no tensor arguments"):
            call()


@pytest.mark.parametrize(("lab", "is_used"), [("02-dispatch", True), ("03-operators", False)])
def test_a_notebook_of_another_lab_keeps_the_generated_calls(lab, is_used, seen, monkeypatch, tmp_path):
    from autograder.author import lab_text
    from autograder.student import notebook

    monkeypatch.setattr(notebook, "HERE", lab_text.ROOT / "course" / lab)
    try:
        notebook.resume(tmp_path)
        assert dispatcher.is_live() == is_used
    finally:
        overlay.carry("dispatch.dispatcher", is_carried=True)
