"""Batching rules: which operators have one, loop and warn, or refuse; and a batch gives what its samples give.

golden/vmap_kinds.txt has the engine's operators by what PyTorch has for them: a rule, a decomposition, neither of the
two, or no operator of this name ("absent").
golden/vmap_rules.txt has expressions and what comes of them in PyTorch under vmap. `python tests/engine/
test_vmap_rules.py` writes both anew.
"""

import re
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest
from compare import needs_torch, torch

import engine
from engine.aten import registration
from engine.aten.registration import NATIVE_FUNCTIONS
from engine.dispatch import registry
from engine.dispatch.keys import DispatchKey
from engine.transforms import batch_rule_table

GOLDEN = Path(__file__).parent / "golden"
KINDS, OUTCOMES = GOLDEN / "vmap_kinds.txt", GOLDEN / "vmap_rules.txt"
WAYS = ("all", "x at the end", "all but x", "nested")
EXPRESSIONS = """
x + y
x * 2
x[0, 0] + y
x[0, 0].double() + y
x[0, 0] + y.int()
y.int() + x[0, 0].double()
torch.where(x > 0, x[0], y)
torch.addcmul(x, y, y)
torch.lerp(x, y, 0.5)
x.clone().mul_(y)
x.clone().add_(y)
x.clone().copy_(y[0])
x.clone().addcmul_(y, y)
x.clone().pow_(y)
x.clone().clamp_(0, 1)
x.clone().square_()
x.clone().fill_(y.sum())
x.clone().masked_fill_(y > 0, 1)
x.clone(memory_format=torch.contiguous_format)
x[None, None].clone(memory_format=torch.channels_last)
x.sum()
x.sum(1)
x.sum((0, 1), True)
x.sum(dim=())
x[0, 0].sum(0)
x[0, 0].sum(0, True)
x[0, 0].cumsum(0)
x[0, 0].sort()
x.mean()
x.prod()
x.max()
x.max(0)
x.amax()
x.amax((), True)
x.argmax()
x.argmax(-1, True)
x.all()
x.norm()
x.var((0, 1), keepdim=True)
torch.linalg.vector_norm(x, keepdim=True)
x.count_nonzero()
x.median()
x.logsumexp(0)
x.softmax(-1)
x[0, 0].softmax(0)
x.topk(2)
x.kthvalue(1)
x.cummax(0)
x.t()
x.permute(1, 0)
x.transpose(0, -1)
x.squeeze()
x[:, None, :1].squeeze(1)
x[None].squeeze((0, 1))
x.unsqueeze(-1)
x.clone().unsqueeze_(0)
x.clone().squeeze_()
x.clone().transpose_(0, 1)
x.clone().t_()
x.clone(memory_format=torch.contiguous_format).resize_(3, 2)
x.diagonal()
x.diag_embed()
x.flip(0)
x.roll(1)
x.roll(1, 0)
x.rot90()
x.unfold(1, 2, 1)
x.expand(2, 2, 3)
x.repeat(2, 1, 1)
x.reshape(-1)
x.contiguous().view(3, 2)
x.split(1)
x.unbind(1)
x.tril()
x.trace()
x.contiguous().as_strided((2, 2), (3, 1))
x.new_zeros(2)
x.new_empty_strided((2, 2), (1, 2)).fill_(1)
torch.zeros_like(x)
torch.cat((x, y))
torch.stack((x, y), -1)
torch.column_stack((x, y))
torch.ops.aten.view_copy(x, (-1,))
torch.ops.aten.unbind_copy(x, 1)
torch.ops.aten.split_with_sizes_copy(x, (1, 2), 1)
torch.ops.aten.alias_copy(x)
torch.ops.aten.unfold_copy(x, 1, 2, 1)
torch.ops.aten.as_strided_copy(x.contiguous(), (2,), (1,))
torch.ops.aten.as_strided_scatter(x.contiguous(), y[:, 0], (2,), (1,))
x.select_scatter(y[0], 0, 1)
x.slice_scatter(y[:1], 0, 1)
x.diagonal_scatter(y[:, 0])
x[i]
x[i[0]]
x[:, i[0]]
x[i[0], i[:2]]
x[:, i]
x[i, i]
x[None][i * 0, :, i]
x[torch.tensor([True, False])]
x.index_select(1, i)
x.gather(1, i[None])
x.take(i)
x.take_along_dim(i[None], 1)
x.scatter(1, i[None], y)
x.scatter_add(1, i[None], y)
x.clone().scatter_add_(1, i[None], y)
x.clone().scatter_(1, i[None], y)
x.scatter_reduce(1, i[None], y, "amax")
x.index_put((i,), y[0])
x.index_put((i[None] * 0, i), y[0, :2], accumulate=True)
x.clone().index_put_((i,), y[0])
x[None].clone().index_put_((i * 0, i), y[0])
x.index_add(1, i, y[:, :2], alpha=2)
x.clone().index_add_(1, i, y[:, :2])
x.index_fill(1, i, 3.0)
x.clone().index_fill_(1, i, y.sum())
x.index_copy(1, i, y[:, :2])
x.masked_select(torch.tensor([True, False, True]))
x.masked_select(y > 0)
x[x > 0]
x.masked_scatter(y > 0, y)
x.nonzero()
torch.where(x)
torch.bincount(i)
F.one_hot(i, 3)
F.one_hot(i)
x.sum().item()
bool(x.sum() > 0)
torch.allclose(x, y)
torch.equal(x, y)
x @ y.T
torch.mv(x, y[0])
torch.dot(x[0], y[0])
torch.bmm(x[None], y.T[None])
torch.addmm(y[0, :2], x, y.T, beta=2, alpha=3)
torch.addmv(y[:, 0], x, y[0])
torch.addr(x, y[:, 0], y[0])
torch.addbmm(y[:, :2], x[None], y.T[None])
torch.baddbmm(y[None, :, :2], x[None], y.T[None])
torch.linspace(x[0, 0], y[0, 0], 3)
F.linear(x, y, y[:, 0])
F.bilinear(x, y, torch.ones(2, 3, 3))
F.conv1d(x[None], y[None], y[:1, 0])
F.conv1d(x[None], y[:, None, :2], groups=2)
F.conv_transpose1d(x[None], y[:, None], y[:1, 0])
F.avg_pool2d(x[None], 2)
F.max_pool2d(x[None], 2)
F.pad(x, (1, 1))
F.pad(x[None], (1, 1), mode="reflect")
F.interpolate(x[None], 6)
F.pixel_unshuffle(x[None, :, :2], 2)
F.batch_norm(x, None, None, y[0], y[1], True)
F.batch_norm(x, y[0].abs(), y[1].abs(), y[0], y[1])
F.group_norm(x[None], 2, y[:, 0], y[:, 1])
F.layer_norm(x, (3,), y[0], y[1])
F.layer_norm(x, (3,))
F.embedding(i, x)
F.mse_loss(x, y)
F.smooth_l1_loss(x, y, reduction="sum")
F.huber_loss(x, y, reduction="none")
F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), y.abs())
F.cross_entropy(x, i, y[0].abs())
F.nll_loss(x[0], i[0])
F.kl_div(x, y)
F.scaled_dot_product_attention(x, y, y)
torch.isclose(x, y)
x.to(torch.int64)
x.view(torch.int32)
x.aminmax()
x[:0].sum(0)
x[None].t()
torch.mm(x[0], y)
torch.bmm(x, y)
torch.mv(x[0], y[0])
torch.mv(x, y)
torch.dot(x, y)
x[0, 0].select(0, 0)
x.sum(2)
x.permute(0, 2)
x.unsqueeze(3)
x.expand(3, 3)
x.view(4)
x.index_add(0, i, y[:1])
x.gather(2, i[None])
x[2]
torch.cat((x, y[0]))
torch.stack((x, y[0]))
x + y.T
F.layer_norm(x, (3,), y)
F.one_hot(x, 3)
gradient: x.prod()
gradient: x.max()
gradient: x.cumprod(0)
gradient: x.sort()[0] * y
gradient: x.pow(y.abs())
gradient: F.conv1d(x[None], y[None])
gradient: F.batch_norm(x, None, None, y[0], y[1], True)
gradient: F.batch_norm(x, None, None, training=True) * y
gradient: F.group_norm(x[None], 2, y[:, 0])
gradient: F.layer_norm(x, (3,), y[0], y[1])
gradient: F.embedding(i, x)
gradient: F.cross_entropy(x, i)
gradient: F.cross_entropy(x, i, y[0].abs().detach(), reduction="sum")
gradient: F.mse_loss(x, y) + F.huber_loss(x, y) + F.smooth_l1_loss(x, y)
gradient: F.binary_cross_entropy(x.sigmoid(), y.sigmoid())
gradient: F.max_pool2d(x[None], 2)
gradient: x.take(i)
gradient: x.median() * x.trace()
gradient: x[:, i] * y[:, :2]
"""


def tensors(T, seed):
    """A sample of what expressions call x, y and i."""
    values = np.random.default_rng(seed).normal(size=(2, 2, 3)).astype(np.float32)
    return T.tensor(values[0]), T.tensor(values[1]), T.tensor([seed % 2, 1])


def function_of(T, expression):
    """An expression as a function of x, y and i, which returns a tuple of tensors."""
    names = {"torch": T, "F": T.nn.functional}
    text = expression.removeprefix("gradient: ")
    call = eval(f"lambda x, y, i: {text}", names)
    if text != expression:
        return T.func.grad(lambda *args: call(*args).sum(), argnums=(0, 1))

    def as_tuple(*args):
        found = call(*args)
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)

    return as_tuple


def outcome(T, expression, way):
    """The outcome of an expression under vmap, its results, and the results of each sample.

    The outcome is "rule", "loop" with the operators that warn, or an error, then without results.
    """
    dims = {"x at the end": (-1, None, None), "all but x": (None, 0, 0)}.get(way, (0, 0, 0))
    call, samples = function_of(T, expression), [tensors(T, seed) for seed in range(4 if way == "nested" else 2)]
    columns = list(zip(*samples, strict=True))
    batch = [one[0] if dim is None else T.stack(one, dim) for one, dim in zip(columns, dims, strict=True)]
    mapped = T.func.vmap(call, dims)
    if way == "nested":
        batch, mapped = [one.reshape(2, 2, *one.shape[1:]) for one in batch], T.func.vmap(mapped)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = mapped(*batch)
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0][:300].strip()}", None, None
    texts = "\n".join(str(one.message) for one in caught)
    names = sorted(set(re.findall(r"batching rule for (\S+)\. Please", texts)))
    shared = [sample if dim is None else None for sample, dim in zip(samples[0], dims, strict=True)]
    chosen = [[own if one is None else one for own, one in zip(sample, shared, strict=True)] for sample in samples]
    return " ".join(["loop", *names]) if names else "rule", found, [call(*sample) for sample in chosen]


def recorded():
    """(expression, way) -> outcome, of the file."""
    found, expression = {}, ""
    for line in OUTCOMES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("    "):
            expression = line
            continue
        ways, _, text = line.strip().partition(": ")
        found |= {(expression, way): text for way in (WAYS if ways == "each" else ways.split(", "))}
    return found


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_a_batch_gives_what_its_samples_give_with_pytorchs_outcome(expression):
    expected = recorded()
    for way in WAYS:
        seen, found, wanted = outcome(engine, expression, way)
        assert (way, seen) == (way, expected[expression, way])
        for place, result in enumerate(found or ()):
            want = np.stack([one[place].numpy() for one in wanted])
            assert result.numpy().dtype == want.dtype, way
            np.testing.assert_allclose(result.numpy().reshape(want.shape), want, 1e-4, 1e-5, err_msg=way)


def kind_of(entry):
    """The kind of an operator's registration for batches."""
    for kind, key in (
        ("rule", DispatchKey.FuncTorchBatched),
        ("decomposition", DispatchKey.FuncTorchBatchedDecomposition),
    ):
        if key in entry.registered:
            return kind
    return "neither"


def recorded_kinds():
    """Operator -> kind, of the file."""
    found = {}
    for paragraph in KINDS.read_text(encoding="utf-8").split("\n\n"):
        kind, _, names = paragraph.partition(":")
        found |= dict.fromkeys(names.split(), kind)
    return found


ELSEWHERE = {"bernoulli_.float", "rand_like", "randn_like"}  # at FuncTorchVmapMode; in PyTorch at both keys


def test_the_operators_with_a_rule_or_a_decomposition_are_pytorchs():
    assert recorded_kinds().keys() == {str(f.func.name) for f in NATIVE_FUNCTIONS}  # none is newer than the record
    theirs = {name: kind for name, kind in recorded_kinds().items() if kind != "absent"}
    ours = {name: kind_of(registry.find(f"aten::{name}")) for name in theirs}
    assert {name for name, kind in theirs.items() if kind != ours[name]} == ELSEWHERE


def test_each_name_in_the_tables_is_an_operator_and_in_one_of_them():
    names = [name for text in batch_rule_table.RULES.values() for name in text.split()]
    names += [*batch_rule_table.DECOMPOSITIONS, *batch_rule_table.LOOPED]
    assert len(names) == len(set(names))
    assert [name for name in names if f"aten::{name}" not in registry.operators] == []


def test_an_operator_that_is_added_later_has_the_rule_of_its_tag():
    from engine import extend

    assert registration.AFTER_REGISTRATION.count(batch_rule_table.register_extension) == 1
    handle = extend.register(
        "- func: vmap_twice(Tensor self) -> Tensor\n  variants: function\n  tags: pointwise\n"
        "  dispatch:\n    CompositeExplicitAutograd: vmap_twice\n",
        {"vmap_twice": lambda self: self + self},
    )
    try:
        call = engine.func.vmap(lambda x: engine.ops.aten.vmap_twice(x))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert call(engine.ones(2, 3)).tolist() == [[2.0] * 3] * 2
    finally:
        handle.destroy()


NAMES = """add where sum argmax std_mean sort index_put scatter_reduce.amax index_fill masked_select cat mm addr nonzero
    nn.functional.conv2d nn.functional.batch_norm nn.functional.cross_entropy nn.functional.max_pool2d isclose"""


@needs_torch
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES.split())
def test_samples_of_pytorch_have_its_outcomes(name):
    from conformance import vmapped

    row = vmapped.run(name, 2)
    assert row.samples and not row.failed and not row.softer, [*row.failures, *row.soft_failures][:2]


@needs_torch
@pytest.mark.slow
def test_a_rule_that_is_wrong_is_noticed(monkeypatch):
    from conformance import vmapped

    monkeypatch.setitem(batch_rule_table.rules.OF_FRONT, "sum", lambda x, size, dtype: x.new_zeros(size))
    assert vmapped.run("sum", 1).failed


def write():
    """Record what PyTorch does."""
    lines = []
    for expression in EXPRESSIONS.strip().splitlines():
        found = {way: outcome(torch, expression, way)[0] for way in WAYS}
        lines.append(expression)
        for text in dict.fromkeys(found.values()):
            ways = [way for way in WAYS if found[way] == text]
            lines.append(f"    {'each' if len(ways) == len(WAYS) else ', '.join(ways)}: {text}")
    OUTCOMES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    kinds = {}
    for name in sorted(str(f.func.name) for f in NATIVE_FUNCTIONS):
        dump = torch._C._dispatch_dump(f"aten::{name}")
        key = re.search(r"^FuncTorchBatched(Decomposition)?(\[alias\])?: registered", dump, re.MULTILINE)
        kind = ("decomposition" if key.group(1) else "rule") if key else "neither" if dump else "absent"
        kinds.setdefault(kind, []).append(name)
    paragraphs = [
        f"{kind}:\n{textwrap.fill(' '.join(names), 118, break_on_hyphens=False)}" for kind, names in kinds.items()
    ]
    KINDS.write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
