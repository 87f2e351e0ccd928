"""docs/adding-a-backend-or-a-key.md does what it says: its blocks, put where it says, make a backend and a key."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from compare import engine, needs_torch

from engine import layers
from engine.aten.native.binary_ops import add_stub
from engine.backend import BACKENDS, ROWS
from engine.dispatch.keys import BACKEND_KEY_OF_DEVICE, FUNCTIONALITY_SHIFT, KEY_SETS, RUNTIME_KEYS, DispatchKey

ROOT = Path(layers.__file__).parent.parent
TEXT = (ROOT / "docs" / "adding-a-backend-or-a-key.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(?:yaml|python)\n(.*?)```", TEXT, re.DOTALL)
KEYS, ROW, MODULE, LAYER, BEFORE, AFTER, ON_XPU, OUTSIDE, KEY, FALLBACK, ON_KEY = BLOCKS


def replace(path, old, new):
    """Replace the first `old` of a file, which is there."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} has no {old}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture(scope="module")
def changed_engine(tmp_path_factory):
    """A folder with a copy of the engine that has the backend and the key of the text."""
    folder = tmp_path_factory.mktemp("engine")
    copy = shutil.copytree(ROOT / "engine", folder / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    dispatch, yaml = copy / "dispatch", copy / "aten" / "native_functions.yaml"
    replace(dispatch / "keys.py", "    Meta = 64\n", f"{KEYS}    Meta = 64\n")
    replace(dispatch / "keys.py", "    FuncTorchVmapMode = 36\n", f"    FuncTorchVmapMode = 36\n{KEY}")
    replace(copy / "backend.py", '    Backend("Meta"', f'{ROW}    Backend("Meta"')
    replace(copy / "layers.py", '    Layer("kernels for the CPU"', f'{LAYER}    Layer("kernels for the CPU"')
    replace(dispatch / "fallbacks.py", "    K.Meta: meta", f"{FALLBACK}    K.Meta: meta")
    replace(yaml, BEFORE, AFTER)
    (copy / "xpu.py").write_text(MODULE, encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("program", [ON_XPU, OUTSIDE, ON_KEY], ids=["backend", "outside", "key"])
def test_the_worked_example_runs(changed_engine, program):
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, cwd=changed_engine, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_the_example_from_outside_changes_no_file():
    library = {}
    try:
        exec(compile(OUTSIDE, "<docs/adding-a-backend-or-a-key.md>", "exec"), library)
    finally:
        library["library"]._destroy()


def test_every_functionality_is_in_a_table():
    found = {key for key in RUNTIME_KEYS if key < DispatchKey.CPU}
    per_backend = {DispatchKey.Dense, DispatchKey.Quantized, DispatchKey.AutogradFunctionality}
    assert found | per_backend == {key for key in DispatchKey if key < DispatchKey.CPU}


def test_a_row_has_its_keys_its_bit_and_its_device():
    for row in ROWS:
        assert BACKENDS[row.device_type] is row
        assert BACKEND_KEY_OF_DEVICE[row.device_type] is DispatchKey[row.name]
        assert KEY_SETS[row.device_type] >> row.bit & 1 and row.bit < FUNCTIONALITY_SHIFT + 1
        assert engine.device(row.device_type).type == row.device_type


@needs_torch
@pytest.mark.parametrize("name", [*re.findall(r"(\w+) = \d+", KEYS + KEY)])
def test_the_numbers_of_the_text_are_pytorchs(name):
    import torch

    assert int(re.search(rf"\b{name} = (\d+)", KEYS + KEY)[1]) == int(torch._C._dispatch_key_parse(name))


@pytest.mark.parametrize("device_type", ["privateuseone", "tpu"])
def test_a_stub_without_a_kernel_for_a_device_says_which_it_has(device_type):
    with pytest.raises(RuntimeError, match=rf"missing kernel for {device_type}; add_stub has kernels for: .*cpu"):
        add_stub.kernels[device_type]
