"""Optimizers and schedules: the same steps, states and errors as PyTorch's."""

import copy
import warnings

import pytest
from compare import assert_close, assert_same, needs_torch

import engine


def quadratic(T):
    """Two parameters, and a loss of them."""
    T.manual_seed(0)
    a, b = T.nn.Parameter(T.randn(3, 2)), T.nn.Parameter(T.randn(2))
    target = T.randn(3, 2)
    return (a, b), lambda: ((a * b - target) ** 2).sum() + (a * a).mean()


def steps(make, count=4):
    """A program that makes some steps, and shows parameters and state."""

    def program(T):
        parameters, loss = quadratic(T)
        optimizer = make(T, parameters)
        losses = []
        for _ in range(count):
            optimizer.zero_grad()
            value = loss()
            value.backward()
            optimizer.step()
            losses.append(value.detach())
        state = optimizer.state_dict()
        remembered = [(key, sorted(entry.items())) for key, entry in state["state"].items()]
        return losses, [p.detach().clone() for p in parameters], remembered, state["param_groups"], repr(optimizer)

    return program


@needs_torch
@pytest.mark.parametrize(
    "make",
    [
        lambda T, p: T.optim.SGD(p, lr=0.05),
        lambda T, p: T.optim.SGD(p, lr=0.05, momentum=0.9),
        lambda T, p: T.optim.SGD(p, lr=0.05, momentum=0.9, dampening=0.2, weight_decay=0.1),
        lambda T, p: T.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True, maximize=True),
        lambda T, p: T.optim.SGD(p, lr=T.tensor(0.05)),
        lambda T, p: T.optim.SGD([{"params": p[0], "lr": 0.01}, {"params": p[1:], "momentum": 0.5}], lr=0.1),
        lambda T, p: T.optim.SGD([("a", p[0]), ("b", p[1])], lr=0.01),
        lambda T, p: T.optim.Adam(p, lr=0.05),
        lambda T, p: T.optim.Adam(p, lr=0.05, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.1),
        lambda T, p: T.optim.Adam(p, lr=0.05, amsgrad=True, maximize=True),
        lambda T, p: T.optim.AdamW(p, lr=0.05),
        lambda T, p: T.optim.AdamW(p, lr=0.05, weight_decay=0.3, amsgrad=True),
    ],
)
def test_steps_are_pytorchs(make):
    assert_close(steps(make))


@needs_torch
def test_a_closure_computes_the_loss_anew():
    def program(T):
        parameters, loss = quadratic(T)
        optimizer = T.optim.SGD(parameters, lr=0.05)

        def closure():
            optimizer.zero_grad()
            value = loss()
            value.backward()
            return value

        with T.no_grad():
            return [optimizer.step(closure).detach() for _ in range(3)], parameters[0].detach().clone()

    assert_close(program)


@needs_torch
def test_parameters_without_gradient_stay():
    def program(T):
        (a, b), _ = quadratic(T)
        optimizer = T.optim.Adam([a, b], lr=0.5)
        (b * b).sum().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        return a._version, len(optimizer.state), a.grad, b.grad.clone()

    assert_same(program)


@needs_torch
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_an_optimizer_goes_on_from_a_state_dict(name):
    def program(T):
        options = {"momentum": 0.9} if name == "SGD" else {}
        parameters, loss = quadratic(T)
        optimizer = getattr(T.optim, name)(parameters, lr=0.05, **options)
        loss().backward()
        optimizer.step()
        saved = copy.deepcopy(optimizer.state_dict())
        optimizer.step()
        others, _ = quadratic(T)
        for mine, other in zip(parameters, others, strict=True):
            other.data, other.grad = mine.data.double(), mine.grad.double()
        resumed = getattr(T.optim, name)(others, lr=7.0)
        resumed.load_state_dict(saved)
        resumed.step()
        kept = [sorted(entry.items()) for entry in resumed.state_dict()["state"].values()]
        return [other.detach().clone() for other in others], kept, resumed.param_groups[0]["lr"]

    assert_close(program)


def refused(T, misuse):
    a = T.nn.Parameter(T.ones(2))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            misuse(T, a)
        return [(warning.category.__name__, str(warning.message)) for warning in caught]
    except Exception as error:
        return type(error).__name__, str(error).replace("engine.", "torch.")


@needs_torch
@pytest.mark.parametrize(
    "misuse",
    [
        lambda T, a: T.optim.SGD(a, lr=0.1),
        lambda T, a: T.optim.SGD([], lr=0.1),
        lambda T, a: T.optim.SGD([3.0], lr=0.1),
        lambda T, a: T.optim.SGD([a * 2], lr=0.1),
        lambda T, a: T.optim.SGD([{"params": {a}}], lr=0.1),
        lambda T, a: T.optim.SGD([a, a], lr=0.1),
        lambda T, a: T.optim.SGD([{"params": [a]}, {"params": [a]}], lr=0.1),
        lambda T, a: T.optim.SGD([("a", a), T.nn.Parameter(T.ones(1))], lr=0.1),
        lambda T, a: T.optim.SGD([a], lr=0.1).add_param_group({"params": [("b", T.nn.Parameter(T.ones(1)))]}),
        lambda T, a: T.optim.SGD([a], lr=0.1).add_param_group([a]),
        lambda T, a: T.optim.SGD([a], lr=-1.0),
        lambda T, a: T.optim.SGD([a], momentum=-1.0),
        lambda T, a: T.optim.SGD([a], weight_decay=-1.0),
        lambda T, a: T.optim.SGD([a], nesterov=True),
        lambda T, a: T.optim.SGD([a], lr=T.ones(2)),
        lambda T, a: T.optim.Adam([a], lr=-1.0),
        lambda T, a: T.optim.Adam([a], eps=-1.0),
        lambda T, a: T.optim.Adam([a], betas=(1.0, 0.9)),
        lambda T, a: T.optim.Adam([a], betas=(0.9, -0.1)),
        lambda T, a: T.optim.Adam([a], betas=(0, 0.9)),
        lambda T, a: T.optim.Adam([a], weight_decay=-1.0),
        lambda T, a: T.optim.SGD([a]).load_state_dict({"state": {}, "param_groups": []}),
        lambda T, a: T.optim.SGD([a]).load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]}),
        lambda T, a: T.optim.lr_scheduler.StepLR(a, 2),
        lambda T, a: T.optim.lr_scheduler.StepLR(T.optim.SGD([a]), 2, last_epoch=3),
        lambda T, a: T.optim.lr_scheduler.StepLR(T.optim.SGD([a]), 2).step(),
        lambda T, a: T.optim.lr_scheduler.StepLR(T.optim.SGD([a]), 2).get_lr(),
        lambda T, a: T.optim.lr_scheduler.LambdaLR(T.optim.SGD([a]), [abs, abs]),
    ],
)
def test_a_misuse_is_refused_as_pytorch_does(misuse):
    assert_same(lambda T: refused(T, misuse))


@needs_torch
def test_hooks_around_a_step():
    def program(T):
        parameters, loss = quadratic(T)
        optimizer, seen = T.optim.SGD(parameters, lr=0.1), []
        optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: seen.append("before"))
        handle = optimizer.register_step_post_hook(lambda optimizer, args, kwargs: seen.append("after"))
        optimizer.step()
        handle.remove()
        optimizer.step()
        return seen

    assert_same(program)


# ---- schedules


SCHEDULES = [
    lambda S, o: S.StepLR(o, 3, gamma=0.5),
    lambda S, o: S.LambdaLR(o, lambda epoch: 0.9**epoch),
    lambda S, o: S.LambdaLR(o, [lambda epoch: 1 / (1 + epoch), lambda epoch: 2.0]),
    lambda S, o: S.CosineAnnealingLR(o, T_max=5, eta_min=0.01),
]


@needs_torch
@pytest.mark.parametrize("make", SCHEDULES)
def test_rates_change_as_pytorchs(make):
    def program(T):
        (a, b), loss = quadratic(T)
        optimizer = T.optim.SGD([{"params": a}, {"params": b, "lr": 0.3}], lr=0.1)
        schedule = make(T.optim.lr_scheduler, optimizer)
        rates = [schedule.get_last_lr()]
        for epoch in range(14):
            optimizer.step()
            schedule.step()
            rates.append(schedule.get_last_lr())
            if epoch == 7:
                saved = schedule.state_dict()
                schedule = make(T.optim.lr_scheduler, optimizer)
                schedule.load_state_dict(saved)
        return rates, [group["initial_lr"] for group in optimizer.param_groups], sorted(saved)

    assert_same(program)


@needs_torch
@pytest.mark.parametrize("make", SCHEDULES)
def test_a_step_to_an_epoch_computes_from_the_first_rates(make):
    def program(T):
        (a, b), loss = quadratic(T)
        optimizer = T.optim.SGD([{"params": a}, {"params": b, "lr": 0.3}], lr=0.1)
        schedule = make(T.optim.lr_scheduler, optimizer)
        optimizer.step()
        rates = []
        for epoch in (4, 1, None, 0, 7, None):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                schedule.step(epoch)
            said = [(warning.category.__name__, str(warning.message)) for warning in caught]
            rates.append((schedule.last_epoch, schedule.get_last_lr(), said))
        return rates

    assert_same(program)


# ---- gradients, all at once


@needs_torch
@pytest.mark.parametrize(
    "clip",
    [
        lambda T, p: T.nn.utils.clip_grad_norm_(p, 0.5),
        lambda T, p: T.nn.utils.clip_grad_norm_(iter(p), 100.0, norm_type=1),
        lambda T, p: T.nn.utils.clip_grad_norm_(p[0], 0.5, norm_type=float("inf")),
        lambda T, p: T.nn.utils.clip_grad_norm_([], 0.5),
        lambda T, p: T.nn.utils.clip_grad_value_(p, 0.25),
        lambda T, p: p[0].grad.fill_(float("inf")) and T.nn.utils.clip_grad_norm_(p, 1.0, error_if_nonfinite=True),
    ],
)
def test_gradients_are_clipped_as_pytorchs(clip):
    def program(T):
        parameters, loss = quadratic(T)
        loss().backward()
        return clip(T, parameters), [parameter.grad.clone() for parameter in parameters]

    assert_close(program)


@needs_torch
def test_parameters_become_a_vector_and_back():
    def program(T):
        parameters, _ = quadratic(T)
        vector = T.nn.utils.parameters_to_vector(parameters).detach() * 2
        T.nn.utils.vector_to_parameters(vector, parameters)
        vector.zero_()
        return [parameter.detach().clone() for parameter in parameters], parameters[0].requires_grad

    assert_same(program)


def test_an_sgd_step_of_a_parameter_is_one_operator():
    parameter = engine.nn.Parameter(engine.ones(3))
    parameter.grad = engine.ones(3)
    optimizer = engine.optim.SGD([parameter], lr=0.5)
    with engine.dispatch.trace() as calls:
        optimizer.step()
    assert parameter.tolist() == [0.5, 0.5, 0.5]
    assert {step.op for step in calls} == {"aten::add_.Tensor"}
