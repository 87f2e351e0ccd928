"""Wrong answers to the exercises that find the loop of an iterator, and to the view that has none."""

from autograder.mutants.model import Equivalent, WrongAnswer

REORDER, COALESCE = "aten.iterator_geometry.reorder_dimensions", "strides.coalesce_dims"
PERMUTE = "aten.native.tensor_transpose.permute"

WRONG_ANSWERS = (
    WrongAnswer(REORDER, "0 counts as -1: the entry stops at an undecided neighbour", ("undecided",), """
def reorder_dimensions(shape, operands, is_reduction=False):
    perm = list(reversed(range(len(shape))))
    for place in range(1, len(perm)):
        moving = place
        for other in reversed(range(place)):
            if should_swap(shape, operands, perm[other], perm[moving], is_reduction) <= 0:
                break
            perm[other], perm[moving] = perm[moving], perm[other]
            moving = other
    return tuple(perm)
"""),
    WrongAnswer(REORDER, "0 counts as 1: the entry moves past undecided neighbours", ("undecided",), """
def reorder_dimensions(shape, operands, is_reduction=False):
    perm = list(reversed(range(len(shape))))
    for place in range(1, len(perm)):
        moving = place
        for other in reversed(range(place)):
            if should_swap(shape, operands, perm[other], perm[moving], is_reduction) < 0:
                break
            perm[other], perm[moving] = perm[moving], perm[other]
            moving = other
    return tuple(perm)
"""),
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
    WrongAnswer(REORDER, "is_reduction gets lost", ("undecided",), """
def reorder_dimensions(shape, operands, is_reduction=False):
    perm = list(reversed(range(len(shape))))
    for place in range(1, len(perm)):
        moving = place
        for other in reversed(range(place)):
            verdict = should_swap(shape, operands, perm[other], perm[moving])
            if verdict < 0:
                break
            if verdict > 0:
                perm[other], perm[moving] = perm[moving], perm[other]
                moving = other
    return tuple(perm)
"""),
    WrongAnswer(REORDER, "outermost first", ("ordinary", "undecided"), """
def reorder_dimensions(shape, operands, is_reduction=False):
    perm = list(reversed(range(len(shape))))
    for place in range(1, len(perm)):
        moving = place
        for other in reversed(range(place)):
            verdict = should_swap(shape, operands, perm[other], perm[moving], is_reduction)
            if verdict < 0:
                break
            if verdict > 0:
                perm[other], perm[moving] = perm[moving], perm[other]
                moving = other
    return tuple(reversed(perm))
"""),
    WrongAnswer(REORDER, "forgets where the entry stands after a swap", ("ordinary", "undecided"), """
def reorder_dimensions(shape, operands, is_reduction=False):
    perm = list(reversed(range(len(shape))))
    for place in range(1, len(perm)):
        for other in reversed(range(place)):
            verdict = should_swap(shape, operands, perm[other], perm[place], is_reduction)
            if verdict < 0:
                break
            if verdict > 0:
                perm[other], perm[place] = perm[place], perm[other]
    return tuple(perm)
"""),
    WrongAnswer(COALESCE, "one operand that allows it is enough", ("ordinary", "edge"), """
def coalesce_dims(sizes, *operands):
    merged = []
    for size, *steps in zip(sizes, *operands):
        if size == 1:
            continue
        if merged and any(outer == inner * size for outer, inner in zip(merged[-1][1:], steps)):
            merged[-1] = [merged[-1][0] * size, *steps]
        else:
            merged.append([size, *steps])
    return tuple(zip(*merged)) if merged else ((),) * (1 + len(operands))
"""),
    WrongAnswer(COALESCE, "only the first operand is asked", ("ordinary", "edge"), """
def coalesce_dims(sizes, *operands):
    merged = []
    for size, *steps in zip(sizes, *operands):
        if size == 1:
            continue
        if merged and (not steps or merged[-1][1] == steps[0] * size):
            merged[-1] = [merged[-1][0] * size, *steps]
        else:
            merged.append([size, *steps])
    return tuple(zip(*merged)) if merged else ((),) * (1 + len(operands))
"""),
    WrongAnswer(COALESCE, "dimensions of size 1 keep their neighbours apart", ("edge",), """
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
    WrongAnswer(COALESCE, "no dimension left becomes a loop of one", ("edge",), """
def coalesce_dims(sizes, *operands):
    merged = []
    for size, *steps in zip(sizes, *operands):
        if size == 1:
            continue
        if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps)):
            merged[-1] = [merged[-1][0] * size, *steps]
        else:
            merged.append([size, *steps])
    return tuple(zip(*merged)) if merged else ((1,),) + ((0,),) * len(operands)
"""),
    WrongAnswer(COALESCE, "the strides of the outer one are kept", ("ordinary", "edge"), """
def coalesce_dims(sizes, *operands):
    merged = []
    for size, *steps in zip(sizes, *operands):
        if size == 1:
            continue
        if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps)):
            merged[-1][0] *= size
        else:
            merged.append([size, *steps])
    return tuple(zip(*merged)) if merged else ((),) * (1 + len(operands))
"""),
    WrongAnswer(COALESCE, "merges at most one pair", ("ordinary", "edge"), """
def coalesce_dims(sizes, *operands):
    kept = [entry for entry in zip(sizes, *operands) if entry[0] != 1]
    for d in range(len(kept) - 1):
        (size, *outer), (inner_size, *inner) = kept[d], kept[d + 1]
        if all(a == b * inner_size for a, b in zip(outer, inner)):
            kept[d : d + 2] = [(size * inner_size, *inner)]
            break
    return tuple(zip(*kept)) if kept else ((),) * (1 + len(operands))
"""),
    WrongAnswer(PERMUTE, "copies", ("sharing",), """
def permute(self, dims):
    sizes, strides = geometry.permute(self._sizes, self._strides, dims)
    cells = self._storage.nbytes() // self._dtype.itemsize
    copied = at.clone(at.as_strided(self, (cells,), (1,), 0))
    return copied._alias(sizes, strides, self._storage_offset)
"""),
    WrongAnswer(PERMUTE, "a contiguous copy of the right elements", ("ordinary", "sharing"), """
def permute(self, dims):
    sizes, strides = geometry.permute(self._sizes, self._strides, dims)
    return at.clone(self._alias(sizes, strides, self._storage_offset))
"""),
    WrongAnswer(PERMUTE, "begins at the first cell of the storage", ("ordinary", "sharing"), """
def permute(self, dims):
    sizes, strides = geometry.permute(self._sizes, self._strides, dims)
    return self._alias(sizes, strides, 0)
"""),
    WrongAnswer(PERMUTE, "fresh strides for the new sizes", ("ordinary", "sharing"), """
def permute(self, dims):
    sizes, _ = geometry.permute(self._sizes, self._strides, dims)
    return self._alias(sizes, geometry.contiguous_strides(sizes), self._storage_offset)
"""),
    WrongAnswer(PERMUTE, "changes the tensor itself", ("ordinary", "sharing"), """
def permute(self, dims):
    self._sizes, self._strides = geometry.permute(self._sizes, self._strides, dims)
    return self
"""),
    WrongAnswer(PERMUTE, "a version counter of its own", ("sharing",), """
def permute(self, dims):
    sizes, strides = geometry.permute(self._sizes, self._strides, dims)
    return Tensor(self._storage, sizes, strides, self._storage_offset, self._dtype, self._key_set, self._elements)
"""),
    WrongAnswer(PERMUTE, "the inverse permutation", ("ordinary", "sharing"), """
def permute(self, dims):
    dims = [geometry.wrap_dim(dim, len(dims)) for dim in dims]
    inverse = tuple(dims.index(d) if d in dims else d for d in range(len(dims)))
    sizes, strides = geometry.permute(self._sizes, self._strides, inverse)
    return self._alias(sizes, strides, self._storage_offset)
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(REORDER, "if verdict > 0:", "if verdict != 0:", "a verdict below 0 has left the loop a line before"),
    Equivalent(
        REORDER, "for place in range(1, len(perm)):", "for place in range(0, len(perm)):",
        "nothing stands before the first entry, so the loop inside is empty",
    ),
)  # fmt: skip
