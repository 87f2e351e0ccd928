"""Functions and modes beside the mode for fake tensors. Mirrors torch/_subclasses/fake_tensor.py."""

import contextlib
from collections.abc import Iterator
from typing import Any

from ..tensor_impl import Tensor
from .fake_tensor import FakeTensor, FakeTensorMode, activate, active_mode
from .overrides import TorchFunctionMode
from .wrapper_subclass import is_traceable_wrapper_subclass


class FakeCopyMode(TorchFunctionMode):
    """A mode in which `copy.deepcopy` of tensors and modules makes fake ones, of `fake_mode`."""

    def __init__(self, fake_mode: FakeTensorMode):
        self.fake_mode = fake_mode

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is Tensor.clone:
            return func(self.fake_mode.from_tensor(args[0]), **(kwargs or {}))
        if func is Tensor.__deepcopy__:
            return args[1].setdefault(id(args[0]), self.fake_mode.from_tensor(args[0]))
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def unset_fake_temporarily() -> Iterator[FakeTensorMode | None]:
    """Leave the mode for fake tensors inside the block, which gets it; other modes stay."""
    before = active_mode()
    activate(None)
    try:
        yield before
    finally:
        activate(before)


def maybe_get_fake_mode(t: Any) -> FakeTensorMode | None:
    """Return the mode of a fake tensor, or of a wrapper of fake tensors; None for all else."""
    if isinstance(t, FakeTensor):
        return t.fake_mode
    inner = t.__tensor_flatten__()[0] if is_traceable_wrapper_subclass(t) else ()
    found = {maybe_get_fake_mode(getattr(t, name)) for name in inner}
    if len(found) > 1:
        raise AssertionError("All fake tensor modes must be the same")
    return found.pop() if found else None


def is_fake(x: Any) -> bool:
    """Return True for a fake tensor, and a wrapper of fake tensors."""
    return maybe_get_fake_mode(x) is not None
