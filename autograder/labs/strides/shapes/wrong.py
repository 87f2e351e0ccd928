"""Wrong answers to strides.expand, strides.infer_size, strides.view_strides."""

from autograder.labs.strides.shapes.right import OTHER_VIEW
from autograder.made_up.wrong_answer import Equivalent, WrongAnswer, changed

EXPAND = "strides.expand"
INFER = "strides.infer_size"
VIEW = "strides.view_strides"
OVERWRITTEN = "every entry is overwritten before it is read: only the length of the list counts"
FITS = "fits = known == numel if inferred is None or known == 0 else numel % known == 0"
GROUP_ENDS = "group_ends = d == 0 or (sizes[d - 1] != 1 and strides[d - 1] != group * base_stride)"
WHILE = "while new_d >= 0 and (walked < group or new_sizes[new_d] == 1):"
EQUAL_PRODUCTS = (
    "`sizes` and `new_sizes` have equal products, so where new dimensions overshoot one group they run out "
    "before another: either half of the test finds each mismatch"
)

WRONG_ANSWERS = (
    WrongAnswer(EXPAND, "new leading dimensions of size 1 look to the old dimension to their right", ("edge",), (
        "size, stride = 1, next_stride",
        "size, stride = 1, sizes[0] * strides[0] if sizes else 0",
    )),
    WrongAnswer(EXPAND, "new leading dimensions of size 1 get stride 0, as in NumPy", ("edge",), """
def expand(sizes, strides, new_sizes):
    extra = len(new_sizes) - len(sizes)
    if extra < 0 or any(size < 0 for size in new_sizes[:extra]):
        raise RuntimeError("sizes")
    out_sizes, out_strides = list(new_sizes[:extra]), [0] * extra
    for size, stride, target in zip(sizes, strides, new_sizes[extra:]):
        target = size if target == -1 else target
        if target < 0 or size not in (1, target):
            raise RuntimeError("sizes")
        out_sizes.append(target)
        out_strides.append(stride if size == target else 0)
    return tuple(out_sizes), tuple(out_strides)
"""),
    WrongAnswer(EXPAND, "every dimension of size 1 gets stride 0", ("ordinary", "edge", "refusals"), """
def expand(sizes, strides, new_sizes):
    extra = len(new_sizes) - len(sizes)
    if extra < 0 or any(size < 0 for size in new_sizes[:extra]):
        raise RuntimeError("sizes")
    out_sizes, out_strides = list(new_sizes[:extra]), [0] * extra
    for size, stride, target in zip(sizes, strides, new_sizes[extra:]):
        target = size if target == -1 else target
        if target < 0 or size not in (1, target):
            raise RuntimeError("sizes")
        out_sizes.append(target)
        out_strides.append(0 if size == 1 else stride)
    return tuple(out_sizes), tuple(out_strides)
"""),
    WrongAnswer(EXPAND, "aligned at the first dimension", ("ordinary", "edge", "refusals"), """
def expand(sizes, strides, new_sizes):
    extra = len(new_sizes) - len(sizes)
    if extra < 0:
        raise RuntimeError("too few sizes")
    out_sizes, out_strides = [], []
    for size, stride, target in zip(sizes + (1,) * extra, strides + (0,) * extra, new_sizes):
        target = size if target == -1 else target
        if target < 0 or size not in (1, target):
            raise RuntimeError("sizes")
        out_sizes.append(target)
        out_strides.append(stride if size == target else 0)
    return tuple(out_sizes), tuple(out_strides)
"""),
    WrongAnswer(EXPAND, "broadcasts, so that a size may become 1 and back", ("edge", "refusals"), """
def expand(sizes, strides, new_sizes):
    extra = len(new_sizes) - len(sizes)
    if extra < 0:
        raise RuntimeError("too few sizes")
    wanted = new_sizes[:extra] + tuple(size if t == -1 else t for size, t in zip(sizes, new_sizes[extra:]))
    result = broadcast_shapes(sizes, wanted)
    kept = tuple(stride if size == new else 0 for size, stride, new in zip(sizes, strides, result[extra:]))
    return result, (0,) * extra + kept
"""),
    WrongAnswer(EXPAND, "-1 for a new dimension is let through", ("refusals",), """
def expand(sizes, strides, new_sizes):
    extra = len(new_sizes) - len(sizes)
    if extra < 0:
        raise RuntimeError("too few sizes")
    out_sizes, out_strides, step = [], [], 0
    for d in reversed(range(len(new_sizes))):
        size, stride = (sizes[d - extra], strides[d - extra]) if d >= extra else (1, step)
        target = size if new_sizes[d] == -1 else new_sizes[d]
        if target < 0 or size not in (1, target):
            raise RuntimeError("sizes")
        out_sizes.insert(0, target)
        out_strides.insert(0, stride if size == target else 0)
        step = out_sizes[0] * out_strides[0]
    return tuple(out_sizes), tuple(out_strides)
"""),
    WrongAnswer(EXPAND, "a repeated dimension keeps its stride", ("ordinary", "edge", "refusals"), (
        "stride = 0",
        "pass",
    )),
    WrongAnswer(EXPAND, "every new dimension gets size * stride", ("ordinary", "edge", "refusals"), (
        "stride = 0",
        "stride = 0 if d >= extra else stride",
    )),
    WrongAnswer(EXPAND, "a new size of 1 gets the stride to its right", ("edge",), (
        "next_stride = target * stride",
        "next_stride = stride",
    )),
    WrongAnswer(EXPAND, "a size of 0 keeps the old size, as -1 does", ("edge", "refusals"), (
        "target = size if target == -1 else target",
        "target = size if target in (-1, 0) else target",
    )),
    WrongAnswer(INFER, "the quotient is a float", ("edge",), (
        "return tuple(numel // known if d == inferred else size for d, size in enumerate(shape))",
        "return tuple(int(numel / known) if d == inferred else size for d, size in enumerate(shape))",
    )),
    WrongAnswer(INFER, "looks for a remainder in a float", ("refusals",), (
        FITS,
        "fits = known == numel if inferred is None or known == 0 else (numel / known).is_integer()",
    )),
    WrongAnswer(INFER, "the remainder is dropped", ("refusals",), """
def infer_size(shape, numel):
    if list(shape).count(-1) > 1 or min(shape, default=0) < -1:
        raise RuntimeError("shape")
    known = math.prod(size for size in shape if size != -1)
    if -1 not in shape:
        if known != numel:
            raise RuntimeError("product")
        return shape
    if known == 0:
        raise RuntimeError("ambiguous")
    return tuple(numel // known if size == -1 else size for size in shape)
"""),
    WrongAnswer(INFER, "a -1 beside a size of 0 divides by 0", ("refusals",), """
def infer_size(shape, numel):
    if list(shape).count(-1) > 1 or min(shape, default=0) < -1:
        raise RuntimeError("shape")
    known = math.prod(size for size in shape if size != -1)
    filled = tuple(numel // known if size == -1 else size for size in shape)
    if math.prod(filled) != numel:
        raise RuntimeError("product")
    return filled
"""),
    WrongAnswer(INFER, "without elements there is nothing to infer", ("edge",), """
def infer_size(shape, numel):
    if list(shape).count(-1) > 1 or min(shape, default=0) < -1:
        raise RuntimeError("shape")
    known = math.prod(size for size in shape if size != -1)
    if -1 not in shape:
        if known != numel:
            raise RuntimeError("product")
        return shape
    if numel == 0 or known == 0 or numel % known:
        raise RuntimeError("product")
    return tuple(numel // known if size == -1 else size for size in shape)
"""),
    WrongAnswer(INFER, "other negative sizes are let through if the product fits", ("refusals",), """
def infer_size(shape, numel):
    if list(shape).count(-1) > 1:
        raise RuntimeError("two")
    known = math.prod(size for size in shape if size != -1)
    if -1 not in shape:
        if known != numel:
            raise RuntimeError("product")
        return shape
    if known == 0 or numel % known:
        raise RuntimeError("product")
    return tuple(numel // known if size == -1 else size for size in shape)
"""),
    WrongAnswer(INFER, "divides with /", ("ordinary", "edge", "refusals"), """
def infer_size(shape, numel):
    if list(shape).count(-1) > 1 or min(shape, default=0) < -1:
        raise RuntimeError("shape")
    known = math.prod(size for size in shape if size != -1)
    if -1 not in shape and known != numel or -1 in shape and (known == 0 or numel % known):
        raise RuntimeError("product")
    return tuple(numel / known if size == -1 else size for size in shape)
"""),
    WrongAnswer(EXPAND, "NumPy's broadcast_to", ("ordinary", "edge", "refusals"), """
def expand(sizes, strides, new_sizes):
    import numpy
    made = numpy.lib.stride_tricks.as_strided(numpy.zeros(1, numpy.int8), sizes, strides)
    made = numpy.broadcast_to(made, new_sizes)
    return made.shape, made.strides
"""),
    WrongAnswer(VIEW, "NumPy's reshape", ("ordinary", "ones", "empty"), """
def view_strides(sizes, strides, new_sizes):
    import numpy
    made = numpy.lib.stride_tricks.as_strided(numpy.zeros(1, numpy.int8), sizes, strides)
    try:
        return numpy.reshape(made, new_sizes, copy=False).strides
    except ValueError:
        return None
"""),
    WrongAnswer(VIEW, "only contiguous tensors can be viewed", ("ordinary", "ones", "empty"), """
def view_strides(sizes, strides, new_sizes):
    return contiguous_strides(new_sizes) if is_contiguous(sizes, strides) else None
"""),
    WrongAnswer(VIEW, "only compares the numbers of elements", ("ordinary", "ones", "empty"), """
def view_strides(sizes, strides, new_sizes):
    return contiguous_strides(new_sizes) if math.prod(sizes) == math.prod(new_sizes) else None
"""),
    WrongAnswer(VIEW, "divides two strides and drops the remainder", ("ordinary", "ones", "empty"), (
        GROUP_ENDS,
        GROUP_ENDS.replace("strides[d - 1] != group * base_stride", "strides[d - 1] // max(base_stride, 1) != group"),
    )),
    WrongAnswer(VIEW, "divides a stride by a size and drops the remainder", ("ordinary", "ones", "empty"), (
        GROUP_ENDS,
        GROUP_ENDS.replace("strides[d - 1] != group * base_stride", "strides[d - 1] // group != base_stride"),
    )),
    WrongAnswer(VIEW, "compares strides as floats", ("ordinary", "ones", "empty"), (
        GROUP_ENDS,
        GROUP_ENDS.replace("strides[d - 1] != group * base_stride", "strides[d - 1] / group != base_stride"),
    )),
    WrongAnswer(VIEW, "a new dimension of size 1 gets the stride to its right", ("ones",), (
        "new_strides[new_d] = walked * base_stride",
        "new_strides[new_d] = new_strides[new_d + 1] if new_sizes[new_d:] > (1,) and new_sizes[new_d] == 1"
        " and new_d + 1 < len(new_sizes) else walked * base_stride",
    )),
    WrongAnswer(VIEW, "a new size needs room in its group, but not to divide it", ("ordinary", "ones", "empty"), """
def view_strides(sizes, strides, new_sizes):
    if 0 in sizes:
        return strides if sizes == new_sizes else contiguous_strides(new_sizes)
    groups = []  # [elements, stride], innermost first
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if size > 1 and groups and stride == groups[-1][0] * groups[-1][1]:
            groups[-1][0] *= size
        elif size > 1:
            groups.append([size, stride])
    result, stride, left, g = [], strides[-1] if strides else 1, 1, 0
    for n in reversed(new_sizes):
        if n > 1 and left == 1:
            (left, stride), g = groups[g], g + 1
        if n > left:
            return None
        result.insert(0, stride)
        stride *= n
        left //= n
    return tuple(result)
"""),
    WrongAnswer(VIEW, "a dimension of size 1 ends a group", ("ones",), changed(
        OTHER_VIEW,
        "if d == 0 or (sizes[d - 1] != 1 and strides[d - 1] != group * base):",
        "if d == 0 or strides[d - 1] != group * base:",
    )),
    WrongAnswer(VIEW, "new dimensions of size 1 at the left end of a group are forgotten", ("ones",), changed(
        OTHER_VIEW,
        "while new_d >= 0 and (walked < group or new_sizes[new_d] == 1):",
        "while new_d >= 0 and walked < group:",
    )),
    WrongAnswer(VIEW, "without elements the old strides, or None", ("empty",), changed(
        OTHER_VIEW,
        "return strides if sizes == new_sizes else contiguous_strides(new_sizes)",
        "return strides if sizes == new_sizes else None",
    )),
    WrongAnswer(VIEW, "merges where the outer stride is a multiple of the inner", ("ordinary", "ones", "empty"), """
def view_strides(sizes, strides, new_sizes):
    if 0 in sizes:
        return strides if sizes == new_sizes else contiguous_strides(new_sizes)
    if not sizes:
        return (1,) * len(new_sizes)
    if any(outer % max(inner, 1) for outer, inner in zip(strides, strides[1:])):
        return None
    return tuple(stride * strides[-1] for stride in contiguous_strides(new_sizes))
"""),
    WrongAnswer(VIEW, "the same sizes keep the strides, those of size 1 too", ("ones",), changed(
        OTHER_VIEW,
        "if not sizes:",
        """
if sizes == new_sizes and sizes:
    return strides
if not sizes:
""",
        """
if 0 in sizes:
    return strides if sizes == new_sizes else contiguous_strides(new_sizes)
result, new_d = [1] * len(new_sizes), len(new_sizes) - 1
""",
        """
if 0 in sizes:
    return contiguous_strides(new_sizes)
result = [1] * len(new_sizes)
new_d = len(new_sizes) - 1
""",
    )),
)  # fmt: skip

EQUIVALENT = (
    *(
        Equivalent(EXPAND, f"{name} = [0] * len(new_sizes)", f"{name} = [{other}] * len(new_sizes)", OVERWRITTEN)
        for name in ("out_sizes", "out_strides")
        for other in ("1", "-1")
    ),
    Equivalent(INFER, FITS, FITS.replace("known == 0 else", "known <= 0 else"), "`known` is a product of sizes >= 0"),
    Equivalent(INFER, FITS, FITS[:-4] + "<= 0", "a remainder is not negative when `known` is positive"),
    Equivalent(INFER, "if known == 0:", "if known <= 0:", "`known` is a product of sizes that are not negative"),
    Equivalent(INFER, "elif size < 0:", "elif size < -1:", "-1 was taken by the branch before"),
    Equivalent(VIEW, GROUP_ENDS, GROUP_ENDS.replace("d == 0", "d <= 0"), "d counts from len(sizes) - 1 to 0"),
    Equivalent(VIEW, GROUP_ENDS, GROUP_ENDS.replace("!= 1", "> 1"), "a size of 0 has returned before"),
    Equivalent(VIEW, WHILE, WHILE.replace("== 1", "<= 1"), "a size of 0 has returned before, and there is no -1"),
    Equivalent(VIEW, WHILE, WHILE.replace("walked <", "walked !="), EQUAL_PRODUCTS),
    Equivalent(VIEW, "if walked != group:", "if walked < group:", EQUAL_PRODUCTS),
    Equivalent(VIEW, "if walked != group:", "if walked > group:", EQUAL_PRODUCTS),
    Equivalent(VIEW, "new_strides = [1] * len(new_sizes)", "new_strides = [2] * len(new_sizes)", OVERWRITTEN),
    Equivalent(VIEW, "new_strides = [1] * len(new_sizes)", "new_strides = [0] * len(new_sizes)", OVERWRITTEN),
)  # fmt: skip
