"""`x * y` goes the same way as `x + y`, and a student's kernel of `mul` takes it as soon as it is live."""

import engine
from autograder import overlay

MUL = "autograd.variable_type_manual.mul"


def autograd_kernel(operator):
    """Where the kernel at the Autograd keys was registered, newest first: `<autograd: add.Tensor>`."""
    lines = engine._C._dispatch_dump(f"aten::{operator}").splitlines()
    return next(line for line in lines if line.startswith("Autograd[alias]"))


def test_both_have_generated_kernels():
    overlay.rebuilt([MUL])  # another test may have restored the reference's text alone
    if MUL in overlay.active():  # a student's engine is tested
        assert "variable_type_manual" in autograd_kernel("mul.Tensor")
    else:
        assert "<autograd: mul.Tensor>" in autograd_kernel("mul.Tensor")
    assert "<autograd: add.Tensor>" in autograd_kernel("add.Tensor")


def test_a_students_kernel_runs_once_it_is_live(monkeypatch):
    text = overlay.source_of(MUL).replace("    if not (state", "    print('mine')\n    if not (state", 1)
    x = engine.ones(2, requires_grad=True)
    printed = []
    # numba prints into a file what it keeps of a kernel that it compiles here
    monkeypatch.setattr("builtins.print", lambda *said, file=None: file or printed.extend(said))
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
