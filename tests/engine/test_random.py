"""Random numbers: from the same seed, PyTorch's."""

import threading
import warnings

import numpy as np
import pytest
from compare import assert_same, needs_torch, torch

import engine
from engine.aten.generator import WORDS, seeded_words
from engine.cpu import random

FLOATS = ("float32", "float64")
INTS = ("int64", "int32")
ALL = (*FLOATS, *INTS, "bool")

LAYOUTS = {
    "contiguous": lambda T, kind: T.zeros(6, 7, dtype=kind),
    "fewer than 16": lambda T, kind: T.zeros(5, dtype=kind),
    "an offset": lambda T, kind: T.zeros(60, dtype=kind)[7:],
    "no dimensions": lambda T, kind: T.zeros((), dtype=kind),
    "empty": lambda T, kind: T.zeros(0, 3, dtype=kind),
    "transposed": lambda T, kind: T.zeros(6, 7, dtype=kind).t(),
    "gaps": lambda T, kind: T.zeros(6, 8, dtype=kind)[:, 1::2],
    "permuted with gaps": lambda T, kind: T.zeros(4, 3, 8, dtype=kind)[:, :, ::2].permute(2, 0, 1),
}

DRAWS = [
    ("uniform_", FLOATS, lambda x: x.uniform_()),
    ("uniform_ between bounds", FLOATS, lambda x: x.uniform_(-1.25, 3.3)),
    ("uniform_ of one value", FLOATS, lambda x: x.uniform_(0.1, 0.1)),
    ("normal_", FLOATS, lambda x: x.normal_()),
    ("normal_ of mean and std", FLOATS, lambda x: x.normal_(-0.7, 3.3)),
    ("normal_ of std 0", FLOATS, lambda x: x.normal_(2, 0)),
    ("random_", ALL, lambda x: x.random_()),
    ("random_ of a coin", ALL, lambda x: x.random_(2)),
    ("random_ between bounds", (*FLOATS, *INTS), lambda x: x.random_(-50, 100)),
    ("random_ of 28 bits and less", (*FLOATS, *INTS), lambda x: x.random_(-50, 2**28 - 51)),
    ("random_ of more than 28 bits", (*FLOATS, *INTS), lambda x: x.random_(-50, 2**28 - 50)),
    ("random_ where floats have gaps", FLOATS, lambda x: x.random_(-(2**60) - 3, 2**60 + 7)),
    ("random_ of nearly all", ("int64",), lambda x: x.random_(-(2**63) + 1, 2**63 - 1)),
    ("random_ from", (*FLOATS, *INTS), lambda x: x.random_(-5, None)),
    ("random_ from, of bool", ("bool",), lambda x: x.random_(0, None)),
    ("random_ of all", (*FLOATS, "int64"), lambda x: x.random_(-(2**63), None)),
]


@needs_torch
@pytest.mark.filterwarnings("ignore:.*out of bounds")
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize(("dtypes", "draw"), [pytest.param(*draw, id=name) for name, *draw in DRAWS])
def test_draws_fill_any_layout_with_pytorch_s_numbers(dtypes, draw, layout):
    def program(T, name):
        T.manual_seed(11)
        made = [layout(T, getattr(T, name)) for _ in range(3)]
        for x in made:
            draw(x)
        return made

    for name in dtypes:
        assert_same(lambda T, name=name: program(T, name))


FACTORIES = {
    "rand": lambda T: (T.rand(3, 4), T.rand(()), T.rand(20, dtype=T.float64), T.rand((0, 2))),
    "randn": lambda T: (T.randn(3, 4), T.randn(4, 5), T.randn(3, dtype=T.float64), T.randn(18, dtype=T.float64)),
    "randn keeps what a pair leaves over": lambda T: (T.randn(3), T.randn(5), T.randn(20), T.randn(1)),
    "randint": lambda T: (T.randint(10, (3, 4)), T.randint(-3, 3, (5,)), T.randint(2**40, (5,))),
    "randint of dtypes": lambda T: [T.randint(0, 2, (5,), dtype=getattr(T, name)) for name in ALL],
    "randperm": lambda T: [T.randperm(n) for n in (0, 1, 2, 17, 1000)],
    "randperm of dtypes": lambda T: [T.randperm(30, dtype=getattr(T, name)) for name in (*FLOATS, *INTS)],
    "rand_like": lambda T: T.rand_like(T.zeros(3, 4).t()),
    "randn_like": lambda T: T.randn_like(T.zeros(5, 4), dtype=T.float64),
    "randint_like": lambda T: (T.randint_like(T.zeros(5), 9), T.randint_like(T.zeros(5), -2, 9)),
    "randint_like of a tensor": lambda T: T.randint_like(T.zeros(5), T.tensor(9)),
    "normal": lambda T: (T.normal(1.5, 2.0, (3,)), T.normal(0, 1, (2, 9), dtype=T.float64)),
    "normal of means": lambda T: T.normal(T.ones(3, 2).t(), 2.0),
    "normal of stds": lambda T: T.normal(1.5, T.full((3,), 2.0)),
    "normal of means and stds": lambda T: T.normal(T.ones(3, 2).t(), T.tensor([0.0, 2, 3], dtype=T.float64)),
    "bernoulli": lambda T: T.bernoulli(T.tensor([[0.0, 0.2, 0.5], [0.9, 1.0, 0.5]]).t()),
    "bernoulli in float64": lambda T: T.bernoulli(T.full((40,), 0.3, dtype=T.float64)),
    "out": lambda T: (T.rand(3, out=T.empty(0)), T.randn(3, out=T.empty(0)), T.randint(5, (3,), out=T.empty(0))),
    "out of randperm": lambda T: T.randperm(5, out=T.zeros(10, dtype=T.int64)[::2]),
}


@needs_torch
@pytest.mark.parametrize("make", FACTORIES.values(), ids=FACTORIES)
def test_factories_give_pytorch_s_numbers(make):
    assert_same(lambda T: (T.manual_seed(5), make(T))[1])


@needs_torch
@pytest.mark.parametrize("make", FACTORIES.values(), ids=FACTORIES)
def test_the_numbers_follow_on(make):
    assert_same(lambda T: (T.manual_seed(5), make(T), T.rand(1), T.randn(1))[2:])


@needs_torch
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [16, 17, 31, 32, 2**15 - 1, 2**15 + 1, 2**16 + 5, 100_003])
@pytest.mark.parametrize("name", ["rand", "randn"])
def test_many_numbers_are_pytorch_s(name, count, dtype):
    def numbers(T):
        T.manual_seed(7)
        return getattr(T, name)(count, dtype=getattr(T, dtype)).numpy().tobytes()

    assert numbers(engine) == numbers(torch)


@needs_torch
@pytest.mark.parametrize("probabilities", ["(6, 7)", "(7,)", "(6, 1)", "()"])
@pytest.mark.parametrize("dtype", ALL)
def test_bernoulli_broadcasts_its_probabilities(dtype, probabilities):
    def program(T, kind):
        T.manual_seed(3)
        p = T.rand(eval(probabilities), dtype=kind)
        return [layout(T, getattr(T, dtype)).bernoulli_(p) for layout in (LAYOUTS["contiguous"], transposed_6_7)]

    def transposed_6_7(T, kind):
        return T.zeros(7, 6, dtype=kind).t()

    for name in FLOATS:
        assert_same(lambda T, name=name: program(T, getattr(T, name)))


@needs_torch
@pytest.mark.parametrize("dtype", ALL)
def test_bernoulli_of_one_probability_compares_numbers_of_53_bits(dtype):
    # The oracle is PyTorch's rand, because its bernoulli_ has other numbers on Intel's processors.
    engine.manual_seed(9), torch.manual_seed(9)
    coins = engine.zeros(1000, dtype=getattr(engine, dtype)).bernoulli_(0.3)
    expected = (torch.rand(1000, dtype=torch.float64) < 0.3).to(getattr(torch, dtype))
    assert coins.tolist() == expected.tolist()


REFUSALS = {
    "negative std": lambda T: T.empty(3).normal_(0, -1.5),
    "std that is no number": lambda T: T.empty(3).normal_(0, float("nan")),
    "normal integers": lambda T: T.empty(3, dtype=T.int64).normal_(),
    "normal bools by randn": lambda T: T.randn(3, dtype=T.bool),
    "normal integers, none of them": lambda T: T.empty(0, dtype=T.int64).normal_(),
    "normal into one cell": lambda T: T.empty(1).expand(20).normal_(),
    "negative stds": lambda T: T.normal(T.ones(2), T.tensor([1.0, -1.0])),
    "stds that are no numbers": lambda T: T.normal(0.0, T.tensor([1.0, float("nan")])),
    "normal means of integers": lambda T: T.normal(T.tensor([1, 2]), 1.0),
    "normal means and stds that do not broadcast": lambda T: T.normal(T.ones(3), T.ones(2)),
    "uniform integers": lambda T: T.rand(3, dtype=T.int64),
    "uniform bools, none of them": lambda T: T.empty(0, dtype=T.bool).uniform_(),
    "uniform the wrong way": lambda T: T.empty(3).uniform_(1.5, 1.25),
    "uniform from too low": lambda T: T.empty(3).uniform_(-1e39, 1),
    "uniform to infinity": lambda T: T.empty(3, dtype=T.float64).uniform_(0, float("inf")),
    "uniform too wide": lambda T: T.empty(3).uniform_(-3e38, 3e38),
    "uniform into one cell": lambda T: T.empty(1).expand(3).uniform_(),
    "random_ of nothing": lambda T: T.empty(3).random_(5, 5),
    "random_ of nothing, empty": lambda T: T.empty(0).random_(0),
    "random_ beyond int": lambda T: T.empty(3, dtype=T.int32).random_(0, 2**40),
    "random_ beyond bool": lambda T: T.empty(3, dtype=T.bool).random_(0, 3),
    "random_ below bool": lambda T: T.empty(3, dtype=T.bool).random_(-1, 1),
    "random_ from beyond": lambda T: T.empty(3).random_(2**25, None),
    "random_ of nothing once rounded": lambda T: T.empty(3).random_(2**62 - 1, 2**62),
    "random_ of all into int32": lambda T: T.empty(3, dtype=T.int32).random_(-(2**63), None),
    "random_ of all into bool": lambda T: T.empty(3, dtype=T.bool).random_(-(2**63), None),
    "random_ into one cell": lambda T: T.empty(1).expand(3).random_(),
    "randint of nothing": lambda T: T.randint(5, 5, (3,)),
    "randint of a negative size": lambda T: T.randint(3, (-1,)),
    "randint_like of two numbers": lambda T: T.randint_like(T.empty(3), T.tensor([5, 6])),
    "bernoulli beyond 1": lambda T: T.empty(3).bernoulli_(1.5),
    "bernoulli below 0": lambda T: T.bernoulli(T.ones(3), p=-0.25),
    "bernoulli beyond 1, empty": lambda T: T.empty(0).bernoulli_(3.0),
    "bernoulli of integers": lambda T: T.bernoulli(T.tensor([1, 0])),
    "bernoulli of other sizes": lambda T: T.empty(3).bernoulli_(T.tensor([0.5, 0.5])),
    "bernoulli into one cell": lambda T: T.empty(1).expand(3).bernoulli_(),
    "randperm of a negative number": lambda T: T.randperm(-1),
    "randperm of bools": lambda T: T.randperm(3, dtype=T.bool),
    "a seed too large": lambda T: T.manual_seed(2**64),
    "a seed too small": lambda T: T.Generator().manual_seed(-(2**63) - 1),
    "a seed that is no int": lambda T: T.Generator().manual_seed(1.0),
}


@needs_torch
@pytest.mark.parametrize("program", REFUSALS.values(), ids=REFUSALS)
def test_refusals_are_pytorch_s_word_for_word(program):
    def said(T):
        try:
            return repr(program(T))
        except Exception as error:
            return type(error).__name__, str(error)

    assert said(engine) == said(torch)


@pytest.mark.parametrize("p", [2.0, -0.5, float("nan")])
def test_bernoulli_refuses_a_wrong_probability_before_it_draws(p):
    engine.manual_seed(1)
    expected = engine.rand(1).item()
    engine.manual_seed(1)
    with pytest.raises(RuntimeError, match="Expected p_in >= 0 && p_in <= 1"):
        engine.bernoulli(engine.tensor([0.5, p]))
    assert engine.rand(1).item() == expected


@needs_torch
@pytest.mark.parametrize("bounds", [(0, 2**26), (-(2**40), None)])
def test_integers_between_which_floats_have_gaps_are_warned_of(bounds):
    def said(T):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            T.empty(3).random_(*bounds)
        return [str(warning.message).partition(" (Triggered")[0] for warning in caught]

    assert said(engine) and said(engine) == said(torch)


# ---- generators


@needs_torch
@pytest.mark.parametrize("seed", [0, 1, -1, 2**32, 2**64 - 1, -(2**63), True])
def test_seeds_are_read_as_pytorch_s(seed):
    assert_same(lambda T: (T.manual_seed(seed).initial_seed(), T.initial_seed(), T.rand(2)))


@needs_torch
def test_a_generator_of_its_own_leaves_the_default_one_alone():
    def program(T):
        T.manual_seed(0)
        own = T.Generator().manual_seed(1)
        made = [T.rand(3, generator=own), T.empty(3).normal_(generator=own), T.randperm(5, generator=own)]
        made += [T.randint(9, (3,), generator=own), T.bernoulli(T.rand(3), generator=own)]
        return [*made, T.rand(2), T.randn(1, generator=own), own.initial_seed(), own.device]

    assert_same(program)


def test_a_new_generator_begins_at_pytorch_s_default_seed():
    assert engine.Generator().initial_seed() == 67280421310721


def test_seed_begins_somewhere_else_each_time():
    assert engine.seed() != engine.seed()
    assert engine.initial_seed() == engine.default_generator.initial_seed()


@pytest.mark.parametrize("spent", [0, 3, WORDS, WORDS + 1])
def test_a_state_brings_the_same_numbers_back(spent):
    generator = engine.Generator().manual_seed(3)
    engine.rand(spent, generator=generator)
    engine.randn(3, generator=generator)  # leaves a normal value over
    state, clone = generator.get_state(), generator.clone_state()
    numbers = [engine.randn(5, generator=generator).tolist() for _ in range(2)]
    assert [engine.randn(5, generator=clone).tolist() for _ in range(2)] == numbers
    generator.set_state(state)
    assert [engine.randn(5, generator=generator).tolist() for _ in range(2)] == numbers


@needs_torch
@pytest.mark.parametrize("spent", [0, 3, WORDS, WORDS + 1])
def test_a_state_has_pytorch_s_bytes(spent):
    def state(T):
        generator = T.Generator().manual_seed(3)
        T.rand(spent, generator=generator)
        T.randn(3, generator=generator)
        return generator.get_state().numpy().tobytes()

    assert state(engine) == state(torch)


def test_a_state_of_another_generator_is_refused():
    generator = engine.Generator()
    with pytest.raises(RuntimeError, match="Expected a CPUGeneratorImplState of size 5056"):
        generator.set_state(engine.zeros(3, dtype=engine.int64))
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        generator.set_state(engine.zeros(632, dtype=engine.int64))
    with pytest.raises(TypeError, match="RNG state must be"):
        generator.set_state(engine.zeros(632))


def test_threads_share_a_generator_without_drawing_a_number_twice():
    generator, drawn = engine.Generator().manual_seed(0), []

    def draw():
        for _ in range(50):
            drawn.append(engine.rand(7, dtype=engine.float64, generator=generator).tolist())

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = engine.rand(7 * 400, dtype=engine.float64, generator=generator.manual_seed(0)).tolist()
    assert sorted(sum(drawn, [])) == sorted(alone)


# ---- the twister


@pytest.mark.parametrize("seed", [0, 5, 2**32 - 1, 2**40 + 5])
def test_a_seed_stands_for_the_words_that_numpy_makes_of_it(seed):
    assert seeded_words(seed)[:WORDS].tolist() == np.random.RandomState(seed % 2**32).get_state()[1].tolist()


def test_words_are_the_mersenne_twister_s_however_they_are_drawn():
    expected = np.random.RandomState(5).randint(0, 2**32, 2000, np.uint32)
    state, drawn = seeded_words(5), []
    for count in (1, 0, 622, 1, 1, 624, 751):
        words = np.empty(count, np.uint32)
        random.random_words(state, words)
        drawn += words.tolist()
    assert drawn == expected.tolist()
