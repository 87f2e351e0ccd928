"""A plan: the work of an operator for one key, as words that compiled code reads.

    header      HASH, TENSORS, OTHERS (how many there are), OUTPUTS, LAUNCHES, OWNER
    key         KEY_CELLS a tensor, then an object for each other argument
    outputs     OUTPUT_CELLS each: a new tensor, a view of a tensor, or an argument
    launches    LAUNCH_CELLS each: a kernel, its words, and which of them follow from the operands

Here is also the compiled code that tells whether a plan fits a call, and makes tensors and views.
"""

from typing import Any

import numpy as np
from numba import njit

from . import layout as at
from . import objects as py
from .layout import AT
from .objects import load, store

MOST_TENSORS, MOST_OTHERS, MOST_OUTPUTS, MOST_LAUNCHES = 6, 12, 3, 3
KEY_CELLS, OUTPUT_CELLS, LAUNCH_CELLS, PATCH_CELLS = 6, 8, 8, 4
HASH, TENSORS, OTHERS, OUTPUTS, LAUNCHES, OWNER, KEY = (8 * k for k in range(7))
FIRST_OUTPUT = KEY + 8 * (KEY_CELLS * MOST_TENSORS + MOST_OTHERS)
FIRST_LAUNCH = FIRST_OUTPUT + 8 * OUTPUT_CELLS * MOST_OUTPUTS
PLAN_CELLS = FIRST_LAUNCH // 8 + LAUNCH_CELLS * MOST_LAUNCHES
REFUSED = -1  # outputs of a plan that says: call Python; -1 - n of a plan of n outputs that is on trial

NEW, VIEW, ARGUMENT = range(3)
"""Kinds of outputs, in their first cell. Of a new one follow sizes, strides, number of elements, itemsize, the size in
bytes as an object, dtype, NumPy's dtype; of a view, sizes, strides, operand, further offset; of an argument, operand.
"""

DATA_OF, FLAT, PART, PLACE, FLOAT_OF_DOUBLE, FLOAT_OF_INT, DOUBLE_OF_INT, SAME_BITS = range(8)
"""Kinds of patches. The last four convert an operand of one element, as the 2.0 of `x * 2.0`, in a word."""

SIDE_BY_SIDE = -1  # the extent of a tensor that does not begin with its storage

ALIGNED_FROM = 4096  # elements of a new tensor that begins at a cache line, as `new_dense` has it
LINE = 64
WRITEABLE = 0x501  # NPY_ARRAY_CARRAY

native = njit(error_model="numpy")  # nothing here raises, a division included
one_word = py.words_on_stack(1)


class Plan:
    """A plan, and the objects that it refers to only by address.

    Attributes:
        cells: the words; `cells.ctypes.data` is what compiled code knows.
        kept: objects that must live as long as it does.
    """

    __slots__ = ("cells", "kept")

    def __init__(self) -> None:
        self.cells = np.zeros(PLAN_CELLS, np.int64)
        self.cells[OWNER // 8] = id(self)
        self.kept: list[Any] = []


# ---- keys


@native
def same_scalar(c, a, b):
    """Return True for one object, and for ints, floats or strings of equal class and value: 1, 1.0, True all differ."""
    kind = load(a, at.TYPE)
    if a == b:
        return True
    if kind != load(b, at.TYPE):
        return False
    if kind == load(c, AT.float):
        return py.bits_of_float(a) == py.bits_of_float(b)  # so that 0.0 is not -0.0, and NaN is itself
    return (kind == load(c, AT.int) or kind == load(c, AT.str)) and py.compare(a, b, 2) == 1


@native
def same_value(c, a, b):
    """Return True if two values, or all pairs of items of two tuples, are the same as `same_scalar` defines it."""
    if load(a, at.TYPE) != load(c, AT.tuple) or load(b, at.TYPE) != load(c, AT.tuple):
        return same_scalar(c, a, b)
    count = py.tuple_size(a)
    if count != py.tuple_size(b):
        return False
    for i in range(count):  # noqa: SIM110 - numba compiles no generators
        if not same_scalar(c, py.tuple_item(a, i), py.tuple_item(b, i)):
            return False
    return True


@native
def same_geometry(a, b):
    """Return True for equal tuples of ints, such as sizes and strides."""
    return a == b or py.compare(a, b, 2) == 1


@native
def fits(c, plan, h, tensors, count, others, rest):
    """Return True if a plan matches a call.

    Args:
        tensors: address of `count` times a tensor, the place of the first one that is the same, its extent.
        others: address of the other arguments, `rest` of them.
    """
    if load(plan, HASH) != h or load(plan, TENSORS) != count or load(plan, OTHERS) != rest:
        return False
    key = plan + KEY
    for i in range(count):
        x = load(tensors, 24 * i)
        if load(x, at.DTYPE) != load(key, 16) or load(x, at.NUMBER) != load(key, 24):
            return False
        if load(tensors, 24 * i + 8) != load(key, 32) or load(tensors, 24 * i + 16) != load(key, 40):
            return False
        if not same_geometry(load(x, at.SIZES), load(key, 0)) or not same_geometry(load(x, at.STRIDES), load(key, 8)):
            return False
        key += 8 * KEY_CELLS
    for i in range(rest):  # noqa: SIM110
        if not same_value(c, load(others, 8 * i), load(key, 8 * i)):
            return False
    return True


# ---- tensors; 0 where there is no memory, with the exception set


@native
def put(address, offset, value):
    """Store a new reference to `value` in an empty slot."""
    py.inc_ref(value)
    store(address, offset, value)


@native
def new_cells(c, numel, itemsize, kind):
    """Return a new flat NumPy array; the first element of a long one is aligned to a cache line."""
    count = one_word()
    padding = LINE // itemsize if numel > ALIGNED_FROM else 0
    store(count, 0, numel + padding)
    py.inc_ref(kind)
    made = py.new_array_at(load(c, AT.new_array), load(c, AT.array), kind, 1, count, 0, 0, 0, 0)
    if made == 0 or padding == 0:
        return made
    store(count, 0, numel)
    py.inc_ref(kind)
    data = load(made, at.DATA)
    aligned = data + (-data) % LINE
    part = py.new_array_at(load(c, AT.new_array), load(c, AT.array), kind, 1, count, 0, aligned, WRITEABLE, 0)
    if part == 0:
        py.dec_ref(made)
        return part
    if py.set_base_at(load(c, AT.set_base), part, made) & 0xFFFFFFFF != 0:  # it takes `made`, whatever comes of it
        py.dec_ref(part)
        return 0
    return part


@native
def new_tensor(c, out):
    """Return the new tensor that the cells of an output describe; see `new_dense`."""
    cells = new_cells(c, load(out, 24), load(out, 32), load(out, 56))
    if cells == 0:
        return 0
    storage = py.allocate_object(load(c, AT.storage), 0)
    made = py.allocate_object(load(c, AT.tensor), 0) if storage != 0 else 0
    if made == 0:
        py.dec_ref(cells)
        if storage != 0:
            py.dec_ref(storage)
        return 0
    if load(c, AT.trial) != 0:
        py.fill_memory(load(cells, at.DATA), load(c, AT.pattern), load(out, 24) * load(out, 32))
    store(storage, at.CELLS, cells)
    put(storage, at.NBYTES, load(out, 40))
    put(storage, at.DEVICE, load(c, AT.cpu))
    put(storage, at.RESIZABLE, load(c, AT.true))
    store(made, at.STORAGE, storage)
    put(made, at.SIZES, load(out, 8))
    put(made, at.STRIDES, load(out, 16))
    put(made, at.OFFSET, load(c, AT.zero))
    put(made, at.DTYPE, load(out, 48))
    put(made, at.KEYS, load(c, AT.cpu_keys))
    put(made, at.ELEMENTS, cells)
    put(made, at.VERSION, load(c, AT.none))
    put(made, at.NUMBER, load(c, AT.false))
    put(made, at.META, load(c, AT.none))
    return made


@native
def shared_version(c, x):
    """Return the version counter of a tensor, and make it if there is none; see `Tensor._shared_version`."""
    counter = load(x, at.VERSION)
    if counter != load(c, AT.none):
        return counter
    made = py.allocate_object(load(c, AT.counter), 0)
    if made == 0:
        return 0
    put(made, at.COUNT, load(c, AT.zero))
    counter = load(x, at.VERSION)
    if counter != load(c, AT.none):  # to allocate may run the collector, which may run anything
        py.dec_ref(made)
        return counter
    store(x, at.VERSION, made)
    py.dec_ref(counter)
    return made


@native
def new_view(c, out, x):
    """Return the view of `x` that the cells of an output describe; see `Tensor._alias`."""
    place = py.int_of(py.value_of_int(load(x, at.OFFSET)) + load(out, 32))
    if place == 0:
        return 0
    counter = shared_version(c, x)
    made = py.allocate_object(load(c, AT.tensor), 0) if counter != 0 else 0
    if made == 0:
        py.dec_ref(place)
        return 0
    put(made, at.STORAGE, load(x, at.STORAGE))
    put(made, at.SIZES, load(out, 8))
    put(made, at.STRIDES, load(out, 16))
    store(made, at.OFFSET, place)
    put(made, at.DTYPE, load(x, at.DTYPE))
    put(made, at.KEYS, load(x, at.KEYS))
    put(made, at.ELEMENTS, load(x, at.ELEMENTS))
    put(made, at.VERSION, load(x, at.VERSION))
    put(made, at.NUMBER, load(c, AT.false))
    put(made, at.META, load(c, AT.none))
    return made
