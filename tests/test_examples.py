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
    """The losses of this number of steps, then the network and the digits that it was not shown."""
    example.T.manual_seed(0)
    images, labels = example.data()
    model = example.network()
    steps = example.losses(model, images[example.TEST :], labels[example.TEST :], example.EPOCHS)
    losses = list(itertools.islice(steps, count))
    return losses, model, images[: example.TEST], labels[: example.TEST]


@pytest.mark.slow
def test_the_network_learns_to_read_digits(monkeypatch):
    example = digits(monkeypatch)
    losses, model, images, labels = trained(example, 200)
    assert sum(losses[-20:]) < 0.2 * sum(losses[:20])
    assert example.accuracy(model, images, labels) > 0.93


def test_the_first_losses_are_pytorchs(monkeypatch, pytorch):
    ours, *_ = trained(digits(monkeypatch), 20)
    theirs, *_ = trained(digits(monkeypatch, "--torch"), 20)
    assert ours == pytest.approx(theirs, abs=1e-4)


def first_steps(monkeypatch, *arguments):
    """The losses and scales of the first steps of examples/mixed_precision.py, by precision."""
    monkeypatch.setitem(sys.modules, "digits", digits(monkeypatch, *arguments))
    path = DIGITS.with_name("mixed_precision.py")
    spec = importlib.util.spec_from_file_location("mixed_precision", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    found = {}
    for name, dtype in example.PRECISIONS.items():
        example.T.manual_seed(0)
        images, labels = example.data()
        steps = example.losses(example.network(), images, labels, dtype, epochs=1)
        found[name] = list(zip(*itertools.islice(steps, 12), strict=True))
    return found


@pytest.mark.slow
def test_in_each_precision_the_first_losses_and_scales_are_pytorchs(monkeypatch, pytorch):
    ours, theirs = first_steps(monkeypatch), first_steps(monkeypatch, "--torch")
    assert ours.keys() == theirs.keys()
    for name, (losses, scales) in ours.items():
        assert losses == pytest.approx(theirs[name][0], abs=2e-4)
        assert scales == theirs[name][1]
    assert ours["float16"][1][:4] == (2**21, 2**20, 2**19, 2**19)  # three steps are skipped


def test_two_kernels_are_counted_and_drawn(monkeypatch, capsys, tmp_path):
    path = Path(__file__).parents[1] / "examples" / "accesses.py"
    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path / "picture.svg")])
    spec = importlib.util.spec_from_file_location("accesses", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.main()
    counts = [line.split()[-2:] for line in capsys.readouterr().out.splitlines()[1:]]
    n, tile = example.N, example.TILE
    assert counts[0] == [f"{2 * n**3:,}", f"{2 * n**3 // tile:,}"] and counts[2:] == [["0", "0"], ["0", "0"]]
    page = (path.parents[1] / "docs" / "accesses.md").read_text(encoding="utf-8")
    assert all(f"{a:>8}{b:>8}" in page for a, b in counts)
    assert (tmp_path / "picture.svg").read_text(encoding="utf-8").startswith("<svg")
