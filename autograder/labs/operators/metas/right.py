"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.native.linear_algebra.mm_meta": (
        """
def mm_meta(op, self, mat2):
    for name, tensor in (("self", self), ("mat2", mat2)):
        if tensor.dim() != 2:
            raise RuntimeError(name + " must be a matrix")
    rows, inner = self.size()
    other, columns = mat2.size()
    if inner != other:
        shapes = f"{rows}x{inner} and {other}x{columns}"
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({shapes})")
    strides = (max(columns, 1), 1)
    return op.set_output_raw_strided(
        index=0, sizes=(rows, columns), strides=strides, dtype=self.dtype, device=self.device
    )
""",
    ),
    "aten.native.binary_ops.div_Tensor_mode_meta": (
        """
def div_Tensor_mode_meta(op, self, other, rounding_mode):
    builders = {
        None: op.build_borrowing_binary_float_op,
        "trunc": op.build_borrowing_binary_op,
        "floor": op.build_borrowing_binary_op,
    }
    if rounding_mode not in builders:
        found = "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'"
        raise RuntimeError(found % rounding_mode)
    builders[rounding_mode](self, other)
""",
        """
def div_Tensor_mode_meta(op, self, other, rounding_mode):
    if rounding_mode not in (None, "trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}"
        )
    if rounding_mode:
        op.build_borrowing_binary_op(self, other)
    else:
        op.build_borrowing_binary_float_op(self, other)
""",
        """
def div_Tensor_mode_meta(op, self, other, rounding_mode):
    match rounding_mode:
        case None:
            return op.build_borrowing_binary_float_op(self, other)
        case "trunc" | "floor":
            return op.build_borrowing_binary_op(self, other)
    raise RuntimeError(
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '" + rounding_mode + "'"
    )
""",
        """
def div_Tensor_mode_meta(op, self, other, rounding_mode):
    if rounding_mode is not None and rounding_mode != "trunc" and rounding_mode != "floor":
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    name = "build_borrowing_binary_op" if rounding_mode else "build_borrowing_binary_float_op"
    getattr(op, name)(a=self, b=other)
""",
    ),
    "aten.reduction.resize_reduction": (
        """
def resize_reduction(op, self, dims, keepdim, dtype, index=0):
    sizes = []
    for size, is_reduced in zip(self._sizes, make_dim_mask(dims, len(self._sizes))):
        if not is_reduced:
            sizes.append(size)
        elif keepdim:
            sizes.append(1)
    sizes = tuple(sizes)
    op.set_output_raw_strided(index, sizes, geometry.contiguous_strides(sizes), dtype, self._storage.device)
""",
        """
def resize_reduction(op, self, dims, keepdim, dtype, index=0):
    mask = make_dim_mask(dims, self.dim())
    if keepdim:
        sizes = tuple(1 if mask[d] else self.size(d) for d in range(self.dim()))
    else:
        sizes = tuple(self.size(d) for d in range(self.dim()) if not mask[d])
    return op.set_output_raw_strided(
        index=index, sizes=sizes, strides=geometry.contiguous_strides(sizes), dtype=dtype, device=self.device
    )
""",
        """
def resize_reduction(op, self, dims, keepdim, dtype, index=0):
    ndim = len(self._sizes)
    named = [d for d, is_reduced in enumerate(make_dim_mask(dims, ndim)) if is_reduced]
    sizes = list(self._sizes)
    for d in reversed(named):
        sizes[d : d + 1] = [1] * keepdim
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    op.set_output_raw_strided(index, tuple(sizes), tuple(strides), dtype, self._storage.device)
""",
    ),
}
