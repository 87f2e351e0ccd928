"""Mutants that are not mistakes: no question that the docstring allows tells them from the reference.

`python -m autograder.verify` believes an entry only if the mutant gives the right answer to 100,000 cases.
"""

from autograder.mutants.model import Equivalent

EXPAND, INFER, VIEW = "strides.expand", "strides.infer_size", "strides.view_strides"
SLICE, DENSE, ACCESSOR = "strides.slice_dim", "strides.infer_dense_strides", "accessor.TensorAccessor"

OVERWRITTEN = "every entry is overwritten before it is read: only the length of the list counts"
EQUAL_PRODUCTS = (
    "`sizes` and `new_sizes` have equal products, so where new dimensions overshoot one group they run out "
    "before another: either half of the test finds each mismatch"
)
NO_DIMENSIONS = "without dimensions, `wrap_dim` or `sizes[dim]` raises the same IndexError a line later"
NO_SIZES = "without dimensions, `sizes[0]` raises the same IndexError a line later"
FITS = "fits = known == numel if inferred is None or known == 0 else numel % known == 0"
GROUP_ENDS = "group_ends = d == 0 or (sizes[d - 1] != 1 and strides[d - 1] != group * base_stride)"
WHILE = "while new_d >= 0 and (walked < group or new_sizes[new_d] == 1):"
START = "start = {} if start is None else start + size if start < 0 else start"
WALKED = "for stride, size in sorted(((stride, size) for size, stride in zip(sizes, strides) if size {} 1)):"

EQUIVALENT = (
    Equivalent(ACCESSOR, "if len(self.sizes) == 1:", "if len(self.sizes) <= 1:", "`offset_of` refused 0 dimensions"),
    Equivalent(ACCESSOR, "if len(self.sizes) > 1:", "if len(self.sizes) != 1:", "`offset_of` refused 0 dimensions"),
    Equivalent(
        ACCESSOR, "if type(index) is not int:", "if type(index) != int:",
        "two types are equal only if they are one, unless a metaclass says otherwise",
    ),
    Equivalent(ACCESSOR, "if not self.sizes:\nraise IndexError()", "pass", NO_SIZES),
    Equivalent(ACCESSOR, "raise IndexError()", "pass", NO_SIZES),
    Equivalent(
        "strides.is_contiguous", "if size != 1:", "if size > 1:",
        "sizes are not negative, and a size of 0 has returned before",
    ),
    Equivalent(SLICE, START.format("0"), START.format("-1"), "the next lines clamp -1 to 0"),
    Equivalent(SLICE, "if not sizes:\nraise IndexError()", "pass", NO_DIMENSIONS),
    Equivalent(SLICE, "raise IndexError()", "pass", NO_DIMENSIONS),
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
    Equivalent(
        "strides.has_internal_overlap", "expanded = expanded or stride == 0", "expanded = expanded or stride <= 0",
        "strides are not negative",
    ),
    Equivalent(
        "strides.has_internal_overlap", WALKED.format(">"), WALKED.format("!="), "a size of 0 has returned before",
    ),
    Equivalent(
        "strides.strided_offsets", "if index[d] < sizes[d]:", "if index[d] != sizes[d]:",
        "an index grows by 1 and is set back when it reaches the size: it never passes it",
    ),
    Equivalent(DENSE, "dense = [0] * len(sizes)", "dense = [1] * len(sizes)", OVERWRITTEN),
    Equivalent(DENSE, "dense = [0] * len(sizes)", "dense = [-1] * len(sizes)", OVERWRITTEN),
)  # fmt: skip
