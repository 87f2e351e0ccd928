"""Right answers written in another way than the reference's."""

RIGHT_ANSWERS = {
    "tiny_tensor.contiguous_strides": (
        """
def contiguous_strides(sizes):
    return tuple(math.prod(sizes[d + 1:]) for d in range(len(sizes)))
""",
    ),
    "tiny_tensor.Tensor": (
        """
class Tensor:
    def __init__(self, storage, sizes, strides=None, keys=("CPU",)):
        self.storage, self.sizes, self.keys = storage, tuple(sizes), set(keys)
        self.strides = tuple(strides) if strides is not None else contiguous_strides(self.sizes)
        self.node = self.grad = None

    def offset_of(self, index):
        if len(index) != len(self.sizes) or any(i not in range(n) for i, n in zip(index, self.sizes)):
            raise IndexError(index)
        return sum(i * step for i, step in zip(index, self.strides))

    def __getitem__(self, index):
        return self.storage[self.offset_of(index)]

    def t(self):
        turned = Tensor(self.storage, reversed(self.sizes), reversed(self.strides))
        return turned
""",
        """
class Tensor:
    __slots__ = ("storage", "sizes", "strides", "keys", "node", "grad")

    def __init__(self, storage, sizes, strides=None, keys=("CPU",)):
        self.storage = storage
        self.sizes = tuple(sizes)
        self.strides = contiguous_strides(self.sizes) if strides is None else tuple(strides)
        self.keys = {*keys}
        self.node = self.grad = None

    def offset_of(self, index):
        if len(index) != len(self.sizes):
            raise IndexError("expected an index for each dimension")
        for i, size in zip(index, self.sizes):
            if i < 0 or i >= size:
                raise IndexError(f"{i} is not an index of {size}")
        return sum(map(lambda i, stride: i * stride, index, self.strides))

    def __getitem__(self, index):
        return self.storage[self.offset_of(index)]

    def t(self):
        return Tensor(self.storage, self.sizes[::-1], self.strides[::-1], {"CPU"})
""",
    ),
}
