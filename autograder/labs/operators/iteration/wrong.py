"""Wrong answers to aten.iterator_geometry.reorder_dimensions, strides.coalesce_dims."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

REORDER = "aten.iterator_geometry.reorder_dimensions"
COALESCE_DIMS = "strides.coalesce_dims"

WRONG_ANSWERS = (
    WrongAnswer(REORDER, "0 counts as -1: the entry stops at an undecided neighbour", ("undecided",), (
        """
verdict = should_swap(shape, operands, perm[other], perm[moving], is_reduction)
if verdict < 0:
""",
        "if should_swap(shape, operands, perm[other], perm[moving], is_reduction) <= 0:",
        """
if verdict > 0:
    perm[other], perm[moving] = perm[moving], perm[other]
    moving = other
""",
        """
perm[other], perm[moving] = perm[moving], perm[other]
moving = other
""",
    )),
    WrongAnswer(REORDER, "0 counts as 1: the entry moves past undecided neighbours", ("undecided",), (
        """
verdict = should_swap(shape, operands, perm[other], perm[moving], is_reduction)
if verdict < 0:
""",
        "if should_swap(shape, operands, perm[other], perm[moving], is_reduction) < 0:",
        """
if verdict > 0:
    perm[other], perm[moving] = perm[moving], perm[other]
    moving = other
""",
        """
perm[other], perm[moving] = perm[moving], perm[other]
moving = other
""",
    )),
    WrongAnswer(REORDER, "sorted by the strides of the first operand", ("undecided",), """
def reorder_dimensions(shape, operands, is_reduction=False):
    dims = reversed(range(len(shape)))
    return tuple(sorted(dims, key=lambda d: operands[0][d])) if operands else tuple(dims)
"""),
    WrongAnswer(REORDER, "Python's sort with should_swap as its comparison", ("undecided",), """
def reorder_dimensions(shape, operands, is_reduction=False):
    import functools

    def compare(a, b):
        return should_swap(shape, operands, a, b, is_reduction)

    return tuple(sorted(reversed(range(len(shape))), key=functools.cmp_to_key(compare)))
"""),
    WrongAnswer(REORDER, "is_reduction gets lost", ("undecided",),
        ("verdict = should_swap(shape, operands, perm[other], perm[moving], is_reduction)",
         "verdict = should_swap(shape, operands, perm[other], perm[moving])"),
    ),
    WrongAnswer(REORDER, "outermost first", ("ordinary", "undecided"),
        ("return tuple(perm)", "return tuple(reversed(perm))"),
    ),
    WrongAnswer(REORDER, "forgets where the entry stands after a swap", ("ordinary", "undecided"), (
        """
for place in range(1, len(perm)):
    moving = place
""",
        "for place in range(1, len(perm)):",
        "verdict = should_swap(shape, operands, perm[other], perm[moving], is_reduction)",
        "verdict = should_swap(shape, operands, perm[other], perm[place], is_reduction)",
        """
perm[other], perm[moving] = perm[moving], perm[other]
moving = other
""",
        "perm[other], perm[place] = perm[place], perm[other]",
    )),
    WrongAnswer(COALESCE_DIMS, "one operand that allows it is enough", ("ordinary", "edge"), (
        "for size, *steps in zip(sizes, *operands, strict=True):",
        "for size, *steps in zip(sizes, *operands):",
        "if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)):",
        "if merged and any(outer == inner * size for outer, inner in zip(merged[-1][1:], steps)):",
        "return tuple(zip(*merged, strict=True)) if merged else ((),) * (1 + len(operands))",
        "return tuple(zip(*merged)) if merged else ((),) * (1 + len(operands))",
    )),
    WrongAnswer(COALESCE_DIMS, "only the first operand is asked", ("ordinary", "edge"), (
        "for size, *steps in zip(sizes, *operands, strict=True):",
        "for size, *steps in zip(sizes, *operands):",
        "if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)):",
        "if merged and (not steps or merged[-1][1] == steps[0] * size):",
        "return tuple(zip(*merged, strict=True)) if merged else ((),) * (1 + len(operands))",
        "return tuple(zip(*merged)) if merged else ((),) * (1 + len(operands))",
    )),
    WrongAnswer(COALESCE_DIMS, "dimensions of size 1 keep their neighbours apart", ("edge",), """
def coalesce_dims(sizes, *operands):
    merged = []
    for size, *steps in zip(sizes, *operands):
        if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps)):
            merged[-1] = [merged[-1][0] * size, *steps]
        else:
            merged.append([size, *steps])
    merged = [entry for entry in merged if entry[0] != 1]
    return tuple(zip(*merged)) if merged else ((),) * (1 + len(operands))
"""),
    WrongAnswer(COALESCE_DIMS, "no dimension left becomes a loop of one", ("edge",), (
        "for size, *steps in zip(sizes, *operands, strict=True):",
        "for size, *steps in zip(sizes, *operands):",
        "if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)):",
        "if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps)):",
        "return tuple(zip(*merged, strict=True)) if merged else ((),) * (1 + len(operands))",
        "return tuple(zip(*merged)) if merged else ((1,),) + ((0,),) * len(operands)",
    )),
    WrongAnswer(COALESCE_DIMS, "no dimension left, and no rows", ("edge",), (
        "return tuple(zip(*merged, strict=True)) if merged else ((),) * (1 + len(operands))",
        "return tuple(zip(*merged, strict=True))",
    )),
    WrongAnswer(COALESCE_DIMS, "the strides of the outer one are kept", ("ordinary", "edge"), (
        "for size, *steps in zip(sizes, *operands, strict=True):",
        "for size, *steps in zip(sizes, *operands):",
        """
if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)):
    merged[-1] = [merged[-1][0] * size, *steps]
""",
        """
if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps)):
    merged[-1][0] *= size
""",
        "return tuple(zip(*merged, strict=True)) if merged else ((),) * (1 + len(operands))",
        "return tuple(zip(*merged)) if merged else ((),) * (1 + len(operands))",
    )),
    WrongAnswer(COALESCE_DIMS, "merges at most one pair", ("ordinary", "edge"), """
def coalesce_dims(sizes, *operands):
    kept = [entry for entry in zip(sizes, *operands) if entry[0] != 1]
    for d in range(len(kept) - 1):
        (size, *outer), (inner_size, *inner) = kept[d], kept[d + 1]
        if all(a == b * inner_size for a, b in zip(outer, inner)):
            kept[d : d + 2] = [(size * inner_size, *inner)]
            break
    return tuple(zip(*kept)) if kept else ((),) * (1 + len(operands))
"""),
    WrongAnswer(REORDER, "-1 does not end the search", ("undecided",), (
        """
if verdict < 0:
    break
if verdict > 0:
""",
        "if verdict > 0:",
    )),
    WrongAnswer(REORDER, "the two dims the other way round, the answers turned", ("undecided",), (
        "verdict = should_swap(shape, operands, perm[other], perm[moving], is_reduction)",
        "verdict = -should_swap(shape, operands, perm[moving], perm[other], is_reduction)",
    )),
    WrongAnswer(REORDER, "only the first operand is passed on", ("undecided",), (
        "verdict = should_swap(shape, operands, perm[other], perm[moving], is_reduction)",
        "verdict = should_swap(shape, operands[:1], perm[other], perm[moving], is_reduction)",
    )),
    WrongAnswer(REORDER, "a list", ("ordinary", "undecided"), ("return tuple(perm)", "return perm")),
    WrongAnswer(COALESCE_DIMS, "outer // inner overlooks a remainder", ("ordinary", "edge"), (
        "if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)):",
        """
if merged and all(
    (outer // inner == size if inner else outer == 0) for outer, inner in zip(merged[-1][1:], steps, strict=True)
):
""",
    )),
    WrongAnswer(COALESCE_DIMS, "outer // size overlooks a remainder", ("ordinary", "edge"), (
        "if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)):",
        """
if merged and all(
    (outer // size == inner if size else outer == 0) for outer, inner in zip(merged[-1][1:], steps, strict=True)
):
""",
    )),
    WrongAnswer(COALESCE_DIMS, "a quotient of floats is rounded", ("ordinary", "edge"), (
        "if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)):",
        """
if merged and all(
    (outer / size == inner if size else outer == 0) for outer, inner in zip(merged[-1][1:], steps, strict=True)
):
""",
    )),
    WrongAnswer(COALESCE_DIMS, "an empty walk is always one dimension", ("edge",), (
        "if size == 1:",
        """
if 0 in sizes:
    return ((0,), *((1,) for _ in operands))
if size == 1:
""",
    )),
    WrongAnswer(COALESCE_DIMS, "without operands nothing is merged", ("edge",), (
        "if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)):",
        """
fits = (outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)) if merged else ()
if merged and steps and all(fits):
""",
    )),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(REORDER, "if verdict > 0:", "if verdict != 0:", "a verdict below 0 has left the loop a line before"),
    Equivalent(
        REORDER, "for place in range(1, len(perm)):", "for place in range(0, len(perm)):",
        "nothing stands before the first entry, so the loop inside is empty",
    ),
)  # fmt: skip
