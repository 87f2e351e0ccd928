"""Wrong answers to dispatch.backend_select.compute_dispatch_key."""

from autograder.made_up.wrong_answer import WrongAnswer

COMPUTE_DISPATCH_KEY = "dispatch.backend_select.compute_dispatch_key"

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(COMPUTE_DISPATCH_KEY, "no device is no key", ("ordinary", "refusals"),
        ('return BACKEND_KEY_OF_DEVICE["cpu" if device is None else device.type]',
         "return BACKEND_KEY_OF_DEVICE[device.type]"),
    ),
    WrongAnswer(COMPUTE_DISPATCH_KEY, "reads the index as a part of the name", ("ordinary", "refusals"),
        ('return BACKEND_KEY_OF_DEVICE["cpu" if device is None else device.type]',
         'return BACKEND_KEY_OF_DEVICE[str(device or "cpu")]'),
    ),
    WrongAnswer(COMPUTE_DISPATCH_KEY, "any layout", ("refusals",), """
def compute_dispatch_key(dtype, layout, device):
    return BACKEND_KEY_OF_DEVICE[device.type if device else "cpu"]
"""),
    WrongAnswer(COMPUTE_DISPATCH_KEY, "None is no layout", ("ordinary", "refusals"), """
def compute_dispatch_key(dtype, layout, device):
    if layout is not dtypes.strided:
        raise RuntimeError("layout")
    return BACKEND_KEY_OF_DEVICE[device.type if device else "cpu"]
"""),
    WrongAnswer(COMPUTE_DISPATCH_KEY, "the bits of the key", ("ordinary", "refusals"),
        ('return BACKEND_KEY_OF_DEVICE["cpu" if device is None else device.type]',
         'return bits(BACKEND_KEY_OF_DEVICE[device.type if device else "cpu"])'),
    ),
    WrongAnswer(COMPUTE_DISPATCH_KEY, "whatever is no GPU is the CPU", ("ordinary", "refusals"),
        ('return BACKEND_KEY_OF_DEVICE["cpu" if device is None else device.type]',
         'return DispatchKey.CUDA if device and device.type == "cuda" else DispatchKey.CPU'),
    ),
)  # fmt: skip

WRONG_ANSWERS += (
    WrongAnswer(
        COMPUTE_DISPATCH_KEY,
        "a layout is refused only on the CPU",
        ("refusals",),
        (
            "if layout not in (None, dtypes.strided):",
            'if layout not in (None, dtypes.strided) and (device is None or device.type == "cpu"):',
        ),
    ),
    WrongAnswer(
        COMPUTE_DISPATCH_KEY,
        "a ValueError for a layout",
        ("refusals",),
        (
            "if layout not in (None, dtypes.strided):",
            """
if layout not in (None, dtypes.strided):
    raise ValueError(f"Unsupported layout {layout}")
if False:
""",
        ),
    ),
    WrongAnswer(
        COMPUTE_DISPATCH_KEY,
        "no dtype is refused",
        (
            "ordinary",
            "refusals",
        ),
        ("if layout not in (None, dtypes.strided):", "if layout not in (None, dtypes.strided) or dtype is None:"),
    ),
)
