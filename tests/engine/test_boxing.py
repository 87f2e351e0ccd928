"""One Python function serves operators of any schema: how arguments get to it, and what it may return."""

import pytest
from compare import engine, needs_torch
from fresh import Fresh, assert_agree, error_of, keys

from engine.dispatch import boxing
from engine.dispatch.schema import parse_schema

SCHEMA = parse_schema("ns::op(Tensor x, int n=1, int[2] sizes=[1, 1], *, float f=0.5, Tensor? y=None) -> Tensor")


def test_a_stack_holds_every_argument_in_the_order_of_the_schema():
    x = engine.ones(1)
    assert boxing.stack_of(SCHEMA, (x,), {}) == [x, 1, (1, 1), 0.5, None]
    assert boxing.stack_of(SCHEMA, (), {"y": x, "f": 2, "sizes": 3, "x": x}) == [x, 1, (3, 3), 2.0, x]


@pytest.mark.parametrize(
    ("stack", "args", "kwargs"),
    [
        (["x", 1, (1, 1), 0.5, None], ["x"], {}),
        (["x", 2, (1, 1), 0.5, None], ["x", 2], {}),
        (["x", 1, (2, 1), 0.5, None], ["x", 1, [2, 1]], {}),
        (["x", 1, (1, 1), 0.25, "y"], ["x"], {"f": 0.25, "y": "y"}),
    ],
)
def test_a_python_function_is_not_given_the_defaults_behind_the_last_value_that_is_none(stack, args, kwargs):
    assert boxing.arguments_of(SCHEMA, stack) == (args, kwargs)


def test_what_a_function_is_given_makes_the_same_stack_again():
    x = engine.ones(1)
    for stack in ([x, 1, (1, 1), 0.5, None], [x, 3, (1, 1), 0.5, x], [x, 1, (1, 2), 2.0, None]):
        args, kwargs = boxing.arguments_of(SCHEMA, stack)
        assert boxing.stack_of(SCHEMA, args, kwargs) == stack


@needs_torch
@pytest.mark.parametrize(
    "call",
    ["x", "x, 1", "x, 2", "x, 1, [1, 1]", "x, 1, [1, 2]", "x, 1, 1", "x, 1, 5", "x, f=0.5", "x, f=1", "x, y=x",
     "x, y=None",
     "x, 3, (4, 4), f=2.0, y=x", "x, sizes=[2, 2]", "x, sizes=(1, 1), n=2"],
)  # fmt: skip
def test_a_python_kernel_is_called_as_pytorch_calls_it(call):
    def program(T, fresh):
        got = []
        fresh.define(str(SCHEMA).replace("ns::", ""))

        def kernel(*args, **kwargs):
            got.append((_shown(T, args), sorted((name, _shown(T, [value])) for name, value in kwargs.items())))
            return args[0]

        fresh.impl("op", kernel, "CPU")
        eval(f"op({call})", {"op": fresh.ops.op, "x": T.ones(1)})
        return got

    assert_agree(program)


@needs_torch
@pytest.mark.parametrize("value", ["1", "1.0", "True", "2"])
def test_a_number_of_another_type_is_no_default(value):
    def program(T, fresh):
        got = []
        fresh.define("op(Tensor x, Scalar s=1) -> Tensor")
        fresh.impl("op", lambda x, *args: got.append(repr(args)) or x, "CPU")
        fresh.ops.op(T.ones(1), eval(value))
        return got

    assert_agree(program)


def _shown(T, values):
    return [
        "tensor" if isinstance(value, T.Tensor) else _shown(T, value) if isinstance(value, list) else repr(value)
        for value in values
    ]


# ---- results

RETURNED = {
    "nothing": "None", "a tensor": "x", "an int": "3", "a float": "1.5", "a bool": "True", "a string": "'s'",
    "two tensors": "(x, x)", "a list": "[x, x]", "a tensor and nothing": "(x, None)", "a tensor and an int": "(x, 3)",
    "ints": "[1, 2]",
}  # fmt: skip


@needs_torch
@pytest.mark.parametrize("returned", RETURNED)
@pytest.mark.parametrize("schema", ["Tensor", "()", "(Tensor, Tensor)", "(Tensor, int)", "Tensor[]", "int", "float",
                                    "bool", "Scalar", "Tensor?", "int[]", "str"])  # fmt: skip
def test_what_a_python_kernel_returns_is_held_against_the_schema(schema, returned):
    if (schema, returned) in {("(Tensor, Tensor)", "a string"), ("(Tensor, int)", "a string")}:
        return  # one character for two results: PyTorch tells of the first, the engine of the number

    def program(T, fresh):
        x = T.ones(1)
        fresh.define(f"op(Tensor x) -> {schema}")
        fresh.impl("op", lambda x: eval(RETURNED[returned], {"x": x}), "CPU")
        result = fresh.ops.op(x)
        return (type(result).__name__, result) if schema != "Tensor" else result

    assert_agree(program)


def test_too_few_and_too_many_results_are_refused():  # PyTorch reads past the end of them
    with Fresh(engine) as fresh:
        fresh.define("op(Tensor x) -> (Tensor, Tensor)")
        for number in (0, 1, 3):
            library = fresh.impl("op", lambda x, number=number: (x,) * number, "CPU")
            told = error_of(lambda: fresh.ops.op(engine.ones(1)))
            assert told.startswith(f"RuntimeError: A kernel of {fresh.name}::op returned {number} values, not 2")
            library._destroy()


@needs_torch
def test_the_words_for_a_wrong_result_are_pytorchs():
    def program(T, fresh):
        x = T.ones(1)
        fresh.define("one(Tensor x) -> Tensor", "none(Tensor x) -> ()", "two(Tensor x) -> (Tensor, Tensor)")
        for name in ("one", "none", "two"):
            fresh.impl(name, lambda x: 3, "CPU")
        return [error_of(lambda op=op: op(x)) for op in (fresh.ops.one, fresh.ops.none, fresh.ops.two)]

    assert_agree(program)


# ---- boxed fallbacks

SCHEMAS = {
    "one(Tensor x) -> Tensor": "one(x)",
    "list(Tensor[] xs, int n=1) -> Tensor": "list([x, x], 3)",
    "optional(Tensor? y, Tensor x) -> Tensor": "optional(None, x)",
    "keywords(Tensor x, *, Scalar s=2, int[] l) -> (Tensor, Tensor)": "keywords(x, l=(1,))",
    "none(Tensor x) -> ()": "none(x)",
    "number(Tensor x) -> int": "number(x)",
    "many(Tensor x) -> Tensor[]": "many(x)",
    "factory(int n) -> Tensor": "factory(3)",
}
RESULTS = {"none": None, "number": 3}


def define_all(T, fresh, x, backend):
    """Each of SCHEMAS with a kernel at the backend; what a kernel returns depends on its schema only."""
    fresh.define(*SCHEMAS)
    for schema in SCHEMAS:
        name = schema.partition("(")[0]
        result = RESULTS.get(name, (x, x) if name in ("keywords", "many") else x)
        fresh.impl(name, lambda *args, result=result, **kwargs: result, backend)


@needs_torch
@pytest.mark.parametrize("call", SCHEMAS.values())
def test_a_boxed_fallback_serves_operators_of_any_schema(call):
    def program(T, fresh):
        x, log = T.ones(1), []
        define_all(T, fresh, x, "CPU")

        def fallback(op, *args, **kwargs):
            log.append((str(op), _shown(T, args), {name: repr(value) for name, value in kwargs.items()}))
            return op.redispatch(keys(T, "CPU"), *args, **kwargs)

        fresh.fallback(fallback, "PrivateUse1")
        ops = {name.partition("(")[0]: getattr(fresh.ops, name.partition("(")[0]) for name in SCHEMAS}
        with T._C._IncludeDispatchKeyGuard(T._C.DispatchKey.PrivateUse1):
            result = eval(call, ops | {"x": x})
        return result, [repr(entry).replace("tensor([1.])", "tensor") for entry in log]

    assert_agree(program)


@needs_torch
def test_a_fallback_may_ask_for_the_key_set_of_the_call():
    def program(T, fresh):
        x, log = T.ones(1), []
        define_all(T, fresh, x, "CPU")

        def fallback(key_set, op, *args, **kwargs):
            log.append(repr(key_set))
            return op.redispatch(keys(T, "CPU"), *args, **kwargs)

        fresh.fallback(fallback, "PrivateUse1", with_keyset=True)
        with T._C._IncludeDispatchKeyGuard(T._C.DispatchKey.PrivateUse1):
            fresh.ops.one(x)
            fresh.ops.factory(3)
        return log

    assert_agree(program)


def test_a_boxed_kernel_may_go_on_with_the_stack_that_it_was_given():
    from engine.dispatch import registry

    seen = []

    def fallback(op, *args):
        stack = boxing.stack_of(op._declared, args, {})
        seen.append((op.name(), len(stack)))
        boxing.redispatch_boxed(registry.find(op.name()), keys(engine, "CPU").raw_repr(), stack)
        return stack[0]

    with Fresh(engine) as fresh:
        fresh.fallback(fallback, "PrivateUse1")
        x = engine.ones(2)
        with engine._C._IncludeDispatchKeyGuard(engine._C.DispatchKey.PrivateUse1):
            result = engine.ops.aten.add.Tensor(x, x)
    assert result.tolist() == [2.0, 2.0] and seen == [("aten::add.Tensor", 3)]
