"""Wrong answers to aten.native.tensor_transpose.permute."""

from autograder.made_up.wrong_answer import WrongAnswer

PERMUTE = "aten.native.tensor_transpose.permute"

WRONG_ANSWERS = (
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
    WrongAnswer(PERMUTE, "the inverse permutation", ("ordinary", "sharing"), (
        "sizes, strides = _permuted(self._sizes, self._strides, dims)",
        """
dims = [geometry.wrap_dim(dim, len(dims)) for dim in dims]
inverse = tuple(dims.index(d) if d in dims else d for d in range(len(dims)))
sizes, strides = geometry.permute(self._sizes, self._strides, inverse)
""",
    )),
    WrongAnswer(PERMUTE, "self itself where nothing moves", ("ordinary", "sharing"), (
        "return self._alias(sizes, strides, self._storage_offset)",
        """
if (sizes, strides) == (self._sizes, self._strides):
    return self
return self._alias(sizes, strides, self._storage_offset)
""",
    )),
)  # fmt: skip
