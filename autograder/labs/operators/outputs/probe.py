"""Probe of `GivenOutputs` (engine/aten/structured.py): outputs are declared, filled, copied back."""

import warnings

from autograder.examine.raised import type_name


def declare(engine, resizes, given, steps):
    """Return what each step does to an operator with given outputs.

    Args:
        resizes: as `out=`; else in place.
        given: (sizes, strides, dtype) of each output, all of them full of -1.
        steps: ("raw" or "strided", index, sizes, strides, dtype, device): declare an output;
            ("proxy", index, sizes): set a proxy of these sizes; ("kernel",): fill what there is to fill, the outputs
            by 10, 11, ...; ("copy back",).
    Returns:
        For a declaration and a proxy: who is filled ("given" or "proxy"), and its sizes and strides. For the others:
        the elements of the given tensors, and who has a proxy (None from the first copy back on: proxies may go then).
        An error ends the list: ("raised", type).
    """
    structured, at = engine.aten.structured, engine.aten.at.at
    tensors = [_new(engine, *geometry) for geometry in given]
    op = (structured.Out if resizes else structured.Inplace)(*tensors)
    seen, is_settled = [], False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, *rest in steps:
            try:
                if kind in ("raw", "strided"):
                    index, sizes, strides, dtype, device = rest
                    method = op.set_output_raw_strided if kind == "raw" else op.set_output_strided
                    method(index, sizes, strides, engine.dtypes.DTYPES[dtype], engine.device(device))
                    seen.append(_filled(op, tensors, index))
                elif kind == "proxy":
                    index, sizes = rest
                    op.set_proxy_output(
                        index, _new(engine, sizes, engine.strides.contiguous_strides(sizes), given[index][2])
                    )
                    seen.append(_filled(op, tensors, index))
                else:
                    if kind == "kernel":
                        for index in range(len(tensors)):
                            at.fill__Scalar(op.maybe_get_output(index), 10 + index)
                    else:
                        op.copy_back()
                        is_settled = True
                    proxies = None if is_settled else sorted(op.proxy_outputs or ())
                    seen.append(([x.tolist() for x in tensors], proxies))
            except (NotImplementedError, NameError):
                raise
            except Exception as error:
                return [*seen, ("raised", type_name(error))]
    return seen


def _new(engine, sizes, strides, dtype):
    tensor = engine.aten.empty_tensor.new_tensor(sizes, strides, engine.dtypes.DTYPES[dtype], engine.dtypes.CPU)
    return engine.aten.at.at.fill__Scalar(tensor, -1)


def _filled(op, tensors, index):
    tensor = op.maybe_get_output(index)
    return ("given" if tensor is tensors[index] else "proxy", tuple(tensor.size()), tensor.stride())
