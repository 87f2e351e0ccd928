"""`ops.<namespace>.<op>.<overload>`: names, and what a call through them accepts, converts and refuses."""

import pytest
from compare import assert_same, engine, needs_torch
from fresh import Fresh, assert_agree, error_of, keys

# ---- names


@needs_torch
def test_an_operator_and_its_overloads_have_pytorchs_names():
    def program(T, fresh):
        fresh.define("op(Tensor x) -> Tensor", "op.b(Tensor x, int n) -> Tensor")
        packet = fresh.ops.op
        overloads = packet.default, packet.b
        return [
            (repr(packet), str(packet), packet.__name__, packet.overloads(), list(packet)),
            *((repr(op), str(op), op.name(), op.__name__, op.namespace, op._opname, op._overloadname, str(op._schema))
              for op in overloads),
        ]  # fmt: skip

    assert_agree(program)


@needs_torch
def test_a_name_gives_the_same_object_each_time():
    def program(T, fresh):
        fresh.define("op.b(Tensor x, int n) -> Tensor")
        packet = fresh.ops.op
        same = packet is fresh.ops.op, packet.b is packet.b, packet.b.overloadpacket is packet
        return same, packet.b == packet.b, hash(packet.b) == hash(fresh.ops.op.b)

    assert_agree(program)


@needs_torch
def test_an_operator_that_is_defined_anew_is_another_one():
    def program(T, fresh):
        library = fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", lambda x, n=1: x, "CUDA")
        first = fresh.ops.op.default
        library._destroy()
        fresh.define("op(Tensor x, int n) -> Tensor")
        return first is fresh.ops.op.default, str(fresh.ops.op.default._schema)

    assert_agree(program)


@needs_torch
def test_what_there_is_not_is_an_attribute_error():
    def program(T, fresh):
        fresh.define("op.b(Tensor x) -> Tensor")
        return [
            error_of(call)
            for call in (
                lambda: fresh.ops.nope,
                lambda: fresh.ops.op.default,
                lambda: fresh.ops.op.nope,
                lambda: T.ops.aten.add.nope,
                lambda: fresh.ops.op.b.nope,
            )
        ]

    assert_agree(program)


@needs_torch
def test_an_overload_knows_which_keys_have_a_kernel():
    def program(T, fresh):
        fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", lambda x: x, "CPU")
        has = fresh.ops.op.default.has_kernel_for_dispatch_key
        return has(T._C.DispatchKey.CPU), has(T._C.DispatchKey.CUDA), has(T._C.DispatchKey.AutogradCPU)

    assert_agree(program)


def test_the_operators_of_a_namespace_are_listed():
    with Fresh(engine) as fresh:
        fresh.define("b(Tensor x) -> Tensor", "a.out(Tensor x) -> Tensor", "a(Tensor x) -> Tensor")
        assert dir(fresh.ops) == ["a", "b"]


# ---- arguments

TYPES = {
    "int": "int v", "float": "float v", "bool": "bool v", "str": "str v", "number": "Scalar v", "list": "int[] v",
    "pair": "int[2] v", "floats": "float[] v", "bools": "bool[] v", "tensors": "Tensor[] v", "tensor": "Tensor v",
    "maybe tensor": "Tensor? v", "maybe tensors": "Tensor?[] v", "maybe int": "int? v", "maybe list": "int[1]? v",
    "maybe float": "float? v", "dtype": "ScalarType? v", "device": "Device? v", "layout": "Layout? v",
    "format": "MemoryFormat? v", "sizes": "SymInt[] v", "numbers": "Scalar[] v", "strings": "str[] v",
}  # fmt: skip
VALUES = {
    "int": ["1", "True", "1.5", "'1'", "None", "[1]", "T.tensor(3)", "2**40"],
    "float": ["1", "True", "2.5", "'x'", "None", "1j", "T.tensor(2.5)", "[1.0]"],
    "bool": ["True", "1", "0", "None", "1.0", "'x'", "[True]", "T.tensor(True)"],
    "str": ["'x'", "1", "None"],
    "number": ["2", "2.5", "True", "None", "'x'", "[1]", "T.tensor(2)"],
    "list": ["[3]", "(3,)", "[]", "3", "None", "'x'", "[1.5]", "[True]", "T.ones(2).shape", "T.ones(2)"],
    "pair": ["3", "[3, 4]", "(3,)", "(1, 2, 3)", "None", "True", "'x'", "T.tensor(2)"],
    "floats": ["[1.0]", "[1, True]", "['x']", "None"],
    "bools": ["[True]", "[1]", "True", "None"],
    "tensors": ["[x]", "(x, x)", "x", "[None]", "[1]", "None", "[]"],
    "tensor": ["x", "1", "[x]", "'x'"],
    "maybe tensor": ["x", "None", "3", "[x]"],
    "maybe tensors": ["[None, x]", "None", "[]", "[1]"],
    "maybe int": ["None", "3", "1.5", "True", "T.tensor(2)"],
    "maybe list": ["None", "3", "[1, 2]", "'x'"],
    "maybe float": ["None", "3", "True", "'x'"],
    "dtype": ["T.float32", "T.int64", "None", "'float32'", "float"],
    "device": ["'cpu'", "T.device('meta')", "None", "3", "'cuda:0'"],
    "layout": ["T.strided", "None", "'x'"],
    "format": ["T.channels_last", "T.contiguous_format", "None", "'x'"],
    "sizes": ["[1, 2]", "3", "(2,)", "[1.5]"],
    "numbers": ["[1, 2.5, True]", "['x']"],
    "strings": ["['a', 'b']", "[1]"],
}


@needs_torch
@pytest.mark.parametrize(("type", "value"), [(type, value) for type, values in VALUES.items() for value in values])
def test_a_value_arrives_as_the_types_of_the_schema_say_or_is_refused(type, value):
    def program(T, fresh):
        x, got = T.ones(1), []
        fresh.define(f"op(Tensor x, {TYPES[type]}) -> Tensor")
        fresh.impl("op", lambda x, v: got.append(v) or x, "CPU")
        given = eval(value, {"T": T, "x": x})
        told = error_of(lambda: fresh.ops.op(x, given))
        return repr(got).replace("engine.", "torch.") if got else told

    assert_agree(program)


CALLS = {
    "all by position": "x, 2", "by name": "x=x, n=2", "defaults": "x", "too many": "x, 1, 2", "too few": "",
    "unknown": "x, m=1", "twice": "x, x=x", "more than all": "x, 1, m=3", "keyword-only by position": "x, 1, 5",
    "keyword-only": "x, k=5",
}  # fmt: skip


@needs_torch
@pytest.mark.parametrize("case", CALLS)
@pytest.mark.parametrize("schema", ["op(Tensor x, int n=1) -> Tensor", "op.b(Tensor x, int n=1, *, int k=3) -> Tensor"])
def test_arguments_are_matched_with_the_schema(schema, case):
    def program(T, fresh):
        got = []
        fresh.define(schema)
        fresh.impl(schema.partition("(")[0], lambda x, *args, **kwargs: got.append((args, kwargs)) or x, "CPU")
        told = error_of(lambda: eval(f"op({CALLS[case]})", {"op": fresh.ops.op, "x": T.ones(1)}))
        return got or told

    assert_agree(program)


@needs_torch
def test_the_first_overload_that_takes_the_arguments_is_called():
    def program(T, fresh):
        fresh.define(
            "op.a(Tensor x, int n) -> int", "op.b(Tensor x, float n) -> int", "op.c(Tensor x, Tensor n) -> int"
        )
        for number, name in enumerate("abc"):
            fresh.impl(f"op.{name}", lambda x, n, number=number: number, "CPU")
        x = T.ones(1)
        return [fresh.ops.op(x, 1), fresh.ops.op(x, 1.5), error_of(lambda: fresh.ops.op(x, "x")).partition(":")[0]]

    assert_agree(program)


@needs_torch
@pytest.mark.parametrize(
    "call",
    ["add(x, x)", "add.Tensor(x, x, alpha=2)", "add.Tensor(x, y=x)", "sum.dim_IntList(x, [0], True)",
     "sum.dim_IntList(x, 0)", "transpose.int(x, 0, -1)", "split.Tensor(x, 1)", "unbind(x)", "cat([x, x])", "cat(x)",
     "empty.memory_format([2, 2], device='meta')", "full([2], 3)", "mul_.Tensor(x, x)", "item(x[0, 0])",
     "neg.out(x, out=T.empty(0))", "eq.Scalar(x, 1)", "to.dtype(x, T.int64)"],
)  # fmt: skip
def test_operators_that_come_with_the_engine_are_called_by_name(call):
    assert_same(lambda T: eval(f"T.ops.aten.{call}", {"T": T, "x": T.ones(2, 2)}))


# ---- redispatch and boxed calls


@needs_torch
def test_redispatch_goes_to_the_highest_key_of_the_given_set():
    def program(T, fresh):
        fresh.define("op(Tensor x, int n=1) -> Tensor")
        fresh.impl("op", lambda x, n=1: x + n, "CPU")
        fresh.impl("op", lambda x, n=1: x - n, "AutogradCPU")
        x, op = T.ones(1), fresh.ops.op.default
        results = [op(x), op.redispatch(keys(T, "CPU"), x), op.redispatch(keys(T, "CPU", "AutogradCPU"), x, n=3)]
        return [
            *results,
            error_of(lambda: op.redispatch(keys(T, "CPU"))),
            error_of(lambda: op.redispatch(keys(T, "CPU"), 1)),
        ]

    assert_agree(program)


@needs_torch
def test_redispatch_asks_neither_the_arguments_nor_the_thread():
    def program(T, fresh):
        fresh.define("op(Tensor x) -> Tensor")
        x, y = T.ones(1), T.zeros(2)
        fresh.impl("op", lambda x: y, "CUDA")
        with T._C._ExcludeDispatchKeyGuard(keys(T, "CUDA")):
            return fresh.ops.op.default.redispatch(keys(T, "CUDA"), x)

    assert_agree(program)


def test_redispatch_to_a_key_without_a_kernel_is_an_error():
    with pytest.raises(NotImplementedError, match="'aten::neg' with arguments from the 'QuantizedCPU' backend"):
        engine.ops.aten.neg.default.redispatch(keys(engine, "QuantizedCPU"), engine.ones(1))


def test_a_boxed_call_takes_the_arguments_off_the_stack_and_leaves_the_results():
    x = engine.ones(2)
    for op, stack, results in (
        (engine.ops.aten.add.Tensor, [x, x, 2], [[3.0, 3.0]]),
        (engine.ops.aten.item.default, [x[0]], [1.0]),
        (engine.ops.aten.unbind.int, [x, 0], [[1.0, 1.0]]),
    ):
        op.call_boxed(stack)
        assert [_plain(value) for value in stack] == results


def _plain(value):
    if isinstance(value, engine.Tensor):
        return value.tolist()
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def test_a_boxed_call_leaves_as_many_results_as_the_schema_returns():
    with Fresh(engine) as fresh:
        fresh.define("none(Tensor x) -> ()", "two(Tensor x) -> (Tensor, int)")
        fresh.impl("none", lambda x: None, "CPU")
        fresh.impl("two", lambda x: (x, 3), "CPU")
        x = engine.ones(1)
        stack = [x]
        fresh.ops.none.default.call_boxed(stack)
        assert stack == []
        stack = [x]
        fresh.ops.two.default.call_boxed(stack)
        assert stack[0] is x and stack[1:] == [3]
