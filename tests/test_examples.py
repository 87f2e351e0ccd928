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


def beside_digits(monkeypatch, name, *arguments):
    """Another example that imports from digits.py, as a module, started with these arguments."""
    monkeypatch.setitem(sys.modules, "digits", digits(monkeypatch, *arguments))
    spec = importlib.util.spec_from_file_location(name, DIGITS.with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def first_steps(monkeypatch, *arguments):
    """The losses and scales of the first steps of examples/mixed_precision.py, by precision."""
    example = beside_digits(monkeypatch, "mixed_precision", *arguments)
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


def clipped(monkeypatch, *arguments):
    """The gradients of four digits at once and one by one, then the losses of the first steps with clipped ones."""
    example = beside_digits(monkeypatch, "per_sample_gradients", *arguments)
    example.T.manual_seed(0)
    images, labels = example.data()
    model = example.network()
    function = example.gradient_and_loss(model)
    given = dict(model.named_parameters()), images[:4], labels[:4]
    together, _ = example.func.vmap(function, in_dims=(None, 0, 0))(*given)
    looped = example.one_by_one(function, *given)
    steps = example.losses(model, images[example.TEST :], labels[example.TEST :], epochs=1)
    return together, looped, list(itertools.islice(steps, 8))


@pytest.mark.slow
def test_gradients_per_sample_are_the_loops_and_clipped_losses_are_pytorchs(monkeypatch, pytorch):
    together, looped, losses = clipped(monkeypatch)
    assert together.keys() == looped.keys() != set()
    for name, gradients in together.items():
        assert gradients.flatten().tolist() == pytest.approx(looped[name].flatten().tolist(), abs=1e-6)
    assert losses == pytest.approx(clipped(monkeypatch, "--torch")[2], abs=1e-4)


def ten(monkeypatch, *arguments):
    """The losses of three steps of ten networks, at once and one after the other, in lists."""
    example = beside_digits(monkeypatch, "ten_networks", *arguments)
    example.T.manual_seed(0)
    images, labels = example.data()
    networks = [example.network() for _ in range(example.NETWORKS)]
    batches = example.T.randperm(len(labels)).split(example.BATCH)[:3]
    together, separate, *_ = example.both(networks, images, labels, batches)
    return together.flatten().tolist(), separate.flatten().tolist()


@pytest.mark.slow
def test_ten_networks_at_once_have_the_losses_of_ten_runs_and_of_pytorch(monkeypatch, pytorch):
    together, separate = ten(monkeypatch)
    assert together == pytest.approx(separate, abs=1e-5)
    assert together == pytest.approx(ten(monkeypatch, "--torch")[0], abs=1e-4)


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
