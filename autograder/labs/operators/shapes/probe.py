"""Probes of the functions that work out sizes and strides of an output, whose errors count with their text."""

from autograder.examine.error_data import message, type_name


def broadcast_shapes(engine, shapes):
    """Return the shape that all `shapes`, a list of tuples, broadcast to, or ("raised", type name, message)."""
    return _or_raised(engine.strides.broadcast_shapes, *shapes)


def coalesce_dims(engine, sizes, operands):
    """Call `coalesce_dims` with the strides of each operand in the list `operands`."""
    return engine.strides.coalesce_dims(sizes, *operands)


def _or_raised(function, *args):
    try:
        return function(*args)
    except NotImplementedError:
        raise
    except Exception as error:
        return ("raised", type_name(error), message(error))
