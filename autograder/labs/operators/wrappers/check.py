"""Check of the generator of a structured operator's kernels: what the text does when it runs."""

import random
from collections.abc import Callable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_data import equal

Schemas = tuple[str, str, str]
FUNCTIONAL, INPLACE, OUT = range(3)
NAMES = ("other", "mat1", "mat2", "weight", "mask", "source", "index", "target", "output", "result", "grad_output")
SCALARS = ("Scalar alpha", "Scalar beta", "bool keepdim", "int dim", "float eps", "int? reduction", "int[] size")
RESULTS = ("values", "indices", "rest")
WITH_KEYWORD = ("f(Tensor self, float from, float to) -> Tensor",
                "f_(Tensor(a!) self, float from, float to) -> Tensor(a!)",
                "f.out(Tensor self, float from, float to, *, Tensor(a!) out) -> Tensor(a!)")  # fmt: skip


def drawn_schemas(rng: random.Random, outputs: int = 1, tensors: int = 2, scalars: int = 1) -> Schemas:
    """Draw the schemas of an operator's three forms, with scalars that are keyword-only or positional."""
    name = rng.choice(("add", "lerp", "sum", "sort", "gather"))
    inputs = [f"Tensor {x}" for x in rng.sample(NAMES, tensors - 1)]
    numbers = rng.sample(SCALARS, scalars)
    by_keyword = bool(numbers) and rng.random() < 0.5
    rest = ", ".join([*inputs, *(["*"] if by_keyword else []), *numbers])
    rest = f", {rest}" if rest else ""
    marks = "abc"[:outputs]
    given = [f"Tensor({mark}!) {out}" for mark, out in zip(marks, ["out"] if outputs == 1 else RESULTS, strict=False)]
    star = ", " if by_keyword else ", *, "
    returned = [f"Tensor({mark}!)" for mark in marks]

    def returns(kinds: list[str]) -> str:
        return kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"

    return (
        f"{name}(Tensor self{rest}) -> {returns(['Tensor'] * outputs)}",
        f"{name}_(Tensor(a!) self{rest}) -> Tensor(a!)" if outputs == 1 else "",
        f"{name}.out(Tensor self{rest}{star}{', '.join(given)}) -> {returns(returned)}",
    )


RELU = ("relu(Tensor self) -> Tensor", "relu_(Tensor(a!) self) -> Tensor(a!)",
        "relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)")  # fmt: skip
SORT = ("sort(Tensor self, int dim) -> (Tensor values, Tensor indices)", "",
        "sort.values(Tensor self, int dim, *, Tensor(a!) values, Tensor(b!) indices) -> "
        "(Tensor(a!) values, Tensor(b!) indices)")  # fmt: skip


KEYWORD_AND_PRECOMPUTED = (
    "f(Tensor self, float from, *, float output, float result) -> Tensor",
    "f_(Tensor(a!) self, float from, *, float output, float result) -> Tensor(a!)",
    "f.out(Tensor self, float from, *, float output, float result, Tensor(a!) out) -> Tensor(a!)",
)
THREE = ("g(Tensor self, int dim) -> (Tensor values, Tensor indices, Tensor rest)", "",
         "g.out(Tensor self, int dim, *, Tensor(a!) values, Tensor(b!) indices, Tensor(c!) rest) -> "
         "(Tensor(a!) values, Tensor(b!) indices, Tensor(c!) rest)")  # fmt: skip


def _functional(rng: random.Random) -> Iterator[Case]:
    for schemas in (RELU, SORT, WITH_KEYWORD, THREE, KEYWORD_AND_PRECOMPUTED):
        for runs_impl in (True, False):
            about = "several" if schemas in (SORT, THREE) else "functional" if runs_impl else "without memory"
            yield Case((schemas, FUNCTIONAL, runs_impl, [], [], False), about)
            yield Case((schemas, FUNCTIONAL, runs_impl, [], [], True), "lines")
    for outputs in (1, 1, 2, 3) * 9:
        schemas = drawn_schemas(rng, outputs, rng.randint(1, 3), rng.randint(0, 2))
        runs_impl, lines = rng.random() < 0.7, rng.random() < 0.5
        about = "several" if outputs > 1 else "functional" if runs_impl else "without memory"
        yield Case((schemas, FUNCTIONAL, runs_impl, [], [], lines), about)


def _given(rng: random.Random) -> Iterator[Case]:
    for schemas in (RELU, WITH_KEYWORD, KEYWORD_AND_PRECOMPUTED):
        for form, about in ((INPLACE, "in place"), (OUT, "out")):
            yield Case((schemas, form, True, [], [], False), about)
            yield Case((schemas, form, True, [], [0], False), "copied back")
            yield Case((schemas, form, False, [], [0], False), "without memory")
            yield Case((schemas, form, True, [], [0], True), "lines")
    for proxies in ([2], [0, 2]):
        yield Case((THREE, OUT, True, [], proxies, False), "copied back")
    for proxies in ([], [0], [1], [0, 1]):
        yield Case((SORT, OUT, True, [], proxies, False), "copied back" if proxies else "several")
        yield Case((SORT, OUT, False, [], proxies, True), "without memory")
    for outputs in (1, 1, 2, 3) * 9:
        schemas = drawn_schemas(rng, outputs, rng.randint(1, 3), rng.randint(0, 2))
        form = rng.choice((INPLACE, OUT)) if outputs == 1 else OUT
        proxies = sorted(rng.sample(range(outputs), rng.randint(0, outputs)))
        runs_impl = rng.random() < 0.75
        about = "copied back" if proxies else "in place" if form == INPLACE else "out"
        args: tuple = (schemas, form, runs_impl, [], proxies, rng.random() < 0.5)
        yield Case(args, about if runs_impl else "without memory")


def drawn_items(rng: random.Random, schema: str) -> list[str]:
    """Draw precomputed items for a schema: some replace an argument, and perhaps one replaces none."""
    inside = schema.partition("(")[2].rpartition(" -> ")[0].rstrip(")")
    names = [entry.split()[-1] for entry in inside.split(", ") if entry != "*"][1:]
    replaced = rng.sample(names, rng.randint(0, min(2, len(names))))
    new = iter(rng.sample(("count", "inner", "outer", "wrapped", "valid", "kW", "kH"), 7))
    items = [f"{name} -> {', '.join(f'int {next(new)}' for _ in range(rng.randint(1, 2)))}" for name in replaced]
    return [*items, f"int {next(new)}"] if rng.random() < 0.5 or not items else items


def _precomputed(rng: random.Random) -> Iterator[Case]:
    for items in (
        ["dim -> int wrapped"],
        ["dim -> int dim, int valid"],
        ["int count"],
        ["dim -> int a", "int b, int c"],
    ):
        for form in (FUNCTIONAL, OUT):
            about = "beside" if "->" not in items[0] else "replaced"
            yield Case((SORT, form, True, items, [], False), about)
            yield Case((SORT, form, False, items, [], False), "without memory")
    yield Case((SORT, FUNCTIONAL, False, ["dim -> int wrapped"], [], True), "lines")
    for form in (FUNCTIONAL, INPLACE, OUT):
        for items in (["from -> float low, float high"], ["output -> int a", "int b"], ["from -> int from"]):
            yield Case((KEYWORD_AND_PRECOMPUTED, form, True, items, [], False), "replaced")
        yield Case((RELU, form, True, ["int count"], [0] if form else [], True), "beside")
    for _ in range(36):
        outputs = rng.choice((1, 1, 2))
        schemas = drawn_schemas(rng, outputs, rng.randint(1, 3), rng.randint(1, 2))
        items = drawn_items(rng, schemas[0])
        form = rng.choice((FUNCTIONAL, OUT, INPLACE) if outputs == 1 else (FUNCTIONAL, OUT))
        proxies = [0] if form != FUNCTIONAL and rng.random() < 0.4 else []
        about = "replaced" if "->" in items[0] else "beside"
        yield Case((schemas, form, True, items, proxies, rng.random() < 0.4), about)


def _kind(step: object) -> str:
    """Return the word of a step, which may be alone, as "copied back"."""
    return step[0] if isinstance(step, tuple) else str(step)


STEPS = ("made of", "meta", "impl", "returned", "no made of", "no meta", "no impl", "no returned")


def _differs(args: tuple, wanted, got) -> Iterator[str]:
    if _kind(got[-1]) in ("does not compile", "no function"):
        yield _kind(got[-1])
        return
    for one, other in zip(wanted, got, strict=False):
        if equal(one, other):
            continue
        if _kind(one) == _kind(other):
            yield from (step for step in STEPS if step == _kind(one))
        elif _kind(other) == "stops":
            yield "stops"
        elif _kind(one) in ("before", "after meta") or _kind(other) in ("before", "after meta"):
            yield "lines"
        elif _kind(one) == "copied back":
            yield "not copied back"
        elif _kind(other) == "copied back":
            yield "copied back too often"
        else:
            yield "impl too often" if _kind(other) == "impl" else f"no {_kind(one)}"
        return


def _impl_is(says: str, model: Callable[[tuple, tuple], list]) -> Mistake:
    """Build the mistake of a text whose call of impl gets `model(args, what impl should get)`."""

    def shows(args: tuple, wanted, got) -> bool:
        right, given = ([step[1:] for step in seen.value if _kind(step) == "impl"] for seen in (wanted, got))
        return right != given and list(given[0]) == model(args, right[0])

    return Mistake(says, shows)


def _outputs(passed: tuple) -> int:
    return sum(isinstance(what, str) and what.startswith(("new ", "proxy ")) for what in passed)


def _with_given(args: tuple, right: tuple) -> list:
    """Return the arguments of impl if proxies are overlooked."""
    names = ["self"] if args[1] == INPLACE else ["out", *RESULTS]
    of = names if "out" not in names or " out)" in args[0][OUT] else list(RESULTS)
    return [of[int(what[6:])] if what.startswith("proxy ") else what for what in right]


WRAPPER_SOURCE = Check(
    "aten.codegen.wrapper_source",
    ("schemas", "form", "runs_impl", "precomputed", "proxies", "with_lines"),
    (
        Aspect("functional", 3, _functional),
        Aspect("given", 3, _given),
        Aspect("precomputed", 2, _precomputed, needs="functional"),
    ),
    {
        "functional": "the object is made of nothing, meta takes all arguments, impl takes them and the new outputs",
        "several": "one output is returned as it is; of several, a tuple. impl takes all of them",
        "without memory": "runs_impl is False: no impl, and nothing was filled that could be copied back",
        "lines": "`before` comes first in the function, `after_meta` directly after the call of meta",
        "in place": "the given output is self; it is an argument of meta and impl as well",
        "out": "the arguments of out= are not given to meta; impl fills what maybe_get_output says",
        "copied back": "where there is a proxy, impl fills the proxy, copy_back comes after it, and the given tensor "
        "is returned",
        "replaced": "impl takes what impl_arguments lists, and `precomputed` is the dict that op.meta returned",
        "beside": "impl takes what impl_arguments lists; `precomputed` is the dict that op.meta returned",
        "does not compile": "the text below is no Python: look at the line that is named",
        "no function": "the text below defines no function of the name `method`",
        "stops": "the text below runs up to this error. It has no builtin functions; it knows its arguments, the class "
        "`cls`, and what it assigns itself",
        "made of": "`cls` is made of the given outputs: self in place, the out= arguments, nothing if functional",
        "meta": "op.meta takes all arguments but the outputs of out=, in the order of the schema",
        "impl": "op.impl takes what impl_arguments lists, then the outputs that the kernel fills",
        "returned": "a form returns the outputs that it was given, a functional one op.outputs: the one, or a tuple",
        "no made of": "first the object is made",
        "no meta": "meta comes after the object is made, and is always called",
        "no impl": "runs_impl is True: op.impl is called once, after meta",
        "impl too often": "without runs_impl no impl is called, with it one",
        "not copied back": "there is a proxy: op.copy_back() is called after impl",
        "copied back too often": "without impl nothing was filled that could be copied back; with it once is enough",
        "no returned": "after what impl or copy_back did the function returns",
        "type": "return the text of the function",
        "returned None": "the function ends without `return`",
    },
    mistakes=(
        Mistake("return the text of the function", lambda args, wanted, got: got.value[0] == "no text"),
        _impl_is(
            "impl fills the given tensor here, though meta asked for a proxy: pass op.maybe_get_output(k)", _with_given
        ),
        _impl_is(
            "the outputs are missing: impl takes the ones that the kernel fills behind its other arguments",
            lambda args, right: list(right[: len(right) - _outputs(right)]),
        ),
        Mistake(
            "a list is returned: of several outputs a form returns a tuple (`results_of`)",
            lambda args, wanted, got: isinstance(got.value[-1][1], list),
        ),
    ),
    differs=_differs,
    probe="operators.wrappers.run",
    makes="the text that it makes",
    program="operators.program.run",
)

CHECKS = (WRAPPER_SOURCE,)
