"""Check of the key of a factory function (engine/dispatch/backend_select.py, compute_dispatch_key)."""

import random
from collections.abc import Callable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake

DTYPES = (None, "float32", "float64", "int64", "int32", "bool")
DEVICES = ("cpu", "cuda", "meta", "privateuseone")


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for device in DEVICES:
        yield Case((None, None, device), "device")
        yield Case(("float32", "strided", device), "device")
        yield Case((None, None, f"{device}:{rng.randint(0, 12)}"), "index")
    for dtype in DTYPES:
        yield Case((dtype, None, None), "no device")
        yield Case((dtype, "strided", None), "no device")
        for device in rng.sample(DEVICES, 2):
            yield Case((dtype, rng.choice((None, "strided")), f"{device}:{rng.randint(0, 3)}"), "index")


def _refusals(rng: random.Random) -> Iterator[Case]:
    for layout in ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn"):
        for device in (None, *DEVICES):
            yield Case((rng.choice(DTYPES), layout, device), "layout")
    for dtype in DTYPES:
        yield Case((dtype, "sparse_coo", "cpu:1"), "layout")


def _has(says: Callable[..., bool]) -> Callable:
    """Build a `Mistake.shows`: `says(dtype, layout, device, answer)`."""
    return lambda args, wanted, got: not got.raised and says(*args, got.value)


MISTAKES = (
    Mistake(
        "None is a layout that is accepted: it means strided",
        lambda args, wanted, got: got.raised == "RuntimeError" and not wanted.raised and args[1] is None,
    ),
    Mistake(
        "every device is CPU here: the key is named after `device.type`",
        _has(lambda dtype, layout, device, answer: layout in (None, "strided") and device and answer == "CPU"),
    ),
    Mistake(
        "these are the bits of the key, or its number; the key itself comes back, a member of DispatchKey",
        _has(lambda dtype, layout, device, answer: answer == ("not a key", "int")),
    ),
)

COMPUTE_DISPATCH_KEY = Check(
    "dispatch.backend_select.compute_dispatch_key",
    ("dtype", "layout", "device"),
    (Aspect("ordinary", 3, _ordinary), Aspect("refusals", 1, _refusals, needs="ordinary")),
    {
        "device": "the key is named after the type of the device; of a device, `device.type` is that name",
        "no device": "no device means the CPU",
        "index": "which one of several devices of a kind it is does not change the key",
        "layout": "only `dtypes.strided` and None are in scope: any other layout is refused, whatever the device",
        "type": "return a DispatchKey",
        "returned None": "the function ends without `return`",
        "raised": "every device and every dtype has a key, and the layouts None and `dtypes.strided` are accepted",
        "raised another": "it is right to refuse this layout, but the error is a RuntimeError",
    },
    probe="dispatch.factories.key",
    mistakes=MISTAKES,
    program="dispatch.program.run",
)

CHECKS = (COMPUTE_DISPATCH_KEY,)
