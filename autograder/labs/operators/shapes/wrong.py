"""Wrong answers to strides.broadcast_shapes and aten.reduction.make_dim_mask."""

from autograder.made_up.wrong_answer import WrongAnswer

BROADCAST_SHAPES = "strides.broadcast_shapes"
MAKE_DIM_MASK = "aten.reduction.make_dim_mask"

WRONG_ANSWERS = (
    WrongAnswer(BROADCAST_SHAPES, "aligned on the left", ("ordinary", "edge", "refusals"), (
        """
result = [1] * (len(shape) - len(result)) + result
for d in range(-1, -len(shape) - 1, -1):
""",
        """
result += [1] * (len(shape) - len(result))
for d, size in enumerate(shape):
""",
        """
if result[d] == 1:
    result[d] = shape[d]
elif shape[d] not in (1, result[d]):
""",
        """
if result[d] == 1:
    result[d] = size
elif size not in (1, result[d]):
""",
    )),
    WrongAnswer(BROADCAST_SHAPES, "the greater size wins, so 0 gives way to 1", ("edge", "refusals"), """
def broadcast_shapes(*shapes):
    result = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        for d in range(-1, -len(shape) - 1, -1):
            a, b = result[d], shape[d]
            if a != b and a > 1 and b > 1:
                raise RuntimeError(
                    f"The size of tensor a ({a}) must match the size of tensor b ({b}) "
                    f"at non-singleton dimension {len(result) + d}"
                )
            result[d] = max(a, b)
    return tuple(result)
"""),
    WrongAnswer(BROADCAST_SHAPES, "the dimension is counted from the end", ("refusals",), """
def broadcast_shapes(*shapes):
    result = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        for d in range(-1, -len(shape) - 1, -1):
            if result[d] == 1:
                result[d] = shape[d]
            elif shape[d] not in (1, result[d]):
                raise RuntimeError(
                    f"The size of tensor a ({result[d]}) must match the size of tensor b ({shape[d]}) "
                    f"at non-singleton dimension {d}"
                )
    return tuple(result)
"""),
    WrongAnswer(BROADCAST_SHAPES, "the dimension is counted in the later shape", ("refusals",), """
def broadcast_shapes(*shapes):
    result = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        for d in range(-1, -len(shape) - 1, -1):
            if result[d] == 1:
                result[d] = shape[d]
            elif shape[d] not in (1, result[d]):
                raise RuntimeError(
                    f"The size of tensor a ({result[d]}) must match the size of tensor b ({shape[d]}) "
                    f"at non-singleton dimension {len(shape) + d}"
                )
    return tuple(result)
"""),
    WrongAnswer(BROADCAST_SHAPES, "compared from the first dimension on", ("refusals",),
        ("for d in range(-1, -len(shape) - 1, -1):", "for d in range(-len(shape), 0):"),
    ),
    WrongAnswer(BROADCAST_SHAPES, "says it in words of its own", ("refusals",), """
def broadcast_shapes(*shapes):
    result = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        for d in range(-1, -len(shape) - 1, -1):
            if result[d] == 1:
                result[d] = shape[d]
            elif shape[d] not in (1, result[d]):
                raise RuntimeError(f"can't broadcast {tuple(result)} and {shape}")
    return tuple(result)
"""),
    WrongAnswer(BROADCAST_SHAPES, "an overlong shape is cut off", ("ordinary", "edge", "refusals"), (
        """
result: list[int] = []
for shape in shapes:
    result = [1] * (len(shape) - len(result)) + result
    for d in range(-1, -len(shape) - 1, -1):
""",
        """
result = list(shapes[0]) if shapes else []
for shape in shapes[1:]:
    for d in range(-1, -min(len(shape), len(result)) - 1, -1):
""",
    )),
    WrongAnswer(BROADCAST_SHAPES, "only the later shape's ones give way", ("ordinary", "edge", "refusals"), (
        "result = [1] * (len(shape) - len(result)) + result",
        "result = list(shape[: max(len(shape) - len(result), 0)]) + result",
        """
if result[d] == 1:
    result[d] = shape[d]
elif shape[d] not in (1, result[d]):
""",
        "if shape[d] not in (1, result[d]):",
    )),
    WrongAnswer(MAKE_DIM_MASK, "() reduces nothing", ("edge",), """
def make_dim_mask(dims, ndim):
    if dims is None:
        return (True,) * ndim
    if dims and ndim > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    wrapped = [geometry.wrap_dim(dim, ndim) for dim in dims]
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("a dim appears multiple times in the list of dims")
    return tuple(d in wrapped for d in range(ndim))
"""),
    WrongAnswer(MAKE_DIM_MASK, "negative dims name nothing", ("ordinary", "edge", "refusals"), """
def make_dim_mask(dims, ndim):
    if not dims:
        return (True,) * ndim
    if ndim > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    for dim in dims:
        geometry.wrap_dim(dim, ndim)
    if len(set(dims)) != len(dims):
        raise RuntimeError("a dim appears multiple times in the list of dims")
    return tuple(d in dims for d in range(ndim))
"""),
    WrongAnswer(MAKE_DIM_MASK, "a dimension may be named twice", ("refusals",), (
        """
wrapped = [geometry.wrap_dim(dim, ndim) for dim in dims]
for place, dim in enumerate(wrapped):
    if dim in wrapped[:place]:
        raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
""",
        "wrapped = {geometry.wrap_dim(dim, ndim) for dim in dims}",
    )),
    WrongAnswer(MAKE_DIM_MASK, "repetitions are looked for before negative dims are translated", ("refusals",), (
        """
wrapped = [geometry.wrap_dim(dim, ndim) for dim in dims]
for place, dim in enumerate(wrapped):
    if dim in wrapped[:place]:
        raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
""",
        """
if len(set(dims)) != len(dims):
    raise RuntimeError("a dim appears multiple times in the list of dims")
wrapped = {geometry.wrap_dim(dim, ndim) for dim in dims}
""",
    )),
    WrongAnswer(MAKE_DIM_MASK, "Python's negative indices do the work", ("edge", "refusals"), """
def make_dim_mask(dims, ndim):
    if not dims:
        return (True,) * ndim
    if ndim > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    mask = [False] * ndim
    for dim in dims:
        if mask[dim]:
            raise RuntimeError("a dim appears multiple times in the list of dims")
        mask[dim] = True
    return tuple(mask)
"""),
    WrongAnswer(MAKE_DIM_MASK, "True for what is left", ("ordinary", "edge", "refusals"), """
def make_dim_mask(dims, ndim):
    if not dims:
        return (False,) * ndim
    if ndim > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    wrapped = [geometry.wrap_dim(dim, ndim) for dim in dims]
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("a dim appears multiple times in the list of dims")
    return tuple(d not in wrapped for d in range(ndim))
"""),
    WrongAnswer(BROADCAST_SHAPES, "a is the shape before, not what all of them broadcast to", ("refusals",), """
def broadcast_shapes(*shapes):
    result, before = [], ()
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        padded = (1,) * (len(result) - len(before)) + tuple(before)
        for d in range(-1, -len(shape) - 1, -1):
            if result[d] == 1:
                result[d] = shape[d]
            elif shape[d] not in (1, result[d]):
                raise RuntimeError(
                    f"The size of tensor a ({padded[d]}) must match the size of tensor b ({shape[d]}) "
                    f"at non-singleton dimension {len(result) + d}"
                )
        before = shape
    return tuple(result)
"""),
    WrongAnswer(BROADCAST_SHAPES, "a list", ("ordinary", "edge", "refusals"),
        ("return tuple(result)", "return result"),
    ),
    WrongAnswer(MAKE_DIM_MASK, "repetitions are refused before dims out of range", ("refusals",), (
        "wrapped = [geometry.wrap_dim(dim, ndim) for dim in dims]",
        """
places = [dim % max(ndim, 1) for dim in dims]
if len(set(places)) < len(places):
    raise RuntimeError("a dim appears multiple times")
wrapped = [geometry.wrap_dim(dim, ndim) for dim in dims]
""",
    )),
    WrongAnswer(MAKE_DIM_MASK, "64 dimensions are too many already", ("edge",),
        ("if ndim > 64:", "if ndim >= 64:"),
    ),
    WrongAnswer(MAKE_DIM_MASK, "dims are looked at before their number", ("refusals",), (
        """
if ndim > 64:
    raise RuntimeError("only tensors with up to 64 dims are supported")
wrapped = [geometry.wrap_dim(dim, ndim) for dim in dims]
""",
        """
wrapped = [geometry.wrap_dim(dim, ndim) for dim in dims]
if ndim > 64:
    raise RuntimeError("only tensors with up to 64 dims are supported")
""",
    )),
)  # fmt: skip
