"""Wrong answers to the exercises that work out what an output looks like."""

from autograder.mutants.model import WrongAnswer

BROADCAST, MASK, MM = "strides.broadcast_shapes", "aten.reduction.make_dim_mask", "aten.native.linear_algebra.mm_meta"

WRONG_ANSWERS = (
    WrongAnswer(BROADCAST, "aligned on the left", ("ordinary", "edge", "refusals"), """
def broadcast_shapes(*shapes):
    result = []
    for shape in shapes:
        result += [1] * (len(shape) - len(result))
        for d, size in enumerate(shape):
            if result[d] == 1:
                result[d] = size
            elif size not in (1, result[d]):
                raise RuntimeError(
                    f"The size of tensor a ({result[d]}) must match the size of tensor b ({size}) "
                    f"at non-singleton dimension {d}"
                )
    return tuple(result)
"""),
    WrongAnswer(BROADCAST, "the greater size wins, so 0 gives way to 1", ("edge", "refusals"), """
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
    WrongAnswer(BROADCAST, "the dimension is counted from the end", ("refusals",), """
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
    WrongAnswer(BROADCAST, "the dimension is counted in the later shape", ("refusals",), """
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
    WrongAnswer(BROADCAST, "compared from the first dimension on", ("refusals",), """
def broadcast_shapes(*shapes):
    result = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        for d in range(-len(shape), 0):
            if result[d] == 1:
                result[d] = shape[d]
            elif shape[d] not in (1, result[d]):
                raise RuntimeError(
                    f"The size of tensor a ({result[d]}) must match the size of tensor b ({shape[d]}) "
                    f"at non-singleton dimension {len(result) + d}"
                )
    return tuple(result)
"""),
    WrongAnswer(BROADCAST, "says it in words of its own", ("refusals",), """
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
    WrongAnswer(BROADCAST, "an overlong shape is cut off", ("ordinary", "edge", "refusals"), """
def broadcast_shapes(*shapes):
    result = list(shapes[0]) if shapes else []
    for shape in shapes[1:]:
        for d in range(-1, -min(len(shape), len(result)) - 1, -1):
            if result[d] == 1:
                result[d] = shape[d]
            elif shape[d] not in (1, result[d]):
                raise RuntimeError(
                    f"The size of tensor a ({result[d]}) must match the size of tensor b ({shape[d]}) "
                    f"at non-singleton dimension {len(result) + d}"
                )
    return tuple(result)
"""),
    WrongAnswer(BROADCAST, "only the later shape's ones give way", ("ordinary", "edge", "refusals"), """
def broadcast_shapes(*shapes):
    result = []
    for shape in shapes:
        result = list(shape[: max(len(shape) - len(result), 0)]) + result
        for d in range(-1, -len(shape) - 1, -1):
            if shape[d] not in (1, result[d]):
                raise RuntimeError(
                    f"The size of tensor a ({result[d]}) must match the size of tensor b ({shape[d]}) "
                    f"at non-singleton dimension {len(result) + d}"
                )
    return tuple(result)
"""),
    WrongAnswer(MASK, "() reduces nothing", ("edge",), """
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
    WrongAnswer(MASK, "negative dims name nothing", ("ordinary", "edge", "refusals"), """
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
    WrongAnswer(MASK, "a dimension may be named twice", ("refusals",), """
def make_dim_mask(dims, ndim):
    if not dims:
        return (True,) * ndim
    if ndim > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    wrapped = {geometry.wrap_dim(dim, ndim) for dim in dims}
    return tuple(d in wrapped for d in range(ndim))
"""),
    WrongAnswer(MASK, "repetitions are looked for before negative dims are translated", ("refusals",), """
def make_dim_mask(dims, ndim):
    if not dims:
        return (True,) * ndim
    if ndim > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    if len(set(dims)) != len(dims):
        raise RuntimeError("a dim appears multiple times in the list of dims")
    wrapped = {geometry.wrap_dim(dim, ndim) for dim in dims}
    return tuple(d in wrapped for d in range(ndim))
"""),
    WrongAnswer(MASK, "Python's negative indices do the work", ("edge", "refusals"), """
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
    WrongAnswer(MASK, "True for what is left", ("ordinary", "edge", "refusals"), """
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
    WrongAnswer(MM, "a size of 1 is broadcast", ("refusals",), """
def mm_meta(op, self, mat2):
    if len(self._sizes) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2._sizes) != 2:
        raise RuntimeError("mat2 must be a matrix")
    (m, k), (rows, n) = self._sizes, mat2._sizes
    if k != rows and k != 1 and rows != 1:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {rows}x{n})")
    op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)
"""),
    WrongAnswer(MM, "the columns are compared with the columns", ("ordinary", "refusals"), """
def mm_meta(op, self, mat2):
    if len(self._sizes) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2._sizes) != 2:
        raise RuntimeError("mat2 must be a matrix")
    (m, k), (n, columns) = self._sizes, mat2._sizes
    if k != columns:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {n}x{columns})")
    op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)
"""),
    WrongAnswer(MM, "strides (n, 1), 0 for an empty matrix", ("ordinary", "refusals"), """
def mm_meta(op, self, mat2):
    if len(self._sizes) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2._sizes) != 2:
        raise RuntimeError("mat2 must be a matrix")
    (m, k), (rows, n) = self._sizes, mat2._sizes
    if k != rows:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {rows}x{n})")
    op.set_output_raw_strided(0, (m, n), (n, 1), self._dtype, self._storage.device)
"""),
    WrongAnswer(MM, "promotes the dtypes", ("ordinary", "refusals"), """
def mm_meta(op, self, mat2):
    if len(self._sizes) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2._sizes) != 2:
        raise RuntimeError("mat2 must be a matrix")
    (m, k), (rows, n) = self._sizes, mat2._sizes
    if k != rows:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {rows}x{n})")
    kind = self._dtype if self._dtype.itemsize >= mat2._dtype.itemsize else mat2._dtype
    op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), kind, self._storage.device)
"""),
    WrongAnswer(MM, "swaps the two names", ("refusals",), """
def mm_meta(op, self, mat2):
    if len(mat2._sizes) != 2:
        raise RuntimeError("mat2 must be a matrix")
    if len(self._sizes) != 2:
        raise RuntimeError("self must be a matrix")
    (m, k), (rows, n) = self._sizes, mat2._sizes
    if k != rows:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {rows}x{n})")
    op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)
"""),
    WrongAnswer(MM, "takes vectors for matrices of one row or column", ("refusals",), """
def mm_meta(op, self, mat2):
    first = self._sizes if len(self._sizes) == 2 else (1, *self._sizes)
    second = mat2._sizes if len(mat2._sizes) == 2 else (*mat2._sizes, 1)
    (m, k), (rows, n) = first, second
    if k != rows:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {rows}x{n})")
    op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)
"""),
    WrongAnswer(MM, "makes the output in place of declaring it", ("ordinary", "refusals"), """
def mm_meta(op, self, mat2):
    if len(self._sizes) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2._sizes) != 2:
        raise RuntimeError("mat2 must be a matrix")
    (m, k), (rows, n) = self._sizes, mat2._sizes
    if k != rows:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {rows}x{n})")
    return self._alias((m, n), contiguous_strides((m, n)), 0)
"""),
)  # fmt: skip
