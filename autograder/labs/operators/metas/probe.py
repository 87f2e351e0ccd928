"""Probes of meta functions: what they declare on an operator's object, and what they refuse."""

from autograder.examine.error_data import message, type_name


def mm_meta(engine, first, second):
    """Return what the meta function of `mm` declares for two tensors.

    Args:
        first, second: (sizes, name of the dtype, whether it is laid out with its columns in a row, device) of each.
    Returns:
        list of the declared outputs, each {"by": the method, "index", "sizes", "strides", "dtype", "device"}; or
        ("raised", type name, message), with what was declared before if anything was; ("returned", type name) if the
        function returns anything.
    """
    op = Declared(engine)
    got = _or_raised(engine.aten.native.linear_algebra.mm_meta, op, _tensor(engine, *first), _tensor(engine, *second))
    return _seen(op, got)


class Declared:
    """A stand-in for an operator that records the outputs that a meta function declares."""

    def __init__(self, engine):
        self.engine = engine
        self.outputs = []

    def set_output_raw_strided(self, index, sizes, strides, dtype, device):
        self._declare("set_output_raw_strided", index, sizes, strides, dtype, device)

    def set_output_strided(self, index, sizes, strides, dtype, device):
        self._declare("set_output_strided", index, sizes, strides, dtype, device)

    def _declare(self, method, index, sizes, strides, dtype, device):
        self.outputs.append(
            {
                "by": method,
                "index": index,
                "sizes": tuple(sizes) if isinstance(sizes, tuple) else sizes,  # a Size is as good
                "strides": strides,
                "dtype": dtype.name if type(dtype) is self.engine.dtypes.dtype else "no dtype",
                "device": str(device) if type(device) is self.engine.dtypes.device else "no device",
            }
        )


def _is_refusal(got):
    return type(got) is tuple and len(got) == 3 and type(got[0]) is str and got[0] == "raised"


def _tensor(engine, sizes, dtype, is_transposed, device):
    kind = engine.dtypes.DTYPES[dtype]
    if not is_transposed:
        return engine.empty(sizes, dtype=kind, device=device)
    flipped = engine.empty(sizes[::-1], dtype=kind, device=device)
    return flipped.permute(tuple(range(len(sizes)))[::-1])


def div_meta(engine, first, second, rounding_mode, given):
    """Return how the meta function of `div` with a rounding mode builds its iterator.

    Args:
        first, second: as `mm_meta`, or a Python number.
        given: the dtype of a given output, "" for a new one.
    Returns:
        {"built": how many times, "computes in", "dtype", "sizes"}; or ("raised", type name, message), with "built
        before" if the iterator was; ("returned", type name) if the function returns anything.
    """
    structured, iterator = engine.aten.structured, engine.aten.iterator
    built = []

    class Build:
        __slots__ = ()

        def build_borrowing_binary_op(self, a, b, *config):
            built.append("built")
            iterator.TensorIteratorBase.build_borrowing_binary_op(self, a, b, *config)

    class New(Build, structured.Functional, iterator.TensorIteratorBase):
        __slots__ = ()

    class Given(Build, structured.Out, iterator.TensorIteratorBase):
        __slots__ = ()

    tensors = [_operand(engine, described) for described in (first, second)]
    op = Given(engine.empty(0, dtype=engine.dtypes.DTYPES[given])) if given else New()
    got = _or_raised(engine.aten.native.binary_ops.div_Tensor_mode_meta, op, *tensors, rounding_mode)
    if _is_refusal(got):
        is_late = bool(built) and rounding_mode not in (None, "trunc", "floor")
        return (*got, "built before") if is_late else got
    if got is not None:
        return ("returned", type(got).__name__)
    if not built:
        return {"built": 0, "computes in": "", "dtype": "", "sizes": ()}
    output = op.outputs[0]
    return {
        "built": len(built),
        "computes in": op.plan.common_dtype.name,
        "dtype": output.dtype.name,
        "sizes": tuple(output.size()),
    }


def resize_reduction(engine, described, dims, keepdim, dtype, index):
    """Return what `resize_reduction` declares for a reduction, in the form of `mm_meta`."""
    op = Declared(engine)
    arguments = _tensor(engine, *described), dims, keepdim, engine.dtypes.DTYPES[dtype], index
    got = _or_raised(engine.aten.reduction.resize_reduction, op, *arguments)
    return _seen(op, got)


def _operand(engine, described):
    if type(described) is tuple:
        return _tensor(engine, *described)
    return engine.aten.scalar_ops.wrapped_scalar_tensor(described)


def _seen(op, got):
    """Return what was declared, or how the function ended otherwise."""
    if got is None:
        return op.outputs
    if not _is_refusal(got):
        return ("returned", type(got).__name__)
    return (*got, "declared before", op.outputs) if op.outputs else got


def _or_raised(function, *args):
    try:
        return function(*args)
    except NotImplementedError:
        raise
    except Exception as error:
        return ("raised", type_name(error), message(error))
