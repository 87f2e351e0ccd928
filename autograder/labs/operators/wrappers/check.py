"""Check of the generator of a structured operator's kernels: what the text does when it runs."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

Schemas = tuple[str, str, str]
FUNCTIONAL, INPLACE, OUT = range(3)
NAMES = ("other", "mat1", "mat2", "weight", "mask", "source", "index", "target")
SCALARS = ("Scalar alpha", "Scalar beta", "bool keepdim", "int dim", "float eps", "int? reduction", "int[] size")
RESULTS = ("values", "indices", "rest")
WITH_KEYWORD = ("f(Tensor self, float from, float to) -> Tensor",
                "f_(Tensor(a!) self, float from, float to) -> Tensor(a!)",
                "f.out(Tensor self, float from, float to, *, Tensor(a!) out) -> Tensor(a!)")  # fmt: skip


def _schemas(rng: random.Random, outputs: int = 1, tensors: int = 2, scalars: int = 1) -> Schemas:
    """The three forms of an operator; scalars by keyword only, or by position."""
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


def _functional(rng: random.Random) -> Iterator[Case]:
    for schemas in (RELU, SORT, WITH_KEYWORD):
        for runs_impl in (True, False):
            about = "several" if schemas is SORT else "functional" if runs_impl else "without memory"
            yield Case((schemas, FUNCTIONAL, runs_impl, [], [], False), about)
            yield Case((schemas, FUNCTIONAL, runs_impl, [], [], True), "lines")
    for outputs in (1, 1, 2, 3) * 9:
        schemas = _schemas(rng, outputs, rng.randint(1, 3), rng.randint(0, 2))
        runs_impl, lines = rng.random() < 0.7, rng.random() < 0.5
        about = "several" if outputs > 1 else "functional" if runs_impl else "without memory"
        yield Case((schemas, FUNCTIONAL, runs_impl, [], [], lines), about)


def _given(rng: random.Random) -> Iterator[Case]:
    for schemas in (RELU, WITH_KEYWORD):
        for form, about in ((INPLACE, "in place"), (OUT, "out")):
            yield Case((schemas, form, True, [], [], False), about)
            yield Case((schemas, form, True, [], [0], False), "copied back")
            yield Case((schemas, form, False, [], [0], False), "without memory")
            yield Case((schemas, form, True, [], [0], True), "lines")
    for proxies in ([], [0], [1], [0, 1]):
        yield Case((SORT, OUT, True, [], proxies, False), "copied back" if proxies else "several")
        yield Case((SORT, OUT, False, [], proxies, True), "without memory")
    for outputs in (1, 1, 2, 3) * 9:
        schemas = _schemas(rng, outputs, rng.randint(1, 3), rng.randint(0, 2))
        form = rng.choice((INPLACE, OUT)) if outputs == 1 else OUT
        proxies = sorted(rng.sample(range(outputs), rng.randint(0, outputs)))
        runs_impl = rng.random() < 0.75
        about = "copied back" if proxies else "in place" if form == INPLACE else "out"
        args: tuple = (schemas, form, runs_impl, [], proxies, rng.random() < 0.5)
        yield Case(args, about if runs_impl else "without memory")


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
    for _ in range(36):
        outputs = rng.choice((1, 1, 2))
        schemas = _schemas(rng, outputs, rng.randint(1, 3), rng.randint(1, 2))
        inside = schemas[0].partition("(")[2].rpartition(" -> ")[0].rstrip(")")
        names = [entry.split()[-1] for entry in inside.split(", ") if entry != "*"][1:]
        replaced = rng.sample(names, rng.randint(0, min(2, len(names))))
        new = iter(rng.sample(("count", "inner", "outer", "wrapped", "valid", "kW", "kH"), 7))
        items = [f"{name} -> {', '.join(f'int {next(new)}' for _ in range(rng.randint(1, 2)))}" for name in replaced]
        if rng.random() < 0.5 or not items:
            items.append(f"int {next(new)}")
        form = rng.choice((FUNCTIONAL, OUT, INPLACE) if outputs == 1 else (FUNCTIONAL, OUT))
        proxies = [0] if form != FUNCTIONAL and rng.random() < 0.4 else []
        about = "beside" if not replaced else "replaced"
        yield Case((schemas, form, True, items, proxies, rng.random() < 0.4), about)


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
        "lines": "`before` stands first in the function, `after_meta` directly behind the call of meta",
        "in place": "the given output is self; it is an argument of meta and impl as well",
        "out": "the arguments of out= are not given to meta; impl fills what maybe_get_output says",
        "copied back": "where there is a proxy, impl fills the proxy, copy_back comes after it, and the given tensor "
        "is returned",
        "replaced": "impl takes the precomputed values in place of the argument, in the order in which they "
        "are declared",
        "beside": "an item that replaces nothing: its values follow behind all arguments, before the outputs",
        "type": "return the text of the function",
        "returned None": "the function ends without `return`",
        "raised": "the text could not be made, or it does not run",
    },
    probe="operators.wrappers.run",
)

CHECKS = (WRAPPER_SOURCE,)
