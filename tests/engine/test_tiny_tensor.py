"""Lab 0's library gives what the engine gives, and what PyTorch gives where it is installed."""

import random

import pytest

import engine
from engine import tiny_tensor as tiny

SIZES = [(), (1,), (4,), (2, 3), (3, 1, 2), (2, 3, 4)]


def matrix(rng, n, m, requires_grad=False):
    """A matrix of the library, of random numbers between -1 and 1."""
    keys = ("CPU", "Autograd") if requires_grad else ("CPU",)
    return tiny.Tensor([rng.uniform(-1, 1) for _ in range(n * m)], (n, m), keys=keys)


def elements(x):
    return [x[index] for index in tiny.indices(x.sizes)]


def grown(torch, x):
    """The same tensor in the engine or in PyTorch, float64."""
    tensor = torch.tensor(elements(x), dtype=torch.float64).reshape(x.sizes)
    return tensor.requires_grad_() if "Autograd" in x.keys else tensor


@pytest.fixture(params=["engine", pytest.param("torch", marks=pytest.mark.torch)])
def torch(request):
    return engine if request.param == "engine" else request.getfixturevalue("pytorch")


@pytest.mark.parametrize("sizes", SIZES)
def test_strides_are_the_engines(torch, sizes):
    assert tiny.contiguous_strides(sizes) == tuple(torch.empty(sizes).stride())


@pytest.mark.parametrize("sizes", SIZES)
def test_an_index_leads_to_the_engines_element(torch, sizes):
    cells = list(range(100, 124))
    x, y = tiny.Tensor(cells, sizes), torch.tensor(cells).as_strided(sizes, tuple(tiny.contiguous_strides(sizes)))
    assert [x[index] for index in tiny.indices(sizes)] == [y[index].item() for index in tiny.indices(sizes)]


def test_a_transpose_is_the_engines(torch):
    x = matrix(random.Random(0), 2, 3)
    y = grown(torch, x).t()
    assert (
        x.t().sizes == tuple(y.shape) and x.t().strides == tuple(y.stride()) and elements(x.t()) == sum(y.tolist(), [])
    )


@pytest.mark.parametrize("op", ["add", "mul", "matmul", "tanh", "total"])
def test_operators_and_gradients_are_the_engines(torch, op):
    rng = random.Random(op)
    args = [matrix(rng, 3, 3, requires_grad=True) for _ in range(1 if op in ("tanh", "total") else 2)]
    others = [grown(torch, x) for x in args]
    weights = matrix(rng, 3, 3)
    out = tiny.call(op, *args)
    wanted = getattr(torch, {"total": "sum"}.get(op, op))(*others)
    assert elements(out) == pytest.approx(wanted.reshape(-1).tolist(), abs=1e-12)
    loss = out if op == "total" else tiny.call("total", tiny.call("mul", out, weights))
    tiny.backward(loss)
    (wanted if op == "total" else (wanted * grown(torch, weights)).sum()).backward()
    for x, other in zip(args, others, strict=True):
        assert elements(x.grad) == pytest.approx(other.grad.reshape(-1).tolist(), abs=1e-12)


def test_a_random_program_has_the_engines_gradients(torch):
    for seed in range(20):
        rng = random.Random(seed)
        leaves = [matrix(rng, 2, 2, requires_grad=rng.random() < 0.7) for _ in range(3)]
        leaves[0].keys.add("Autograd")
        known, others = list(leaves), [grown(torch, x) for x in leaves]
        wanted = list(others)
        for _ in range(rng.randint(2, 7)):
            op = rng.choice(("add", "mul", "matmul", "tanh"))
            at = [rng.randrange(len(known)) for _ in range(1 if op == "tanh" else 2)]
            known.append(tiny.call(op, *(known[position] for position in at)))
            wanted.append(getattr(torch, op)(*(wanted[position] for position in at)))
        tiny.backward(tiny.call("total", tiny.call("mul", known[-1], known[0])))
        (wanted[-1] * wanted[0]).sum().backward()
        for x, other in zip(leaves, others, strict=True):
            assert (x.grad is None) == (other.grad is None), seed
            if x.grad is not None:
                assert elements(x.grad) == pytest.approx(other.grad.reshape(-1).tolist(), abs=1e-9), seed


def test_training_takes_the_engines_steps(torch):
    rng = random.Random(1)
    x, target, weight = matrix(rng, 5, 2), matrix(rng, 5, 1), matrix(rng, 2, 1, requires_grad=True)
    other, minus = grown(torch, weight), tiny.Tensor([-number for number in elements(target)], (5, 1))

    def loss_of():
        difference = tiny.call("add", tiny.call("tanh", tiny.call("matmul", x, weight)), minus)
        return tiny.call("total", tiny.call("mul", difference, difference))

    losses = tiny.train([weight], loss_of, 10, 0.1)
    optimizer, wanted = torch.optim.SGD([other], lr=0.1), []
    for _ in range(10):
        optimizer.zero_grad()
        loss = ((torch.tanh(grown(torch, x) @ other) - grown(torch, target)) ** 2).sum()
        loss.backward()
        optimizer.step()
        wanted.append(loss.item())
    assert losses == pytest.approx(wanted, abs=1e-12)
    assert elements(weight) == pytest.approx(other.detach().reshape(-1).tolist(), abs=1e-12)


def test_importing_the_engine_does_not_import_it():
    import subprocess
    import sys

    code = "import sys, engine; print('engine.tiny_tensor' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True).stdout == "False\n"
    )
