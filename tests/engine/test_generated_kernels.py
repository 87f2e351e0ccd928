"""The effect of the fields of an entry in native_functions.yaml, seen from outside; and calls that repeat."""

import re

import pytest
from compare import assert_same, needs_torch

import engine
from autograder import overlay
from engine import extend, journey
from engine.aten.at import at
from engine.dispatch import registry
from engine.dispatch.keys import DispatchKey
from engine.dispatch.table import computed_table

TWICE = (
    "- func: twice(Tensor self) -> Tensor\n  structured_delegate: twice.out\n"
    "- func: twice.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n"
    "  structured_inherits: TensorIteratorBase\n{fields}  dispatch:\n    CPU: twice_out\n"
)


def twice_meta(op, self):
    op.build_borrowing_unary_op(self)


def twice_out(op, self, out):
    at.add_out(self, self, 1, out)


def same(self):
    return self


# ---- fields


@pytest.mark.parametrize(("variants", "is_function", "is_method"), [
    ("function", True, False), ("method", False, True), ("function, method", True, True),
])  # fmt: skip
def test_variants_say_where_a_name_appears(variants, is_function, is_method):
    handle = extend.register(f"- func: same(Tensor self) -> Tensor\n  variants: {variants}\n", {"same": same})
    found = hasattr(engine, "same"), hasattr(engine.Tensor, "same")
    handle.destroy()
    assert found == (is_function, is_method)
    assert not (hasattr(engine, "same") or hasattr(engine.Tensor, "same") or hasattr(engine.ops.aten, "same"))


def test_ufunc_inner_loop_says_for_which_dtypes_there_is_a_kernel():
    text = TWICE.format(fields="  ufunc_inner_loop:\n    Generic: twice (Floating)\n")
    handle = extend.register(text, {"twice_meta": twice_meta, "twice_out": twice_out})
    try:
        assert engine.twice(engine.ones(2)).tolist() == [2.0, 2.0]
        for _ in range(2):
            with pytest.raises(NotImplementedError, match="\"twice\" not implemented for 'Long'"):
                engine.twice(engine.tensor([1]))
    finally:
        handle.destroy()


def test_a_second_definition_is_refused_and_the_first_one_stays():
    with pytest.raises(RuntimeError, match=r"registered at native_functions\.yaml:\d+"):
        extend.register("- func: add.Tensor(Tensor self) -> Tensor", {"add": twice_meta})
    assert (engine.ones(1) + 1).tolist() == [2.0]


def test_an_entry_that_names_no_function_leaves_nothing_behind():
    with pytest.raises(ValueError, match="names thrice, which no file"):
        extend.register("- func: thrice(Tensor self) -> Tensor", {})
    assert not hasattr(engine.ops.aten, "thrice") and not hasattr(at, "thrice")


def test_an_alias_and_a_number_overload_cost_an_entry_and_no_python():
    entries = (
        "- func: times.Tensor(Tensor self, Tensor other) -> Tensor\n  alias_of: mul.Tensor\n"
        "- func: times_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)\n  scalar_of: mul_.Tensor\n"
        "- func: again(Tensor a, Tensor b) -> Tensor\n  alias_of: times.Tensor\n"
    )
    handle = extend.register(entries, {})
    try:
        x = engine.tensor([1.0, 2.0], requires_grad=True)
        assert type(at.again(x, x).grad_fn).__name__ == "MulBackward0"
        y = engine.tensor([1, 2])
        assert at.times__Scalar(y, 3) is y and y.tolist() == [3, 6] and y._version == 1
    finally:
        handle.destroy()


def test_a_copy_of_a_view_or_of_a_write_costs_an_entry_and_no_python():
    entries = (
        "- func: first_copy(Tensor self, int dim, SymInt index) -> Tensor\n  copy_of: select.int\n"
        "  dispatch:\n    CompositeExplicitAutograd: first_copy\n"
        "- func: parts_copy(Tensor self, int dim=0) -> Tensor[]\n  copy_of: unbind.int\n"
        "  dispatch:\n    CompositeExplicitAutograd: parts_copy\n"
        "- func: added(Tensor self, Tensor other, Scalar alpha) -> Tensor\n  copy_of: add_.Tensor\n"
    )
    handle = extend.register(entries, {})
    try:
        x = engine.tensor([[1.0, 2.0], [3.0, 4.0]])
        at.first_copy(x, 0, 0).zero_()
        at.parts_copy(x, 1)[0].zero_()
        assert at.added(x, x, 2).tolist() == [[3, 6], [9, 12]]
        assert x.tolist() == [[1, 2], [3, 4]] and x._version == 0
    finally:
        handle.destroy()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("f(Tensor x) -> Tensor\n  alias_of: abz", "f calls abz, which is no operator; did you mean abs?"),
        ("f(Tensor x, Tensor y) -> Tensor\n  alias_of: abs", "f calls abs, which takes other arguments"),
        ("f(Tensor x) -> Tensor\n  alias_of: mul.Tensor", "takes other arguments"),
        ("f(Tensor x, Scalar y) -> Tensor\n  alias_of: mul.Tensor", "takes other arguments"),
        ("f(Tensor x, Tensor y) -> Tensor\n  scalar_of: mul.Tensor", "takes other arguments"),
        ("abs.f(Tensor x) -> Tensor\n  alias_of: abs\n  dispatch:\n    CPU: abs", "generates abs, which a file of"),
    ],
)
def test_an_entry_that_can_not_call_the_operator_that_it_names_is_refused(entry, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        extend.register(f"- func: {entry}", {}, "mine.yaml")
    assert str(caught.value).startswith("mine.yaml:1: ")


def test_tensors_on_different_devices_are_refused_unless_an_entry_says_no_check():
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        engine.mm(engine.ones(2, 2), engine.ones(2, 2, device="meta"))
    assert engine.ones(2, 3).expand_as(engine.ones(4, 2, 3, device="meta")).device.type == "cpu"


def test_tags_can_be_asked_for():
    pointwise = engine.Tag.pointwise
    assert pointwise in engine.ops.aten.add.Tensor.tags and pointwise not in engine.ops.aten.mm.default.tags


def overloads(T, tags=lambda op: op.tags):
    """The tags of each operator of the engine, as the library T has them."""
    names = [name.removeprefix("aten::").partition(".") for name in registry.operators if name.startswith("aten::")]
    return {(base, overload): tags(getattr(getattr(T.ops.aten, base), overload or "default"))
            for base, _, overload in names}  # fmt: skip


def test_the_tags_of_all_operators_are_pytorchs(pytorch):
    theirs = overloads(pytorch, lambda op: {str(tag).rpartition(".")[2] for tag in op.tags})
    assert overloads(engine, lambda op: {tag.name for tag in op.tags}) == theirs


def test_only_operators_whose_results_depend_on_elements_have_no_meta_kernel():
    computed = {name: computed_table(entry.kernels, registry.fallbacks) for name, entry in registry.operators.items()}
    without = {name for name, table in computed.items() if table[DispatchKey.Meta][1] == "fallback"}
    depending = {"dynamic_output_shape", "data_dependent_output"}
    assert "aten::nonzero" in without
    assert [name for name in without if not depending.intersection(registry.operators[name].tags)] == []


# ---- a geometry that returns: meta ran for the first call only


REPEATED = {
    "two tensors": lambda x: x + x,
    "a number": lambda x: x + 2,
    "a float for integers": lambda x: x + 2.5,
    "a test of a number": lambda x: x == 2,
    "a test of a fraction": lambda x: x < 2.5,
    "from a number": lambda x: 1 - x,
    "a bool": lambda x: x * True,
    "alpha": lambda x: x.add(x, alpha=3),
    "another layout": lambda x: x.t() + x,
    "one row": lambda x: x + x[0],
    "exp": lambda x: x.exp(),
    "relu": lambda x: x.relu(),
    "neg": lambda x: -x,
    "division": lambda x: x / x,
}


@needs_torch
@pytest.mark.parametrize("dtype", ["int64", "int32", "float32", "float64"])
def test_a_call_gives_the_same_when_the_geometry_returns(dtype):
    def programs(T):
        x = T.tensor([[1, 2], [3, 4]], dtype=getattr(T, dtype))
        # exp is compared by what it is of: the last bit is not this test's
        return [
            (program(x) * 1000).long() if name in ("exp", "division") else program(x)
            for _ in range(3)
            for name, program in REPEATED.items()
        ]

    assert_same(programs)


def into_an_output_given(T, x, *write):
    """Return what `write` does to it, three times over, including errors."""
    results = []
    for _ in range(3):
        for program in write:
            try:
                results.append(program(T, x.clone()))
            except RuntimeError as error:
                results.append(str(error).splitlines()[0])
    return results


@needs_torch
@pytest.mark.parametrize("dtype", ["int64", "float32"])
@pytest.mark.parametrize("write", [
    [lambda T, x: x.add_(x), lambda T, x: x.add_(x.clone()), lambda T, x: x.add_(1)],
    [lambda T, x: x[:2].add_(x[1:].clone()), lambda T, x: x[:2].add_(x[1:]), lambda T, x: x[:2].add_(x[:2])],
    [lambda T, x: x.mul_(2.5), lambda T, x: x.mul_(2), lambda T, x: x.mul_(x.double())],
    [lambda T, x: x.neg_(), lambda T, x: x.t().neg_(), lambda T, x: x[0].expand(3, 2).neg_()],
    [lambda T, x: T.add(x, x, out=T.empty(0, dtype=x.dtype)), lambda T, x: T.add(x, 1, out=x.clone())],
    [lambda T, x: T.add(x, x.clone(), out=x), lambda T, x: T.add(x[:2], x[:2], out=x[1:]), lambda T, x: x],
    [lambda T, x: T.sub(x, 1, out=x.double()), lambda T, x: T.sub(x, 1, out=x.t()), lambda T, x: x.sub_(x[0])],
    [lambda T, x: T.lt(x, x, out=T.empty(3, 2, dtype=T.bool)), lambda T, x: T.lt(x, x, out=T.empty(3, 2))],
])  # fmt: skip
def test_an_output_that_is_given_is_checked_again_when_the_geometry_returns(dtype, write):
    def program(T):
        x = T.tensor([[1, 2], [3, 4], [5, 6]], dtype=getattr(T, dtype))
        return into_an_output_given(T, x, *write)

    assert_same(program)


@pytest.mark.parametrize("expression", ["x + 2", "x.add_(y)", "x.mul_(2)", "torch.add(x, y, out=x.clone())"])
def test_a_call_that_returns_goes_on_without_meta(expression):
    frames = [frame for frame in journey.frames(expression) if frame.place.function.endswith("_meta")]
    assert frames and all(frame.memoised for frame in frames)


@needs_torch
def test_what_is_remembered_of_one_number_is_not_taken_for_an_equal_one_of_another_class():
    def program(T):
        x = T.tensor([1, 2])
        results = [x.add(x, alpha=1), x.add(x, alpha=1)]
        try:
            return [*results, x.add(x, alpha=1.0)]
        except RuntimeError as error:
            return [*results, str(error)]

    assert_same(program)


@needs_torch
def test_the_default_dtype_is_part_of_what_is_remembered():
    def program(T):
        x = T.tensor([1, 2])
        before = [x / 2, x / x, x + 0.5]
        T.set_default_dtype(T.float64)
        try:
            return [*before, x / 2, x / x, x + 0.5]
        finally:
            T.set_default_dtype(T.float32)

    assert_same(program)


def test_a_plan_is_forgotten_when_parts_change():
    x = engine.ones(3, 2)
    assert ((x + x) + (x + x)).tolist() == [[4.0, 4.0]] * 3
    source = overlay.source_of("strides.contiguous_strides")
    with overlay.swapped({"strides.contiguous_strides": source.replace("return", "print('mine'); return", 1)}):
        assert (x + x).tolist() == [[2.0, 2.0]] * 3
    assert (x + x).stride() == (2, 1)
