"""The reference of the exercise that is judged is nowhere in the process that judges it: not callable, not in memory.

Each hunt runs as a student's cell, at its top level, with imports of its own; what it found is the text of the error
that it ends with. It knows the reference by digests and by masked bytes, so that it does not find itself.
"""

import functools
import hashlib
import json
import os
import textwrap
import types
from collections import Counter

import pytest

from autograder.author import lab_text
from autograder.sandbox import Sandbox, exercise_bodies, image, warm_up
from engine.compiled import numba_cache

MASK = 0x5A
LONG_ENOUGH = 64  # bytes; shorter code is in the memory of any program: `bmm_self` is one of numba's methods
FREE = "exec({text!r}, {{'__name__': 'hunt'}})\n"

HEAP = """
    import gc, hashlib, sys, types
    gc.unfreeze()
    sought, seen, found = set(SOUGHT), set(), set()
    waiting = [*gc.get_objects(), sys.modules]
    seen.update(map(id, waiting))
    seen |= {id(seen), id(waiting), id(found)}
    while waiting:
        value = waiting.pop()
        if type(value) is types.CodeType:
            if hashlib.sha256(value.co_qualname.encode() + value.co_code).hexdigest() in sought:
                found.add(value.co_qualname)
        reached = gc.get_referents(value)
        if type(value) is types.FunctionType:
            reached.append(value.__code__)
        for one in reached:
            if id(one) not in seen:
                seen.add(id(one))
                waiting.append(one)
    raise RuntimeError(sorted(found))
"""

MEMORY = """
    import ctypes, mmap
    libc = ctypes.CDLL(None)
    libc.memmem.restype = ctypes.c_void_p
    libc.memmem.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
    own = mmap.mmap(-1, 1 << 20)
    place = ctypes.addressof(ctypes.c_char.from_buffer(own))
    regions = []
    with open("/proc/self/maps") as maps:
        for line in maps:
            first, last = (int(end, 16) for end in line.split()[0].split("-"))
            if " rw" in line:
                if first <= place < last:
                    regions += [(first, place), (place + len(own), last)]
                else:
                    regions.append((first, last))
    searched = sum(last - first for first, last in regions)
    found = {}
    for name, masked in SOUGHT:
        for k in range(len(masked) // 2):
            own[k] = int(masked[2 * k : 2 * k + 2], 16) ^ MASK
        size = len(masked) // 2
        count = 0
        for first, last in regions:
            while first < last and (at := libc.memmem(first, last - first, place, size)):
                count, first = count + 1, at + 2
        if count:
            found[name] = count
    if searched < 1 << 20:
        raise RuntimeError("there is no memory to search")
    raise RuntimeError(sorted(found.items()))
"""

# Each lab takes half a minute: `make red-team` looks into all of them.
LOOKED_INTO = lab_text.LABS if "RED_TEAM_TIER" in os.environ else ("01-strides", "05-cpu")


def codes_of(exercise: str, methods: tuple[str, ...]) -> list[types.CodeType]:
    """The code of the reference: of the function or the methods, and of what is defined inside."""
    path = image.REPOSITORY.joinpath("engine", *exercise.split(".")[:-1]).with_suffix(".py")
    whole = compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
    return exercise_bodies.codes_of(whole, exercise.rpartition(".")[2], methods)


def hunt(sandbox: Sandbox, exercise: str, text: str, sought=()) -> str:
    """Return what a hunt found, as text: "[]" if nothing."""
    text = f"SOUGHT = {sought!r}\nMASK = {MASK}\n{textwrap.dedent(text)}"
    with sandbox.run(exercise, FREE.format(text=text)) as run:
        return run.refused.partition("RuntimeError: ")[2]


def digests(codes) -> list[str]:
    return [hashlib.sha256(code.co_qualname.encode() + code.co_code).hexdigest() for code in codes]


def masked(codes) -> list[tuple[str, str]]:
    own = (code for code in codes if len(code.co_code) >= LONG_ENOUGH and how_often()[code.co_code] == 1)
    return [(code.co_qualname, bytes(byte ^ MASK for byte in code.co_code).hex()) for code in own]


@functools.cache
def how_often() -> Counter[bytes]:
    """Count the engine's functions by bytecode: generator expressions often share theirs."""
    return Counter(code.co_code for path in image.engine_texts() if path.suffix == ".py" for code in all_codes(path))


def all_codes(path):
    waiting = [compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]


def exercises_of(lab: str) -> dict[str, tuple[str, ...]]:
    return {exercise.name: exercise.methods for exercise in lab_text.load(lab).exercises}


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("text", [HEAP, MEMORY], ids=["heap", "memory"])
@pytest.mark.parametrize("lab", LOOKED_INTO)
def test_the_reference_of_no_exercise_is_in_its_worker(lab, text):
    exercises = exercises_of(lab)
    as_sought = digests if text is HEAP else masked
    with Sandbox(lab, exercises=exercises) as sandbox:
        found = {name: hunt(sandbox, name, text, as_sought(codes_of(name, exercises[name]))) for name in exercises}
    assert found == dict.fromkeys(exercises, "[]")


@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize(("text", "as_sought"), [(HEAP, digests), pytest.param(MEMORY, masked, marks=pytest.mark.slow)])
def test_the_reference_is_not_in_its_worker_and_the_other_exercises_are(text, as_sought):
    exercises = {"strides.permute": (), "strides.slice_dim": ()}
    sought = as_sought(codes_of("strides.slice_dim", ()))
    with Sandbox("01-strides", exercises=exercises) as sandbox:
        assert hunt(sandbox, "strides.slice_dim", text, sought) == "[]"
        assert "slice_dim" in hunt(sandbox, "strides.permute", text, sought)


def test_empty_code_raises_whoever_holds_it_and_is_whole_again_when_filled():
    text = "def outer(n):\n    def inner(k):\n        return [n * i for i in range(k)]\n    return inner\n"
    whole = compile(text, "module", "exec")
    code = exercise_bodies.bytecode(exercise_bodies.codes_of(whole, "outer", ()))
    names = {}
    exec(emptied := exercise_bodies.emptied(whole, {"outer": ()}), names)
    codes = exercise_bodies.codes_of(emptied, "outer", ())
    with pytest.raises(RuntimeError):
        names["outer"](2)
    exercise_bodies.fill(codes, code)
    inner = names["outer"](2)
    assert [inner(3) for _ in range(20)][-1] == [0, 2, 4]  # often enough to be specialized
    assert exercise_bodies.bytecode(codes) == code
    exercise_bodies.empty(codes)
    for held in (inner, names["outer"]):
        with pytest.raises(RuntimeError):
            held(3)
    assert code[:8] not in exercise_bodies.bytecode(codes)
    with pytest.raises(ValueError, match="bytes of code to fill"):
        exercise_bodies.fill(codes, code + b"\0\0")


FILES = """
    import os
    found, read = [], 0
    for top in ("/image", "/kernels", "/sandbox-tmp"):
        for folder, _, names in os.walk(top):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    content = file.read()
                read += name.endswith(".nbc")
                for sought, masked in SOUGHT:
                    if bytes(byte ^ MASK for byte in bytes.fromhex(masked)) in content:
                        found.append((name, sought))
    raise RuntimeError((found, read > 0))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("lab", [lab for lab in LOOKED_INTO if not lab.startswith("01")])
def test_no_file_that_a_worker_can_read_has_the_bytecode_of_its_exercise(lab):
    exercises = exercises_of(lab)
    with Sandbox(lab, exercises=exercises) as sandbox:
        found = {name: hunt(sandbox, name, FILES, masked(codes_of(name, exercises[name]))) for name in exercises}
    assert found == dict.fromkeys(exercises, "([], True)")


KERNELS = """
    import gc, os
    from numba.core.dispatcher import Dispatcher
    from engine.compiled import kernel_invalidation
    from autograder.sandbox import warm_up
    gc.unfreeze()
    name = SOUGHT.rpartition(".")[2]
    loaded = [
        one.__qualname__
        for one in gc.get_objects()
        if issubclass(type(one), Dispatcher) and one.overloads and SOUGHT in kernel_invalidation.reached(one)
    ]
    cache = os.environ["NUMBA_CACHE_DIR"]
    files = {os.path.relpath(os.path.join(folder, file), top)
             for top in (cache, "/kernels") for folder, _, names in os.walk(top) for file in names}
    raise RuntimeError((loaded, sorted(files & set(CONTENTS))))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_no_worker_has_a_kernel_that_was_compiled_from_its_exercise():
    lab = "05-cpu"
    exercises = exercises_of(lab)
    with Sandbox(lab, exercises=exercises) as sandbox:
        sandbox.guest()
        contents = json.loads((sandbox._kernels / warm_up.CONTENTS).read_text())
        within = {name: [path for path, names in contents.items() if name in names] for name in exercises}
        found = {name: hunt(sandbox, name, f"CONTENTS = {within[name]!r}\n{textwrap.dedent(KERNELS)}", name)
                 for name in exercises}  # fmt: skip
    assert sum(map(len, within.values())) >= len(exercises)
    assert found == dict.fromkeys(exercises, "([], [])")


@pytest.mark.parametrize("lab", [lab for lab in lab_text.LABS if not lab.startswith("05")])
def test_only_exercises_among_the_kernels_for_the_cpu_are_in_kernels(lab):
    exercises = exercises_of(lab)
    assert not any(name.startswith("cpu.") or numba_cache.has_kernels(name.rpartition(".")[0]) for name in exercises
                   if not name.startswith("cuda."))  # fmt: skip
