"""The examples run, learn what they say, and are the same program under PyTorch."""

import importlib.util
import itertools
import sys
from pathlib import Path

import pytest

DIGITS = Path(__file__).parents[1] / "examples" / "digits.py"


def digits(monkeypatch, *arguments):
    """The example as a module, started with these arguments."""
    monkeypatch.setattr(sys, "argv", [str(DIGITS), *arguments])
    spec = importlib.util.spec_from_file_location("digits", DIGITS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def trained(example, count):
    """The losses of so many steps, then the network and the digits that it was not shown."""
    example.T.manual_seed(0)
    images, labels = example.data()
    model = example.network()
    steps = example.losses(model, images[example.TEST :], labels[example.TEST :], example.EPOCHS)
    losses = list(itertools.islice(steps, count))
    return losses, model, images[: example.TEST], labels[: example.TEST]


def test_the_network_learns_to_read_digits(monkeypatch):
    example = digits(monkeypatch)
    losses, model, images, labels = trained(example, 200)
    assert sum(losses[-20:]) < 0.2 * sum(losses[:20])
    assert example.accuracy(model, images, labels) > 0.93


def test_the_first_losses_are_pytorchs(monkeypatch):
    pytest.importorskip("torch", reason="not run: PyTorch is not installed", exc_type=ImportError)
    ours, *_ = trained(digits(monkeypatch), 20)
    theirs, *_ = trained(digits(monkeypatch, "--torch"), 20)
    assert ours == pytest.approx(theirs, abs=1e-4)
