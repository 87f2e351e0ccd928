"""Schemas: text -> dataclasses -> the same text, and PyTorch's own parser as the judge of what is a schema."""

from pathlib import Path

import pytest
from compare import needs_torch, torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import dtypes
from engine.dispatch.function_schema import Annotation, BaseType, ListType, OperatorName, OptionalType
from engine.dispatch.schema import parse_operator_name, parse_schema

ADD_OUT = "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"


def names(arguments):
    return [argument.name for argument in arguments]


def argument(text):
    return parse_schema(f"f({text}) -> ()").arguments[0]


def pytorch_schemas():
    import torchgen

    path = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native" / "native_functions.yaml"
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("- func: ").partition("  #")[0].rstrip() for line in lines if line.startswith("- func: ")]


# ---- the parts of a schema


def test_arguments_are_told_apart_by_where_they_stand():
    schema = parse_schema(ADD_OUT)
    assert names(schema.arguments) == ["self", "other", "alpha", "out"]
    assert names(schema.positional) == ["self", "other"]
    assert names(schema.keyword_only) == ["alpha"]
    assert names(schema.out) == ["out"]
    assert names(schema.mutated) == ["out"]
    assert names(schema.tensor_arguments) == ["self", "other", "out"]


@pytest.mark.parametrize(
    ("text", "inplace", "out", "mutable", "view"),
    [
        (ADD_OUT, False, True, True, False),
        ("add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", True, False, True, False),
        ("__iand__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", True, False, True, False),
        ("__and__.Scalar(Tensor self, Scalar other) -> Tensor", False, False, False, False),
        ("split(Tensor(a -> *) self, SymInt size) -> Tensor(a)[]", False, False, False, True),
        ("relu(Tensor self) -> Tensor", False, False, False, False),
    ],
)
def test_a_schema_says_what_it_writes_and_what_it_views(text, inplace, out, mutable, view):
    schema = parse_schema(text)
    assert (schema.is_inplace, schema.is_out, schema.is_mutable, schema.is_view) == (inplace, out, mutable, view)


@pytest.mark.parametrize(
    ("text", "name", "functional", "unambiguous"),
    [
        ("add.Tensor", OperatorName("add", "Tensor"), "add", "add_Tensor"),
        ("aten::add_.Tensor", OperatorName("add_", "Tensor", "aten"), "add", "add__Tensor"),
        ("__ior__.Scalar", OperatorName("__ior__", "Scalar"), "__or__", "__ior___Scalar"),
        ("_softmax", OperatorName("_softmax"), "_softmax", "_softmax"),
    ],
)
def test_an_operator_name_has_parts(text, name, functional, unambiguous):
    parsed = parse_operator_name(text)
    assert (parsed, str(parsed), parsed.functional, parsed.unambiguous) == (name, text, functional, unambiguous)


@pytest.mark.parametrize(
    ("text", "type", "is_list", "is_optional", "size"),
    [
        ("Tensor", BaseType("Tensor"), False, False, None),
        ("Tensor?[]", ListType(OptionalType(BaseType("Tensor"))), True, False, None),
        ("int[1]?", OptionalType(ListType(BaseType("int"), 1)), True, True, 1),
        ("SymInt[2]", ListType(BaseType("SymInt"), 2), True, False, 2),
        ("t[]", ListType(BaseType("t")), True, False, None),
        ("Dict(str, Tensor)", BaseType("Dict", (BaseType("str"), BaseType("Tensor"))), False, False, None),
    ],
)
def test_a_type_is_a_base_with_question_marks_and_brackets_behind_it(text, type, is_list, is_optional, size):
    parsed = argument(f"{text} x").type
    assert (parsed, str(parsed)) == (type, text)
    assert (parsed.is_list, parsed.is_optional, parsed.size) == (is_list, is_optional, size)


@pytest.mark.parametrize(
    ("text", "annotation"),
    [
        ("Tensor(a!)[] x", Annotation(("a",), True)),
        ("Tensor(a -> *) x", Annotation(("a",), False, ("*",))),
        ("Tensor(a|b)? x", Annotation(("a", "b"))),
        ("Tensor x", None),
    ],
)
def test_an_annotation_says_what_a_tensor_aliases(text, annotation):
    assert argument(text).annotation == annotation
    assert str(argument(text)) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Scalar alpha=1", 1),
        ("float p=1", 1.0),
        ("Scalar x=-1e-3", -0.001),
        ("int[2] stride=1", (1, 1)),
        ("int[1]? dim=[-2,-1]", (-2, -1)),
        ("int[] dim=[]", ()),
        ("Tensor? weight=None", None),
        ("bool[2] mask=[True, False]", (True, False)),
        ('str mode="a\\"b"', 'a"b'),
        ("int reduction=Mean", 1),
        ("ScalarType? dtype=long", dtypes.int64),
        ("MemoryFormat memory_format=contiguous_format", dtypes.contiguous_format),
    ],
)
def test_a_default_has_a_python_value_and_keeps_its_text(text, value):
    parsed = argument(text)
    assert parsed.has_default
    assert (type(parsed.default), parsed.default) == (type(value), value)
    assert str(parsed) == text


def test_an_argument_without_default_is_not_one_with_default_none():
    assert not argument("Tensor? x").has_default
    assert argument("Tensor? x=None").has_default


def test_a_namespace_is_given_to_a_schema_that_has_none():
    schema = parse_schema("relu(Tensor self) -> Tensor").with_namespace("aten")
    assert schema.qualified_name == "aten::relu"
    assert schema.with_namespace("mine") is schema


# ---- errors

UNKNOWN = "unknown type specifier. Common valid schema types include Tensor"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(Foo x) -> ()", f"{UNKNOWN}[^\n]*\nf\\(Foo x\\) -> \\(\\)\n  ~~~ <--- HERE"),
        ("f(Tensor x", "expected \\) but found 'eof' here:\nf\\(Tensor x$"),
        ("f(int 3x) -> ()", "expected ident but found 'number' here:\nf\\(int 3x\\) -> \\(\\)\n      ~ <--- HERE"),
        ("f(Tensor x)", "expected arrow but found 'eof'"),
        ("f(Tensor x) -> Tensor, Tensor", "expected eof but found ','"),
        ("f.a.b() -> ()", "expected eof but found '.'"),
        ("f(Tensor x=3) -> ()", "expected None but found 'number'"),
        ("f(bool x=yes) -> ()", "invalid numeric default value, expected one of True, False"),
        ("f(Tensor(a! x) -> ()", "expected \\) but found 'ident'"),
        ("f", "only the operator name was given"),
        ("", "expected ident but found 'eof'"),
    ],
)
def test_what_is_no_schema_is_pointed_at(text, message):
    with pytest.raises(RuntimeError, match=message) as caught:
        parse_schema(text)
    assert type(caught.value) is RuntimeError


# ---- PyTorch

ACCEPTED = [
    "f( Tensor x , *,int y ) ->( Tensor , Tensor(a!) )",
    "f(Tensor[] x)->Tensor a",
    "aten::f.o(Tensor x)->Tensor",
    "f(t[] x)->t",
    "f(Dict( str,Tensor ) x)->()",
    "f((Tensor,int) x)->()",
    "f(Future(Tensor) x)->Tensor",
    "f(Tensor(a->*) x)->Tensor(a)[]",
    "f(()x)->()",
    "f(Tensor x, Tensor x)->()",
    "f(Tensor(a!)[] xs)->Tensor(a)[]",
    "f(int[1]? d=None, bool[3]o)->()",
    "f(Tensor(*) x)->()",
    "f(__torch__.torch.classes.quantized.Conv2dPackedParamsBase p)->()",
    "f(int x,*,*,int y)->()",
    "f (Any x, Stream s, Storage st)->()",
    "f(Tensor x)->(Tensor)",
    "f(int? x=3, Scalar s=True)->()",
    "f(Await(int) x,RRef(t) r,Union(int,str) u)->()",
    "f(*)->()",
    "f(Tensor[1.5] x)->()",
    "f(Tensor(a!) a,Tensor(a) b)->()",
    "f(Tensor from, int lambda)->()",
    "f(Tensor[][] x)->Tensor[]?",
    "f( int x\t)-> ()",
]
REFUSED = [
    "f(Foo x)->()",
    "f(Tensor x",
    "f(Tensor? (a!) x)->()",
    "f.a.b(Tensor x)->()",
    "a::b::f(int x)->()",
    "f(Tensor x)->Tensor j,k",
    "f(Tensor self=3)->()",
    "f(Tensor x)",
    "f(int 3x)->()",
    "1f(int x)->()",
    "f(Tensor x,)->()",
    "f(int x=)->()",
    "f(ScalarType d=foo)->()",
    "",
    "f",
    "f()",
    "f(float x=nan)->()",
    "f(int[] x=None)->()",
    "f(int[] x=3)->()",
    "f(Tensor(a! x)->()",
    "f(Tensor() x)->()",
    "f(Tensor[ x)->()",
    "f(Tensor x)->(Tensor",
    "->",
    "(Tensor x)->()",
    "f(,Tensor x)->()",
    "f::(int x)->()",
    'f(str s="abc)->()',
    "f(int ün)->()",
    "f(Tensor x) -> Tensor;",
    "f(int x=--1)->()",
    "f(str s=abc)->()",
    "f(int x=1_000)->()",
    "not(Tensor x)->()",
    "f(int None)->()",
    "f(int def)->()",
    "f(SymFloat x)->()",
    "f(Tensor(a!|b) x)->()",
    "f(Dimname x)->()",
    "f(Tensor x Tensor y)->()",
    "f(int x)->int[",
    "f(Tensor(a)! x)->()",
]


@needs_torch
@pytest.mark.parametrize("text", ACCEPTED)
def test_a_schema_prints_as_pytorch_prints_it(text):
    assert str(parse_schema(text)) == str(torch._C.parse_schema(text))


@needs_torch
@pytest.mark.parametrize("text", REFUSED)
def test_what_pytorch_refuses_is_refused_for_the_same_kind_of_reason(text):
    with pytest.raises(RuntimeError) as expected:
        torch._C.parse_schema(text)
    with pytest.raises(RuntimeError) as got:
        parse_schema(text)
    kinds = ("unknown type", "only the operator name", "expected")
    # Of a default, PyTorch says "invalid numeric" of a string too; "expected ..." is as good.
    kind = next((kind for kind in kinds if kind in str(expected.value)), "")
    assert kind in str(got.value)


@needs_torch
def test_every_schema_of_pytorch_prints_back_to_its_text():
    schemas = pytorch_schemas()
    assert len(schemas) > 2000
    assert [str(parse_schema(text)) for text in schemas] == schemas


# ---- any schema

IDENTIFIERS = st.sampled_from(["self", "x", "out", "from", "Mean", "_a1", "tensor"])
BASES = st.sampled_from(
    ["Tensor", "int", "SymInt", "Scalar", "ScalarType", "Generator", "str", "t", "Dict(str, Tensor)"]
)
SUFFIXES = st.sampled_from(["", "?", "[]", "[2]", "?[]", "[3]?", "[][]"])
ANNOTATIONS = st.sampled_from(["", "(a!)", "(a)", "(a -> *)", "(a|b)", "(a! -> a|c)"])


@st.composite
def types(draw):
    base = draw(BASES)
    return base + (draw(ANNOTATIONS) if base == "Tensor" else "") + draw(SUFFIXES)


@st.composite
def schemas(draw):
    positional, keyword_only = (
        [f"{draw(types())} {draw(IDENTIFIERS)}" for _ in range(draw(st.integers(0, 3)))] for _ in range(2)
    )
    returns = [draw(types()) for _ in range(draw(st.integers(0, 3)))]
    name = draw(st.sampled_from(["f", "aten::f_", "ns::__iand__.Tensor", "f.out"]))
    arguments = ", ".join([*positional, *(["*", *keyword_only] if keyword_only else [])])
    return f"{name}({arguments}) -> {returns[0] if len(returns) == 1 else '(' + ', '.join(returns) + ')'}"


@settings(max_examples=200, deadline=None)
@given(schemas())
def test_a_schema_prints_back_to_its_text(text):
    assert str(parse_schema(text)) == text


@settings(max_examples=200, deadline=None)
@given(schemas(), st.data())
def test_a_schema_cut_anywhere_is_refused_and_nothing_else_is_raised(text, data):
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    try:
        assert str(parse_schema(cut)).startswith(cut.rstrip(" "))
    except RuntimeError as error:
        assert type(error) is RuntimeError


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ft(Tensora!*|->)[]?,=.1 \":'\\\n", max_size=40))
def test_any_text_is_a_schema_or_a_runtime_error(text):
    try:
        parsed = parse_schema(text)
    except RuntimeError:
        return
    assert parse_schema(str(parsed)) == parsed
