"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "accessor.TensorAccessor": """
class TensorAccessor:
    def offset_of(self, index):
        if type(index) is not int:
            raise TypeError
        if len(self.sizes) == 0:
            raise IndexError
        return self.storage_offset + range(self.sizes[0])[index] * self.strides[0]

    def __getitem__(self, index):
        rest = TensorAccessor(self.data, [*self.sizes[1:]], [*self.strides[1:]], self.offset_of(index))
        return rest if rest.sizes else self.data[rest.storage_offset]

    def __setitem__(self, index, value):
        if self.sizes[1:]:
            raise TypeError
        self.data[self.offset_of(index)] = value
""",
}
