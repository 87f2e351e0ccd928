"""Probes of the functions that work out sizes and strides of an output, whose errors count with their text."""

from autograder.examine.raised import message, type_name


def broadcast_shapes(engine, shapes):
    """Return the shape that all `shapes`, a list of tuples, broadcast to, or ("raised", type name, message)."""
    return _or_raised(engine.strides.broadcast_shapes, *shapes)


def coalesce_dims(engine, sizes, operands):
    """`coalesce_dims` of a list of operands' strides."""
    return engine.strides.coalesce_dims(sizes, *operands)


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
    if got is None:
        return op.outputs
    if not _is_refusal(got):
        return ("returned", type(got).__name__)
    return (*got, "declared before", op.outputs) if op.outputs else got


class Declared:
    """Takes an operator's place: keeps what a meta function declares."""

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


def _or_raised(function, *args):
    try:
        return function(*args)
    except NotImplementedError:
        raise
    except Exception as error:
        return ("raised", type_name(error), message(error))
