"""Checks of how a kernel is chosen: by what the processor has, and by dtype (probe.py)."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation

# ---- compute_cpu_capability

AVX2 = ("avx2", "fma")
AVX512 = ("avx512f", "avx512vl", "avx512bw", "avx512dq")
OTHERS = ("sse2", "sse4.2", "avx", "f16c", "avx512cd", "avx512vnni", "bmi2")


def _features(rng: random.Random, have: tuple[str, ...], lack: tuple[str, ...] = ()) -> dict[str, bool]:
    """Draw some features among others; what a processor lacks is False, or is not reported at all."""
    found = dict.fromkeys(have, True) | {name: False for name in lack if rng.random() < 0.6}
    found |= {name: rng.random() < 0.5 for name in rng.sample(OTHERS, rng.randint(0, 2))}
    names = list(found)
    rng.shuffle(names)
    return {name: found[name] for name in names}


def _capability_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(({}, ""), "nothing")
    yield Case(({"avx2": False, "fma": False}, ""), "nothing")
    yield Case(({"avx2": True, "fma": True}, ""), "all")
    yield Case(({"avx2": True}, ""), "all")
    yield Case(({"fma": True}, ""), "all")
    yield Case(({"avx2": True, "fma": False}, ""), "all")
    yield Case((dict.fromkeys(AVX2 + AVX512, True), ""), "all")
    yield Case((dict.fromkeys(AVX512, True), ""), "ladder")
    for name in AVX2 + AVX512:
        have = tuple(other for other in AVX2 + AVX512 if other != name)
        yield Case((_features(rng, have, (name,)), ""), "ladder" if name in AVX2 else "all")
    for _ in range(24):
        have = tuple(name for name in AVX2 + AVX512 if rng.random() < 0.8)
        lack = tuple(name for name in AVX2 + AVX512 if name not in have)
        yield Case((_features(rng, have, lack), ""), "all")


def _capability_asked(rng: random.Random) -> Iterator[Case]:
    whole = dict.fromkeys(AVX2 + AVX512, True)
    for asked, about in (
        ("default", "limit"), ("avx2", "limit"), ("avx512", "limit"), ("DEFAULT", "letters"), ("AVX2", "letters"),
        ("AVX512", "letters"), ("Avx2", "letters"), ("avx", "unknown"), ("avx1024", "unknown"), ("none", "unknown"),
        ("vsx", "unknown"), ("av", "unknown"), ("2", "unknown"), ("avx2048", "unknown"), ("default2", "unknown"),
        ("not avx2", "unknown"), ("avx-2", "unknown"),
    ):  # fmt: skip
        yield Case((whole, asked), about)
    for asked in ("avx2", "avx512", "AVX512", "default"):
        yield Case((dict.fromkeys(AVX2, True), asked), "more")
        yield Case(({"avx2": True}, asked), "more")
    for _ in range(16):
        have = tuple(name for name in AVX2 + AVX512 if rng.random() < 0.85)
        asked = rng.choice(("avx2", "AVX2", "avx512", "default", "avx-512"))
        yield Case((_features(rng, have), asked), "unknown" if "-" in asked else "more")


NAMES_OF_VECTORS = ("DEFAULT", "AVX2", "AVX512")


def _place(name: object) -> int:
    """Return the position of a capability in their order, or -1 for anything else."""
    return NAMES_OF_VECTORS.index(name) if name in NAMES_OF_VECTORS else -1


def _is_not_there(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if something was asked for, and what came back needs a feature that is missing."""
    features, asked = args
    needed = (AVX2 + AVX512)[: (0, len(AVX2), len(AVX2 + AVX512))[_place(got.value)]]
    return bool(asked) and _place(got.value) >= 0 and not all(map(features.get, needed))


def _is_above(args: tuple, wanted: Observation, got: Observation) -> bool:
    return 0 <= _place(args[1].upper()) < _place(got.value)


def _is_below(args: tuple, wanted: Observation, got: Observation) -> bool:
    return wanted.value == args[1].upper() and 0 <= _place(got.value) < _place(wanted.value)


def _has_a_gap(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if nothing was asked for, and the answer's own features are there, but a capability below is not."""
    features, asked = args
    own = {"AVX512": AVX512, "AVX2": AVX2}.get(got.value, ())
    return not asked and _place(got.value) > _place(wanted.value) and all(map(features.get, own))


COMPUTE_CPU_CAPABILITY = Check(
    "cpu.capability.compute_cpu_capability",
    ("features", "asked"),
    (
        Aspect("ordinary", 2, _capability_ordinary),
        Aspect("asked", 2, _capability_asked, needs="ordinary"),
    ),
    {
        "nothing": "every processor has DEFAULT, and a feature that is not in the dict is not there",
        "all": "a capability needs all features that stand beside its name in NEEDED",
        "ladder": "AVX512 builds on AVX2: without all of AVX2 it is not taken",
        "limit": "what is asked for is the most that may be chosen",
        "letters": "the names of VECTOR_BYTES are in large letters, what is asked for may be in small ones",
        "unknown": "a name that nobody knows sets no limit; compare whole names",
        "more": "`asked` may be in small letters; asking for more than the processor has gives the most that there is",
        "type": "return one of the names of VECTOR_BYTES, a str",
        "returned None": "the function ends without `return`",
        "raised": "nothing is to be refused here, and a feature that is not in `features` is not there",
    },
    mistakes=(
        Mistake("`features` is only read: it has changed", lambda args, wanted, got: type(got.value) is tuple),
        Mistake(
            "AVX512 builds on AVX2: at the first capability that is not there the search ends (`break`); it does not "
            "go on to the next one (`continue`)",
            _has_a_gap,
        ),
        Mistake(
            "what is asked for is a limit, and not a promise: a capability also needs all features that NEEDED names "
            "for it and for those before it",
            _is_not_there,
        ),
        Mistake(
            "at most what is asked for may be chosen; that may be DEFAULT, which is not in NEEDED. `asked` may be in "
            "small letters, and the names in NEEDED are in large ones",
            _is_above,
        ),
        Mistake("the processor has what is asked for, and the limit itself may be chosen: stop above it", _is_below),
    ),
    probe="cpu.kernels.capability",
)

# ---- Compiled

KINDS = ("float32", "float64", "int32", "int64", "bool")
NAMES = ("add_cpu", "floor_cpu", "sigmoid_cpu", "bitwise_and_cpu")


def _table_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(("calls", "add_cpu", ["float32"], ["float32"], ()), "compile")
    yield Case(("calls", "add_cpu", ["float32"], [], ()), "on demand")
    yield Case(("calls", "add_cpu", ["int64"], ["int64", "int64"], ()), "once")
    yield Case(("calls", "add_cpu", ["float32", "int64"], ["int64"], ()), "on demand")
    yield Case(("calls", "add_cpu", ["float32", "int64"], ["int64", "float32", "int64"], ()), "once")
    yield Case(("calls", "add_cpu", ["float64"], ["float64"], ("contract",)), "options")
    for _ in range(30):
        kinds = rng.sample(KINDS, rng.randint(1, 4))
        asked = [rng.choice(kinds) for _ in range(rng.randint(1, 5))]
        fastmath = tuple(rng.sample(("contract", "nnan"), rng.randint(0, 1)))
        about = "once" if len(set(asked)) < len(asked) else "options" if fastmath else "compile"
        yield Case(("calls", rng.choice(NAMES), kinds, asked, fastmath), about)


def _table_refusals(rng: random.Random) -> Iterator[Case]:
    yield Case(("calls", "add_cpu", ["int64"], ["int64"], (), ["int64"]), "fails")
    yield Case(("calls", "add_cpu", ["int64"], ["int64", "int64"], (), ["int64"]), "fails")
    yield Case(("calls", "add_cpu", ["int64", "bool"], ["bool", "int64", "int64"], (), ["int64"]), "fails")
    for kind in ("float64", "bool"):
        for asked in ([kind], [kind, kind]):
            yield Case(("calls", "add_cpu", [kind], asked, (), [kind]), "fails")
    yield Case(("calls", "add_cpu", [], ["bool"], ()), "not there")
    yield Case(("calls", "add_cpu", ["float32"], ["int64"], ()), "not there")
    yield Case(("calls", "add_cpu", ["float32"], ["bool", "float32"], ()), "afterwards")
    yield Case(("calls", "add_cpu", ["float32"], ["bool", "bool"], ()), "afterwards")
    yield Case(("calls", "add_cpu", ["float32"], ["float32", "float64"], ()), "not there")
    for _ in range(30):
        kinds = rng.sample(KINDS, rng.randint(1, 3))
        asked = [rng.choice([kind for kind in KINDS if kind not in kinds])]
        asked += [rng.choice(KINDS) for _ in range(rng.randint(0, 3))]
        rng.shuffle(asked)
        yield Case(("calls", rng.choice(NAMES), kinds, asked, ()), "not there" if len(asked) == 1 else "afterwards")


def _table_compiled(rng: random.Random) -> Iterator[Case]:
    asked = rng.choice(("float64", "int64"))
    yield Case(("compiled", f"double_{rng.randrange(10_000)}_cpu", ["float64", "int64"], [asked], ()), "compiled")


def _is_kept_too_early(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if more is kept than should be, and all of it is of dtypes that could not be compiled at first."""
    more = {
        kind for key in ("kept", "dispatchers") for kind, _ in got.value[key] if kind not in dict(wanted.value[key])
    }
    return bool(more) and more <= {f"torch.{kind}" for kind in (args[5] if len(args) > 5 else ())}


COMPILED = Check(
    "cpu.loops.Compiled",
    ("observed", "name", "kinds", "asked", "fastmath", "not compiled at first"),
    (
        Aspect("ordinary", 2, _table_ordinary),
        Aspect("refusals", 1, _table_refusals, needs="ordinary"),
        Aspect("compiled", 1, _table_compiled, needs="ordinary", compiled=True),
    ),
    {
        "compile": "njit(**self.options) of self.function(kind) is a dispatcher; its compile(self.signature(kind)) is "
        "the entry",
        "on demand": "nothing is compiled before it is asked for, and only for the dtype that is asked for",
        "once": "keep the entry in self, or each call of the operator compiles again",
        "options": "numba takes self.options as they are",
        "not there": "a dtype that is not in self.kinds is refused: NotImplementedError, with the kernel's name and "
        "that of the dtype in SCALAR_TYPE_NAMES",
        "fails": "if numba can't compile a function, its error goes through, and nothing is kept: the next question "
        "tries again",
        "returned": "the entry that `compile` gives is returned; a dtype that is not in `kinds` is refused with the "
        "words of the docstring, the kernel's name in double quotes and that of the dtype in SCALAR_TYPE_NAMES in "
        "single ones",
        "calls": "the first time a dtype is asked for: function(kind), signature(kind), njit(**self.options), and "
        "`compile` of the dispatcher, each once; later, and for a dtype that is refused, none",
        "afterwards": "a refusal compiles nothing and keeps nothing: the next question is answered as without it",
        "kept": "the entry of a dtype is kept in `self`, under the dtype, and nothing else is",
        "dispatchers": "the dispatcher of each dtype that was compiled is kept in `self.dispatchers`, and no other",
        "compiled": "what comes back is called directly, with the arguments of the signature",
        "type": "return the entry that `compile` gave",
        "returned None": "return the entry, as well as keeping it",
        "raised": "one thing is refused, a dtype that is not in `self.kinds`, and with NotImplementedError; what "
        "`compile` raises goes through as it is",
    },
    mistakes=(
        Mistake(
            "here `compile` raised an error for this dtype, and then nothing is kept: keep the dispatcher only after "
            "`compile` has returned",
            _is_kept_too_early,
        ),
    ),
    probe="cpu.kernels.table",
)

CHECKS = (COMPUTE_CPU_CAPABILITY, COMPILED)
