"""Wrong answers to accessor.TensorAccessor."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

ACCESSOR = "accessor.TensorAccessor"
OFFSET_OF = """
    def offset_of(self, index):
        if type(index) is not int:
            raise TypeError("not an int")
        if not self.sizes or not -self.sizes[0] <= index < self.sizes[0]:
            raise IndexError("out of range")
        return self.storage_offset + index % self.sizes[0] * self.strides[0]
"""
GETITEM = """
    def __getitem__(self, index):
        offset = self.offset_of(index)
        if len(self.sizes) == 1:
            return self.data[offset]
        return TensorAccessor(self.data, self.sizes[1:], self.strides[1:], offset)
"""
SETITEM = """
    def __setitem__(self, index, value):
        if len(self.sizes) > 1:
            raise TypeError("a whole row")
        self.data[self.offset_of(index)] = value
"""
TEMPLATE = """
class TensorAccessor:
    __slots__ = ("data", "sizes", "strides", "storage_offset")

    def __init__(self, data, sizes, strides, storage_offset):
        self.data, self.sizes, self.strides, self.storage_offset = data, sizes, strides, storage_offset
{offset_of}{getitem}{setitem}"""


def _wrong(about: str, loses: tuple[str, ...], **methods: str) -> WrongAnswer:
    """The three methods as they should be, but for those given."""
    right = {"offset_of": OFFSET_OF, "getitem": GETITEM, "setitem": SETITEM}
    return WrongAnswer("accessor.TensorAccessor", about, loses, TEMPLATE.format(**{**right, **methods}))


NO_SIZES = "without dimensions, `sizes[0]` raises the same IndexError a line later"

WRONG_ANSWERS = (
    _wrong("a negative index is not translated", ("ordinary", "writes", "refusals"), offset_of="""
    def offset_of(self, index):
        if type(index) is not int:
            raise TypeError("not an int")
        if not self.sizes or not -self.sizes[0] <= index < self.sizes[0]:
            raise IndexError("out of range")
        return self.storage_offset + index * self.strides[0]
"""),
    _wrong("a remainder makes every index fit", ("refusals",), offset_of="""
    def offset_of(self, index):
        if type(index) is not int:
            raise TypeError("not an int")
        if not self.sizes or not self.sizes[0]:
            raise IndexError("out of range")
        return self.storage_offset + index % self.sizes[0] * self.strides[0]
"""),
    _wrong("isinstance lets True through", ("refusals",), offset_of="""
    def offset_of(self, index):
        if not isinstance(index, int):
            raise TypeError("not an int")
        if not self.sizes or not -self.sizes[0] <= index < self.sizes[0]:
            raise IndexError("out of range")
        return self.storage_offset + index % self.sizes[0] * self.strides[0]
"""),
    _wrong("NumPy's integers are let through, as NumPy does", ("refusals",), offset_of="""
    def offset_of(self, index):
        if isinstance(index, bool) or not hasattr(index, "__index__"):
            raise TypeError("not an int")
        if not self.sizes or not -self.sizes[0] <= index < self.sizes[0]:
            raise IndexError("out of range")
        return self.storage_offset + index % self.sizes[0] * self.strides[0]
"""),
    _wrong("only the two indexing methods are right", ("ordinary", "refusals"), offset_of="""
    def offset_of(self, index):
        return index * self.strides[0]

    def _cell(self, index):
        if type(index) is not int:
            raise TypeError("not an int")
        if not self.sizes or not -self.sizes[0] <= index < self.sizes[0]:
            raise IndexError("out of range")
        return self.storage_offset + index % self.sizes[0] * self.strides[0]
""", getitem="""
    def __getitem__(self, index):
        offset = self._cell(index)
        if len(self.sizes) == 1:
            return self.data[offset]
        return TensorAccessor(self.data, self.sizes[1:], self.strides[1:], offset)
""", setitem="""
    def __setitem__(self, index, value):
        if len(self.sizes) > 1:
            raise TypeError("a whole row")
        self.data[self._cell(index)] = value
"""),
    _wrong("writes numbers as floats", ("writes",), setitem="""
    def __setitem__(self, index, value):
        if len(self.sizes) > 1:
            raise TypeError("a whole row")
        self.data[self.offset_of(index)] = float(value) if isinstance(value, int) else value
"""),
    _wrong("the offset is forgotten", ("ordinary", "writes", "refusals"), offset_of="""
    def offset_of(self, index):
        if type(index) is not int:
            raise TypeError("not an int")
        if not self.sizes or not -self.sizes[0] <= index < self.sizes[0]:
            raise IndexError("out of range")
        return index % self.sizes[0] * self.strides[0]
"""),
    _wrong("the lower bound is off by one", ("refusals",), offset_of="""
    def offset_of(self, index):
        if type(index) is not int:
            raise TypeError("not an int")
        if not self.sizes or not -self.sizes[0] - 1 <= index < self.sizes[0]:
            raise IndexError("out of range")
        return self.storage_offset + index % self.sizes[0] * self.strides[0]
"""),
    _wrong("the rest is a copy of the cells, which no write reaches", ("ordinary", "writes", "refusals"), getitem="""
    def __getitem__(self, index):
        offset = self.offset_of(index)
        if len(self.sizes) == 1:
            return self.data[offset]
        return TensorAccessor(self.data[offset:], self.sizes[1:], self.strides[1:], offset)
"""),
    _wrong("the rest starts where the whole does", ("ordinary", "writes", "refusals"), getitem="""
    def __getitem__(self, index):
        offset = self.offset_of(index)
        if len(self.sizes) == 1:
            return self.data[offset]
        return TensorAccessor(self.data, self.sizes[1:], self.strides[1:], self.storage_offset)
"""),
    _wrong("an element is never read", ("ordinary", "writes", "refusals"), getitem="""
    def __getitem__(self, index):
        return TensorAccessor(self.data, self.sizes[1:], self.strides[1:], self.offset_of(index))
"""),
    _wrong("a right copy of the cells, which no write reaches", ("writes",), getitem="""
    def __getitem__(self, index):
        offset = self.offset_of(index)
        if len(self.sizes) == 1:
            return self.data[offset]
        return TensorAccessor(list(self.data), self.sizes[1:], self.strides[1:], offset)
"""),
    _wrong("indexing changes the accessor itself", ("ordinary", "writes", "refusals"), getitem="""
    def __getitem__(self, index):
        offset = self.offset_of(index)
        if len(self.sizes) == 1:
            return self.data[offset]
        self.sizes, self.strides, self.storage_offset = self.sizes[1:], self.strides[1:], offset
        return self
"""),
    _wrong("the last dimension is consumed first", ("ordinary", "writes", "refusals"), getitem="""
    def __getitem__(self, index):
        if len(self.sizes) == 1:
            return self.data[self.offset_of(index)]
        last = TensorAccessor(self.data, self.sizes[-1:], self.strides[-1:], self.storage_offset)
        return TensorAccessor(self.data, self.sizes[:-1], self.strides[:-1], last.offset_of(index))
"""),
    _wrong("a whole row is written at its first cell", ("refusals",), setitem="""
    def __setitem__(self, index, value):
        self.data[self.offset_of(index)] = value
"""),
    _wrong("writes nothing", ("writes",), setitem="""
    def __setitem__(self, index, value):
        if len(self.sizes) > 1:
            raise TypeError("a whole row")
        self.offset_of(index)
"""),
    _wrong("refuses to write a row with IndexError", ("refusals",), setitem="""
    def __setitem__(self, index, value):
        if len(self.sizes) > 1:
            raise IndexError("a whole row")
        self.data[self.offset_of(index)] = value
"""),
    _wrong("holds whole numbers only", ("writes",), setitem="""
    def __setitem__(self, index, value):
        if len(self.sizes) > 1:
            raise TypeError("a whole row")
        self.data[self.offset_of(index)] = int(value)
"""),
    _wrong("takes a whole path at once, as NumPy does", ("refusals",), getitem="""
    def __getitem__(self, index):
        if type(index) is tuple and len(index) == len(self.sizes) > 1:
            for step in index:
                self = self[step]
            return self
        offset = self.offset_of(index)
        if len(self.sizes) == 1:
            return self.data[offset]
        return TensorAccessor(self.data, self.sizes[1:], self.strides[1:], offset)
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(ACCESSOR, "if len(self.sizes) == 1:", "if len(self.sizes) <= 1:", "`offset_of` refused 0 dimensions"),
    Equivalent(ACCESSOR, "if len(self.sizes) > 1:", "if len(self.sizes) != 1:", "`offset_of` refused 0 dimensions"),
    Equivalent(
        ACCESSOR, "if type(index) is not int:", "if type(index) != int:",
        "two types are equal only if they are one, unless a metaclass says otherwise",
    ),
    Equivalent(ACCESSOR, "if not self.sizes:\nraise IndexError()", "pass", NO_SIZES),
    Equivalent(ACCESSOR, "raise IndexError()", "pass", NO_SIZES),
)  # fmt: skip
