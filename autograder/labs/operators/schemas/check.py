"""Checks of the schema language: read it, and write it (engine/dispatch/schema.py, function_schema.py)."""

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import engine
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.operators.schemas.probe import read_type

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
        "Tensor! x", "int 3", "int[2][3][] x", "int??[] x", "int[]???", "Tensor]", "int ? [ 2 ] x",
    ):  # fmt: skip
        yield Case((text,), _about_type(text))
    for text in ("", "3", ") x", "?", "[]", "*", "= 3", "?int", "Tensr x"):
        yield Case((text,), "no type")
    for text in ("int[", "int[x] y", "int[2", "int[2?", "int[]?[", "int[-1]", "Tensor[2,3]", "(int, x"):
        yield Case((text,), "not complete")
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
        "Tensor(*) x",
        "Tensor(a! -> b|c) x",
        "(int, t)(a) x",
    ):
        yield Case((text,), "annotation")
    for text in ("Tensor(a)? x", "Tensor(a!)[] out", "Tensor(a)?[] x", "Tensor(a!)[2] x", "t(a!)[]", "Tensor(a)[]?? x"):
        yield Case((text,), "annotation first")
    for text in ("Tensor(a)(b) x", "Tensor(a!)?(b) x", "Tensor(a)[](b)"):
        yield Case((text,), "one annotation")
    for text in ("Tensor?(a) x", "Tensor[](a!) x", "int[2]?(a) x"):
        yield Case((text,), "no annotation")
    for text in ("Tensor(", "Tensor(a", "Tensor() x", "Tensor(a! x", "Tensor(3) x", "Tensor(a ->) x", "Tensor(!) x",
                 "Tensor(a)[", "Tensor(a)[x]"):  # fmt: skip
        yield Case((text,), "not complete")
    for _ in range(35):
        suffix = rng.choice(SUFFIXES)
        text = rng.choice(("Tensor", "Tensor", "t")) + rng.choice(ANNOTATIONS) + suffix
        yield Case((text + rng.choice([f" {rng.choice(NAMES)}", ", int n", ")", ""]),),
                   "annotation first" if suffix else "annotation")  # fmt: skip


def _head(tokens: Any) -> tuple:
    schema = engine.dispatch.schema
    base = schema.parse_base_type(tokens)
    return base, schema.parse_annotation(tokens) if tokens.kind == "(" else None


def _in_order(is_sorted: bool, is_optional_twice: bool = False, keeps_size: bool = True) -> Callable:
    """Build a reader that wraps the lists first, or makes optionals of optionals, or drops the size."""

    def read(tokens: Any) -> tuple:
        schema = engine.dispatch.schema
        type, annotation = _head(tokens)
        optional = False
        while tokens.kind in ("?", "["):
            if tokens.accept("?"):
                if is_sorted:
                    optional = True
                elif is_optional_twice or not isinstance(type, schema.OptionalType):
                    type = schema.OptionalType(type)
            else:
                size = schema.parse_size(tokens)
                type = schema.ListType(type, size if keeps_size else None)
        return schema.OptionalType(type) if optional else type, annotation

    return read


def _reads(read: Callable) -> Callable:
    """Build a `Mistake.shows`: the answer is what this reader gives."""
    return lambda args, wanted, got: not got.raised and got.value == read_type(engine, args[0], of=read)


def _but_for(name: str) -> Callable:
    """Build a `Mistake.shows`: the answer, a dict, is right except for this key."""
    return lambda args, wanted, got: (
        type(got.value) is dict
        and got.value[name] != wanted.value[name]
        and {**got.value, name: None} == {**wanted.value, name: None}
    )


TYPE_MISTAKES = (
    Mistake(
        "the tuple (type, annotation) comes back, with None where there is no annotation",
        lambda args, wanted, got: got.value[0] == "not a tuple of two",
    ),
    Mistake(
        "the type ends too early: a `?` or a `[` is next. Any number of them belong to it, in any order, behind the "
        "annotation if there is one",
        lambda args, wanted, got: got.value["next token"] in ("?", "["),
    ),
    Mistake(
        "signs are read from the left, and each wraps all that was read before: `int[]?` is an optional list, `int?[]` "
        "a list of optional ints",
        _reads(_in_order(is_sorted=True)),
    ),
    Mistake(
        "this is optional already: a `?` behind a `?` changes nothing",
        _reads(_in_order(is_sorted=False, is_optional_twice=True)),
    ),
    Mistake(
        "the size is missing: `parse_size` gives the 2 of `[2]`",
        _reads(_in_order(is_sorted=False, keeps_size=False)),
    ),
    Mistake(
        "an annotation is read right behind the base type only: a `(` behind a `?`, a `[...]` or an annotation is left "
        "for others",
        lambda args, wanted, got: wanted.value["next token"] == "(" != got.value["next token"],
    ),
    Mistake(
        "the type is right and the annotation is not: `parse_annotation` reads and returns it",
        _but_for("annotation"),
    ),
    Mistake(
        "type and annotation are right, but the next token is another: read all that belongs to the type, and no more",
        _but_for("next token"),
    ),
)


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
        "no annotation": "a `(` behind a `?` or a `[...]` does not belong to the type: it is left to be read",
        "one annotation": "there is one annotation at most: a second `(` does not belong to the type",
        "no type": "no type begins here: `parse_base_type` raises a RuntimeError, which is not held back",
        "not complete": "this is broken off or malformed: `parse_size` or `parse_annotation` raises a RuntimeError; "
        "it is not held back",
        "annotation first": "the annotation is behind the base type and before every `?` and `[`; these belong to "
        "the type",
        "returned None": "the function ends without `return`",
        "raised": "a type can be read here: nothing to refuse",
    },
    probe="operators.schemas.read_type",
    mistakes=TYPE_MISTAKES,
    program="dispatch.program.run",
)


def _typed_name(rng: random.Random, default: float) -> str:
    """Draw a type, a name and, with the probability `default`, a default: `int[2] dim=0`."""
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
        ("(Tensor x, Scalar alpha=1)", "default"), ("(int n=3 )", "default"), ("(int n=3 , int m=4  )", "default"),
        ("(int[] n=[1,  2] , int m)", "default"), ("(int n =  3)", "default"), ("(float x=1e-5)", "default"),
        ('(str s="a, b) *" , int n)', "default"), ("(int? n=None , int m=-1 )", "default"), ("(str s='')", "default"),
        ("(bool b=False, int n=0, float x=0)", "default"), ("(int n=3)  -> Tensor", "default"),
        ("(Tensor from, int n)", "arguments"), ("(Tensor?[] xs, int[2]? n)", "arguments"),
        ("(Tensor(a -> *) x)", "annotation"),
        ("( Tensor x , int n ) -> ()", "arguments"), ("(Tensor(a!)[] out)", "annotation"),
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
        ("(*)", "star alone"), ("(Tensor x, *)", "star alone"), ("( * , int n)", "star first"),
        ("(Tensor(a -> *) x, int n, *, int m)", "star"), ("(Tensor(*) x, *, Tensor(a!) y)", "star"),
        ('(str s="*", *, int n=1 )', "star"),
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
        ("(Tensor x, *,)", "comma"), ("(*,)", "comma"), ("(* Tensor x)", "comma"), ("(Tensor x,", "end"), ("(*", "end"),
        ("(Tensor x, *", "end"), ("(int n=3", "end"), ("(int n==3)", "default"), ("(int n=3 4)", "comma"),
        ("(int[2] n=[1,2)", "default"), ("(int for)", "name"), ("(Tensor(a) x", "end"), ("(Tensor 'x')", "name"),
        ("(Tensor x=)", "default"), ("(Tensor(a x)", "name"), ("[Tensor x]", "begin"), ("(*, , int n)", "comma"),
        ("(**, int n)", "comma"), ("(Tensor *, int n)", "name"), ("(, Tensor x)", "comma"),
    ]:  # fmt: skip
        yield Case((text,), about)
    for count in (1, 2, 3) * 4:
        text = _arguments(rng, count, rng.choice((None, 0)), default=0.0)
        yield Case((text[:-1],), "end")
        yield Case((text[:-1] + ",)",), "comma")
        yield Case((text[:-1] + ", Tensor)",), "name")
        yield Case((text[1:],), "begin")


def _first_apart(wanted: list, got: list) -> tuple[dict, dict]:
    """Return the first two arguments that differ."""
    return next((one, other) for one, other in zip(wanted, got, strict=True) if one != other)


def _argument_with(says: Callable[[dict, dict], bool]) -> Callable:
    """Build a `Mistake.shows`: as many arguments as expected, and `says(wanted, got)` of the first that differ."""
    return lambda args, wanted, got: says(*_first_apart(wanted.value["arguments"], got.value["arguments"]))


def _differ_in(one: dict, other: dict, *keys: str) -> bool:
    """Return True if the two differ in one of these keys and in no other."""
    return any(one.get(key) != other.get(key) for key in keys) and not any(
        one.get(key) != other.get(key) for key in {*one, *other} - {*keys}
    )


ARGUMENTS_MISTAKES = (
    Mistake(
        "a tuple of Arguments comes back",
        lambda args, wanted, got: got.value[0] == "not a tuple",
    ),
    Mistake(
        "`default_text` has spaces around it that don't belong to the default: it is the piece of `tokens.text` from "
        "`tokens.start()` before the value is read to `tokens.end()` afterwards, the end of the last token read",
        _argument_with(
            lambda one, other: (
                _differ_in(one, other, "default_text") and other["default_text"].strip() == one["default_text"]
            )
        ),
    ),
    Mistake(
        "`default_text` is not the text of the default: it is the piece of `tokens.text` from `tokens.start()` before "
        "the value is read to `tokens.end()` afterwards",
        _argument_with(lambda one, other: _differ_in(one, other, "default_text") and "default" in one),
    ),
    Mistake(
        "there is no default here: value and text are both None",
        _argument_with(lambda one, other: "default" in other and "default" not in one),
    ),
    Mistake(
        "the default is missing: `parse_default` gives its value, and its text is kept as well",
        _argument_with(
            lambda one, other: _differ_in(one, other, "default", "default_text") and other.get("default_text") is None
        ),
    ),
    Mistake(
        "the default's value is wrong: `parse_default(tokens, type)` gives it, with the argument's own type",
        _argument_with(lambda one, other: _differ_in(one, other, "default")),
    ),
    Mistake(
        "an argument behind the star is not `kwarg_only` here: all of them are, not only the next one",
        _argument_with(lambda one, other: _differ_in(one, other, "kwarg_only") and one.get("kwarg_only") is True),
    ),
    Mistake(
        "an argument that is not behind a star of its own is `kwarg_only` here; a star inside a type or a text is "
        "another",
        _argument_with(lambda one, other: _differ_in(one, other, "kwarg_only") and one.get("kwarg_only") is None),
    ),
    Mistake(
        "the annotation is missing: `parse_type` gives type and annotation, and both belong to the Argument",
        _argument_with(
            lambda one, other: _differ_in(one, other, "type") and "(" in one["type"] and "(" not in other["type"]
        ),
    ),
    Mistake(
        "the arguments are right, but the next token is another: the `)` is read, and nothing behind it",
        _but_for("next token"),
    ),
    Mistake(
        "these are more arguments than the text has, or fewer",
        lambda args, wanted, got: len(got.value["arguments"]) != len(wanted.value["arguments"]),
    ),
)


PARSE_ARGUMENTS = Check(
    "dispatch.schema.parse_arguments",
    ("text",),
    (
        Aspect("ordinary", 3, _arguments_ordinary),
        Aspect("keyword-only", 2, _arguments_keyword_only, needs="ordinary"),
        Aspect("refusals", 1, _arguments_refusals, needs="ordinary"),
    ),
    {
        "none": "nothing is between the parentheses: no arguments, and the `)` is read",
        "arguments": "for each argument a type with its annotation, and a name; read the `)`, and nothing behind it",
        "annotation": "`parse_type` gives two things, and both belong to the Argument",
        "default": "behind a `=` comes a default: `parse_default` reads its value, and raises where there is none that "
        "fits the type",
        "star": "the star is no argument; what is behind it is keyword-only, what is before it is not",
        "star first": "the star may be the first thing: all arguments are keyword-only then",
        "star alone": "the star may be the last thing, or the only one",
        "all behind": "every argument behind the star is keyword-only, not just the next one",
        "end": "the text ends before the `)`: `tokens.take` raises where something is missing",
        "begin": "arguments begin with a `(`: take it, so that something else is refused",
        "comma": "one comma is between two things, and none before the `)`",
        "name": "every argument has a name: `tokens.take` raises if it is not there",
        "returned None": "the function ends without `return`",
        "raised": "arguments can be read here: nothing to refuse",
        "raised another": "it is right to refuse this; the error is a RuntimeError, as `tokens.take` raises it",
    },
    probe="operators.schemas.read_arguments",
    mistakes=ARGUMENTS_MISTAKES,
    program="dispatch.program.run",
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
        ("f(int[] n=[1,  2], float x=1e-5) -> ()", "arguments"), ("f() -> ((int, t)?)", "parenthesis"),
        ("f(Tensor x) -> (Tensor values)", "one return"), ("f() -> (Tensor(a!), Tensor(b!))", "several returns"),
        ("f(Tensor x) -> (Tensor values, Tensor indices)", "several returns"),
        ("f(Tensor x) -> Tensor(a)[]", "one return"),
        ("f(Tensor(a -> *) x) -> Tensor", "arguments"), ("f(Tensor(*) x, str s='*') -> Tensor(a -> *)", "arguments"),
        ("f(Tensor x) -> Tensor(a!)", "one return"), ("f((int, t)[] x, int n) -> ()", "no returns"),
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
        ("Tensor(a -> *) x, *, int n", "other star"), ("Tensor(*) x, *, int n, int m", "other star"),
        ('str s="*", *, int n', "other star"), ("*, Tensor(a -> *) x, int n", "other star"),
        ("Tensor x, *, Tensor(a -> *) y, Tensor(*) z", "other star"), ('*, str s="*"', "other star"),
        ('str s=", *, ", *, int n', "other star"),
    ]:  # fmt: skip
        yield Case((f"f({arguments}) -> Tensor",), about)
    for count in (1, 2, 3, 4) * 10:
        star = rng.randrange(count)
        returned, _ = _returns(rng)
        about = "star first" if star == 0 else "one star" if count - star > 1 else "star"
        yield Case((f"{rng.choice(SCHEMA_NAMES)}{_arguments(rng, count, star)} -> {returned}",), about)


def _parts(text: str) -> Any:
    return engine.dispatch.schema.parse_schema(text)


def _wrote(arguments: Callable = lambda schema: None, returns: Callable = lambda schema: None) -> Callable:
    """Build a `Mistake.shows`: the text has these arguments and these returns; the right ones where None."""

    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        schema = _parts(args[0])
        head, _, tail = wanted.value.rpartition(") -> ")
        head = head if arguments(schema) is None else f"{schema.name}({arguments(schema)}"
        tail = tail if returns(schema) is None else returns(schema)
        return got.value == f"{head}) -> {tail}"

    return shows


def _listed(parts: Any) -> str:
    return ", ".join(map(str, parts))


def _one_for_all(schema: Any) -> str:
    """Write the arguments as if any star in a text counted as the star."""
    shown: list[str] = []
    for argument in schema.arguments:
        if argument.kwarg_only and "*" not in ", ".join(shown):
            shown.append("*")
        shown.append(str(argument))
    return ", ".join(shown)


COMMAS = re.compile(r"[,\s]+")
TEXT_MISTAKES = (
    Mistake(
        "a star inside an argument's own text was taken for the star: look at `kwarg_only`, not at the text",
        _wrote(_one_for_all),
    ),
    Mistake(
        "the star is missing: it comes before the first argument that is `kwarg_only`",
        _wrote(lambda schema: _listed(schema.arguments)),
    ),
    Mistake(
        "one star is enough: it comes before the first argument that is `kwarg_only`, and before no other",
        _wrote(lambda schema: _listed(f"*, {one}" if one.kwarg_only else one for one in schema.arguments)),
    ),
    Mistake(
        "a star comes only before an argument that is `kwarg_only`: here is none",
        _wrote(lambda schema: _listed([*schema.arguments, "*"])),
    ),
    Mistake(
        "one return is written without parentheses, unless its own text begins with one",
        _wrote(returns=lambda schema: f"({_listed(schema.returns)})"),
    ),
    Mistake(
        "any number of returns but one is written in parentheses, none at all too; so is one return whose own text "
        "begins with a parenthesis",
        _wrote(returns=lambda schema: _listed(schema.returns)),
    ),
    Mistake(
        "the words are right; between two arguments or returns is a comma and one space, and nowhere else",
        lambda args, wanted, got: COMMAS.sub("", got.value) == COMMAS.sub("", wanted.value),
    ),
)


SCHEMA_TEXT = Check(
    "dispatch.function_schema.schema_text",
    ("schema",),
    (Aspect("ordinary", 2, _written_ordinary), Aspect("keyword-only", 2, _written_keyword_only, needs="ordinary")),
    {
        "arguments": "`str(argument)` is the whole text of an argument, with annotation and default",
        "one return": "a single return is written without parentheses, with one space on either side of the arrow",
        "no returns": "no returns are an empty pair of parentheses",
        "several returns": "several returns are written in one pair of parentheses",
        "parenthesis": "the text of this return begins with a parenthesis: without another pair around it, it would be "
        "read as several returns",
        "star": "a star comes before the first argument that is `kwarg_only`",
        "star first": "the first argument is keyword-only already: the star comes before it",
        "one star": "one star is enough for all arguments behind it",
        "out": "an argument that is written is keyword-only as any other: ask `kwarg_only`",
        "other star": "a star inside the text of an argument is another: ask `kwarg_only`, not the text",
        "type": "return a str",
        "returned None": "the function ends without `return`",
        "raised": "every schema has a text",
    },
    probe="operators.schemas.written",
    mistakes=TEXT_MISTAKES,
    program="dispatch.program.run",
)

CHECKS = (PARSE_TYPE, PARSE_ARGUMENTS, SCHEMA_TEXT)
