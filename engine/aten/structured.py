"""Structured operators: one function works out the outputs (meta), another fills them (impl).

A meta function tells an object of a class below what each output must be: `op.set_output_strided(...)`. What becomes
of that is the class's: a functional call makes a new tensor, an in-place call checks the one it has, a call with
`out=` resizes it. So an operator is written once and generated three times. Mirrors at::impl::MetaBase
(aten/src/ATen/TensorMeta.h) and the classes that torchgen/dest/register_dispatch_key.py generates.
"""

import sys
import warnings

from .. import strides as geometry
from ..dtypes import DTYPES, device, dtype
from ..strides import Ints
from ..tensor_impl import Tensor
from .at import at
from .empty_tensor import LARGEST, new_tensor, too_large

CPP_NAMES = {kind: kind.cpp_name for kind in DTYPES.values()}
"""Names of dtypes in the errors of `out=`: the C++ types of their elements."""


class MetaBase:
    """The object through which a meta function declares the outputs of an operator.

    `outputs` are the caller's tensors or the new ones. `proxy_outputs` maps the index of an output to the tensor that
    the kernel fills in its place, where it can't write to the given one; `copy_back` settles that.
    """

    __slots__ = ("outputs", "proxy_outputs")
    outputs: list[Tensor]
    proxy_outputs: dict[int, Tensor] | None

    has_given_outputs = False

    @property
    def device_type(self) -> str:
        """The type of the outputs' device; generated classes, each for one backend, override it."""
        return self.outputs[0]._storage.device.type

    def set_output_strided(self, index: int, sizes: Ints, strides: Ints, dtype: dtype, device: device) -> None:
        """Declare output `index`; the kernel relies on exactly these strides."""
        raise NotImplementedError

    def set_output_raw_strided(self, index: int, sizes: Ints, strides: Ints, dtype: dtype, device: device) -> None:
        """Declare output `index`; a new or resized tensor gets these strides, but the kernel copes with any."""
        raise NotImplementedError

    def set_proxy_output(self, index: int, proxy: Tensor) -> None:
        """Have the kernel fill `proxy` instead of output `index`."""
        raise NotImplementedError

    def maybe_get_output(self, index: int = 0) -> Tensor | None:
        """Return the tensor that the kernel fills for output `index`; None if it is not made yet."""
        raise NotImplementedError


class Functional(MetaBase):
    """An operator whose outputs are new tensors: `y = op(x)`."""

    __slots__ = ()

    def set_output_raw_strided(self, index: int, sizes: Ints, strides: Ints, dtype: dtype, device: device) -> None:
        output = new_tensor(sizes, strides, dtype, device)
        if index == 0:  # there is no __init__, which would cost every call
            self.outputs = [output]
        else:
            self.outputs.append(output)

    set_output_strided = set_output_raw_strided

    def maybe_get_output(self, index: int = 0) -> Tensor | None:
        made = getattr(self, "outputs", ())
        return made[index] if index < len(made) else None


class GivenOutputs(MetaBase):
    """An operator whose outputs are the caller's tensors: `x.op_()`, `op(x, out=y)`.

    Meta declares each output once, with the geometry that the operation makes. A kernel then fills
    `maybe_get_output(index)`, and `copy_back()` settles the rest.

    Attributes:
        outputs: the caller's tensors, a list.
        proxy_outputs: index -> the tensor that the kernel fills instead of that output; None before there is one.
        resizes: True for `out=`, whose tensor takes the sizes that are declared; False in place, where it must have
            them.

    Source: gen_class_set_output_functions (torchgen/dest/register_dispatch_key.py).
    """

    __slots__ = ()
    has_given_outputs = True
    resizes = False

    def __init__(self, *outputs: Tensor):
        self.outputs = list(outputs)
        self.proxy_outputs = None

    def set_output_raw_strided(self, index: int, sizes: Ints, strides: Ints, dtype: dtype, device: device) -> None:
        """Declare output `index`. The given tensor keeps its strides if it already has these sizes.

        With `resizes`, a tensor of other sizes gets these sizes and strides from `resize_output`, once its dtype and
        device are known to be right. `differences` lists how a tensor differs.

        Raises:
            RuntimeError: the given tensor has another dtype or device; without `resizes` also: other sizes. The
                tensor is as it was then. The text is your own.
        """
        output = self.outputs[index]
        for what, given, made in differences(output, output._sizes if self.resizes else sizes, dtype, device):
            raise RuntimeError(
                f"Expected out tensor to have {what} {made}, but got {given} instead"
                if self.resizes
                else f"Bad in-place call: input tensor {what} {given} and output tensor {what} {made} should match"
            )
        if self.resizes:
            resize_output(output, sizes, strides)

    def set_output_strided(self, index: int, sizes: Ints, strides: Ints, dtype: dtype, device: device) -> None:
        """Declare output `index` for a kernel that relies on exactly these strides.

        Where the given tensor has other strides after `set_output_raw_strided`, the kernel gets a proxy: a
        `new_tensor(sizes, strides, dtype, device)`. Strides are compared as tuples, so the strides of dimensions of
        size 1 and of tensors without elements count, too.

        Raises:
            RuntimeError: as `set_output_raw_strided`.
        """
        self.set_output_raw_strided(index, sizes, strides, dtype, device)
        if self.outputs[index]._strides != strides:
            self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))

    def set_proxy_output(self, index: int, proxy: Tensor) -> None:
        """Have the kernel fill `proxy` instead of output `index`; the proxies of other outputs stay.

        `proxy_outputs` may be the same dict afterwards, or a new one.
        """
        self.proxy_outputs = {**(self.proxy_outputs or {}), index: proxy}

    def maybe_get_output(self, index: int = 0) -> Tensor | None:
        """Return the tensor that the kernel fills: the proxy of output `index` if there is one, else the given one."""
        return (self.proxy_outputs or {}).get(index, self.outputs[index])

    def copy_back(self) -> None:
        """Copy each proxy to the given tensor that it represents (`at.copy_`), in any order; without any, do nothing.

        It is called last: `proxy_outputs` may keep the proxies or lose them.
        """
        for index, proxy in (self.proxy_outputs or {}).items():
            at.copy_(self.outputs[index], proxy)


class Inplace(GivenOutputs):
    """An operator whose output is an input: `x.op_()`, which must match the output that the operation would make."""

    __slots__ = ()


class Out(GivenOutputs):
    """An operator whose output is the tensor given as `out=`, which is resized to the sizes of the result."""

    __slots__ = ()
    resizes = True


def differences(given: Tensor, sizes: Ints, dtype: dtype, device: device) -> list[tuple[str, str, str]]:
    """Return the properties in which a given output differs from the output that an operation makes.

    Returns:
        [(what, value of `given`, value of the output), ...], as errors call them.
    """
    if given._dtype is dtype and given._sizes == sizes and given.device == device:
        return []
    compared = (
        ("dtype", CPP_NAMES[given._dtype], CPP_NAMES[dtype]),
        ("device", str(given.device), str(device)),
        ("size", str(list(given._sizes)), str(list(sizes))),
    )
    return [(what, mine, made) for what, mine, made in compared if mine != made]


def resize_output(output: Tensor, sizes: Ints, strides: Ints | None = None) -> bool:
    """Resize an `out=` tensor to the sizes that an operation needs; if it has them, its strides stay as they are.

    Args:
        strides: for a resized tensor, in elements; contiguous if None.
    Returns:
        whether it was resized. One that held elements warns, for they are lost.

    Source: resize_output, resize_output_check (aten/src/ATen/native/Resize.cpp).
    """
    if output._sizes == sizes:
        return False
    if 0 not in output._sizes:
        warnings.warn(
            f"An output with one or more elements was resized since it had shape {list(output._sizes)}, which does not "
            f"match the required output shape {list(sizes)}. This behavior is deprecated, and in a future PyTorch "
            "release outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
            "tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
            stacklevel=2,
        )
    resize_impl(output, sizes, strides)
    return True


def resize_impl(tensor: Tensor, sizes: Ints, strides: Ints | None = None) -> Tensor:
    """Give a tensor new sizes and strides over its storage, which grows if necessary and never shrinks.

    Cells keep their bytes: element (i0, ..., in-1) is the cell to which the new strides lead.

    Args:
        sizes, strides: the new geometry, in elements; contiguous if `strides` is None. The offset stays.
    Raises:
        RuntimeError: a size is negative, or there is not enough memory.

    Source: resize_impl_cpu_ (aten/src/ATen/native/Resize.h).
    """
    if any(size < 0 for size in sizes):
        raise RuntimeError(f"Trying to resize a tensor to negative sizes: {list(sizes)}")
    if tensor._sizes == sizes and strides in (None, tensor._strides):
        return tensor
    strides = geometry.contiguous_strides(sizes) if strides is None else strides
    nbytes = geometry.compute_storage_nbytes(sizes, strides, tensor.itemsize, tensor._storage_offset)
    if nbytes > LARGEST:
        raise too_large(sizes, strides)
    if nbytes > tensor._storage.nbytes():
        is_shared = sys.getrefcount(tensor._storage) > 2  # one is the slot's, one the call's
        tensor._storage.resize_(nbytes, is_shared)
        tensor._elements = None
    tensor._sizes, tensor._strides = sizes, strides  # last, so that a tensor whose storage can't grow stays as it is
    return tensor


def copy_to(out: Tensor, made: Tensor) -> Tensor:
    """Resize `out` and copy a result into it: the `out=` form of an operator that has only a functional kernel.

    Raises:
        RuntimeError: `out` has another dtype.
    """
    if out._dtype is not made._dtype:
        wanted, given = CPP_NAMES[made._dtype], CPP_NAMES[out._dtype]
        raise RuntimeError(f"Expected out tensor to have dtype {wanted}, but got {given} instead")
    resize_output(out, made._sizes)
    return at.copy_(out, made)
