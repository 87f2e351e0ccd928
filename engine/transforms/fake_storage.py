"""The storages of fake tensors, and the fakes of other tensors. Mirrors torch/_subclasses/meta_utils.py."""

import weakref
from typing import Any

from ..autograd.grad_mode import set_grad_enabled
from ..dispatch.keys import KEY_SETS
from ..dispatch.local import ABOVE_BACKENDS
from ..dtypes import META
from ..dtypes import device as Device
from ..nn.parameter import Parameter
from ..storage import UntypedStorage
from ..tensor_impl import UNTRACKED, Tensor
from .python_dispatch import _disable_current_modes
from .wrapper_subclass import PlaceholderStorage, instance


class FakeStorage(PlaceholderStorage):
    """The storage of fake tensors on a device.

    Attributes:
        meta: the one of the meta tensors with which operators are called.
        constant: the elements, where they are known; None elsewhere, and once something unknown was written.
    """

    __slots__ = ("meta", "constant")

    def __init__(self, data: UntypedStorage, device: Device):
        super().__init__(data.nbytes(), Device("cuda", 0) if device == Device("cuda") else device)
        is_meta = data.device.type == "meta"
        self.meta = data if is_meta else UntypedStorage(data.nbytes(), META)
        self.constant = None if is_meta else data

    def nbytes(self) -> int:
        return self.meta.nbytes()

    size = __len__ = nbytes

    def data_ptr(self) -> int:
        """Return 0: there are no bytes."""
        return 0


def over(like: Tensor, storage: UntypedStorage, kind: type[Tensor] = Tensor) -> Any:
    """Return a tensor like another one (geometry, dtype, whether it is an inference tensor), over a storage."""
    geometry = like._sizes, like._strides, like._storage_offset, like._dtype
    made = instance(kind, storage, *geometry, KEY_SETS[storage.device.type])
    made._key_set &= like._key_set | ~ABOVE_BACKENDS
    made._version_counter = UNTRACKED if like._version_counter is UNTRACKED else None
    made._wrapped_number = like._wrapped_number
    return made


class FakeTensorConverter:
    """Makes fake tensors of others: of a tensor the same each time, with storages and bases shared as theirs are."""

    def __init__(self) -> None:
        self.tensor_memo: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._storages: weakref.WeakKeyDictionary[UntypedStorage, FakeStorage] = weakref.WeakKeyDictionary()

    def __deepcopy__(self, memo: Any) -> "FakeTensorConverter":
        return FakeTensorConverter()

    def from_real_tensor(self, fake_mode: Any, t: Any) -> Any:
        """Return the fake of a tensor, with the fake of its gradient."""
        origin, fake = weakref.ref(t), self.tensor_memo.get(id(t))
        if fake is not None and fake.stands_for() is t:
            return fake
        if t._is_view():
            with _disable_current_modes(), set_grad_enabled(not t.is_leaf):
                base = self.from_real_tensor(fake_mode, t._base)
                base = base if base.dtype is t.dtype else base.view(t.dtype)
                fake = base.as_strided(t._sizes, t._strides, t._storage_offset)
        else:
            if t._storage not in self._storages:
                self._storages[t._storage] = FakeStorage(UntypedStorage(t._storage.nbytes(), META), t.device)
            fake = fake_mode.wrapped(t, self._storages[t._storage])
        if t.requires_grad and not fake.requires_grad:
            fake = fake.requires_grad_() if t.is_leaf else fake.requires_grad_().clone()
        if t.is_leaf and t.grad is not None:
            fake.grad = self.from_real_tensor(fake_mode, t.grad)
        fake._is_param, fake.stands_for = isinstance(t, Parameter), origin
        self.tensor_memo[id(t)] = fake
        return fake

    def from_meta_and_device(self, fake_mode: Any, t: Tensor, device: Device) -> Any:
        """Return the fake of a meta tensor on a device."""
        return fake_mode.wrapped(t, FakeStorage(t._storage, device))
