"""Probe of `GivenOutputs` (engine/aten/structured.py): outputs are declared, filled, copied back."""

import warnings

from autograder.examine.error_data import type_name


def declare(engine, resizes, given, steps):
    """Run the steps on an operator with given outputs, and return the effect of each.

    Args:
        resizes: as `out=`; else in place.
        given: (sizes, strides, dtype, device) of each output, all of them full of -1.
        steps: ("raw" or "strided", index, sizes, strides, dtype, device): declare an output;
            ("proxy", index, sizes): set a proxy of these sizes; ("kernel",): fill what there is to fill, the outputs
            by 10, 11, ...; ("copy back",).
    Returns:
        a list with an entry for each step, which begins with the step's word. A given tensor or a proxy that leaves its
        storage ends it: {"beyond": its sizes, strides}. Of a declaration in a script without a
        kernel: {"given": (sizes, strides) of the tensor afterwards}. Else of a declaration and a proxy: {"fills":
        "given" or "proxy", and its "sizes", "strides", "dtype", "device"}, and "given" if the given tensor has another
        geometry. Of the others: {"elements": of the given tensors, "proxies": who has one (left out from the first copy
        back on: proxies may go then)}. An error ends the list: {"raised": type, "given": geometry of the given
        tensors}.
    """
    structured, at = engine.aten.structured, engine.aten.at.at
    tensors = [_new(engine, *geometry) for geometry in given]
    op = (structured.Out if resizes else structured.Inplace)(*tensors)
    seen, is_settled, has_kernel = [], False, any(kind == "kernel" for kind, *_ in steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, *rest in steps:
            try:
                if kind in ("raw", "strided"):
                    index, sizes, strides, dtype, device = rest
                    method = op.set_output_raw_strided if kind == "raw" else op.set_output_strided
                    method(index, sizes, strides, engine.dtypes.DTYPES[dtype], engine.device(device))
                    seen.append(
                        (kind, _filled(op, tensors, index) if has_kernel else {"given": _geometry(tensors[index])})
                    )
                elif kind == "proxy":
                    index, sizes = rest
                    op.set_proxy_output(
                        index, _new(engine, sizes, engine.strides.contiguous_strides(sizes), *given[index][2:])
                    )
                    seen.append((kind, _filled(op, tensors, index)))
                else:
                    if kind == "kernel":
                        for index in range(len(tensors)):
                            filled = op.maybe_get_output(index) if index else op.maybe_get_output()
                            if filled is None:
                                return [*seen, (kind, {"fills": "None"})]
                            at.fill__Scalar(filled, 10 + index)
                    else:
                        op.copy_back()
                        is_settled = True
                    now = {"elements": [x.tolist() if x.device.type == "cpu" else "no memory" for x in tensors]}
                    seen.append((kind, now if is_settled else {**now, "proxies": _proxies(op)}))
                if beyond := _beyond(engine, [*tensors, *(op.proxy_outputs or {}).values()]):
                    return [*seen[:-1], (kind, {"beyond": beyond})]
            except NotImplementedError:
                raise
            except Exception as error:
                return [*seen, (kind, {"raised": type_name(error), "given": [_geometry(x) for x in tensors]})]
    return seen


def _new(engine, sizes, strides, dtype, device):
    tensor = engine.aten.empty_tensor.new_tensor(sizes, strides, engine.dtypes.DTYPES[dtype], engine.device(device))
    return engine.aten.at.at.fill__Scalar(tensor, -1)


def _beyond(engine, tensors):
    """Return the geometry of the first tensor with elements outside its storage (no kernel may touch it), or None."""
    needs = engine.strides.compute_storage_nbytes
    return next(
        (
            _geometry(x)
            for x in tensors
            if x.device.type == "cpu"
            and (
                min((*x.size(), *x.stride()), default=0) < 0
                or needs(tuple(x.size()), tuple(x.stride()), x.itemsize, x.storage_offset())
                > x.untyped_storage().nbytes()
            )
        ),
        None,
    )


def _proxies(op):
    return sorted(op.proxy_outputs or ())


def _geometry(tensor):
    return tuple(tensor.size()), tuple(tensor.stride())


def _filled(op, tensors, index):
    """Describe the tensor that the kernel fills for an output; for a proxy, also the geometry of the given tensor."""
    tensor = op.maybe_get_output(index)
    if tensor is None:
        return {"fills": "None"}
    seen = {
        "fills": "given" if tensor is tensors[index] else "proxy",
        "sizes": tuple(tensor.size()),
        "strides": tuple(tensor.stride()),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "device": str(tensor.device),
    }
    return seen if tensor is tensors[index] else {**seen, "given": _geometry(tensors[index])}
