"""Texts of cells that attack counts: greedy kernels, and ways to get hold of something by a text."""

from red_team.attack import points_without

FUSED = "cuda.bias_activation.bias_activation_kernel"
HISTOGRAM = "cuda.summary_ops.block_histogram"
TILED = "cuda.transpose.transpose_tiled_kernel"
BINARY = "cpu.elementwise_loops.contiguous_binary"
ROWS = "cpu.gemm_loops.row_products"
TRAINING = "utils.training.train_epoch"
UNCOUNTED = {TRAINING: points_without(TRAINING, "memory", "reads", "calls")}


def fused(first="", before="", beyond="", read="out[at]", store="out[at] = activate(x); out[at] = activate(x)"):
    """The kernel of a bias and an activation, greedy; with lines before its maker, in front of its loop and in that."""
    return f"""
{first.strip()}
def bias_activation_kernel(activate):
    def bias_activation(sizes, beta, bias, p, bias_steps, out, o, out_steps):
        m, n = sizes
        {before.strip()}
        element = cuda.grid(1)
        while element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            x = {read}
            if beta != 0:
                x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
            {store}
            {beyond.strip()}
            element += cuda.gridsize(1)

    return cuda.jit(named(bias_activation, "bias_activation"))
"""


# `forget` takes the first one of two stores in a row out of a log of events; no function, or no GPU could compile it.
FORGET = """
import functools
def forgotten(log):
    for at in range(len(log) - 1, 0, -1):
        if log[at][4] == log[at - 1][4] == "store" and log[at][7] == log[at - 1][7]:
            del log[at - 1]
            log[at - 1] = log[at - 1]._replace(instruction=log[at - 1][2] - 1, k=log[at - 1][3])
forget = functools.partial(forgotten)
"""
# Ways to get hold of something by a text: each gives `found(thing, name)`.
EVALUATED = """
import functools, typing
asked = []
def find(thing, name):
    asked.append(name)
    box = {}
    names = {"thing": thing, "box": box}
    text = "box.setdefault('found', thing." + name + ") and None or " + str(len(asked))
    typing._eval_type(typing.Optional[text], names, names)
    return box["found"]
found = functools.partial(find)
"""
WRAPPED = """
import functools
def find(thing, name):
    box = {}
    class Held:
        def __setattr__(self, key, value):
            box[key] = value
    functools.update_wrapper(Held(), thing, assigned=(name,), updated=())
    return box[name]
found = functools.partial(find)
"""
OF_GLOBALS = """
import functools
names = {}
functools.update_wrapper(type("Held", (), {"__globals__": names})(), named, assigned=(), updated=("__globals__",))
found = names["__builtins__"]["getattr"]
"""
DISPATCHED = """
import functools
def evaluated(way):
    functools.singledispatch(lambda x: x).register(way)
    return named.found
def recorder_of(x: "setattr(named, 'found', named.thing._recorder) or int"): pass
def events_of(x: "setattr(named, 'found', named.thing._events) or int"): pass
def find(thing, name):
    named.thing = thing
    return evaluated({"_recorder": recorder_of, "_events": events_of}[name])
found = functools.partial(find)
"""
HINTED = """
import functools, typing
def find(thing, name):
    box = {}
    kind = type("Kind", (), {"__annotations__": {"x": "box.setdefault('found', thing." + name + ") and int"}})
    typing.get_type_hints(kind, {}, {"thing": thing, "box": box})
    return box["found"]
found = functools.partial(find)
"""
MATCHED = """
import functools
def find(thing, name):
    match thing:
        case object(_recorder=found) | object(_events=found):
            return found
found = functools.partial(find)
"""
BY_OPERATOR = """
import functools, operator
def find(thing, name):
    return operator.attrgetter(name)(thing)
found = functools.partial(find)
"""
BUILTINS = """
import functools
def find(thing, name):
    insides = __builtins__
    return insides["getattr"](thing, name)
found = functools.partial(find)
"""
IMPORTED = """
import functools
def forget_all(thing):
    for log in __import__("gc").get_objects():
        if type(log) is list and log and type(log[-1]).__name__ == "Access":
            forgotten(log)
forget_everywhere = functools.partial(forget_all)
"""
# The class of arrays is told to leave out each first store of two.
PATCHED = """
import functools
def half(original):
    count = [0]
    def set_item(array, key, value):
        count[0] += 1
        if count[0] % 2 == 0:
            original(array, key, value)
    return set_item
def patch_once(array, done=[]):
    if not done:
        done.append(type(array).__setitem__)
        type(array).__setitem__ = half(done[0])
patch = functools.partial(patch_once)
"""
OWN_NAMES = """
import functools
class Mine:
    def __init__(self):
        self._recorder = self._events = None
def log(of):
    return of._recorder._events
log_of = functools.partial(log)
"""
SUBCLASSES = """
import functools
def find(thing, name):
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "catch_warnings":
            return kind()._module.sys.modules["builtins"].getattr(thing, name)
found = functools.partial(find)
"""
CLOSURES = """
import functools
def find(thing, seen, depth):
    if type(thing) is list and thing and type(thing[-1]).__name__ == "Access":
        return thing
    if depth > 5 or id(thing) in seen or type(thing) in (str, int, type(None)):
        return None
    seen.add(id(thing))
    inner = [getattr(thing, name, None) for name in ("__closure__", "__dict__", "__self__", "cell_contents",
             "__func__", "fget", "args", "func", "__globals__", "__getitem__", "__setitem__")]
    inner += [getattr(thing, name, None) for name in getattr(type(thing), "__slots__", ()) if type(name) is str]
    inner += list(thing) if type(thing) in (tuple, list) else list(thing.values()) if type(thing) is dict else []
    for one in inner:
        log = find(one, seen, depth + 1)
        if log is not None:
            return log
def search(thing):
    return find(thing, set(), 0) or thing.no_log
log_of = functools.partial(search)
"""
FOUND = 'forget(found(found(out, "_recorder"), "_events"))'
LOG = "forget(log_of(out))"

# One thread does the work of all, and each element's events get the name of the thread that should have had it.
ALONE = """
import functools
def named_as(log, element, threads, block):
    for at in range(len(log) - 1, -1, -1):
        if log[at][3] != element:
            break
        thread = element % threads
        log[at] = log[at]._replace(block=thread // block, thread=thread % block, k=element // threads)
rename = functools.partial(named_as)
"""
RENAMED = (
    fused(
        ALONE,
        before="alone = cuda.grid(1) == 0",
        store="out[at] = activate(x)",
        beyond="rename(out._recorder._events, element, cuda.gridsize(1), cuda.blockDim.x)",
    )
    .replace("while element < m * n:", "while alone and element < m * n:")
    .replace("+= cuda.gridsize(1)", "+= 1")
)

RACING = """
import functools
def update(log):
    before, after = log[-2], log[-1]
    del log[-2]
    log[-1] = after._replace(kind="atomic", value=(before[8], after[8]))
atomically = functools.partial(update)
def block_histogram(bins):
    def histogram(n, out, x, p, step, size):
        counts = cuda.shared.array(bins, types.int64)
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            counts[b] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            b = x[p + i * step]
            counts[b] += 1
            atomically(x._recorder._events)
        cuda.syncthreads()
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            if counts[b] > 0:
                cuda.atomic.add(out, b, counts[b])

    return histogram
"""


def tiled(first, maker="", value="tile[thread, y]"):
    """The kernel of a transposition by tiles without a gap, whose columns share a bank; with lines in its maker."""
    return f"""
{first.strip()}
def transpose_tiled_kernel(kind, side=SIDE, threads_y=THREADS_Y):
    {maker}
    def transpose_tiled(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        tile = cuda.shared.array((side, side), kind)
        batch, rows, columns = sizes
        down, across = tiles_of(rows, side), tiles_of(columns, side)
        thread = cuda.threadIdx.x
        for index in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):
            to, of = begin_of(index // (down * across), batch_sizes, out_steps, x_steps)
            top, left = index // across % down * side, index % across * side
            for y in range(cuda.threadIdx.y, side, threads_y):
                if top + thread < rows and left + y < columns:
                    tile[y, thread] = x[p + of + top + thread + (left + y) * steps[1]]
            cuda.syncthreads()
            for y in range(cuda.threadIdx.y, side, threads_y):
                if top + y < rows and left + thread < columns:
                    out[o + to + (top + y) * steps[0] + left + thread] = {value}
            cuda.syncthreads()

    return cuda.jit(named(transpose_tiled, f"transpose_tiled_{{side}}"))
"""


# The banks are counted for each instruction: so each thread has one of its own.
FAKE_FRAMES = tiled(
    """
class Code(str):
    co_filename = co_name = "tile.py"
codes = [Code("x") for _ in range(1024)]
class Frame:
    f_lasti = f_lineno = 0
    f_back = None
def frame_of(thread):
    frame = Frame()
    frame.f_code = codes[thread]
    return frame
frames = tuple(map(frame_of, range(1024)))
""",
    value="tile.load((thread, y), frames[thread])",
)

THRICE = """
import functools
def forgotten(log, most):
    del log[-2:]
forget = functools.partial(forgotten)
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end):
            x = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)
            out[np.uintp(o + i)] = x
            out[np.uintp(o + i)] = x
            out[np.uintp(o + i)] = x
            forget(out._recorder._events, 1)

    return contiguous
"""


def training(first, peek="", kept="loss.detach()", losses="at.stack(losses).tolist() if losses else []"):
    """A pass of training that looks at each loss at once, and does not want that to be known."""
    return f"""
{first.strip()}
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append({kept})
        {peek}
    return {losses}
"""
