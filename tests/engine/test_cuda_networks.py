"""Whole networks on device "cuda": they train as on the CPU; modules move, are copied, saved and restored; nll_loss."""

import copy
import pickle

import numpy as np
import pytest
from cuda_compare import agree

import engine
import engine.nn.functional as F
from engine import nn


def numbers(*sizes, seed=0, requires_grad=False):
    values = np.random.default_rng(seed).standard_normal(sizes)
    return engine.from_numpy(np.array(values)).to(engine.float32).requires_grad_(requires_grad)


# ---- the loss


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_nll_loss(reduction):
    def loss(x, target, weight):
        return F.nll_loss(x, target, weight, ignore_index=1, reduction=reduction)

    agree(loss, numbers(6, 3, requires_grad=True), engine.tensor([0, 1, 2, 2, 0, 2]), numbers(3, seed=1))
    agree(loss, numbers(2, 3, 2, 3, requires_grad=True), engine.arange(12).view(2, 2, 3) % 3, numbers(3, seed=1))
    agree(lambda x, target: F.nll_loss(x[:, ::2], target, reduction=reduction),
          numbers(3, 4, requires_grad=True), engine.tensor([1, 0, 1]))  # fmt: skip


def test_the_mean_of_no_rows_is_no_number():
    agree(lambda x, target: F.nll_loss(x, target), numbers(0, 3), engine.zeros(0, dtype=engine.int64))
    agree(lambda x, target: F.nll_loss(x, target, ignore_index=2), numbers(2, 3), engine.tensor([2, 2]))


@pytest.mark.parametrize("reduction", ["none", "mean"])
def test_a_target_that_is_no_class_is_refused_and_forgotten(reduction):
    x = numbers(3, 2).to("cuda")
    with pytest.raises(IndexError, match=r"^Target 7 is out of bounds\.$"):
        F.nll_loss(x, engine.tensor([0, 7, -3], device="cuda"), reduction=reduction)
    F.nll_loss(x, engine.tensor([0, 1, 1], device="cuda"), reduction=reduction)


def test_cross_entropy_of_scores():
    target = engine.tensor([2, 0, 1])
    agree(lambda x, target: F.cross_entropy(x, target), numbers(3, 4, requires_grad=True), target)
    agree(lambda x, target: F.cross_entropy(x, target, label_smoothing=0.1), numbers(3, 4, requires_grad=True), target)


# ---- training


def network():
    """Without a bias before batch_norm, of which the gradient is rounding errors only: Adam takes those for a slope."""
    engine.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1, bias=False),
        nn.BatchNorm2d(2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8, 3),
    )


def train(model, make_optimizer, device, steps=3):
    """The losses of some steps, and the parameters after them."""
    optimizer = make_optimizer(model.parameters())
    x, target = numbers(4, 1, 4, 4, seed=1).to(device), engine.tensor([0, 2, 1, 2], device=device)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [parameter.detach().cpu().numpy() for parameter in model.parameters()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "make_optimizer",
    [lambda parameters: engine.optim.SGD(parameters, lr=0.1, momentum=0.9),
     lambda parameters: engine.optim.Adam(parameters, lr=0.05)],
    ids=["SGD", "Adam"],
)  # fmt: skip
def test_a_network_trains_as_on_the_cpu(make_optimizer):
    model = network()
    ours = train(copy.deepcopy(model).to("cuda"), make_optimizer, "cuda")
    theirs = train(model, make_optimizer, "cpu")
    np.testing.assert_allclose(ours[0], theirs[0], 1e-4)
    assert theirs[0][-1] < theirs[0][0]
    for one, other in zip(ours[1], theirs[1], strict=True):
        np.testing.assert_allclose(one, other, 1e-3, 2e-5)


def test_gradients_lie_on_the_device_and_are_clipped_there():
    model = nn.Linear(3, 2, device="cuda")
    (model(engine.ones(4, 3, device="cuda")) * 10).sum().backward()
    assert [parameter.grad.device.type for parameter in model.parameters()] == ["cuda", "cuda"]
    length = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    assert length.device.type == "cuda" and length.item() == pytest.approx(40 * np.sqrt(2 * 4))
    grads = [parameter.grad.cpu().numpy().ravel() for parameter in model.parameters()]
    assert np.linalg.norm(np.concatenate(grads)) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.slow
def test_a_layer_of_attention_and_embeddings():
    engine.manual_seed(0)
    embedding, norm = nn.Embedding(5, 4), nn.LayerNorm(4)

    def attend(tokens, table, weight, bias):
        x = F.layer_norm(F.embedding(tokens, table), (4,), weight, bias)
        scores = (x @ x.transpose(-2, -1) / 2).softmax(-1)
        return F.gelu(scores @ x)

    parameters = [tensor.detach().requires_grad_() for tensor in (embedding.weight, norm.weight, norm.bias)]
    agree(attend, engine.tensor([[0, 3, 3], [4, 1, 0]]), *parameters)


# ---- modules that move


def test_a_module_moves_in_place_with_gradients_and_buffers():
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    weight = model[0].weight
    weight.grad = engine.ones_like(weight)
    values = weight.tolist()
    assert model.cuda() is model and model[0].weight is weight
    members = [*model.parameters(), *model.buffers(), weight.grad]
    assert {member.device for member in members} == {engine.device("cuda", 0)}
    assert weight.is_leaf and weight.requires_grad and weight.cpu().tolist() == values
    model.to("cuda", engine.float64)
    assert weight.dtype is weight.grad.dtype is engine.float64 and model[1].num_batches_tracked.dtype is engine.int64
    assert {member.device.type for member in (*model.cpu().parameters(), *model.buffers(), weight.grad)} == {"cpu"}


def test_a_state_goes_from_device_to_device():
    there, here = nn.Linear(3, 2, device="cuda"), nn.Linear(3, 2)
    here.load_state_dict(there.state_dict())
    assert here.weight.device.type == "cpu" and here.weight.tolist() == there.weight.tolist()
    there.load_state_dict({name: value * 2 for name, value in here.state_dict().items()})
    assert there.weight.device.type == "cuda" and there.weight.tolist() == (here.weight * 2).tolist()


def test_copies_of_a_module_have_memory_of_their_own_on_the_device():
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)).cuda()
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert {member.device.type for member in copied.state_dict().values()} == {"cuda"}
        assert copied[0].weight.tolist() == model[0].weight.tolist()
        with engine.no_grad():
            copied[0].weight.zero_()
        assert model[0].weight.abs().sum().item() > 0


def test_a_parameter_prints_with_its_device():
    parameter = nn.Parameter(engine.tensor([1.0, 2.0], device="cuda"))
    assert repr(parameter) == "Parameter containing:\ntensor([1., 2.], device='cuda:0', requires_grad=True)"


def test_operands_on_two_devices_are_refused():
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        nn.Linear(3, 2).cuda()(engine.ones(1, 3))


def test_dropout_scales_what_stays():
    engine.manual_seed(0)
    x = engine.full((50,), 3.0, device="cuda", requires_grad=True)
    out = F.dropout(x, 0.5)
    out.sum().backward()
    assert set(out.tolist()) == {0.0, 6.0} and x.grad.tolist() == [value / 3 for value in out.tolist()]
    assert F.dropout(x, 0.5, training=False) is x
