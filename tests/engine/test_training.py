"""engine.utils.training: a pass has the losses of the steps written out, and does nothing else."""

import engine
from engine import nn
from engine.profiler import ProfilerActivity, profile
from engine.utils.training import train_epoch


def problem():
    """A linear model, its optimizer, seven examples and their batches."""
    engine.manual_seed(0)
    model = nn.Linear(4, 3)
    optimizer = engine.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    inputs, targets = engine.randn(7, 4), engine.tensor([0, 1, 2, 0, 1, 2, 0])
    return model, nn.functional.cross_entropy, optimizer, inputs, targets, engine.randperm(7).split(3)


def test_the_losses_are_those_of_the_steps():
    model, loss_function, optimizer, inputs, targets, batches = problem()
    wanted = []
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        wanted.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert train_epoch(*problem()) == wanted


def test_no_loss_is_read_in_the_loop_and_nothing_is_copied():
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        train_epoch(*problem()[:5], [engine.arange(3), engine.arange(3, 7)])
    names = [event.name for event in prof.events()]
    assert not {"aten::item", "aten::_local_scalar_dense", "aten::copy_"} & {*names}
    assert names.count("aten::addmm") == names.count("aten::stack") + 1 == 2


def test_no_batches_have_no_losses():
    *others, _ = problem()
    assert train_epoch(*others, []) == []


def test_the_gradients_of_a_step_begin_at_zero():
    model, loss_function, _, inputs, targets, batches = problem()
    still = engine.optim.SGD(model.parameters(), lr=0.0)
    train_epoch(model, loss_function, still, inputs, targets, [batches[0], batches[0]])
    twice = model.weight.grad.tolist()
    train_epoch(model, loss_function, still, inputs, targets, [batches[0]])
    assert model.weight.grad.tolist() == twice
