"""Checks of the schema language: read it, and write it (engine/dispatch/schema.py, function_schema.py)."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

BASES = ("Tensor", "int", "SymInt", "float", "bool", "str", "Scalar", "ScalarType", "Device", "Generator", "t")
SUFFIXES = ("", "", "?", "[]", "[2]", "[3]", "?[]", "[]?", "[1]?", "[][]", "?[]?", "[][]?")
ANNOTATIONS = ("(a)", "(a!)", "(b!)", "(a|b)", "(a -> *)", "(a! -> *)", "(*)", "(a|b -> c|d)")
NAMES = ("self", "other", "x", "dim", "out", "weight", "n", "values", "indices", "p")
DEFAULTS = {
    "int": ("0", "1", "-1", "Mean"), "SymInt": ("0", "12"), "float": ("0.5", "1e-05", "2"), "bool": ("True", "False"),
    "str": ('"mean"', '""', "'none'"), "Scalar": ("1", "0.5", "True"), "ScalarType": ("float", "long"),
    "int[]": ("[]", "[0]", "[0,  1]"), "int[2]": ("0", "[1, 2]", "-1"), "int?": ("None", "3"), "Tensor?": ("None",),
    "int[1]?": ("None", "2", "[2]"), "float?": ("None", "0.5"), "int[3]": ("7",), "bool[2]": ("[True, False]", "True"),
    "MemoryFormat": ("contiguous_format",), "Layout?": ("None", "strided"),
}  # fmt: skip
TYPES = (
    "Tensor",
    "Tensor",
    "Tensor?",
    "Tensor[]",
    "Tensor(a!)",
    "Tensor(a)",
    "Tensor?[]",
    "Tensor(a!)[]",
    "Generator?",
)


def _about_type(text: str) -> str:
    if "??" in text:
        return "twice"
    if "[" in text:
        return "order" if "?" in text or text.count("[") > 1 else "list"
    return "optional" if "?" in text else "plain"


def _type_ordinary(rng: random.Random) -> Iterator[Case]:
    for text in (
        "int n", "Tensor", "Tensor? x", "int[] dims", "int[2] size", "int[]? dims", "int?[] dims", "Tensor??x",
        "int[2]? size", "Tensor?[] xs, int n", "int[3][] x", "int[][2] x", "int?[]? x", "int[]??", "Tensor[] ] x",
        "Tensor! x", "int 3",
    ):  # fmt: skip
        yield Case((text,), _about_type(text))
    yield Case(("(int, Tensor) x",), "parameters")
    yield Case(("Dict(str, Tensor[]) x",), "parameters")
    yield Case(("(int, t)[] x",), "parameters")
    for _ in range(45):
        text = rng.choice(BASES) + rng.choice(SUFFIXES)
        yield Case((text + rng.choice([f" {rng.choice(NAMES)}", f" {rng.choice(NAMES)}=3", ", *", ")", ""]),),
                   _about_type(text))  # fmt: skip


def _type_annotations(rng: random.Random) -> Iterator[Case]:
    for text in (
        "Tensor(a) x",
        "Tensor(a!) x",
        "Tensor( a ! )x",
        "Tensor(a)",
        "t(a) x",
        "Tensor(a|b) x",
        "Tensor(a -> *) x",
    ):
        yield Case((text,), "annotation")
    for text in ("Tensor(a)? x", "Tensor(a!)[] out", "Tensor(a)?[] x", "Tensor(a!)[2] x", "t(a!)[]"):
        yield Case((text,), "annotation first")
    for _ in range(35):
        suffix = rng.choice(SUFFIXES)
        text = rng.choice(("Tensor", "Tensor", "t")) + rng.choice(ANNOTATIONS) + suffix
        yield Case((text + rng.choice([f" {rng.choice(NAMES)}", ", int n", ")", ""]),),
                   "annotation first" if suffix else "annotation")  # fmt: skip


PARSE_TYPE = Check(
    "dispatch.schema.parse_type",
    ("text",),
    (Aspect("ordinary", 2, _type_ordinary), Aspect("annotations", 2, _type_annotations, needs="ordinary")),
    {
        "plain": "a base type, and nothing of what follows it",
        "optional": "`?` makes the type to its left optional",
        "list": "`[]` and `[2]` make a list of the type to their left",
        "order": "signs are read from the left, and each wraps all that was read before: `int[]?` is an optional list, "
        "`int?[]` a list of optional ints",
        "twice": "optional already: a second `?` changes nothing",
        "parameters": "`parse_base_type` has read these parentheses: what follows them belongs to the type as ever",
        "annotation": "a parenthesis behind the base type is an annotation: `parse_annotation` reads all of it",
        "annotation first": "the annotation stands behind the base type and before every `?` and `[`; these belong to "
        "the type",
        "type": "return two things: the type, and the annotation or None",
        "returned None": "the function ends without `return`",
        "raised": "this is a type: nothing to refuse",
    },
    probe="dispatch.schemas.read_type",
)


def _typed_name(rng: random.Random, default: float) -> str:
    """`int[2] dim=0`: a type, a name and, with this probability, a default."""
    if rng.random() < default:
        kind = rng.choice(tuple(DEFAULTS))
        equals = rng.choice(("=", "=", " = ", "= "))
        return f"{kind} {rng.choice(NAMES)}{equals}{rng.choice(DEFAULTS[kind])}"
    return f"{rng.choice((*TYPES, *DEFAULTS))} {rng.choice(NAMES)}"


def _arguments(rng: random.Random, count: int, star: int | None = None, default: float = 0.4) -> str:
    parts = [_typed_name(rng, default) for _ in range(count)]
    if star is not None:
        parts.insert(star, "*")
    return f"({rng.choice((', ', ', ', ',')).join(parts)})"


AFTER = (" -> Tensor", "->()", "", " -> (Tensor, int)")


def _arguments_ordinary(rng: random.Random) -> Iterator[Case]:
    for text, about in [
        ("()", "none"), ("( )", "none"), ("(Tensor x)", "arguments"), ("(Tensor x, int n)", "arguments"),
        ("(Tensor(a!) self)", "annotation"), ("(Tensor(a) x)", "annotation"), ("((int, t) x)", "arguments"),
        ("(int n=3)", "default"), ("(int n = 3)", "default"),
        ("(int[2] n=3)", "default"), ("(int? n=None)", "default"), ("(int[] n=[1,  2], bool b=True)", "default"),
        ("(Tensor x, Scalar alpha=1)", "default"),
    ]:  # fmt: skip
        yield Case((text,), about)
    for count in (1, 2, 3, 4) * 10:
        default = rng.choice((0.0, 0.6))
        yield Case(
            (_arguments(rng, count, default=default) + rng.choice(AFTER),), "default" if default else "arguments"
        )


def _arguments_keyword_only(rng: random.Random) -> Iterator[Case]:
    for text, about in [
        ("(*, int n)", "star first"), ("(*, int n, int m)", "all behind"), ("(Tensor x, *, int n=1)", "star"),
        ("(Tensor x,*,int n)", "star"), ("(Tensor x, *, Scalar alpha=1, Tensor(a!) out)", "all behind"),
    ]:  # fmt: skip
        yield Case((text,), about)
    for count in (1, 2, 3, 4) * 11:
        star = rng.randrange(count)
        about = "star first" if star == 0 else "all behind" if count - star > 1 else "star"
        yield Case((_arguments(rng, count, star) + rng.choice(AFTER),), about)


def _arguments_refusals(rng: random.Random) -> Iterator[Case]:
    for text, about in [
        ("(Tensor x", "end"), ("(", "end"), ("", "begin"), ("Tensor x)", "begin"), ("(Tensor)", "name"),
        ("(Tensor x,)", "comma"), ("(,)", "comma"), ("(Tensor x int n)", "comma"), ("(Tensor x *, int n)", "comma"),
        ("(Tensor x, * int n)", "comma"), ("(Tensor x,, int n)", "comma"), ("(int n=)", "default"),
        ("(int n=None)", "default"), ("(int n=x)", "default"), ("(Tensor x=1)", "default"), ("(int 3)", "name"),
        ("(Tensor x; int n)", "comma"), ("(Tensor x]", "end"), ("(int n 3)", "comma"), ("(=3)", "name"),
    ]:  # fmt: skip
        yield Case((text,), about)
    for count in (1, 2, 3) * 4:
        text = _arguments(rng, count, rng.choice((None, 0)), default=0.0)
        yield Case((text[:-1],), "end")
        yield Case((text[:-1] + ",)",), "comma")
        yield Case((text[:-1] + ", Tensor)",), "name")
        yield Case((text[1:],), "begin")


PARSE_ARGUMENTS = Check(
    "dispatch.schema.parse_arguments",
    ("text",),
    (
        Aspect("ordinary", 3, _arguments_ordinary),
        Aspect("keyword-only", 2, _arguments_keyword_only, needs="ordinary"),
        Aspect("refusals", 1, _arguments_refusals, needs="ordinary"),
    ),
    {
        "none": "between the parentheses stands nothing: no arguments, and the `)` is read",
        "arguments": "for each argument a type with its annotation, and a name; read the `)`, and nothing behind it",
        "annotation": "`parse_type` gives two things, and both belong to the Argument",
        "default": "`parse_default` gives the value; `default_text` runs from where the value starts to where it ends",
        "star": "the star is no argument; what stands behind it is keyword-only, what stands before it is not",
        "star first": "the star may be the first thing that stands there: all arguments are keyword-only",
        "all behind": "every argument behind the star is keyword-only, not just the next one",
        "end": "the text ends before the `)`: `tokens.take` raises where something is missing",
        "begin": "arguments begin with a `(`: take it, so that something else is refused",
        "comma": "between two things stands one comma, and none stands before the `)`",
        "name": "every argument has a name: `tokens.take` raises if it is not there",
        "type": "return a tuple of Arguments",
        "returned None": "the function ends without `return`",
        "raised": "these are arguments: nothing to refuse",
        "not raised": "these are no arguments: RuntimeError, as `tokens.take` raises it",
    },
    probe="dispatch.schemas.read_arguments",
)

RETURNS = ("Tensor", "Tensor(a!)", "int", "Tensor[]", "Tensor values", "bool", "Tensor(a)[]")
SCHEMA_NAMES = ("add", "add_.Tensor", "aten::add.out", "my::op", "sort.values_stable", "f")


def _returns(rng: random.Random) -> tuple[str, str]:
    count = rng.choice((0, 1, 1, 1, 2, 3))
    returned = ", ".join(rng.choice(RETURNS) for _ in range(count))
    return (returned, "one return") if count == 1 else (f"({returned})", "several returns" if count else "no returns")


def _written_ordinary(rng: random.Random) -> Iterator[Case]:
    for text, about in [
        ("f(Tensor(a!) x) -> Tensor", "arguments"), ("f(int[2] n=1) -> Tensor", "arguments"),
        ("f() -> Tensor", "one return"), ("f(Tensor x) -> Tensor", "one return"), ("f() -> ()", "no returns"),
        ("f(Tensor x, int n=1) -> (Tensor, int)", "several returns"), ("f() -> (Tensor)", "one return"),
        ("my::f.a(int[2] x = [1, 2])->Tensor", "one return"), ("f() -> ((int, Tensor))", "parenthesis"),
        ("f() -> ((int, t)[])", "parenthesis"), ("f(Dict(str, t) x) -> ((str, t)[])", "parenthesis"),
        ("f((int, t) x) -> Dict(str, t)", "one return"), ("f() -> ((int, t), int)", "several returns"),
    ]:  # fmt: skip
        yield Case((text,), about)
    for count in (0, 1, 2, 3) * 10:
        returned, about = _returns(rng)
        yield Case((f"{rng.choice(SCHEMA_NAMES)}{_arguments(rng, count)} -> {returned}",), about)


def _written_keyword_only(rng: random.Random) -> Iterator[Case]:
    for arguments, about in [
        ("*, int n", "star first"), ("*, int n, int m", "one star"), ("Tensor x, *, int n", "star"),
        ("Tensor x, *, Tensor(a!) out", "out"), ("Tensor x, *, Tensor(a!) values, Tensor(b!) indices", "out"),
        ("*, Tensor(a!) out", "out"), ("Tensor x, *, Scalar alpha=1, Tensor(a!) out", "one star"),
    ]:  # fmt: skip
        yield Case((f"f({arguments}) -> Tensor",), about)
    for count in (1, 2, 3, 4) * 10:
        star = rng.randrange(count)
        returned, _ = _returns(rng)
        about = "star first" if star == 0 else "one star" if count - star > 1 else "star"
        yield Case((f"{rng.choice(SCHEMA_NAMES)}{_arguments(rng, count, star)} -> {returned}",), about)


SCHEMA_TEXT = Check(
    "dispatch.function_schema.schema_text",
    ("schema",),
    (Aspect("ordinary", 2, _written_ordinary), Aspect("keyword-only", 2, _written_keyword_only, needs="ordinary")),
    {
        "arguments": "`str(argument)` is the whole text of an argument, with annotation and default",
        "one return": "a single return stands without parentheses, with one space on either side of the arrow",
        "no returns": "no returns are an empty pair of parentheses",
        "several returns": "several returns stand in one pair of parentheses",
        "parenthesis": "the text of this return begins with a parenthesis: without another pair around it, it would be "
        "read as several returns",
        "star": "a star stands before the first argument that is `kwarg_only`",
        "star first": "the first argument is keyword-only already: the star comes before it",
        "one star": "one star is enough for all arguments behind it",
        "out": "an argument that is written is keyword-only as any other: ask `kwarg_only`",
        "type": "return a str",
        "returned None": "the function ends without `return`",
        "raised": "every schema has a text",
    },
    probe="dispatch.schemas.written",
)

CHECKS = (PARSE_TYPE, PARSE_ARGUMENTS, SCHEMA_TEXT)
