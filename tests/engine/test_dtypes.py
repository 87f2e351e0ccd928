"""Halves and small integers: their bits, what is converted and printed, and operators on them, against PyTorch."""

import pickle

import numpy as np
import pytest
from compare import needs_torch, torch

import engine
from engine.aten.halves import narrow, narrow_bfloat16, widen
from engine.aten.native import reduce_ops
from engine.cuda import half_copy

HALVES = ("float16", "bfloat16")
SMALL = ("uint8", "int8", "int16")
ALL = ("bool", *SMALL, "int32", "int64", *HALVES, "float32", "float64")
BITS = np.arange(2**16, dtype=np.uint16)


def kind(name, T=engine):
    return getattr(T, name)


def bits_of(tensor):
    """The bits of a half of either side; the elements of any other tensor."""
    is_half = str(tensor.dtype).removeprefix("torch.") in HALVES
    T = engine if isinstance(tensor, engine.Tensor) else torch
    return (tensor.view(T.int16) if is_half else tensor).tolist()


# ---- bits


@pytest.mark.parametrize(("bits", "expected"), [
    (0x3F800000, 0x3F80), (0x3F808000, 0x3F80), (0x3F818000, 0x3F82), (0x3F808001, 0x3F81), (0x7F800000, 0x7F80),
    (0x7F7FFFFF, 0x7F80), (0x7F800001, 0x7FC0), (0xFFC12345, 0x7FC0), (0x80000001, 0x8000), (0x00008001, 0x0001),
])  # fmt: skip
def test_a_bfloat16_is_the_nearest_and_of_two_the_even_one(bits, expected):
    assert narrow_bfloat16(np.array([bits], np.uint32)).tolist() == [expected]


@pytest.mark.parametrize("name", HALVES)
def test_a_half_is_itself_after_float32(name):
    numbers = widen(BITS, kind(name))
    same = (narrow(numbers, kind(name)) == BITS) | np.isnan(numbers)
    assert same.all()


@pytest.mark.parametrize("name", HALVES)
def test_the_devices_functions_of_bits_give_numpys(name):
    whole = np.concatenate([widen(BITS, kind(name)).view(np.int32), np.arange(-(2**31), 2**31, 65521, np.int32)])
    near = np.concatenate([whole + np.int32(step) for step in (-1, 0, 1, 0xFFF, 0x1000, 0x8000)])
    numbers = near[~np.isnan(near.view(np.float32))]
    widened = [half_copy.WIDEN[kind(name)](bits) for bits in BITS.view(np.int16)]
    narrowed = [half_copy.NARROW[kind(name)](word) for word in numbers]
    assert np.array_equal(np.array(widened, np.int32).view(np.float32), widen(BITS, kind(name)), equal_nan=True)
    assert np.array_equal(np.array(narrowed, np.int16).view(np.uint16), narrow(numbers.view(np.float32), kind(name)))
    nan = half_copy.NARROW[kind(name)](np.int32(0x7F800001))
    assert np.isnan(widen(np.array([nan], np.int16).view(np.uint16), kind(name))).all()


@pytest.mark.slow
@pytest.mark.parametrize("of", ALL)
def test_a_copy_on_the_device_converts_as_on_the_cpu(of):
    numbers = engine.tensor([[1.5, -2.25, 0.0], [100.7, -3.99, 300.0]], dtype=engine.float64).to(kind(of)).t()
    for to in ALL:
        on_device = numbers.cuda().to(kind(to))
        assert on_device.is_cuda and bits_of(on_device.cpu()) == bits_of(numbers.to(kind(to))), to


def test_float16_shares_memory_with_numpy():
    array = np.array([1.5, -2], np.float16)
    shared = engine.from_numpy(array)
    array[0] = 7
    assert shared.dtype is engine.float16
    assert shared.tolist() == [7, -2]
    assert shared.numpy().dtype == np.float16


def test_bfloat16_is_not_numpys():
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        engine.ones(2, dtype=engine.bfloat16).numpy()


@pytest.mark.parametrize("name", (*HALVES, *SMALL))
def test_a_pickle_keeps_the_dtype(name):
    x = engine.arange(4).to(kind(name))
    copied = pickle.loads(pickle.dumps(x))
    assert (copied.dtype, copied.tolist()) == (x.dtype, x.tolist())


@pytest.mark.parametrize("call", [
    lambda T: T.zeros(2, dtype=T.complex64), lambda T: T.ones(2).to(T.complex128),
    lambda T: T.tensor(1, dtype=T.cfloat), lambda T: T.promote_types(T.complex64, T.float32),
    lambda T: T.empty(2, dtype=T.cdouble, device="meta"),
])  # fmt: skip
def test_a_complex_dtype_is_refused_by_name(call):
    with pytest.raises(NotImplementedError, match=r"torch\.complex\d+ is not implemented"):
        call(engine)


# ---- what PyTorch does, recorded


@pytest.mark.slow
def test_add_rounds_its_number_first_and_mul_does_not():
    x = engine.tensor([3.0], dtype=engine.bfloat16)
    rounded = engine.tensor(0.3, dtype=engine.bfloat16)
    assert (x + 0.3).tolist() == (x + rounded).tolist() == [3.296875]
    assert (x * 1.3).tolist() == [3.90625]
    assert (x * engine.tensor(1.3, dtype=engine.bfloat16)).tolist() == [3.890625]


@pytest.mark.slow
def test_a_sum_of_halves_accumulates_in_float32():
    assert engine.ones(1000, dtype=engine.bfloat16).sum().item() == 1000
    assert engine.full((4096,), 16.0, dtype=engine.float16).mean().item() == 16


@pytest.mark.slow
def test_a_kernel_has_one_function_for_halves_before_it():
    for name in HALVES:
        engine.ones(1, dtype=kind(name))
    kernel = reduce_ops.sum_stub.kernels["cpu"]
    assert kernel.__wrapped__ and not hasattr(kernel.__wrapped__, "__wrapped__")


def test_a_half_has_a_gradient_in_its_dtype():
    x = engine.tensor([1.0, 2.0], dtype=engine.bfloat16, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.dtype is engine.bfloat16
    assert x.grad.tolist() == [2, 4]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_small_integer_wraps_around(name):
    most = engine.iinfo(kind(name)).max
    x = engine.tensor([most], dtype=kind(name))
    assert (x + 1).tolist() == [engine.iinfo(kind(name)).min]
    assert (x - 1).tolist() == [most - 1]
    assert x.sum().item() == most


@pytest.mark.slow
def test_the_least_common_multiple_of_small_integers_is_an_int_cut_to_their_bits():
    def multiple(name):
        return engine.lcm(*engine.tensor([-121, -114], dtype=kind(name))).item()

    assert (multiple("int8"), multiple("int32")) == (121 * 114 % 256 - 256, 121 * 114)


# ---- PyTorch beside

NUMBERS = [300.7, -1.5, 1e10, -1e10, float("nan"), float("inf"), 127.9, -128.9, 255, 70000, 2049, 2051, 257, 259,
           1 + 2**-11 + 2**-30, 1e-7, 6e-8, 1e-40, 0, 65519, 65520]  # fmt: skip


@needs_torch
@pytest.mark.slow
@pytest.mark.parametrize("to", ALL)
@pytest.mark.parametrize("of", ALL)
def test_a_conversion_gives_pytorchs_bits(of, to):
    def converted(T, is_strided):
        floats = T.tensor(NUMBERS, dtype=T.float64)
        x = (floats if of in (*HALVES, "float32", "float64") else T.arange(-300, 70000, 77)).to(kind(of, T))
        return (T.stack((x, x), 1)[:, 0] if is_strided else x).to(kind(to, T))

    for is_strided in (False, True):
        ours, theirs = converted(engine, is_strided), converted(torch, is_strided)
        if ours.is_floating_point():  # a NaN is a NaN: which bits it has differs within PyTorch
            assert ours.isnan().tolist() == theirs.isnan().tolist()
            ours, theirs = ours[~ours.isnan()], theirs[~theirs.isnan()]
        assert bits_of(ours) == bits_of(theirs)


@needs_torch
@pytest.mark.parametrize("name", HALVES)
def test_every_half_widens_to_pytorchs_number(name):
    theirs = torch.from_numpy(BITS.view(np.int16)).view(kind(name, torch)).float().numpy()
    ours = engine.from_numpy(BITS.view(np.int16)).view(kind(name)).float().numpy()
    assert np.array_equal(ours, theirs, equal_nan=True)


@needs_torch
@pytest.mark.parametrize("name", (*HALVES, *SMALL))
def test_limits_and_names_are_pytorchs(name):
    info = "finfo" if name in HALVES else "iinfo"
    assert repr(getattr(engine, info)(kind(name))) == repr(getattr(torch, info)(kind(name, torch)))
    assert engine.ones(1, dtype=kind(name)).type() == torch.ones(1, dtype=kind(name, torch)).type()
    assert repr(engine.arange(3).to(kind(name))) == repr(torch.arange(3).to(kind(name, torch)))


OF_HALVES = {
    "x + y": lambda T, x, y: x + y,
    "x * 0.3": lambda T, x, y: x * 0.3,
    "x + 0.3": lambda T, x, y: x + 0.3,
    "add(alpha)": lambda T, x, y: T.add(x, y, alpha=0.3),
    "x / y.t()": lambda T, x, y: x / y.t(),
    "x // 0.3": lambda T, x, y: x // 0.3,
    "x % 0.3": lambda T, x, y: x % 0.3,
    "x < 0.3": lambda T, x, y: x < 0.3,
    "exp": lambda T, x, y: x.exp(),
    "gelu": lambda T, x, y: T.nn.functional.gelu(x),
    "where": lambda T, x, y: T.where(y > 0, x, y),
    "masked_fill": lambda T, x, y: x.masked_fill(y > 0, 0.3),
    "sum(1)": lambda T, x, y: x.sum(1),
    "mean(0)": lambda T, x, y: x.mean(0),
    "var(1)": lambda T, x, y: x.var(1),
    "cumsum(1)": lambda T, x, y: x.cumsum(1),
    "softmax(1)": lambda T, x, y: x.softmax(1),
    "max(1)": lambda T, x, y: x.max(1)[0],
    "x @ y": lambda T, x, y: x @ y,
    "layer_norm": lambda T, x, y: T.nn.functional.layer_norm(x, (16,), y[0], y[1]),
    "x[rows]": lambda T, x, y: x[T.tensor([3, 1])],
    "scatter": lambda T, x, y: x.scatter(1, T.tensor([[3, 1]]), y),
    "cat": lambda T, x, y: T.cat((x, y.float())),
    "pad": lambda T, x, y: T.nn.functional.pad(x, (1, 2), value=0.3),
    "trunc": lambda T, x, y: T.div(x * 50, y, rounding_mode="trunc"),
    "floor": lambda T, x, y: T.div(x * 50, y, rounding_mode="floor"),
    "xlogy": lambda T, x, y: T.xlogy(x.abs(), y.abs()),
    "logit": lambda T, x, y: T.logit(x.sigmoid(), eps=0.25),
    "reflect": lambda T, x, y: T.nn.functional.pad(x, (1, 2), mode="reflect"),
    "sort": lambda T, x, y: x.sort(1)[0],
    "rand": lambda T, x, y: T.rand(20, dtype=x.dtype, generator=T.Generator().manual_seed(3)),
    "randn": lambda T, x, y: T.randn(37, dtype=x.dtype, generator=T.Generator().manual_seed(3)),
}


@needs_torch
@pytest.mark.slow
@pytest.mark.parametrize("call", OF_HALVES.values(), ids=OF_HALVES)
@pytest.mark.parametrize("name", HALVES)
def test_an_operator_on_halves_gives_pytorchs_bits(name, call):
    x, y = np.random.default_rng(0).standard_normal((2, 16, 16)).astype(np.float32)
    ours, theirs = (call(T, *(T.from_numpy(z).to(kind(name, T)) for z in (x, y))) for T in (engine, torch))
    assert str(ours.dtype) == str(theirs.dtype)
    assert bits_of(ours) == bits_of(theirs)


@needs_torch
@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_operators_on_small_integers_give_pytorchs_numbers(name):
    def results(T):
        x, y = T.arange(-90, 160, 7).to(kind(name, T)), T.arange(3, 39).to(kind(name, T))
        yield from (x + y, x - y, x * y, x // y, x % y, x < y, x & y, x << 3, x >> 2, -x, x.abs(), x + 300, x * -7)
        yield from (x.sum(), x.amax(), x.amin(), x.argmax(), x.any(), x.sort()[0], x.cumsum(0))
        yield from (x.mean(dtype=T.float32), x.view(6, 6).all(1))
        padded = [T.nn.functional.pad(x.view(1, 6, 6), (2, 1), mode=mode) for mode in ("reflect", "replicate")]
        yield from (one.flatten() for one in padded)
        yield from (x[y > 20], x[T.tensor([3, 1])], x.flip(0), x.masked_fill(y > 20, 5), T.where(y > 20, x, y), x / y)

    for ours, theirs in zip(results(engine), results(torch), strict=True):
        assert str(ours.dtype) == str(theirs.dtype)
        assert ours.tolist() == pytest.approx(theirs.tolist(), rel=1e-6)
