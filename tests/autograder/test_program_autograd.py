"""The program of lab 4 on the whole engine: its numbers are those on paper, and PyTorch's."""

import pytest

import engine
from autograder.labs.autograd.program import probe

ON_PAPER = {
    # table * row * column + row / column, with row (0.5, 1.5) and column (2, 4, 8)
    "broadcasting": [
        [[1.0, 3.0], [2.0, 6.0], [4.0, 12.0]],
        [2.0 * 1 + 4.0 * 3 + 8.0 * 5 + 0.875, 2.0 * 2 + 4.0 * 4 + 8.0 * 6 + 0.875],
        [[0.5 + 3.0 - 2.0 / 4], [1.5 + 6.0 - 2.0 / 16], [2.5 + 9.0 - 2.0 / 64]],
    ],
    "passes add up": ([6.0, 12.0, 18.0, 24.0], True),
    "freed graph": ("RuntimeError", [2.0, 4.0, 6.0, 8.0]),
    "leaves stay": ("RuntimeError", [2.0, 4.0, 6.0, 8.0]),
    # y = (1, 2 * 5, 3 * 7, 4); the gradient of y * y
    "write to a view": ([1.0, 10.0, 21.0, 4.0], [2.0, 2 * 10 * 5.0, 2 * 21 * 7.0, 8.0], [2 * 10 * 2.0, 2 * 21 * 3.0]),
    "written later": "RuntimeError",
    "saved results": [18.0, 18.0],
    # f' = 3 w x**2; the gradient of its square by x is 36 w**2 x**3, by w 18 w sum(x**4)
    "second gradient": (
        [9.0 * x * x for x in probe.X],
        [36.0 * 9 * x**3 for x in probe.X],
        [18.0 * 3 * sum(x**4 for x in probe.X)],
    ),
    # x**4, and (2 x**2)**2 where it was written to
    "second gradient of a write": ([4.0, 16.0 * 8, 16.0 * 27], [12.0, 48.0 * 4, 48.0 * 9]),
    "modes": (False, True, True),
    "decorated": (False, True),
    "hooks": ([[3.0] * 4, [60.0] * 4], [60.0] * 4),
    "hooks that last": [22.0] * 4,
    "an operator of its own": [12.0] * 4,
    "an operator that saves": ([0.5, 1.0], [2.0, 2.0]),
    "gradcheck": True,
    "deep": [1024.0],
}
VARIANTS = [
    getattr(probe, name) for name in dir(probe) if name.startswith("without_") and callable(getattr(probe, name))
]


def test_the_numbers_of_the_program_are_those_on_paper():
    found = probe.run(engine)
    assert {name: found[name] for name in ON_PAPER} == ON_PAPER


def test_the_program_gives_what_pytorch_gives(pytorch):
    torch = pytorch

    class Mode:  # PyTorch's grad mode, as the probe sets it
        grad_mode = property(lambda self: torch.is_grad_enabled(), lambda self, mode: torch._C._set_grad_enabled(mode))

    class AsEngine:
        class autograd:
            class state:
                state = Mode()

            Function, grad, gradcheck = torch.autograd.Function, torch.autograd.grad, torch.autograd.gradcheck

        def __getattr__(self, name):
            return getattr(torch, name)

    assert probe.run(AsEngine()) == probe.run(engine)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.__name__)
def test_a_variant_gives_the_same_numbers_and_leaves_some_out(variant):
    whole, found = probe.run(engine), variant(engine)
    assert set(found) < set(whole) and all(whole[name] == value for name, value in found.items())


def test_the_grad_mode_is_as_it_was():
    with engine.no_grad():
        probe.run(engine)
        assert not engine.is_grad_enabled()
