"""Replayed kernels do what Python kernels do: results, sharing, errors, references."""

import itertools

import numpy as np
import pytest
import replay_programs
from compare import outcome
from replaying import WHY_NOT, replay, replays  # noqa: F401  a fixture of every test
from tiers import fast_first, fast_only

import engine
from engine.aten.native import unary_ops
from engine.dispatch import registry
from engine.dispatch.keys import DispatchKey
from engine.dispatch.recording import trace
from engine.dispatch.table import Kernel
from engine.native import leaf, switch
from engine.nn import functional as F

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=f"not run: {WHY_NOT}")


# ---- each operator

UNARY = ("neg", "abs", "exp", "log", "sin", "cos", "sqrt", "sqrt_", "rsqrt", "reciprocal", "tanh", "sigmoid", "relu",
         "relu_", "sum", "mean")  # fmt: skip
BINARY = ("add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum")
GRADIENTS = ("tanh_backward", "sigmoid_backward", "gelu_backward", "silu_backward")  # of a gradient and a tensor
MATRIX = (4, 3)
PROGRAMS = {
    **{name: ((MATRIX,), lambda x, name=name: getattr(x, name)()) for name in UNARY},
    **{name: ((MATRIX, MATRIX), lambda x, y, name=name: getattr(x, name)(y)) for name in BINARY},
    **{f"{name} broadcast": ((MATRIX, (3,)), lambda x, y, name=name: getattr(x, name)(y)) for name in BINARY},
    **{f"{name} number": ((MATRIX,), lambda x, name=name: getattr(x, name)(2.5)) for name in BINARY},
    **{name: ((MATRIX, MATRIX), lambda x, y, name=name: getattr(x, name)(y)) for name in COMPARISONS},
    **{f"{name} broadcast": ((MATRIX, (3,)), lambda x, y, name=name: getattr(x, name)(y)) for name in COMPARISONS},
    **{name: ((MATRIX, MATRIX), lambda g, x, name=name: getattr(engine.ops.aten, name)(g, x)) for name in GRADIENTS},
    "where.self": ((MATRIX, MATRIX), lambda x, y: engine.where(x > 2, x, y)),
    "addcmul": ((MATRIX, MATRIX, (3,)), lambda x, y, z: engine.addcmul(x, y, z, value=0.5)),
    "addcmul_": ((MATRIX, MATRIX, MATRIX), lambda x, y, z: x.addcmul_(y, z, value=2)),
    "addcdiv": ((MATRIX, MATRIX, (3,)), lambda x, y, z: engine.addcdiv(x, y, z)),
    "addcdiv_": ((MATRIX, MATRIX, MATRIX), lambda x, y, z: x.addcdiv_(y, z, value=-0.1)),
    "lerp.Scalar": ((MATRIX, MATRIX), lambda x, y: x.lerp(y, 0.25)),
    "lerp_.Scalar": ((MATRIX, MATRIX), lambda x, y: x.lerp_(y, 0.75)),
    "pow.Tensor_Scalar": ((MATRIX,), lambda x: x**2),
    "pow.Tensor_Scalar of a float": ((MATRIX,), lambda x: x**-1.5),
    "clamp": ((MATRIX,), lambda x: x.clamp(2, 3)),
    "clamp below": ((MATRIX,), lambda x: x.clamp(min=2.5)),
    "_to_copy": ((MATRIX,), lambda x: x.to(engine.int32)),
    "_to_copy to double": ((MATRIX,), lambda x: x.to(engine.float64, copy=True)),
    "gelu": ((MATRIX,), lambda x: F.gelu(x)),
    "gelu by tanh": ((MATRIX,), lambda x: F.gelu(x, approximate="tanh")),
    "silu": ((MATRIX,), lambda x: F.silu(x)),
    "amax": ((MATRIX,), lambda x: x.amax(1)),
    "amin": ((MATRIX,), lambda x: x.amin((0, 1))),
    "native_layer_norm": ((MATRIX, (3,), (3,)), lambda x, w, b: F.layer_norm(x, (3,), w, b)),
    "native_layer_norm plain": ((MATRIX,), lambda x: F.layer_norm(x, (3,))),
    "native_layer_norm_backward": (
        (MATRIX, MATRIX, (3,), (3,)),
        lambda g, x, w, b: engine.ops.aten.native_layer_norm_backward(
            g, x, (3,), *engine.ops.aten.native_layer_norm(x, (3,), w, b, 1e-5)[1:], w, b, [True] * 3
        ),
    ),
    "threshold_backward": ((MATRIX, MATRIX), lambda g, x: engine.ops.aten.threshold_backward(g, x, 0.5)),
    "sum.dim_IntList": ((MATRIX,), lambda x: x.sum(0)),
    "mean.dim": ((MATRIX,), lambda x: x.mean(-1, keepdim=True)),
    "mm": ((MATRIX, (3, 5)), lambda x, y: engine.mm(x, y)),
    "mm of many": (((40, 30), (30, 50)), lambda x, y: engine.mm(x, y)),
    "mm of more": (((130, 120), (120, 140)), lambda x, y: engine.mm(x, y)),
    "mm of a column": ((MATRIX, (3, 1)), lambda x, y: engine.mm(x, y)),
    "addmm": (((5,), MATRIX, (3, 5)), lambda b, x, y: engine.addmm(b, x, y)),
    "addmm of a matrix": (((4, 5), MATRIX, (3, 5)), lambda b, x, y: engine.addmm(b, x, y, beta=0.5, alpha=2)),
    "bmm": (((2, 4, 3), (2, 3, 5)), lambda x, y: engine.bmm(x, y)),
    "_softmax": ((MATRIX,), lambda x: x.softmax(-1)),
    "_softmax columns": ((MATRIX,), lambda x: x.softmax(0)),
    "_log_softmax": ((MATRIX,), lambda x: x.log_softmax(-1)),
    "_log_softmax columns": ((MATRIX,), lambda x: x.log_softmax(0)),
    "_softmax_backward_data": (
        (MATRIX, MATRIX),
        lambda g, y: engine.ops.aten._softmax_backward_data(g, y, 1, engine.float32),
    ),
    "_log_softmax_backward_data": (
        (MATRIX, MATRIX),
        lambda g, y: engine.ops.aten._log_softmax_backward_data(g, y, 1, engine.float32),
    ),
    "nll_loss_forward": ((MATRIX,), lambda x: F.nll_loss(x, engine.tensor([0, 2, 1, 2]))),
    "nll_loss_forward weighted": ((MATRIX, (3,)), lambda x, w: F.nll_loss(x, engine.tensor([0, 2, 1, 2]), w)),
    "nll_loss_backward": (
        ((), MATRIX, (3,), ()),
        lambda g, x, w, t: engine.ops.aten.nll_loss_backward(g, x, engine.tensor([0, 2, 1, 2]), w, 1, -100, t),
    ),
    "view": ((MATRIX,), lambda x: x.view(2, 6)),
    "t": ((MATRIX,), lambda x: x.t()),
    "transpose.int": ((MATRIX,), lambda x: x.transpose(0, 1)),
    "permute": ((MATRIX,), lambda x: x.permute(1, 0)),
    "unsqueeze": ((MATRIX,), lambda x: x.unsqueeze(1)),
    "squeeze": (((4, 1, 3),), lambda x: x.squeeze()),
    "squeeze.dim": (((4, 1, 3),), lambda x: x.squeeze(1)),
    "expand": (((4, 1),), lambda x: x.expand(4, 3)),
    "select.int": ((MATRIX,), lambda x: x.select(0, 2)),
    "slice.Tensor": ((MATRIX,), lambda x: x[1:3]),
    "copy_": ((MATRIX, MATRIX), lambda x, y: x.copy_(y)),
    "copy_ broadcast": ((MATRIX, (3,)), lambda x, y: x.copy_(y)),
    "copy_ of one": ((MATRIX, (1, 1)), lambda x, y: x.copy_(y)),
    "copy_ to double": ((MATRIX,), lambda x: engine.zeros(4, 3, dtype=engine.float64).copy_(x)),
    "clone": ((MATRIX,), lambda x: x.clone()),
    "clone of one": (((1, 1),), lambda x: x.expand(3, 2).clone()),
    "cat": ((MATRIX, (2, 3)), lambda x, y: engine.cat((x, y))),
    "cat of columns": ((MATRIX, (4, 2), (4, 1)), lambda x, y, z: engine.cat((x, y, z), 1)),
    "cat twice": ((MATRIX,), lambda x: engine.cat((x, x))),
    "cat of two dtypes": ((MATRIX, (2, 3)), lambda x, y: engine.cat((x, y.int()))),
    "zero_": ((MATRIX,), lambda x: x.zero_()),
    "fill_.Scalar": ((MATRIX,), lambda x: x.fill_(2.5)),
    "zeros": ((), lambda: engine.zeros(3, 2)),
    "ones": ((), lambda: engine.ones(3, dtype=engine.int64)),
    "full": ((), lambda: engine.full((2, 2), 7)),
    "full of a bool": ((), lambda: engine.full((3,), True)),
    "zeros_like": ((MATRIX,), lambda x: engine.zeros_like(x)),
    "ones_like": ((MATRIX,), lambda x: engine.ones_like(x)),
    "empty.memory_format": ((), lambda: engine.empty(3, 2).zero_()),
    "empty_like": ((MATRIX,), lambda x: engine.empty_like(x).zero_()),
    "empty_strided": ((), lambda: engine.empty_strided((3, 2), (1, 3), dtype=engine.int32).zero_()),
    "full_like": ((MATRIX,), lambda x: engine.full_like(x, -1.5)),
}
ALIKE = [*(f"{name} broadcast" for name in (*BINARY, *COMPARISONS)), *COMPARISONS[1:]]  # loops that differ in a word
FAST = [name for name in PROGRAMS if name not in ALIKE or name == "add broadcast"]
TYPES = ("float32", "float64", "int64")
OPERATORS = {name.split(".")[0] for name in switch.REPLAYED}
CALLED = {name: str(f.replay_calls) for name, f in switch.REPLAYED.items() if f.replay_calls}


def test_every_flagged_operator_is_among_the_programs():
    assert OPERATORS - {name.split()[0].split(".")[0] for name in PROGRAMS} == set()


def operands(sizes, dtype, place, seed):
    """Tensors of small numbers: fresh, in the middle of storages of their own, transposed, or parts of one storage."""
    values, made = np.random.default_rng(seed), []
    base = engine.from_numpy(values.integers(1, 5, 200_000).astype(dtype))
    first = 0
    for k, size in enumerate(sizes):
        count = int(np.prod(size))
        numbers = values.integers(1, 5, count + 8).astype(dtype)
        if place == "fresh":
            made.append(engine.from_numpy(numbers[:count]).view(size))
        elif place == "offset":
            made.append(engine.from_numpy(numbers)[seed + k : seed + k + count].view(size))
        elif place == "transposed":
            made.append(engine.from_numpy(numbers[:count]).view(size[::-1]).permute(tuple(reversed(range(len(size))))))
        else:
            made.append(base[first + seed : first + seed + count].view(size))
            first += count
    return made


def results(program, sizes, dtype, place):
    """Return the visible state of the operands and of the result after each of four calls with other values."""
    seen = []
    for seed in range(4):
        given = operands(sizes, dtype, place, seed)
        seen.append(outcome(engine, lambda T: [program(*given), *given]))  # noqa: B023
    return seen


@pytest.mark.parametrize("dtype", fast_first(1, TYPES))  # each dtype and each walk of memory has kernels to compile
@pytest.mark.parametrize("place", fast_only(["offset", "shared"], ["fresh", "offset", "transposed", "shared"]))
@pytest.mark.parametrize("name", fast_only(FAST, PROGRAMS))
def test_calls_two_three_and_four_give_what_python_gives(name, place, dtype):
    sizes, program = PROGRAMS[name]
    replayed = results(program, sizes, dtype, place)
    switch.disable()
    expected = results(program, sizes, dtype, place)
    switch.enable()
    assert replayed == expected


@pytest.mark.parametrize("name", fast_only(FAST, PROGRAMS))
def test_a_flagged_operator_is_replayed(name):
    sizes, program = PROGRAMS[name]
    results(program, sizes, "float32", "fresh")
    operator = name.split()[0]
    before = sum(leaf.replays for op, leaf in switch.leaves().items() if op.split(".")[0] == operator.split(".")[0])
    results(program, sizes, "float32", "fresh")
    after = sum(leaf.replays for op, leaf in switch.leaves().items() if op.split(".")[0] == operator.split(".")[0])
    assert after - before >= 4, {op: leaf.refusals for op, leaf in switch.leaves().items()}


@pytest.mark.slow
def test_no_kernel_calls_another_operator_than_is_known():
    called = set()
    for sizes, program in PROGRAMS.values():
        given = operands(sizes, "float32", "fresh", 0)
        with trace() as steps:
            program(*given)
        for k, step in enumerate(steps):
            name = step.op.removeprefix("aten::")
            if name in switch.REPLAYED and step.key is DispatchKey.CPU:
                inside = itertools.takewhile(lambda other: other.depth > step.depth, steps[k + 1 :])  # noqa: B023
                called |= {(name, other.op.removeprefix("aten::")) for other in inside}
    assert called == {*CALLED.items()}


@pytest.mark.parametrize("operator", CALLED)
def test_a_kernel_that_calls_another_operator_calls_the_one_that_somebody_registered(operator):
    sizes, program = PROGRAMS[operator]
    given, name = operands(sizes, "float32", "fresh", 0), f"aten::{CALLED[operator]}"
    for _ in range(3):
        program(*given)
    (kernel, *_), calls = registry.find(name).registered[DispatchKey.CPU], []

    def counted(*args):
        calls.append(args)
        return kernel.function(*args)

    registration = registry.register(name, DispatchKey.CPU, Kernel(counted, registered=counted))
    try:
        for _ in range(3):
            program(*given)
    finally:
        registration.destroy()
    assert len(calls) == 3
    before = replays(operator)
    for _ in range(3):
        program(*given)
    assert replays(operator) > before


# ---- keys


def test_arguments_that_are_equal_and_of_other_classes_have_plans_of_their_own():
    x = engine.ones(3, dtype=engine.int64)
    ones = (1, True, 1.0)
    for _ in range(3):
        assert [(x + one).dtype for one in ones] == [engine.int64, engine.int64, engine.float32]
        assert outcome(engine, lambda T: T.add(x, x, alpha=1.0)).type == "RuntimeError"


def test_two_numbers_that_are_equal_once_are_not_taken_for_one():
    for value in (3, 2, 1):
        x = engine.full((1, 1), value, dtype=engine.int32)
        assert (x / 3).item() == pytest.approx(value / 3)


def test_signed_zeros_are_different_arguments():
    x = engine.zeros(3)
    y = engine.ones(3)
    for zero, sign in ((0.0, 1.0), (-0.0, -1.0)) * 3:
        assert (1 / engine.add(-x, y, alpha=zero)).tolist() == (1 / (-x + y * zero)).tolist(), sign


def test_a_tensor_and_itself_are_no_two_tensors():
    x, y = engine.arange(4.0), engine.ones(4)
    for _ in range(3):
        assert (x * y).tolist() == [0, 1, 2, 3]
        assert (x * x).tolist() == [0, 1, 4, 9]
        assert (y * x).tolist() == [0, 1, 2, 3]


def test_a_write_to_a_part_of_an_input_is_python_s():
    for _ in range(3):
        x, y = engine.arange(8.0), engine.ones(4)
        x[:4].add_(y)
        assert x.tolist() == [1, 2, 3, 4, 4, 5, 6, 7]
        with pytest.raises(RuntimeError, match="some elements of the input tensor"):
            x[1:5].add_(x[:4])


def test_another_default_dtype_is_another_result():
    x = engine.arange(3)
    for _ in range(3):
        assert x.exp().dtype is engine.float32
    engine.set_default_dtype(engine.float64)
    try:
        assert [x.exp().dtype for _ in range(3)] == [engine.float64] * 3
    finally:
        engine.set_default_dtype(engine.float32)
    assert x.exp().dtype is engine.float32


def test_inference_mode_makes_inference_tensors():
    x, y = engine.ones(3), engine.ones(3)
    for _ in range(3):
        assert not (x + y).is_inference()
        with engine.inference_mode():
            assert (x + y).is_inference()


def test_a_full_table_starts_again():
    x = engine.ones(3)
    for k in range(2000):
        assert engine.add(x, x, alpha=k).tolist() == [1 + k] * 3
    assert replays("add.Tensor") > 0


def test_an_error_of_a_later_call_is_the_usual_one():
    x = engine.zeros(2, 3)
    for _ in range(3):
        F.nll_loss(x, engine.tensor([0, 1]))
    with pytest.raises(IndexError, match="Target 3 is out of bounds"):
        F.nll_loss(x, engine.tensor([0, 3]))


def test_a_subclass_of_tensor_is_left_to_python():
    class Mine(engine.Tensor):
        pass

    x = engine.ones(3).as_subclass(Mine) if hasattr(engine.Tensor, "as_subclass") else engine.nn.Buffer(engine.ones(3))
    y = engine.ones(3)
    y + y
    before = replays("add.Tensor")
    assert (x + y).tolist() == [2] * 3
    assert replays("add.Tensor") == before


def test_a_kernel_that_writes_with_numpy_besides_makes_no_plan(monkeypatch):
    kernels, x = unary_ops.neg_stub.kernels, engine.ones(3)
    compiled = kernels["cpu"]

    def kernel(iter):
        compiled(iter)
        iter.operands[0]._flat()[1] = 42

    monkeypatch.setitem(kernels, "cpu", kernel)
    assert [(-x).tolist() for _ in range(3)] == [[-1, 42, -1]] * 3
    assert switch.leaves()["neg"].refusals == ["a replay gives another result"]
    leaf.forget_plans()


# ---- programs


def training_losses(steps):
    values = np.random.default_rng(0)
    shapes = ((32, 64), (32,), (10, 32), (10,))
    weights = [engine.from_numpy(values.standard_normal(s).astype("float32") * 0.1).requires_grad_() for s in shapes]
    x, y = engine.from_numpy(values.standard_normal((16, 64)).astype("float32")), engine.arange(16) % 10
    losses = []
    for _ in range(steps):
        for weight in weights:
            weight.grad = None
        hidden = F.relu(F.linear(x, *weights[:2]))
        loss = F.cross_entropy(F.linear(hidden, *weights[2:]), y)
        loss.backward()
        with engine.no_grad():
            for weight in weights:
                weight.add_(weight.grad, alpha=-0.1)
        losses.append(loss.item())
    return losses


def test_forty_losses_are_the_same_bit_for_bit():
    replayed = training_losses(40)
    switch.disable()
    assert replayed == training_losses(40)


@pytest.mark.parametrize("seeds", fast_first(1, [range(8), range(8, 100), range(200, 300)]), ids=str)
def test_random_programs_do_the_same(seeds):
    assert replay_programs.differences(seeds) == []
