"""Wrong answers to the three meta functions: mm, div with a rounding mode, reductions."""

from autograder.made_up.wrong_answer import WrongAnswer

MM_META = "aten.native.linear_algebra.mm_meta"
DIV_META = "aten.native.binary_ops.div_Tensor_mode_meta"
REDUCTION = "aten.reduction.resize_reduction"
BOTH, ALL = ("ordinary", "refusals"), ("ordinary", "edge", "refusals")
TEXT = "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found"


def _div(**changed: str) -> str:
    """`div_Tensor_mode_meta` in other words, with some of them changed."""
    words = {
        "exact": "rounding_mode is None",
        "build": "op.build_borrowing_binary_float_op(self, other)",
        "rounded": 'rounding_mode in ("trunc", "floor")',
        "round": "op.build_borrowing_binary_op(self, other)",
        "error": f"raise RuntimeError(f\"{TEXT} '{{rounding_mode}}'\")",
        "first": "pass",
    } | changed
    return f"""
def div_Tensor_mode_meta(op, self, other, rounding_mode):
    {words["first"]}
    if {words["exact"]}:
        {words["build"]}
    elif {words["rounded"]}:
        {words["round"]}
    else:
        {words["error"]}
"""


def _reduction(**changed: str) -> str:
    """`resize_reduction` in other words, with some of them changed."""
    words = {
        "mask": "make_dim_mask(dims, len(self._sizes))",
        "sizes": "tuple(1 if gone else size for size, gone in pairs if keepdim or not gone)",
        "strides": "geometry.contiguous_strides(sizes)",
        "declare": "op.set_output_raw_strided",
        "index": "index",
        "dtype": "dtype",
        "device": "self._storage.device",
    } | changed
    return f"""
def resize_reduction(op, self, dims, keepdim, dtype, index=0):
    pairs = list(zip(self._sizes, {words["mask"]}))
    sizes = {words["sizes"]}
    strides = {words["strides"]}
    {words["declare"]}({words["index"]}, sizes, strides, {words["dtype"]}, {words["device"]})
"""


WRONG_ANSWERS = (
    WrongAnswer(
        DIV_META,
        "the text None is a mode",
        ("refusals",),
        (
            "if rounding_mode is None:",
            "if str(rounding_mode) == 'None':",
        ),
    ),
    WrongAnswer(
        MM_META,
        "a size of 1 is broadcast",
        ("refusals",),
        ("if k != rows:", "if k != rows and k != 1 and rows != 1:"),
    ),
    WrongAnswer(
        MM_META,
        "the columns are compared with the columns",
        BOTH,
        (
            """
(m, k), (rows, n) = self._sizes, mat2._sizes
if k != rows:
""",
            """
(m, k), (n, columns) = self._sizes, mat2._sizes
if k != columns:
""",
        ),
    ),
    WrongAnswer(
        MM_META,
        "strides (n, 1), 0 for an empty matrix",
        BOTH,
        (
            "op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)",
            "op.set_output_raw_strided(0, (m, n), (n, 1), self._dtype, self._storage.device)",
        ),
    ),
    WrongAnswer(
        MM_META,
        "promotes the dtypes",
        BOTH,
        (
            "op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)",
            """
kind = self._dtype if self._dtype.itemsize >= mat2._dtype.itemsize else mat2._dtype
op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), kind, self._storage.device)
""",
        ),
    ),
    WrongAnswer(
        MM_META,
        "swaps the two names",
        ("refusals",),
        (
            "if len(self._sizes) != 2:",
            """
if len(mat2._sizes) != 2:
    raise RuntimeError("mat2 must be a matrix")
if len(self._sizes) != 2:
""",
            """
if len(self._sizes) != 2:
    raise RuntimeError("self must be a matrix")
if len(mat2._sizes) != 2:
""",
            "if len(self._sizes) != 2:",
        ),
    ),
    WrongAnswer(
        MM_META,
        "takes vectors for matrices of one row or column",
        ("refusals",),
        """
def mm_meta(op, self, mat2):
    first = self._sizes if len(self._sizes) == 2 else (1, *self._sizes)
    second = mat2._sizes if len(mat2._sizes) == 2 else (*mat2._sizes, 1)
    (m, k), (rows, n) = first, second
    if k != rows:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {rows}x{n})")
    op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)
""",
    ),
    WrongAnswer(
        MM_META,
        "makes the output instead of declaring it",
        BOTH,
        (
            "op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)",
            "return self._alias((m, n), contiguous_strides((m, n)), 0)",
        ),
    ),
    WrongAnswer(
        MM_META,
        "declared with set_output_strided: a transposed out= gets a proxy",
        BOTH,
        (
            "op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)",
            "op.set_output_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)",
        ),
    ),
    WrongAnswer(
        MM_META,
        "declares first, refuses afterwards",
        ("refusals",),
        (
            "if k != rows:",
            """
op.set_output_raw_strided(
    0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device
)
if k != rows:
""",
            "op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)",
            "return",
        ),
    ),
    WrongAnswer(
        MM_META,
        "the device is that of mat2",
        BOTH,
        (
            "op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)",
            "op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, mat2._storage.device)",
        ),
    ),
    WrongAnswer(
        MM_META,
        "refuses other dtypes of mat2",
        BOTH,
        (
            "if k != rows:",
            """
if self._dtype is not mat2._dtype and k == rows:
    raise RuntimeError("expected m1 and m2 to have the same dtype")
if k != rows:
""",
        ),
    ),
    WrongAnswer(
        DIV_META,
        "a rounded quotient is floating-point, too",
        BOTH,
        _div(round="op.build_borrowing_binary_float_op(self, other)"),
    ),
    WrongAnswer(
        DIV_META,
        "integers stay integers without rounding",
        BOTH,
        _div(build="op.build_borrowing_binary_op(self, other)"),
    ),
    WrongAnswer(
        DIV_META, "the two are the other way round", BOTH, _div(exact="rounding_mode", rounded="rounding_mode is None")
    ),
    WrongAnswer(DIV_META, "only floor rounds", BOTH, _div(rounded='rounding_mode == "floor"')),
    WrongAnswer(DIV_META, "trunc is no rounding", BOTH, _div(exact='rounding_mode in (None, "trunc")')),
    WrongAnswer(DIV_META, "an empty mode is no mode", ("refusals",), _div(exact="not rounding_mode")),
    WrongAnswer(
        DIV_META, "capitals are accepted", ("refusals",), _div(rounded='rounding_mode.lower() in ("trunc", "floor")')
    ),
    WrongAnswer(
        DIV_META,
        "an unknown mode is no rounding",
        ("refusals",),
        _div(error="op.build_borrowing_binary_float_op(self, other)"),
    ),
    WrongAnswer(
        DIV_META,
        "an unknown mode is a ValueError",
        ("refusals",),
        _div(error=f'raise ValueError(f"{TEXT} {{rounding_mode!r}}")'),
    ),
    WrongAnswer(
        DIV_META,
        "the text is its own",
        ("refusals",),
        _div(error='raise RuntimeError(f"unknown rounding mode {rounding_mode!r}")'),
    ),
    WrongAnswer(
        DIV_META,
        "the mode is not quoted",
        ("refusals",),
        _div(error=f'raise RuntimeError(f"{TEXT} {{rounding_mode}}")'),
    ),
    WrongAnswer(
        DIV_META, "built first, refused afterwards", BOTH, _div(first="op.build_borrowing_binary_op(self, other)")
    ),
    WrongAnswer(DIV_META, "returns the output", BOTH, _div(build="return op.outputs[0]")),
    WrongAnswer(
        REDUCTION, "keepdim is overlooked", ALL, _reduction(sizes="tuple(size for size, gone in pairs if not gone)")
    ),
    WrongAnswer(
        REDUCTION,
        "reduced dimensions are always kept",
        ALL,
        _reduction(sizes="tuple(1 if gone else size for size, gone in pairs)"),
    ),
    WrongAnswer(
        REDUCTION,
        "keepdim the other way round",
        ALL,
        _reduction(sizes="tuple(1 if gone else size for size, gone in pairs if not keepdim or not gone)"),
    ),
    WrongAnswer(
        REDUCTION,
        "keeps the size of what is reduced",
        ALL,
        _reduction(sizes="tuple(size for size, gone in pairs if keepdim or not gone)"),
    ),
    WrongAnswer(
        REDUCTION,
        "all dimensions of size 1 go",
        ("edge",),
        _reduction(sizes="tuple(1 if gone else n for n, gone in pairs if keepdim or not (gone or n == 1))"),
    ),
    WrongAnswer(
        REDUCTION,
        "a list of sizes",
        ALL,
        _reduction(sizes="[1 if gone else size for size, gone in pairs if keepdim or not gone]"),
    ),
    WrongAnswer(REDUCTION, "the strides of the input", ALL, _reduction(strides="self._strides")),
    WrongAnswer(
        REDUCTION,
        "the strides of the input that are left",
        ALL,
        _reduction(strides="tuple(s for s, (_, gone) in zip(self._strides, pairs) if keepdim or not gone)"),
    ),
    WrongAnswer(
        REDUCTION,
        "None means nothing is reduced",
        ("edge",),
        _reduction(mask="make_dim_mask(dims, len(self._sizes)) if dims else (False,) * len(self._sizes)"),
    ),
    WrongAnswer(
        REDUCTION,
        "negative dims name nothing, and repetitions pass",
        ALL,
        _reduction(mask="[not dims or d in dims for d in range(len(self._sizes))]"),
    ),
    WrongAnswer(
        REDUCTION,
        "dims as Python counts them",
        ("refusals",),
        _reduction(mask="[not dims or d in dims or d - len(self._sizes) in dims for d in range(len(self._sizes))]"),
    ),
    WrongAnswer(REDUCTION, "always output 0", ALL, _reduction(index="0")),
    WrongAnswer(REDUCTION, "the dtype of the input", ALL, _reduction(dtype="self._dtype")),
    WrongAnswer(REDUCTION, "always on the CPU", ALL, _reduction(device="dtypes.CPU")),
    WrongAnswer(REDUCTION, "declared with set_output_strided", ALL, _reduction(declare="op.set_output_strided")),
)
