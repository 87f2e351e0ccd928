"""Gradient scaling: its operators and its class do what PyTorch's do."""

import pytest
from compare import assert_same, needs_torch
from recorded_programs import printed, programs
from tiers import fast_only

import engine
from engine.cuda import lazy

PROGRAMS = programs("grad_scaler")
FAST = ["skip", "errors", "state dict", "growth", "amp ops", "warnings"]


def unscaled(T, grads, found_inf, inv_scale):
    """The gradients and the flag, after the call; what it returns."""
    result = T._amp_foreach_non_finite_check_and_unscale_(grads, found_inf, inv_scale)
    return result, grads, found_inf


UNSCALE = {
    "finite": lambda T: unscaled(T, [T.tensor([2.0, 4.0]), T.tensor(1.0)], T.tensor(0.0), T.tensor(0.5)),
    "NaN": lambda T: unscaled(T, [T.tensor([2.0, float("nan")])], T.tensor(0.0), T.tensor(0.5)),
    "an infinity among others": lambda T: unscaled(
        T, [T.ones(2), T.tensor([[float("-inf")]]), T.ones(2)], T.tensor([0.0]), T.tensor([0.5])
    ),
    "found before": lambda T: unscaled(T, [T.ones(2)], T.tensor(1.0), T.tensor(0.5)),
    "float64": lambda T: unscaled(T, [T.ones(2, dtype=T.float64), T.ones(2)], T.tensor(0.0), T.tensor(0.1)),
    "not contiguous": lambda T: unscaled(T, [T.ones(4, 4)[::2, 1:3]], T.tensor(0.0), T.tensor(0.5)),
    "recorded": lambda T: unscaled(T, [T.ones(2, requires_grad=True)], T.tensor(0.0), T.tensor(0.5)),
    "no elements": lambda T: unscaled(T, [T.ones(0)], T.tensor(0.0), T.tensor(0.5)),
    "no gradients": lambda T: unscaled(T, [], T.tensor(0.0), T.tensor(0.5)),
    "meta": lambda T: unscaled(T, [T.ones(2, device="meta")], T.ones((), device="meta"), T.ones((), device="meta")),
    "two flags": lambda T: unscaled(T, [T.ones(2)], T.ones(2), T.tensor(0.5)),
    "two scales": lambda T: unscaled(T, [T.ones(2)], T.tensor(0.0), T.ones(2)),
    "an integer flag": lambda T: unscaled(T, [T.ones(2)], T.tensor(0), T.tensor(0.5)),
    "a scale of float64": lambda T: unscaled(T, [T.ones(2)], T.tensor(0.0), T.tensor(0.5, dtype=T.float64)),
    "integers": lambda T: unscaled(T, [T.ones(2, dtype=T.int64)], T.tensor(0.0), T.tensor(0.5)),
    "no list": lambda T: unscaled(T, T.ones(2), T.tensor(0.0), T.tensor(0.5)),
}


def updated(T, scale, count, found_inf, *factors, kind="int32"):
    """The scale and the count, after the call; whether it returns the scale."""
    scale, tracker = T.tensor(scale), T.tensor(count, dtype=getattr(T, kind))
    result = T._amp_update_scale_(scale, tracker, T.tensor(found_inf), *factors)
    return result is scale, scale, tracker


UPDATE = {
    "grows": lambda T: updated(T, 7.0, 0, 0.0, 1.1, 0.5, 1),
    "counts": lambda T: updated(T, 7.0, 1, 0.0, 1.1, 0.5, 3),
    "is reduced": lambda T: updated(T, [7.0], 2, 1.0, 1.1, 0.3, 3),
    "is reduced by NaN": lambda T: updated(T, 7.0, 4, float("nan"), 1.1, 0.3, 3),
    "does not overflow": lambda T: updated(T, 3e38, 0, 0.0, 2.0, 0.5, 1),
    "never grows": lambda T: updated(T, 7.0, 0, 0.0, 2.0, 0.5, 0),
    "two scales": lambda T: updated(T, [7.0, 8.0], 0, 0.0, 2.0, 0.5, 1),
    "two counts": lambda T: updated(T, 7.0, [0, 0], 0.0, 2.0, 0.5, 1),
    "two flags": lambda T: updated(T, 7.0, 0, [0.0, 1.0], 2.0, 0.5, 1),
    "a count of int64": lambda T: updated(T, 7.0, 0, 0.0, 2.0, 0.5, 1, kind="int64"),
    "an integer scale": lambda T: updated(T, 7, 0, 0.0, 2.0, 0.5, 1),
    "an integer flag": lambda T: updated(T, 7.0, 0, 0, 2.0, 0.5, 1),
}


@needs_torch
@pytest.mark.parametrize("program", [*UNSCALE.values(), *UPDATE.values()], ids=[*UNSCALE, *UPDATE])
def test_an_operator_does_what_pytorchs_does(program):
    assert_same(program)


@pytest.mark.parametrize("title", fast_only(FAST, PROGRAMS))
def test_a_program_prints_what_it_prints_with_pytorch(title, monkeypatch):
    program, output = PROGRAMS[title]
    monkeypatch.setitem(lazy._state, "initialized", False)  # as if no other test had used the simulator
    assert printed(program, engine) == output


@pytest.mark.slow
def test_on_the_simulator_a_scale_is_on_the_device():
    weight = engine.nn.Parameter(engine.tensor([3.0, 4.0], device="cuda"))
    optimizer, scaler = engine.optim.SGD([weight], lr=1.0), engine.amp.GradScaler("cuda", 8.0, growth_interval=1)
    scaler.scale((weight * weight).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert (weight.tolist(), scaler._scale.device.type, scaler.get_scale()) == ([-3, -4], "cuda", 16)
    weight.grad = engine.tensor([1.0, float("inf")], device="cuda")
    scaler.step(optimizer)
    scaler.update()
    assert (weight.tolist(), scaler.get_scale()) == ([-3, -4], 8)


@pytest.mark.slow
def test_gradients_on_two_devices_are_checked_on_each():
    here, there = (engine.nn.Parameter(engine.ones(2, device=device)) for device in ("cpu", "cuda"))
    optimizer, scaler = engine.optim.SGD([here, there], lr=1.0), engine.amp.GradScaler("cpu", 4.0)
    for loss in scaler.scale([here.sum(), there.sum()]):
        loss.backward()
    there.grad[0] = float("nan")
    scaler.unscale_(optimizer)
    assert here.grad.tolist() == [1, 1]
    assert scaler.step(optimizer) is None
    scaler.update()
    assert (here.tolist(), scaler.get_scale()) == ([1, 1], 2)
