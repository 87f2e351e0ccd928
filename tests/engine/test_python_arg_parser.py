"""The argument parser: which calls it takes, what it makes of them, and what it says of the others."""

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from compare import needs_torch, torch

import engine
from engine.aten.python_arg_parser import PythonArgParser, match, parse_signature, unpack
from engine.aten.python_signatures import bare_name, bound_schemas, cpp_spelled, is_skipped, overloads
from engine.aten.registration import NATIVE_FUNCTIONS

BAD_CALLS = """
T.add(x, "a") | T.add(x) | T.add() | T.add("a", x) | T.add(x, x, foo=1) | T.add(x, x, other=x) | T.add(x, x, x, x)
T.add(x, x, alpha="a") | T.add(self=x, other=x) | T.add(x, None) | T.add(x, [1]) | T.add(x, np.ones(2))
T.add(x, (x,)) | T.add(x, T.float32) | T.add(x, T.device("cpu")) | T.add(x, T.strided) | T.add(x, T.contiguous_format)
T.add(x, x.shape) | T.add(x, range(2)) | T.add(x, object()) | T.add(x, T.Generator()) | T.add(x, x, out=(x,))
T.add(x, x, x) | T.add(x, x, foo=1, bar=2) | T.add(x, x, out=x, alpha=2, foo=3) | x.add("a") | x.add() | x.add(x, x)
x.add(x, x, x) | x.add_("a") | x.add(x, alpha=2**70) | x.add(2**64) | x.add(-(2**63) - 1) | T.mul(x, "a")
T.mul(x, [1]) | x.sub("a") | x.view(2, "a") | x.view("a") | x.view(2.0) | x.view(2, 3.0) | x.view() | x.view(True)
x.view((True, 6)) | x.view(2.0, 3) | x.view((2.0, 3)) | x.view(shape=(3, 2)) | x.view((2, 3), dtype=T.float32)
x.view((3, 2), 1) | x.view([[6]]) | x.reshape(2, "a") | x.reshape() | x.reshape((3, 2), 1) | x.reshape((True, 6))
x.reshape(True, 6) | T.reshape(x, 3, 2) | T.reshape(x, (3, 2.0)) | T.reshape(x, "a") | T.reshape(x, (2.0,))
T.reshape(x) | x.expand("a") | x.expand((2, 2, 3), True) | T.zeros() | T.zeros(2, "a") | T.zeros("a") | T.zeros(2.0)
T.zeros((2, 2.0)) | T.zeros(2, dtype=3) | T.zeros(2, dtype=str) | T.zeros(2, dtype="float")
T.zeros(2, dtype=np.float32) | T.zeros(2, device=3.0) | T.zeros(2, device=True) | T.zeros(True) | T.zeros(2, layout=3)
T.zeros(2, foo=3) | T.zeros(2, size=(2,)) | T.zeros(2, requires_grad=3) | T.zeros(2, pin_memory=3) | T.zeros(2, out=3)
T.zeros(2, T.tensor(2.0)) | T.zeros(np.float64(2)) | T.zeros(range(3)) | T.zeros(None) | T.zeros(2, None)
T.zeros((2.0,)) | T.zeros([2.0, 3]) | T.zeros(2.0, 3) | T.zeros((2, 3), 3) | T.zeros(3, (2, 3)) | T.zeros([[2]])
T.zeros(2, memory_format=T.channels_last) | T.zeros(2, dtype=T.float64, out=x) | T.zeros(2, device="meta", out=x)
T.full(2, 1) | T.full((2,), "a") | T.full((2,), None) | T.full((2,), T.tensor([2])) | T.full((2,), 2**70)
T.full((2,)) | T.arange("a") | T.arange() | T.arange(1, 2, 3, 4) | T.arange(start=0) | T.arange(T.tensor([3, 3]))
T.arange(None) | T.empty((2,), (3,)) | T.empty_strided(2, 1) | T.empty_like(3) | T.ones_like(x, T.int64)
T.zeros_like(x, memory_format=3) | T.full_like(x, "a") | x.new_zeros("a") | x.new_full(2, 1) | x.new_empty()
T.tensor() | T.tensor([1], dtype="a") | T.sum(x, "a") | T.sum(x, 1.0) | T.sum(x, [0, 1.0]) | T.sum(x, dim=1, axis=1)
T.sum(x, 1, 1) | T.sum(x, True) | T.sum(x, 2**70) | T.sum(x, T.float64) | T.sum(x, out=T.empty(0)) | T.sum("a")
T.sum(self=x) | T.sum() | x.sum("a") | x.sum(0, 1) | x.sum(0, True, 2) | x.sum(foo=2) | x.sum(dim=1, foo=3)
T.sum(x, dim="a", keepdim=True) | T.sum(x, (1.0,)) | T.sum(x, 1, True, dtype=3) | T.sum(x, 1, keepdim=3)
T.sum(x, keepdim=True) | T.sum(x, 1, keepdim=np.bool_(True)) | T.amax(x, "a") | x.amax(0, 1)
x.amax(dim=0, keepdim=None) | x.amax((1.0,)) | x.amax(True) | T.mean(x, dtype=3) | x.transpose(0)
x.transpose("a", 1) | x.transpose(0, 1.0) | x.transpose(0, 1, 2) | x.transpose(True, 1)
x.transpose(T.tensor(0.0), 1) | x.transpose(T.tensor([0]), 1) | x.transpose(2**70, 1) | x.transpose(None, 1)
x.transpose(0, dim0=1) | x.transpose(np.bool_(0), 1) | T.transpose(x, "a", 1) | T.transpose(x, axis0=0, axis1=1)
x.select(0, 2**70) | x.select(0, "a") | x.select("a", 1) | x.select(0) | x.select(0, T.tensor(1.0))
x.select(0, True) | x.narrow(0, "a", 1) | x.narrow(0, 0) | x.permute("a") | x.permute(1, "a") | x.permute()
x.permute((1.0, 0)) | x.permute(1.0, 0) | T.permute(x, 1, 0) | T.permute(x, 1) | x.split("a") | x.split(1.0)
x.split(True) | x.split([1.0, 1]) | x.split(np.int64(1)) | x.split(2**70) | x.split((1, 1), dim="a")
T.split(x, 1, 2, 3) | T.split(x, split_size=1) | T.split_with_sizes(x, 1) | x.chunk("a") | x.chunk(2.0) | T.chunk(x)
x.unbind("a") | x.squeeze("a") | x.squeeze(1.0) | x.unsqueeze() | x.unsqueeze("a") | x.flatten("a")
x.flatten(0, 1, 2) | x.t(1) | x.contiguous(1) | x.neg(1) | x.exp(out=x) | x.contiguous(memory_format=1) | x.clone(1)
x.fill_("a") | x.fill_(2**70) | x.fill_() | x.fill_(1, 2) | x.copy_("a") | x.copy_(x, 1) | x.copy_() | x.copy_(None)
x.resize_("a") | x.resize_() | x.resize_(2.0) | x.as_strided((2,), (1,), 2**70) | T.as_strided(x, 2, 1)
T.as_strided(x, (2,), (1,), "a") | x.diagonal("a") | x.unfold(0, 1) | x.unfold(0, "a", 1) | x.movedim("a", 1)
x.movedim(0) | T.movedim(x, 0, (1,)) | x.unflatten(0, 2) | x.unflatten("a", (2, 1)) | x.swapaxes(0)
T.broadcast_to(x, 2, 2, 3) | x.view_as(1) | x.view_as() | x.requires_grad_(3) | x.zero_(1) | T.detach(3) | T.t(x, 1)
T.t() | T.cat(x) | T.cat([x, 1]) | T.cat("a") | T.cat([x], "a") | T.cat([x], 0, 0) | T.cat([1, x]) | T.cat([x, None])
T.cat(None) | T.cat() | T.cat([x], foo=1) | T.cat(range(3)) | T.cat({x}) | T.cat(tensors=[x], dim="a")
T.broadcast_tensors(x, 3) | T.matmul(x, "a") | T.matmul(x, 2) | T.matmul(x) | T.mm(x, mat2=3) | x.mm(2) | T.mm(1, x)
T.softmax(x, "a") | T.softmax(x) | T.softmax(x, 1, 3) | x.softmax(dim="a") | T.exp("a") | T.exp(1) | T.exp()
T.exp(x, x) | T.exp(x, out=3) | T.relu(x, out=x) | T.eq(x, "a") | T.eq(x, x, x) | T.eq(1, 2) | T.eq(x) | T.eq(2, x)
x.eq("a") | x.eq(None) | T.eq(x, foo=1, bar=2) | T.eq(input=x, other="a") | T.eq(x, x, out="a") | x.lt("a")
T.lt(x, None) | x.eq(2**64) | x.where(x > 0, "a") | T.div(x, 2, rounding_mode=3) | T.div(x, 2, "floor")
x.normal_("a") | x.normal_(0, 1, 2) | x.normal_(0, T.tensor([1.0])) | x.uniform_("a") | x.uniform_(2**2000, 1)
x.bernoulli_("a") | x.random_("a") | x.random_(0.0) | x.random_(None) | T.rand("a") | T.rand(2, generator=3)
T.rand() | T.rand(size=2) | T.randn(2, 2.0) | T.randint(3) | T.randint(0, 3, 2) | T.randint(3, 2)
T.randint(3.0, (2,)) | T.randint("a", (2,)) | T.randperm("a") | T.randperm(3.0) | T.randperm(2**70)
T.randperm(3, generator=3) | T.randperm(3, 4) | x.to(other=x) | x.to(T.float64, "cpu") | x.to(x, 3) | x.to(dtype="a")
x.to(foo=1) | x.to("cpu", "cpu") | x.to(np.float32) | x.to([1]) | x.to(T.float32, copy=None)
x.to(x, dtype=T.float64) | x.float(1) | x.double(memory_format=3) | x.cpu(1) | x.type(3) | x.type("foo")
x.new_tensor() | T.numel(3) | T.numel() | T.is_floating_point(3) | T.result_type(x, "a") | T.result_type(x, T.float64)
T.promote_types(T.float32, 3) | T.promote_types(T.float32) | T.can_cast(x, T.int64) | T.finfo(T.int32)
T.iinfo(T.float32) | T.iinfo(3) | T.iinfo(T.bool) | x.size("a") | x.size(1.0) | x.size(0, 1) | x.size(2**70)
x.stride("a") | x.is_contiguous(memory_format=3) | x + "a" | x + None | x + [1] | "a" + x
x - "a" | "a" - x | x * "a" | x * [1] | x / "a" | "a" / x | x @ "a" | x @ 2 | x < "a" | x > None | x + 2**70
x * 2**70 | x < 2**70 | np.ones(3) * x | x > np.ones(3)
"""
CALLS = [call.strip() for line in BAD_CALLS.strip().splitlines() for call in line.split(" | ")]


def refusal(T, call):
    """The exact type and the first line of what a call raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = eval(call, {"T": T, "np": np, "x": T.ones(2, 3)})
        except Exception as error:
            return type(error).__name__, str(error).split("\n")[0]
    return "done", result


@needs_torch
@pytest.mark.parametrize("call", CALLS)
def test_a_bad_call_is_refused_in_pytorchs_words(call):
    assert refusal(engine, call) == refusal(torch, call)


@needs_torch
@pytest.mark.parametrize("call", [
    "x.view('a')", "T.eq(x, 'a')", "x.eq('a')", "T.sum(x, 'a')", "x.squeeze(1.0)", "x.narrow(0, 'a', 1)",
    "x.add(x, x, x)", "T.movedim(x, 0, (1,))", "T.arange()", "x.to([1])", "x.view(shape=(3, 2))",
    "T.randperm(3, generator=3)",
])  # fmt: skip
def test_the_signatures_that_were_tried_are_listed_as_pytorch_lists_them(call):
    messages = []
    for T in (engine, torch):
        with pytest.raises(TypeError) as raised:
            eval(call, {"T": T, "x": T.ones(2, 3)})
        messages.append(str(raised.value))
    assert messages[0] == messages[1]


# ---- one signature

SUM = parse_signature("sum(Tensor input, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor out=None)")
VIEW = parse_signature("view(SymInt[] size)")


def values(signature, *args, **kwargs):
    found = match(signature, args, kwargs)
    return found if isinstance(found, str) else unpack(signature, found)


def test_a_signature_is_shown_with_the_types_that_users_know():
    assert str(SUM) == (
        "(Tensor input, tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)"
    )


def test_arguments_go_to_parameters_by_position_and_keyword_and_the_rest_are_defaults():
    x = engine.zeros(2)
    assert values(SUM, x, (1, 0), dtype=float) == [x, (1, 0), False, engine.float64, None]
    assert values(SUM, x, 1, keepdims=True) == [x, (1,), True, None, None]
    assert values(SUM, a=x, axis=None) == [x, None, False, None, None]


def test_ints_may_be_spread_where_they_are_the_only_positional_argument():
    assert values(VIEW, 2, 3) == values(VIEW, (2, 3)) == values(VIEW, [2, 3]) == values(VIEW, size=(2, 3)) == [(2, 3)]
    assert values(VIEW) == 'view() missing 1 required positional arguments: "size"'
    assert values(SUM, engine.zeros(2), 0, 1) == "sum(): argument 'keepdim' (position 3) must be bool, not int"


@pytest.mark.parametrize("one", [1, np.int64(1), np.int32(1), engine.tensor(1)], ids=repr)
def test_what_stands_for_an_int_arrives_as_a_python_int(one):
    for signature in ("f(int n)", "f(SymInt n)", "f(int[1] n)", "f(Scalar n)"):
        (n,) = values(parse_signature(signature), one)
        number = n[0] if isinstance(n, tuple) else n
        assert (number, type(number)) == (1, int)


@pytest.mark.parametrize(
    ("given", "arrives"),
    [(True, True), (2, 2), (2.5, 2.5), (np.float32(0.5), 0.5), (np.bool_(True), 1.0), (engine.tensor(2.5), 2.5)],
    ids=repr,
)
def test_a_scalar_arrives_as_a_python_number(given, arrives):
    (number,) = values(parse_signature("f(Scalar s)"), given)
    assert (number, type(number)) == (arrives, type(arrives))


def test_a_number_becomes_a_tensor_that_gives_way_only_where_the_function_takes_numbers_for_tensors():
    _, number, _ = values(parse_signature("add(Tensor input, Tensor other, *, Scalar alpha=1)"), engine.zeros(1), 2)
    assert (number.dtype, number.dim(), number._wrapped_number) == (engine.int64, 0, True)
    assert (
        values(parse_signature("eq(Tensor other)"), 2) == "eq(): argument 'other' (position 1) must be Tensor, not int"
    )


# ---- several signatures


def test_a_deprecated_signature_is_tried_last_and_warns_once():
    parser = PythonArgParser("add(Scalar alpha, Tensor other)|deprecated", "add(Tensor other, *, Scalar alpha=1)")
    x = engine.zeros(1)
    assert parser.parse((x,), {"alpha": 3}) == (1, [x, 3])
    with pytest.warns(UserWarning, match=r"This overload of add is deprecated:\n\tadd\(Number alpha, Tensor other\)\n"):
        assert parser.parse((3, x), {}) == (0, [3, x])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parser.parse((3, x), {})


# ---- which signatures a name has


@pytest.fixture(scope="module")
def pytorchs(pytorch):
    """The signatures that PyTorch's own generator makes: kind -> name -> [(signature, operator, out= operator)]."""
    import torchgen

    packaged = Path(torchgen.__file__).parent / "packaged"
    sys.path.insert(0, str(packaged))
    try:
        from autograd import gen_python_functions as generator
        from torchgen.gen import parse_native_yaml
    finally:
        sys.path.remove(str(packaged))
    folder = packaged / "ATen" / "native"
    entries = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml")).native_functions
    bound = [entry for entry in entries if generator.should_generate_py_binding(entry)]

    def made(method):
        chosen = generator.is_py_variable_method if method else generator.is_py_torch_function
        pairs = generator.load_signatures(bound, str(packaged / "autograd" / "deprecated.yaml"), method=method)
        for name, forms in generator.group_filter_overloads(pairs, chosen).items():
            grouped = generator.sort_overloads(generator.group_overloads(forms), symint=True)
            yield (
                str(name),
                [(f.signature.signature_str(), f.base.func, f.outplace and f.outplace.func) for f in grouped],
            )

    return {method: dict(made(method)) for method in (False, True)}


@pytest.mark.parametrize("method", [False, True], ids=["functions", "methods"])
def test_signatures_are_those_that_pytorchs_generator_makes(pytorchs, method):
    there = {bare_name(entry.func) for entry in NATIVE_FUNCTIONS}
    ours = {name: overloads(schemas, method) for name, schemas in bound_schemas(NATIVE_FUNCTIONS, method).items()}
    theirs = {
        name: [(text, str(base.name), str(out.name) if out and str(out.name) in there else None)
               for text, base, out in forms if str(base.name) in there]
        for name, forms in pytorchs[method].items()
    }  # fmt: skip
    complete = {
        name for name, forms in pytorchs[method].items()
        if all(str(operator.name) in there for _, base, out in forms for operator in (base, out) if operator)
    }  # fmt: skip
    spelled = {
        name: [
            (cpp_spelled(form.signature), bare_name(form.base), bare_name(form.out) if form.out else None)
            for form in forms
        ]
        for name, forms in ours.items()
    }
    assert {name for name in theirs if theirs[name]} == set(ours)
    assert {name: spelled[name] for name in ours if name in complete} == {name: theirs[name] for name in complete}
    for name in set(ours) - complete:  # without some of its overloads, its forms may differ in order and `out`
        assert {base for _, base, _ in spelled[name]} == {base for _, base, _ in theirs[name]}


BOUND = [entry for entry in NATIVE_FUNCTIONS if not is_skipped(entry)]


def test_every_shown_type_of_a_signature_is_one_that_the_parser_knows():
    shown = {re.sub(r"\[\d+\]", "[]", str(a.type).rstrip("?")) for e in BOUND for a in e.func.arguments}
    from engine.aten.python_arg_parser import CHECKS

    assert shown - set(CHECKS) == set()
