"""The call in machine code: find the plan of the arguments, make its outputs, run its kernels; else call Python.

`replay` is the C function of every operator; what differs is its table. It raises nothing: where something is unusual,
or fails, the Python function gets the call and does what it always does.
"""

from numba import cfunc
from numba.core import callconv

from . import layout as at
from . import objects as py
from . import plan as of
from .layout import AT, DIGEST
from .objects import FLOATS, load, store
from .plan import MOST_OTHERS, MOST_OUTPUTS, MOST_TENSORS, native

# The table of an operator: the common table, the Python function, the function that makes plans, slots - 1, address of
# the slots (a plan's address, or 0), number of arguments, address of their kinds, hash of the last call without a plan,
# number of calls with one.
COMMON, FUNCTION, RECORD, MASK, SLOTS, ARGUMENTS, KINDS, MISSED, REPLAYS = (8 * k for k in range(9))
OTHER, TENSOR, OPTIONAL_TENSOR, TENSORS = range(4)  # kinds of arguments; of the last an operator has at most one

# A launch: the kernel's address, the value that it must return, whether it returns one, whether Python's lock is let go
# (LOCKED, UNLOCKED, or ON_THREADS), words of its call, the addresses of these, and of its patches.
ADDRESS, RETURNED, IS_CHECKED, LOCK, SIZE, WORDS, PATCHES = (8 * k for k in range(7))
LOCKED, UNLOCKED, ON_THREADS = range(3)
SIZES_OF_CALLS = MANY, MORE, MOST = 16, 32, 64  # words of a call
MOST_NUMBERS = 2
STACK = MOST + FLOATS + 2 + MOST_NUMBERS  # its words, its floats, its result, its exception, converted numbers
PROBES = 4  # slots that a key may be in
FACTOR = 0x9E3779B97F4A7C1
OK, OK_NONE = callconv.RETCODE_OK.constant, callconv.RETCODE_NONE.constant
FAILED, RAISED = 0, -1  # instead of a result: Python has to see to it; an exception is set

call_many, call_more, call_most = (py.kernel_call(size) for size in SIZES_OF_CALLS)
launch_words, tensor_words = py.words_on_stack(STACK), py.words_on_stack(3 * (MOST_TENSORS + MOST_OUTPUTS))
other_words, held_words, key_words = (
    py.words_on_stack(MOST_OTHERS),
    py.words_on_stack(MOST_TENSORS),
    py.words_on_stack(3),
)

# ---- the key


@native
def is_usual(c):
    """Return True if replay is not paused, inference mode is off, and the default dtype is float32, as plans assume."""
    modes = py.dict_item(load(c, AT.of_modes), load(c, AT.modes))
    default = py.dict_item(load(c, AT.of_default), load(c, AT.default))
    return load(c, AT.paused) == 0 and modes == load(c, AT.zero) and default == load(c, AT.float32)


@native
def scalar_hash(c, value):
    """Return the hash of a number, a string or a constant of the engine; 0 for a value that can't be in a key."""
    kind = load(value, at.TYPE)
    if kind == load(c, AT.int) or kind == load(c, AT.str):
        return py.hash_of(value) * 2 + 1
    if kind == load(c, AT.float):
        return py.bits_of_float(value) * 2 + 1
    is_constant = (
        value == load(c, AT.none) or kind == load(c, AT.bool) or kind == load(c, AT.kind)
        or value == load(c, AT.cpu) or kind == load(c, AT.layout) or kind == load(c, AT.memory_format)
    )  # fmt: skip
    return value + 1 if is_constant else 0


@native
def value_hash(c, value):
    """Return the hash of a scalar, as `scalar_hash`, or of a tuple of scalars. It calls no `__hash__` of Python."""
    if load(value, at.TYPE) != load(c, AT.tuple):
        return scalar_hash(c, value)
    h = 1
    for i in range(py.tuple_size(value)):
        item = scalar_hash(c, py.tuple_item(value, i))
        if item == 0:
            return 0
        h = (h ^ item) * FACTOR | 1
    return h


@native
def tensor_hash(c, x, to):
    """Return the hash of a plain CPU tensor, and store its extent at `to`; return 0 for any other object.

    The extent is the storage's size in bytes if the tensor begins with it, else of.SIDE_BY_SIDE.
    """
    kind = load(x, at.TYPE)
    if kind != load(c, AT.tensor) and kind != load(c, AT.parameter):
        return 0
    if load(x, at.KEYS) != load(c, AT.cpu_keys) or load(x, at.META) == 0:
        return 0
    storage, sizes, strides = load(x, at.STORAGE), load(x, at.SIZES), load(x, at.STRIDES)
    is_plain = (
        load(storage, at.TYPE) == load(c, AT.storage) and load(load(storage, at.CELLS), at.TYPE) == load(c, AT.array)
        and load(sizes, at.TYPE) == load(c, AT.tuple) and load(strides, at.TYPE) == load(c, AT.tuple)
    )  # fmt: skip
    if not is_plain:
        return 0
    extent = py.value_of_int(load(storage, at.NBYTES)) if load(x, at.OFFSET) == load(c, AT.zero) else of.SIDE_BY_SIDE
    store(to, 0, extent)
    h = py.hash_of(sizes) ^ py.hash_of(strides) << 9
    return (h ^ load(x, at.DTYPE) << 17 ^ load(x, at.NUMBER) ^ extent << 3) | 1


@native
def enter(c, given, tensors, n):
    """Append a tensor to `n` others, and return its part of the hash of a call; 0 if it can't be in a key.

    Args:
        tensors: filled as `of.fits` takes them.
    """
    item = 0 if n == MOST_TENSORS else tensor_hash(c, given, tensors + 24 * n + 16)
    if item == 0:
        return 0
    first = 0
    while first < n and load(tensors, 24 * first) != given:
        first += 1
    store(tensors, 24 * n, given)
    store(tensors, 24 * n + 8, first)
    return item + first


@native
def read(c, table, args, tensors, others, key):
    """Split the arguments into tensors and others, and hash them; return False if one can't be in a key.

    Args:
        tensors, others: filled as `of.fits` takes them.
        key: filled with the numbers of tensors and of others, and the hash.
    """
    n, rest, h, kinds = 0, 0, 0, load(table, KINDS)
    for i in range(load(table, ARGUMENTS)):
        given, kind = load(args, 8 * i), load(kinds, 8 * i)
        if kind == OTHER or (kind == OPTIONAL_TENSOR and given == load(c, AT.none)):
            item = value_hash(c, given)
            if item == 0 or rest == MOST_OTHERS:
                return False
            store(others, 8 * rest, given)
            rest += 1
            h = (h ^ item) * FACTOR
            continue
        if kind == TENSORS and load(given, at.TYPE) != load(c, AT.tuple):
            return False
        for j in range(py.tuple_size(given) if kind == TENSORS else 1):
            item = enter(c, py.tuple_item(given, j) if kind == TENSORS else given, tensors, n)
            if item == 0:
                return False
            n += 1
            h = (h ^ item) * FACTOR
    store(key, 0, n)
    store(key, 8, rest)
    store(key, 16, h)
    return True


@native
def find(c, table, tensors, others, key):
    """Return the plan of a call; 0 if there is none."""
    n, rest, h = load(key, 0), load(key, 8), load(key, 16)
    mask, slots = load(table, MASK), load(table, SLOTS)
    for probe in range(PROBES):
        plan = load(slots, 8 * (((h >> 20) + probe) & mask))
        if plan != 0 and of.fits(c, plan, h, tensors, n, others, rest):
            return plan
    return 0


@native
def outputs_of(c, plan):
    """Return the number of outputs of a plan; REFUSED or less if this thread may not use the plan."""
    if plan == 0:
        return of.REFUSED
    count = load(plan, of.OUTPUTS)
    if count < of.REFUSED and load(c, AT.trial) == py.thread_state():
        return -1 - count
    return count


@native
def shares_storage(tensors, n):
    """Return True if two different tensors share a storage, so that geometry alone doesn't say what is written."""
    for i in range(1, n):
        for j in range(i):
            x, y = load(tensors, 24 * i), load(tensors, 24 * j)
            if x != y and load(x, at.STORAGE) == load(y, at.STORAGE):
                return True
    return False


# ---- the work


@native
def patch(words, tensors, patches):
    """Write the words of a launch that depend on its operands."""
    for i in range(load(patches, 0)):
        one = patches + 8 + 8 * of.PATCH_CELLS * i
        what, to, number = load(one, 0), 8 * load(one, 8), load(one, 24)
        x = load(tensors, 24 * load(one, 16))
        data = load(load(load(x, at.STORAGE), at.CELLS), at.DATA)
        if what == of.DATA_OF:
            store(words, to, data + number)
        elif what == of.FLAT:  # an array of all that a storage has; `to` is its first word
            count = py.value_of_int(load(load(x, at.STORAGE), at.NBYTES)) // number
            store(words, to + 16, count)
            store(words, to + 32, data)
            store(words, to + 40, count)
        elif what == of.PART:
            store(words, to, data + py.value_of_int(load(x, at.OFFSET)) * number)
        elif what == of.PLACE:
            store(words, to, py.value_of_int(load(x, at.OFFSET)))
        else:
            bits, cell = load(data, 8 * py.value_of_int(load(x, at.OFFSET))), words + 8 * (STACK - 1 - number)
            if what == of.FLOAT_OF_DOUBLE:
                bits = py.float_of_double(bits)
            elif what == of.FLOAT_OF_INT:
                bits = py.float_of_int(bits)
            elif what == of.DOUBLE_OF_INT:
                bits = py.double_of_int(bits)
            store(cell, 0, bits)
            store(words, to, cell)


@native
def run(words, launch):
    """Call a kernel; return False if it raised, or returned another value than when it was recorded."""
    status, size, floats = 0, load(launch, SIZE), words + 8 * MOST
    store(words, 0, floats + 8 * FLOATS)  # where it puts its result, and what it raises
    store(words, 8, floats + 8 * FLOATS + 8)
    if size == MANY:
        status = call_many(load(launch, ADDRESS), words, floats)
    elif size == MORE:
        status = call_more(load(launch, ADDRESS), words, floats)
    else:
        status = call_most(load(launch, ADDRESS), words, floats)
    if status != OK and status != OK_NONE:
        return False
    return load(launch, IS_CHECKED) == 0 or load(words, 8 * (MOST + FLOATS)) == load(launch, RETURNED)


@native
def hold(tensors, count, held, change):
    """Hold references to the operands' memory while the GIL is released, or (change < 0) drop them."""
    for i in range(count):
        if change > 0:
            store(held, 8 * i, load(load(load(tensors, 24 * i), at.STORAGE), at.CELLS))
            py.inc_ref(load(held, 8 * i))
        else:
            py.dec_ref(load(held, 8 * i))


@native
def launch_all(c, plan, tensors, n):
    """Run the kernels of a plan, and return 1, FAILED or RAISED."""
    for i in range(load(plan, of.LAUNCHES)):
        launch, words, held = plan + of.FIRST_LAUNCH + 8 * of.LAUNCH_CELLS * i, launch_words(), held_words()
        template, size, lock = load(launch, WORDS), load(launch, SIZE), load(launch, LOCK)
        for k in range(2, size):
            store(words, 8 * k, load(template, 8 * k))
        for k in range(FLOATS):
            store(words, 8 * (MOST + k), load(template, 8 * (MOST + k)))
        if lock == ON_THREADS:  # of the pool, whose address is the first argument
            pool = py.vectorcall(load(c, AT.pool), 0, 0, 0)
            if pool == 0:
                return RAISED
            store(words, 16, py.value_of_int(pool))
            py.dec_ref(pool)
        patch(words, tensors, load(launch, PATCHES))
        if lock == LOCKED:
            if not run(words, launch):
                return FAILED
            continue
        hold(tensors, n, held, 1)
        state = py.save_thread()
        is_good = run(words, launch)
        py.restore_thread(state)
        hold(tensors, n, held, -1)
        if not is_good:
            return FAILED
    return 1


@native
def make_outputs(c, plan, tensors, n, count):
    """Append the outputs of a plan, as new references, to the operands; on failure leave nothing and return False."""
    for k in range(count):
        out = plan + of.FIRST_OUTPUT + 8 * of.OUTPUT_CELLS * k
        kind = load(out, 0)
        if kind == of.NEW:
            made = of.new_tensor(c, out)
        elif kind == of.VIEW:
            made = of.new_view(c, out, load(tensors, 24 * load(out, 24)))
        else:
            made = load(tensors, 24 * load(out, 24))
            py.inc_ref(made)
        if made == 0:
            for j in range(k):
                py.dec_ref(load(tensors, 24 * (n + j)))
            return False
        store(tensors, 24 * (n + k), made)
    return True


@native
def perform(c, plan, tensors, n, count):
    """Run a plan with `count` outputs and return its result, a new reference; or FAILED or RAISED."""
    if not make_outputs(c, plan, tensors, n, count):
        return FAILED
    outcome = launch_all(c, plan, tensors, n)
    if outcome == 1 and count == 1:
        return load(tensors, 24 * n)
    result = py.tuple_of(count) if outcome == 1 else outcome
    for k in range(count):
        if outcome == 1 and result != 0:
            py.set_tuple_item(result, k, load(tensors, 24 * (n + k)))
        else:
            py.dec_ref(load(tensors, 24 * (n + k)))
    return result


@native
def replay(self, args, count):
    """Call an operator, by its plan if there is one: the C code of a built-in function whose `self` is its table."""
    table = load(self, at.DATA)
    c = load(table, COMMON)
    if count == load(table, ARGUMENTS) and is_usual(c):
        tensors, others, key = tensor_words(), other_words(), key_words()
        if read(c, table, args, tensors, others, key):
            plan, n = find(c, table, tensors, others, key), load(key, 0)
            is_shared = shares_storage(tensors, n)
            if plan == 0 and not is_shared:
                store(table, MISSED, load(key, 16))
                return py.vectorcall(load(table, RECORD), args, count, 0)
            outputs = outputs_of(c, plan)
            if outputs > 0 and not (is_shared and load(plan, of.FIRST_OUTPUT) == of.ARGUMENT):
                owner = load(plan, of.OWNER)
                py.inc_ref(owner)  # to allocate, or to let the lock go, may run what drops the plan
                made = perform(c, plan, tensors, n, outputs)
                py.dec_ref(owner)
                if made != FAILED:
                    store(table, REPLAYS, load(table, REPLAYS) + 1)
                    return 0 if made == RAISED else made
        py.clear_error()  # of memory that there was not, or of a number of more than 64 bits
    return py.vectorcall(load(table, FUNCTION), args, count, 0)


def compiled() -> int:
    """Return the address of `replay` as a C function, compiled or loaded from the disk cache on first use."""

    def entry(self, args, count):  # type: ignore[no-untyped-def]
        return replay(self, args, count)

    entry.__qualname__ = f"replay_{DIGEST}"
    return int(cfunc("intp(intp,intp,intp)", cache=True)(entry).address or 0)
