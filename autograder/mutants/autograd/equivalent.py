"""Mutants of lab 4 that are not mistakes: no question that the docstring allows tells them from the reference."""

from autograder.mutants.model import Equivalent

SAVED, RECORD = "autograd.saved_variable.SavedVariable", "autograd.function.record"
DERIVATIVES = "autograd.jacobians.directional_derivatives"
SLICES = "autograd.copy_slices.CopySlices"
GIVEN = "before, after, eps, where"

EQUIVALENT = (
    Equivalent(
        SAVED, "if self.data._version != self.version:", "if self.data._version > self.version:",
        "a version counter only grows",
    ),
    Equivalent(SLICES, "grad = grads[0]", "grad = grads[-1]", "a base is the only output: there is one gradient"),
    Equivalent(
        RECORD, "return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]",
        "return tuple(wrapped) if isinstance(result, tuple) else wrapped[-1]", "of a single value there is one",
    ),
    *(
        Equivalent(DERIVATIVES, f"check_same_kind({GIVEN})", f"check_same_kind({given})", "only the words differ")
        for given in ("after, before, eps, where", "before, after, where, eps")
    ),
)  # fmt: skip
