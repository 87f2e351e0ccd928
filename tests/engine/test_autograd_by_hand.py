"""`x * y` goes the same way as `x + y`, and a student's kernel of `mul` takes it as soon as it is live."""

import engine
from engine import journey, overlay

MUL = "autograd.variable_type_manual.mul"


def files(expression):
    """Where the functions of an expression are, generated texts by the name of their generator."""
    return {frame.place.generator or frame.place.file for frame in journey.frames(expression)}


def test_both_go_through_generated_kernels():
    with overlay.swapped({}):  # the reference's engine, also where a student's is tested
        product, sum_ = files("x * y"), files("x + y")
    assert product <= sum_  # `add` looks at its alpha besides
    assert "engine/autograd/gen_variable_type.py" in product


def test_a_students_kernel_runs_once_it_is_live(monkeypatch):
    text = overlay.source_of(MUL).replace("    if not (state", "    print('mine')\n    if not (state", 1)
    x = engine.ones(2, requires_grad=True)
    printed = []
    monkeypatch.setattr("builtins.print", printed.append)
    try:
        overlay.graft(MUL, text)
        assert overlay.rebuilt([MUL]) == {}
        (x * x).sum().backward()
        assert set(printed) == {"mine"} and x.grad.tolist() == [2, 2]
        printed.clear()
        with overlay.swapped({}):  # the reference's engine
            x * x
        assert printed == []
        x * x
        assert printed == ["mine"]
    finally:
        overlay.restore(MUL)
        overlay.rebuilt([MUL])
    x * x
    assert printed == ["mine"]
