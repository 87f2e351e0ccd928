"""Functions of the module that PyTorch writes by hand: `tensor`, `split`, questions about dtypes and shapes.

Mirrors torch/csrc/autograd/python_torch_functions_manual.cpp and torch/functional.py.
"""

import warnings
from typing import Any

from .. import dtypes, tensor_impl
from .. import strides as geometry
from ..dispatch.local import AutoDispatchBelowADInplaceOrView
from ..tensor_impl import Size, Tensor
from . import python_methods, python_norm, tensor_new, tensor_numpy, type_info, type_promotion
from .at import at
from .python_arg_parser import PythonArgParser
from .python_arguments import is_long
from .tensor_new import below_autograd, with_requires_grad
from .type_promotion import Promotion

tensor_parser = PythonArgParser(
    "tensor(PyObject data, *, ScalarType dtype=None, Device? device=None, bool pin_memory=False, "
    "bool requires_grad=False)"
)
as_tensor_parser = PythonArgParser("as_tensor(PyObject data, *, ScalarType dtype=None, Device? device=None)")
numel_parser = PythonArgParser("numel(Tensor input)")
is_floating_point_parser = PythonArgParser("is_floating_point(Tensor input)")
result_type_parser = PythonArgParser(
    "result_type(Tensor tensor, Tensor other)",
    "result_type(Scalar scalar, Tensor tensor)",
    "result_type(Tensor tensor, Scalar other)",
    "result_type(Scalar scalar1, Scalar scalar2)",
)
promote_types_parser = PythonArgParser("promote_types(ScalarType type1, ScalarType type2)")
can_cast_parser = PythonArgParser("can_cast(ScalarType from_, ScalarType to)")
nonzero_parser = PythonArgParser("nonzero(Tensor input, *, bool as_tuple=False, Tensor out=None)")
broadcast_tensors_parser = PythonArgParser("broadcast_tensors(Tensor[] tensors)")


def tensor(*args: Any, **kwargs: Any) -> Tensor:
    """Return a tensor that copies `data`: a number, nested sequences, a NumPy array or a tensor."""
    if len(args) == 1 and not kwargs:
        return below_autograd(tensor_new.tensor, *args)
    _, (data, dtype, device, pin_memory, requires_grad) = tensor_parser.parse(args, kwargs)
    return with_requires_grad(below_autograd(tensor_new.tensor, data, dtype, device, pin_memory), requires_grad)


def as_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """Return `data` as a tensor, sharing the memory of a tensor or an array if the dtype and the device stay."""
    _, (data, dtype, device) = as_tensor_parser.parse(args, kwargs)
    if isinstance(data, Tensor):
        return tensor_new.as_tensor(data, dtype=dtype, device=device)  # with its history
    with AutoDispatchBelowADInplaceOrView():
        return tensor_new.as_tensor(data, dtype=dtype, device=device)


def split_function(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor into pieces of equal size, of which the last may be smaller, or into pieces of the given sizes."""
    return python_methods.split(tensor, split_size_or_sections, dim)


split_function.__name__ = split_function.__qualname__ = "split"


def numel(*args: Any, **kwargs: Any) -> int:
    """Return the number of elements of a tensor."""
    _, (input,) = numel_parser.parse(args, kwargs)
    return input.numel()


def is_floating_point(*args: Any, **kwargs: Any) -> bool:
    """Return True if a tensor has a floating-point dtype."""
    _, (input,) = is_floating_point_parser.parse(args, kwargs)
    return input.is_floating_point()


def result_type(*args: Any, **kwargs: Any) -> dtypes.dtype:
    """Return the dtype that an operation on two tensors or numbers computes in."""
    _, operands = result_type_parser.parse(args, kwargs)
    return type_promotion.result_type(*map(_promotion, operands))


def _promotion(operand: Tensor | bool | int | float) -> Promotion:
    if isinstance(operand, Tensor):
        return Promotion(operand.dtype, operand.dim(), operand._wrapped_number)
    return Promotion(dtypes.OF_PYTHON[type(operand)], 0, True)


def promote_types(*args: Any, **kwargs: Any) -> dtypes.dtype:
    """Return the smallest dtype that is not smaller and not of a lower category than either of two dtypes."""
    _, (type1, type2) = promote_types_parser.parse(args, kwargs)
    return type_promotion.promote_types(type1, type2)


def can_cast(*args: Any, **kwargs: Any) -> bool:
    """Return True if a result of one dtype may be written to a tensor of another."""
    _, (from_, to) = can_cast_parser.parse(args, kwargs)
    return type_promotion.can_cast(from_, to)


def nonzero(*args: Any, **kwargs: Any) -> Tensor | tuple[Tensor, ...]:
    """Return the indices of the nonzero elements: a row for each, or with `as_tuple` a vector for each dimension."""
    _, (input, as_tuple, out) = nonzero_parser.parse(args, kwargs)
    if as_tuple and out is not None:
        raise TypeError("nonzero does not support the out kwarg when as_tuple is True")
    if out is not None:
        return at.nonzero_out(input, out=out)
    return at.nonzero_numpy(input) if as_tuple else at.nonzero(input)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Expand the tensors to the shape that all of them broadcast to."""
    _, (checked,) = broadcast_tensors_parser.parse((tensors,), {})
    return at.broadcast_tensors(tuple(checked))


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return, for each vector, a view on the common grid in which the vector varies along its own dimension.

    Args:
        tensors: vectors, or one list of them.
        indexing: "ij", or "xy" for the first two dimensions to change places; None is "ij", and warns.
    """
    vectors = tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    if indexing is not None:
        return at.meshgrid_indexing(vectors, indexing=indexing)
    warnings.warn(
        "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.", stacklevel=2
    )
    return at.meshgrid(vectors)


def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that all shapes broadcast to; an int is a shape of one dimension.

    Raises:
        RuntimeError: they don't broadcast.
        ValueError: a size is negative.
    """
    tuples = [(shape,) if is_long(shape) else tuple(shape) for shape in shapes]
    if any(size < 0 for shape in tuples for size in shape):
        raise ValueError("Attempting to broadcast a dimension with negative length!")
    return Size(geometry.broadcast_shapes(*tuples))


FUNCTIONS: dict[str, Any] = {
    **python_norm.FUNCTIONS,
    "tensor": tensor,
    "as_tensor": as_tensor,
    "from_numpy": tensor_numpy.from_numpy,
    "split": split_function,
    "meshgrid": meshgrid,
    "numel": numel,
    "is_floating_point": is_floating_point,
    "nonzero": nonzero,
    "is_tensor": tensor_impl.is_tensor,
    "is_inference": python_methods.is_inference,
    "result_type": result_type,
    "promote_types": promote_types,
    "can_cast": can_cast,
    "broadcast_tensors": broadcast_tensors,
    "broadcast_shapes": broadcast_shapes,
    "finfo": type_info.finfo,
    "iinfo": type_info.iinfo,
}
