"""Check of the key of a factory function (engine/dispatch/backend_select.py, compute_dispatch_key)."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

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


COMPUTE_DISPATCH_KEY = Check(
    "dispatch.backend_select.compute_dispatch_key",
    ("dtype", "layout", "device"),
    (Aspect("ordinary", 3, _ordinary), Aspect("refusals", 1, _refusals, needs="ordinary")),
    {
        "device": "the key is named after the type of the device; of a device, `device.type` is that name",
        "no device": "no device means the CPU",
        "index": "which one of several devices of a kind it is does not change the key",
        "layout": "only `dtypes.strided` and None are in scope",
        "type": "return a DispatchKey",
        "returned None": "the function ends without `return`",
        "raised": "every device and every dtype has a key; None is a layout too",
        "not raised": "a layout other than strided must be refused",
    },
    probe="dispatch.factories.key",
)

CHECKS = (COMPUTE_DISPATCH_KEY,)
