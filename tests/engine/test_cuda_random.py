"""Random numbers on device "cuda": seeds, states, distributions, and the algorithm."""

import numpy as np
import pytest
from tiers import fast_first

import engine


@pytest.fixture(autouse=True)
def seeded():
    engine.cuda.manual_seed(7)


def drawn(count=600, fill=lambda x: x.uniform_(), **options):
    return fill(engine.empty(count, device="cuda", **options)).cpu().numpy()


def test_a_seed_gives_the_same_numbers_and_a_call_others():
    first, second = drawn(20), drawn(20)
    engine.manual_seed(7)
    assert np.array_equal(drawn(20), first) and not np.array_equal(first, second)


def test_numbers_do_not_depend_on_the_grid(monkeypatch):
    from engine.cuda import launch

    first = drawn(40)
    monkeypatch.setitem(launch.SHAPES, "elementwise", launch.Shape(3, 5))
    engine.cuda.manual_seed(7)
    assert np.array_equal(drawn(40), first)


def test_a_state_is_taken_up_again():
    generator = engine.Generator(device="cuda").manual_seed(3)
    engine.rand(5, generator=generator, device="cuda")
    state = generator.get_state()
    first = engine.rand(5, generator=generator, device="cuda")
    assert generator.set_state(state) is generator and generator.device.type == "cuda"
    assert engine.rand(5, generator=generator, device="cuda").tolist() == first.tolist()
    assert generator.initial_seed() == 3 and engine.cuda.initial_seed() == 7
    with pytest.raises(RuntimeError, match="expected 2 elements, got 3"):
        generator.set_state(engine.zeros(3, dtype=engine.int64))


@pytest.mark.parametrize("dtype", fast_first(1, [engine.float32, engine.float64]))
def test_uniform_and_normal_have_their_moments(dtype):
    uniform = drawn(2000, lambda x: x.uniform_(-1, 3), dtype=dtype)
    assert uniform.min() >= -1 and uniform.max() < 3
    assert abs(uniform.mean() - 1) < 0.1 and abs(uniform.std() - 4 / 12**0.5) < 0.1
    normal = drawn(2000, lambda x: x.normal_(2, 0.5), dtype=dtype)
    assert abs(normal.mean() - 2) < 0.05 and abs(normal.std() - 0.5) < 0.05 and abs(normal).max() < 5


def test_integers_reach_both_ends_and_no_further():
    assert set(drawn(300, lambda x: x.random_(-2, 3), dtype=engine.int64)) == {-2, -1, 0, 1, 2}
    assert set(drawn(60, lambda x: x.random_(), dtype=engine.bool)) == {False, True}
    assert drawn(50, lambda x: x.random_(), dtype=engine.int64).min() >= 0
    assert drawn(50, lambda x: x.random_(-(2**63), None), dtype=engine.int64).min() < 0


def test_coins_fall_with_their_probability():
    coins = drawn(1000, lambda x: x.bernoulli_(0.2))
    assert set(coins) == {0.0, 1.0} and 0.15 < coins.mean() < 0.25
    assert engine.empty(3, device="cuda").bernoulli_(0.0).tolist() == [0, 0, 0]


def test_xoroshiro_is_the_plain_algorithm():
    from engine.cuda import driver, xoroshiro

    if not driver.is_simulated():
        pytest.skip("not run: numba's simulator (a GPU is there)")
    mask, s0, s1 = 2**64 - 1, 0x123456789ABCDEF0, 0x0FEDCBA987654321
    state = np.uint64(s0), np.uint64(s1)
    for _ in range(5):
        number, *state = xoroshiro.xoroshiro128p_next(*state)
        assert int(number) == (s0 + s1) & mask  # as numba/cuda/random.py has it, in Python's integers
        s1 ^= s0
        s0 = ((s0 << 55 | s0 >> 9) ^ s1 ^ s1 << 14) & mask
        s1 = (s1 << 36 | s1 >> 28) & mask
        assert (int(state[0]), int(state[1])) == (s0, s1)
