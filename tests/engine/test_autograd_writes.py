"""Random programs of views and in-place writes, in the engine and in PyTorch: their errors, what autograd says of each
tensor, the gradients and the gradients of those."""

import random
import warnings

import pytest
from compare import needs_torch, torch

import engine

VIEWS = [
    lambda T, x: x[0],
    lambda T, x: x[..., 1:],
    lambda T, x: x[::2],
    lambda T, x: x[T.tensor([0, 0])],
    lambda T, x: x.transpose(0, -1),
    lambda T, x: x.permute(*reversed(range(x.dim()))),
    lambda T, x: x.movedim(0, -1),
    lambda T, x: x.unsqueeze(0),
    lambda T, x: x.squeeze(),
    lambda T, x: x.reshape(-1),
    lambda T, x: x.flatten(),
    lambda T, x: x.unflatten(0, (1, -1)),
    lambda T, x: x.view_as(x),
    lambda T, x: x.narrow(0, 0, 1),
    lambda T, x: x.select(-1, 0),
    lambda T, x: x.diagonal(0, 0, 1),
    lambda T, x: x.unfold(0, 2, 1),
    lambda T, x: x.expand(2, *x.shape),
    lambda T, x: x.split(1)[0],
    lambda T, x: x.unbind()[0],
    lambda T, x: x.as_strided(x.shape, x.stride(), x.storage_offset()),
    lambda T, x: x.detach(),
    lambda T, x: x.clone(),
    lambda T, x: x.contiguous(),
]
WRITES = [
    lambda T, x, y: x.mul_(2.0),
    lambda T, x, y: x.mul_(part(y, x)),
    lambda T, x, y: x.add_(part(y, x)),
    lambda T, x, y: x.copy_(part(y, x)),
    lambda T, x, y: x.exp_(),
    lambda T, x, y: x.sigmoid_(),
    lambda T, x, y: x.pow_(2),
    lambda T, x, y: x.tril_(),
    lambda T, x, y: x.cumsum_(0),
    lambda T, x, y: x.zero_(),
    lambda T, x, y: x.fill_(3.0),
    lambda T, x, y: x.fill_(y[0, 0, 0]),
    lambda T, x, y: x.__setitem__(0, part(y, x[0])),
    lambda T, x, y: x.__setitem__(..., 1.0),
    lambda T, x, y: x.__setitem__(slice(None, None, 2), part(y, x[::2])),
    lambda T, x, y: x.__setitem__(T.tensor([0]), part(y, x[:1])),
    lambda T, x, y: x.__setitem__(x > 0, y[0, 0, 0]),
    lambda T, x, y: x.masked_fill_(x > 1, y[0, 0, 1]),
    lambda T, x, y: x.masked_scatter_(x > 0, y),
    lambda T, x, y: x.index_fill_(0, T.tensor([0]), 2.0),
    lambda T, x, y: x.index_add_(0, T.tensor([0]), part(y, x[:1])),
    lambda T, x, y: x.index_copy_(0, T.tensor([0]), part(y, x[:1])),
    lambda T, x, y: x.index_put_((T.tensor([0]),), part(y, x[:1]), True),
    lambda T, x, y: x.put_(T.tensor([0, 1]), y[0, 0, :2]),
    lambda T, x, y: x.scatter_(0, T.zeros(x.shape, dtype=T.int64)[:1], part(y, x[:1])),
    lambda T, x, y: x.scatter_add_(0, T.zeros(x.shape, dtype=T.int64), part(y, x)),
    lambda T, x, y: x.scatter_reduce_(0, T.zeros(x.shape, dtype=T.int64), part(y, x), "prod"),
    lambda T, x, y: x.squeeze_(),
    lambda T, x, y: x.unsqueeze_(0),
    lambda T, x, y: x.t_(),
    lambda T, x, y: x.transpose_(0, -1),
    lambda T, x, y: x.detach_(),
]


def part(y, x):
    """As many elements of `y` as `x` has, in its sizes; a number if it has too few."""
    return y.reshape(-1)[: x.numel()].reshape(x.shape) if x.numel() <= y.numel() else y[0, 0, 0]


def said(ask):
    """Return the value of an attribute, or the error of reading it."""
    try:
        answer = ask()
    except RuntimeError as error:
        return "RuntimeError", str(error).splitlines()[0]
    return answer.name() if hasattr(answer, "name") else answer


def outcome(T, seed):
    """Return the visible results of a program: its errors, then its tensors, then the gradients."""
    draw = random.Random(seed)

    def numbers(*sizes):
        return T.tensor([draw.uniform(-2, 2) for _ in range(24)], dtype=T.float64)[: T.Size(sizes).numel()].view(sizes)

    x, y = numbers(2, 3, 4).requires_grad_(), numbers(2, 3, 4).requires_grad_()
    tensors = [x * 1.5 if draw.random() < 0.7 else T.zeros(2, 3, 4, dtype=T.float64)]
    errors = []
    for _ in range(draw.randrange(2, 8)):
        chosen, is_view, records = draw.choice(tensors), draw.random() < 0.5, draw.random() > 0.08
        step = draw.choice(VIEWS if is_view else WRITES)
        with T.set_grad_enabled(records):
            try:
                made = step(T, chosen) if is_view else step(T, chosen, y)
            except (RuntimeError, IndexError) as error:
                errors.append(type(error).__name__)
            else:
                tensors += [made] if is_view else []
    state = [
        (tuple(z.shape), z.stride(), z._version, z.requires_grad, z._is_view(), said(lambda z=z: z.grad_fn))
        for z in tensors
    ]
    return errors, state, said(lambda: gradients(T, [z for z in tensors if z.requires_grad], x, y))


def gradients(T, tensors, x, y):
    """The gradients of sums of squares, and of those."""
    if not tensors:
        return []
    first = T.autograd.grad(sum((z * z).sum() for z in tensors), (x, y), create_graph=True, allow_unused=True)
    again = [grad for grad in first if grad is not None and grad.requires_grad]
    second = T.autograd.grad(sum((g * g).sum() for g in again), (x, y), allow_unused=True) if again else ()
    return [None if grad is None else grad.detach().numpy() for grad in (*first, *second)]


@needs_torch
@pytest.mark.parametrize("seeds", [range(first, first + 25) for first in range(0, 200, 25)], ids=str)
def test_random_programs(seeds):
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got, expected = outcome(engine, seed), outcome(torch, seed)
        assert got[:2] == expected[:2], seed
        if isinstance(expected[2], tuple):
            assert got[2] == expected[2], seed
        else:
            torch.testing.assert_close(
                got[2], expected[2], equal_nan=True, msg=lambda text, seed=seed: f"{seed}: {text}"
            )


def test_cells_that_a_view_names_twice_add_up():
    x = engine.arange(4.0).requires_grad_()
    x.as_strided((3, 2), (1, 1)).sum().backward()
    assert x.grad.tolist() == [1, 2, 2, 1]


def test_a_write_leads_to_the_base():
    x, base = engine.ones(2, requires_grad=True), engine.zeros(2, 2)
    base[0] = x * 3
    base[:, 1] *= 5
    base.sum().backward()
    assert x.grad.tolist() == [3, 15]
