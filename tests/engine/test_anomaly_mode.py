"""Anomaly detection says what PyTorch says: which node went wrong, where it was made, and what raises."""

import re
import threading
import warnings

import pytest
from compare import needs_torch, torch

import engine

TRIGGERED = re.compile(r" \(Triggered internally at .*\)$")


def told(T, program):
    """The result or the error of `program(T)`, what it warned of, and where: names of files, lines and functions."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = program(T)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        finally:
            T.autograd.set_detect_anomaly(False)
    return result, [(one.category, own_frames(str(one.message))) for one in caught]


def own_frames(message):
    """A warning without the frames below this file's, which are the library's own."""
    kept, lines = [], TRIGGERED.sub("", message.rstrip()).splitlines()
    for line in lines:
        if line.startswith("  File ") and __file__ not in line:
            kept.append(None)
        elif not (line.startswith("    ") and kept and kept[-1] is None):
            kept.append(line.rstrip())
    return [line for line in kept if line]


def failing(T, at):
    class Failing(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return at(grad)

    return Failing.apply


def refuse(grad):
    raise ValueError("not today")


def leaf(T):
    return T.tensor([0.0, 1.0], requires_grad=True)


def nan(T, *options):
    x = leaf(T)
    with T.autograd.set_detect_anomaly(*options):
        (x.sqrt() * 0.0).sum().backward()
    return x.grad.tolist()[1]


def of_second_input(T):
    with T.autograd.detect_anomaly():
        (leaf(T) / leaf(T)).sum().backward()


def written_to(T):
    with T.autograd.detect_anomaly():
        y = leaf(T).exp()
        y.add_(1)
        y.sum().backward()


def raised(T):
    with T.autograd.detect_anomaly(check_nan=False):
        failing(T, refuse)(leaf(T)).sum().backward()


def wrong_number(T):
    with T.autograd.detect_anomaly():
        failing(T, lambda grad: (grad, grad))(leaf(T)).sum().backward()


def of_a_hook(T):
    with T.autograd.detect_anomaly():
        y = leaf(T) * 2
        y.register_hook(refuse)
        y.sum().backward()


def made_before(T):
    y = leaf(T).sqrt() * 0.0
    with T.autograd.detect_anomaly():
        y.sum().backward()


def run_after(T):
    x = leaf(T)
    with T.autograd.detect_anomaly():
        y = x.sqrt() * 0.0
    y.sum().backward()
    return x.grad.tolist()[1]


def second_pass(T):
    def backward(grad):
        return (grad * 0.0).sqrt()

    with T.autograd.detect_anomaly():
        x = leaf(T)
        seed = T.ones(2, requires_grad=True)
        (once,) = T.autograd.grad(failing(T, backward)(x), x, seed, create_graph=True)
        once.sum().backward()


def gradient_asked_for(T):
    with T.autograd.detect_anomaly():
        x = leaf(T)
        y = x.sqrt()
        return [one.tolist() for one in T.autograd.grad((y * 0.0).sum(), y)]


def nan_arrives(T):
    x = leaf(T)
    x.grad = T.tensor([float("nan"), 0.0])
    with T.autograd.detect_anomaly():
        (x * 2).sum().backward()
    return str(x.grad.tolist())


def of_a_layer(T):
    with T.autograd.detect_anomaly():
        T.nn.functional.relu(leaf(T)).sqrt().mul(0.0).sum().backward()


PROGRAMS = {
    "nan": lambda T: nan(T, True),
    "nan is not looked for": lambda T: nan(T, True, False),
    "off": lambda T: nan(T, False),
    "second input": of_second_input,
    "written to": written_to,
    "raised": raised,
    "wrong number": wrong_number,
    "hook": of_a_hook,
    "made before": made_before,
    "run after": run_after,
    "a node made by a node": second_pass,
    "only asked for": gradient_asked_for,
    "nan in .grad": nan_arrives,
    "in a layer": of_a_layer,
}


@needs_torch
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_it_says_what_pytorch_says(program):
    (got, got_warnings), (expected, expected_warnings) = (told(T, program) for T in (engine, torch))
    assert got == expected
    assert got_warnings == expected_warnings


def modes(T):
    def mode():
        return T.is_anomaly_enabled(), T.is_anomaly_check_nan_enabled()

    seen = [mode()]
    T.autograd.set_detect_anomaly(True)
    seen.append(mode())
    with T.autograd.set_detect_anomaly(False, check_nan=False):
        seen.append(mode())
        with T.autograd.detect_anomaly():
            seen.append(mode())
            thread = threading.Thread(target=lambda: seen.append(mode()))
            thread.start()
            thread.join()
        seen.append(mode())
    seen.append(mode())
    try:
        with T.autograd.detect_anomaly(check_nan=False):
            seen.append(mode())
            raise KeyError
    except KeyError:
        seen.append(mode())
    return seen


@needs_torch
def test_the_mode_is_set_and_comes_back_as_in_pytorch():
    assert told(engine, modes) == told(torch, modes)


def test_a_node_remembers_where_it_was_made_only_while_the_mode_is_on():
    x = leaf(engine)
    assert "traceback_" not in (x * 2).grad_fn.metadata
    with engine.autograd.set_detect_anomaly(True):
        (*_, last) = (x * 2).grad_fn.metadata["traceback_"]
    assert __file__ in last and "(x * 2).grad_fn" in last


def test_a_gradient_is_looked_at_unrecorded():
    x = leaf(engine)
    with engine.autograd.set_detect_anomaly(True):
        (once,) = engine.autograd.grad((x * x * x).sum(), x, create_graph=True)
    assert once.grad_fn.name() == "AddBackward0"
