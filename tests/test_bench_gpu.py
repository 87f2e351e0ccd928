"""`make gpu` goes through without a GPU, where asked to, and otherwise says what it lacks."""

import sys

import pytest

import engine
from bench import gpu


@pytest.fixture(autouse=True)
def needs_no_gpu():
    if engine.cuda.is_available():
        pytest.skip("not run: the simulator (a GPU is there)")


def test_without_a_gpu_it_says_what_to_do(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gpu"])
    assert gpu.main() == 2
    assert "expected a GPU with a CUDA driver, and found none" in capsys.readouterr().err


@pytest.mark.slow
def test_all_that_is_measured_runs(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["gpu", "--simulator", "--speed-only"])
    monkeypatch.setattr(gpu, "RESULTS", tmp_path)
    monkeypatch.setattr(gpu, "ROUNDS", 1)
    monkeypatch.setattr(gpu, "REPEATS", 1)
    assert gpu.main() == 0
    printed = capsys.readouterr().out
    for name, *_ in gpu.memory_bound(gpu.ON_SIMULATOR):
        assert name in printed
    assert "engine  mm 8^3 float32" in printed and "an empty kernel" in printed
    assert not any(tmp_path.iterdir()), "what the simulator takes is no result"
