"""Wrong answers to the key of a factory function."""

from autograder.mutants.model import WrongAnswer

KEY = "dispatch.backend_select.compute_dispatch_key"

WRONG_ANSWERS = (
    WrongAnswer(KEY, "no device is no key", ("ordinary", "refusals"), """
def compute_dispatch_key(dtype, layout, device):
    if layout not in (None, dtypes.strided):
        raise RuntimeError("layout")
    return BACKEND_KEY_OF_DEVICE[device.type]
"""),
    WrongAnswer(KEY, "reads the index as a part of the name", ("ordinary", "refusals"), """
def compute_dispatch_key(dtype, layout, device):
    if layout not in (None, dtypes.strided):
        raise RuntimeError("layout")
    return BACKEND_KEY_OF_DEVICE[str(device or "cpu")]
"""),
    WrongAnswer(KEY, "any layout", ("refusals",), """
def compute_dispatch_key(dtype, layout, device):
    return BACKEND_KEY_OF_DEVICE[device.type if device else "cpu"]
"""),
    WrongAnswer(KEY, "None is no layout", ("ordinary", "refusals"), """
def compute_dispatch_key(dtype, layout, device):
    if layout is not dtypes.strided:
        raise RuntimeError("layout")
    return BACKEND_KEY_OF_DEVICE[device.type if device else "cpu"]
"""),
    WrongAnswer(KEY, "the bits of the key", ("ordinary", "refusals"), """
def compute_dispatch_key(dtype, layout, device):
    if layout not in (None, dtypes.strided):
        raise RuntimeError("layout")
    return bits(BACKEND_KEY_OF_DEVICE[device.type if device else "cpu"])
"""),
    WrongAnswer(KEY, "whatever is no GPU is the CPU", ("ordinary", "refusals"), """
def compute_dispatch_key(dtype, layout, device):
    if layout not in (None, dtypes.strided):
        raise RuntimeError("layout")
    return DispatchKey.CUDA if device and device.type == "cuda" else DispatchKey.CPU
"""),
)  # fmt: skip
