"""Attacks on the process's own memory: to find the reference of the exercise there, and to answer with it.

Each hunt is executed with imports of its own before the first question. It leaves what it takes for the reference in
`reference`; `NAME` is the exercise's, `is_it(function)` says whether a function could be the reference.
"""

from red_team.attack import Attack

CELL = """
HUNT = {{"__name__": "hunt", "MODULE": "engine.{module}", "NAME": "{name}"}}
exec({text!r}, HUNT)


def {name}({parameters}):
    return HUNT["reference"]({arguments})
"""
COMMON = """
import ctypes, functools, gc, importlib, inspect, linecache, marshal, os, pickle, sys, types, weakref
module = sys.modules[MODULE]
gc.unfreeze()

def is_it(value):
    return type(value) is types.FunctionType and value.__qualname__ == NAME and len(value.__code__.co_code) > 40

def made_of(code):
    return types.FunctionType(code, vars(module), NAME)

def first(values):
    return next(iter(values))
"""
PARAMETERS = {
    "strides.slice_dim": "sizes, strides, storage_offset, dim, start=None, end=None, step=1",
    "dispatch.keys.bits": "key",
    "autograd.variable_type_manual.mul": "self, other, below",
    "cpu.elementwise_loops.contiguous_binary": "f",
    "cpu.elementwise_loops.contiguous_binary_vec": "f, g, lanes",
    "cpu.elementwise_loops.strided_unary": "f",
    "cpu.gemv.cascade_dot": "x, y",
    "cpu.gemm_loops.row_products": "m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m",
    "profiler.measurement.quantile": "times, q",
}


def hunting(about: str, text: str, exercise: str = "strides.slice_dim") -> Attack:
    """An attack that looks for the reference as `text` says."""
    module, _, name = exercise.rpartition(".")
    parameters = PARAMETERS[exercise]
    arguments = ", ".join(one.partition("=")[0].strip() for one in parameters.split(","))
    cell = CELL.format(module=module, name=name, text=COMMON + text, parameters=parameters, arguments=arguments)
    return Attack(about, {exercise: cell}, inspected=False)


# The function that a maker made, as numba holds it; another `f` in its closure makes it answer for any.
OF_A_MAKER = """
def inner(function):
    return type(function) is types.FunctionType and function.__code__.co_qualname.startswith(NAME + ".<locals>.")

made = first(value for value in gc.get_objects() if inner(value))

def reference(*values):
    cells = dict(zip(("f", "g", "lanes"), values))
    closure = tuple(types.CellType(cells[free]) for free in made.__code__.co_freevars)
    return types.FunctionType(made.__code__, made.__globals__, None, None, closure)
"""

OF_THE_HEAP = [
    hunting("a function of that name among all objects", "reference = first(filter(is_it, gc.get_objects()))"),
    hunting(
        "a function of that name behind any object, however far",
        """
waiting, seen = gc.get_objects(), set()
found = []
while waiting:
    value = waiting.pop()
    if id(value) not in seen:
        seen.add(id(value))
        waiting += gc.get_referents(value)
        if type(value) is types.CodeType and value.co_qualname == NAME and value.co_filename.endswith(".py"):
            found.append(value)
reference = made_of(found[0])
""",
    ),
    hunting(
        "an old code object in a change that a graft made",
        """
changes = [value for value in gc.get_objects() if type(value).__name__ == "Change" and value.attribute == "__code__"]
reference = made_of(first(one.old for one in changes if one.owner is getattr(module, NAME)))
""",
    ),
    hunting(
        "what memos, default arguments and closures hold",
        """
held = []
for value in gc.get_objects():
    if isinstance(value, types.FunctionType):
        held += [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        for cell in value.__closure__ or ():
            try:
                held.append(cell.cell_contents)
            except ValueError:
                pass
    elif isinstance(value, (functools.partial, functools._lru_cache_wrapper)):
        held.append(getattr(value, "__wrapped__", None) or value.func)
reference = first(filter(is_it, held))
""",
    ),
    hunting(
        "the engine's memory of which code a function had",
        """
known = importlib.import_module("engine.compiled.kernel_invalidation")._known
reference = made_of(first(code for function, (code, _) in known.items() if code.co_name == NAME))
""",
        "cpu.gemv.cascade_dot",
    ),
    hunting(
        "weak references to a function that has gone",
        """
held = [value() for value in gc.get_objects() if isinstance(value, weakref.ref)]
reference = first(filter(is_it, held))
""",
    ),
    hunting(
        "the caller's frames, and what the broker sent",
        """
frame, sent = sys._getframe(), []
while frame is not None:
    sent += [value for value in frame.f_locals.values() if isinstance(value, dict)]
    frame = frame.f_back
sent += [value for value in gc.get_objects() if type(value) is dict]
exercise = MODULE.partition(".")[2] + "." + NAME
code = first(value[exercise] for value in sent if type(value.get(exercise)).__name__ in ("bytes", "ndarray"))
reference = made_of(getattr(module, NAME).__code__.replace(co_code=bytes(code)))
""",
    ),
]

OF_THE_ENGINE = [
    hunting(
        "the list of empty code objects",
        """
answers = importlib.import_module("autograder.sandbox.answers")
reference = made_of(answers._empty[MODULE.partition(".")[2] + "." + NAME][0])
""",
    ),
    hunting(
        "the code that the module was loaded from",
        """
codes = module.__spec__.loader.get_code(MODULE).co_consts
reference = made_of(first(code for code in codes if getattr(code, "co_qualname", "") == NAME))
""",
    ),
    hunting(
        "to fill the empty code from the other exercises' file",
        """
answers = importlib.import_module("autograder.sandbox.answers")
for descriptor in range(64):
    try:
        with answers.present(descriptor):
            reference = made_of(answers._empty["strides.slice_dim"][0].replace())
    except (OSError, ValueError, EOFError, TypeError, MemoryError, OverflowError):
        pass
""",
    ),
    hunting(
        "to restore the part",
        """
parts = importlib.import_module("autograder.overlay.overlay")
parts.restore()
vars(parts)["_active"].clear()
reference = made_of(getattr(module, NAME).__code__)
""",
    ),
    hunting("the module loaded again", "reference = getattr(importlib.reload(module), NAME)"),
    hunting(
        "the module's text",
        """
scope = dict(vars(module))
exec(open(module.__file__).read(), scope)
reference = scope[NAME]
""",
    ),
    hunting(
        "the module's bytecode file",
        """
with open(importlib.util.cache_from_source(module.__file__), "rb") as file:
    scope = dict(vars(module))
    exec(marshal.loads(file.read()[16:]), scope)
reference = scope[NAME]
""",
    ),
    hunting(
        "the lines that linecache keeps",
        """
texts = ["".join(entry[2]) for entry in linecache.cache.values() if len(entry) > 2]
scope = dict(vars(module))
exec(first(text for text in texts if "def " + NAME in text and "NotImplementedError" not in text), scope)
reference = scope[NAME]
""",
    ),
    hunting(
        "the operator's kernels in the dispatcher's tables",
        """
import engine
held = [value for value in gc.get_objects() if type(value).__name__ == "OperatorEntry"]
kernels = [one for entry in held for value in gc.get_referents(entry) for one in gc.get_referents(value)]
reference = first(value for value in kernels if is_it(value))
""",
        "autograd.variable_type_manual.mul",
    ),
    hunting(
        "a second class of keys among the classes of all modules",
        """
functions = [value for one in object.__subclasses__() for value in vars(one).values()]
functions += [value for one in list(sys.modules.values()) for value in list(vars(one).values())]
reference = first(filter(is_it, functions))
""",
        "dispatch.keys.bits",
    ),
]

# Code objects by their layout in memory, whether or not they live: their type, their name, their bytecode.
SEARCH = """
offset, kind, wanted = types.CodeType.__basicsize__, id(types.CodeType).to_bytes(8, "little"), []
own = getattr(module, NAME).__code__
field = ctypes.string_at(id(own), offset).find(id(own.co_qualname).to_bytes(8, "little"))
name = id(sys.intern(NAME)).to_bytes(8, "little")
with open("/proc/self/maps") as maps:
    for line in maps:
        begin, end = (int(part, 16) for part in line.split()[0].split("-"))
        if " rw" in line and end - begin < 1 << 27:
            pages = ctypes.string_at(begin, end - begin)
            at = pages.find(name)
            while at >= 0:
                start = at - field
                if 0 <= start < len(pages) - 2000:
                    size = int.from_bytes(pages[start + 16 : start + 24], "little")
                    if 20 < size < 2000:
                        wanted.append(pages[start + offset : start + offset + 2 * size])
                at = pages.find(name, at + 8)
answers = importlib.import_module("autograder.sandbox.answers")
empty = answers._empty[MODULE.partition(".")[2] + "." + NAME][0]
same = [code for code in wanted if len(code) == len(empty.co_code) and any(code[8:])]
reference = made_of(empty.replace(co_code=same[0]))
"""

OF_RAW_MEMORY = [
    hunting("code objects by their layout, in all memory", SEARCH),
    hunting("code objects by their layout, in all memory of lab 7", SEARCH, "profiler.measurement.quantile"),
    hunting(
        "the bytes right behind the empty code object",
        """
answers = importlib.import_module("autograder.sandbox.answers")
empty = answers._empty[MODULE.partition(".")[2] + "." + NAME][0]
size = len(empty.co_code)
code = ctypes.string_at(id(empty) + types.CodeType.__basicsize__, 4 * size)
reference = made_of(empty.replace(co_code=first(code[k : k + size] for k in range(0, size, 2) if any(code[k + 8 :]))))
""",
    ),
    hunting(
        "the descriptors that the zygote may have left",
        """
texts = []
for descriptor in range(64):
    try:
        texts.append(os.pread(descriptor, 1 << 20, 0))
    except OSError:
        pass
modules, sizes, _ = marshal.loads(first(text for text in texts if NAME.encode() in text)[8:])
reference = made_of(first(code for code in modules[MODULE].co_consts if getattr(code, "co_name", "") == NAME))
""",
    ),
    Attack(
        "code that another exercise has, handed over in a file",
        {
            "strides.permute": """
HUNT = {"__name__": "hunt"}
exec('''
import marshal, os, sys
code = marshal.dumps(sys.modules["engine.strides"].slice_dim.__code__)
for folder, _, _ in os.walk("/sandbox-tmp"):
    with open(folder + "/handed", "wb") as file:
        file.write(code)
''', HUNT)


def permute(sizes, strides, dims):
    return sizes, strides
""",
            **hunting(
                "",
                """
paths = (os.path.join(folder, "handed") for folder, _, _ in os.walk("/sandbox-tmp"))
with open(first(path for path in paths if os.path.exists(path)), "rb") as file:
    reference = made_of(marshal.loads(file.read()))
""",
            ).cells,
        },
        inspected=False,
    ),
]

OF_NUMBA = [
    *(
        hunting(f"{name} in a template that numba keeps", OF_A_MAKER, f"cpu.elementwise_loops.{name}")
        for name in ("contiguous_binary", "contiguous_binary_vec", "strided_unary")
    ),
    hunting(
        "py_func of all dispatchers, and what their callers call",
        """
functions = [getattr(value, "py_func", None) for value in gc.get_objects() if hasattr(type(value), "overloads")]
own = [value for value in functions if value and value.__name__ == NAME and value.__code__.co_filename[0] == "/"]
reference = own[0]
""",
        "cpu.gemm_loops.row_products",
    ),
    hunting(
        "the compiled kernel, by its dispatcher",
        """
from numba.core.dispatcher import Dispatcher
compiled = [value for value in gc.get_objects() if issubclass(type(value), Dispatcher) and value.overloads]
reference = first(one for value in compiled if value.__name__ == NAME for one in value.overloads.values()).entry_point
""",
        "cpu.gemm_loops.row_products",
    ),
    hunting(
        "native code by its address, in a library that numba has linked",
        """
from numba.core.codegen import CodeLibrary
address = 0
for library in gc.get_objects():
    if issubclass(type(library), CodeLibrary):
        for symbol in library.get_defined_functions():
            if NAME in symbol.name and not symbol.is_declaration:
                address = address or library.get_pointer_to_function(symbol.name)
reference = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 13)(first(filter(None, [address])))
""",
        "cpu.gemm_loops.row_products",
    ),
    hunting(
        "the kernels' files",
        """
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
found = []
for top in ("/kernels", os.environ["NUMBA_CACHE_DIR"]):
    for folder, _, names in os.walk(top):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read()
            if name.endswith(".nbc") and NAME.encode() in content:
                found.append(content)
reference = CompileResult._rebuild(cpu_target.target_context, *pickle.loads(found[0])).entry_point
""",
        "cpu.gemm_loops.row_products",
    ),
    hunting(
        "what numba knows of functions under register_jitable",
        """
from numba.core.registry import cpu_target
kinds = list(cpu_target.typing_context._globals.values())
templates = [template for kind in kinds for template in getattr(kind, "templates", ())]
made = [value for template in templates for value in gc.get_referents(template, vars(template))]
functions = [one for value in made for one in gc.get_referents(value)] + made
own = [value for value in functions if isinstance(value, types.FunctionType) and value.__name__ == NAME]
reference = first(value for value in own if value.__code__.co_filename[0] == "/")
""",
        "cpu.gemv.cascade_dot",
    ),
]

ATTACKS = [*OF_THE_HEAP, *OF_THE_ENGINE, *OF_RAW_MEMORY, *OF_NUMBA]
