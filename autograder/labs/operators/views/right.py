"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.native.tensor_transpose.permute": (
        """
def permute(self, dims):
    if len(dims) != self.dim():
        raise RuntimeError(f"{len(dims)} dims for {self.dim()} dimensions")
    seen = []
    for dim in dims:
        seen.append(geometry.wrap_dim(dim, self.dim()))
        if seen.count(seen[-1]) > 1:
            raise RuntimeError(f"dim {dim} is named twice")
    sizes, strides = [], []
    for d in seen:
        sizes.append(self._sizes[d])
        strides.append(self._strides[d])
    return self._alias(tuple(sizes), tuple(strides), self._storage_offset)
""",
        """
def permute(self, dims):
    sizes, strides = geometry.permute(self._sizes, self._strides, dims)
    return at.as_strided(self, sizes, strides, self._storage_offset)
""",
    ),
}
