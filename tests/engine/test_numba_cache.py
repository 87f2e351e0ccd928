"""numba's disk cache and the student's jitted parts, on a small package in fresh processes."""

import gc
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.compiled import numba_cache
from engine.cpu.loops import Compiled
from tests.engine import toy_engine

BOOT = """
from . import compiled
compiled.choose_cache()
from . import kernels, overlay, plain
overlay.boot()
"""
KERNELS = """
import numba

@numba.njit(cache=True)
def step(x):
    return x + 1

@numba.njit(cache=True)
def caller(x):
    return step(x) * 10
"""
STUDENT = """
import numba

@numba.njit(cache=True)
def step(x):
    return more(x)

@numba.njit
def more(x):
    return x + 2
"""
CALL = "from toyengine import kernels; print(kernels.caller(1))"
HITS = CALL + "; print(sum(kernels.caller.stats.cache_hits.values()))"


@pytest.fixture
def toy(tmp_path):
    """Runs a script in a fresh process that can import `toyengine`; returns the words it prints."""
    toy_engine.write(tmp_path, __init__=BOOT, kernels=KERNELS, plain="def twice(x): return 2 * x\n")
    place = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    inherited = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "ENGINE_PARTS")}

    def run(script, **environment):
        words = subprocess.run(
            [sys.executable, "-c", script],
            env=inherited | place | environment, text=True, capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        assert words.returncode == 0, words.stderr
        return words.stdout.split()

    return run


@pytest.fixture
def jitted_part(tmp_path):
    return _part(tmp_path / "jitted", "kernels", "step", STUDENT)


@pytest.fixture
def plain_part(tmp_path):
    return _part(tmp_path / "plain", "plain", "twice", "def twice(x): return 0\n")


def _part(folder, module, name, source):
    (folder / module).mkdir(parents=True)
    (folder / module / f"{name}.py").write_text(source)
    return str(folder)


def cache_folders(tmp_path):
    return sorted(path.name for path in (tmp_path / "cache" / "inside-the-tensor" / "numba").iterdir())


@pytest.mark.slow
def test_a_second_process_finds_the_kernel_compiled(toy):
    toy(CALL)
    assert toy(HITS) == ["20", "1"]


@pytest.mark.slow
def test_an_engine_installed_elsewhere_finds_the_kernel_compiled(toy, tmp_path):
    toy(CALL)
    shutil.copytree(tmp_path / "toyengine", tmp_path / "elsewhere" / "toyengine")
    assert toy(HITS, PYTHONPATH=str(tmp_path / "elsewhere")) == ["20", "1"]


def test_a_part_at_boot_does_not_poison_the_reference(toy, jitted_part):
    assert [toy(CALL, ENGINE_PARTS=jitted_part), toy(CALL)] == [["30"], ["20"]]


@pytest.mark.slow
def test_parts_at_boot_are_found_compiled_the_second_time(toy, jitted_part):
    toy(CALL, ENGINE_PARTS=jitted_part)
    assert toy(HITS, ENGINE_PARTS=jitted_part) == ["30", "1"]


@pytest.mark.slow
def test_a_part_grafted_later_does_not_poison_the_reference(toy):
    graft = (
        f"from toyengine import kernels, overlay; overlay.graft('kernels.step', {STUDENT!r}); print(kernels.caller(1))"
    )
    assert [toy(graft), toy(CALL)] == [["30"], ["20"]]


@pytest.mark.slow
def test_a_compiled_caller_runs_the_part_and_then_the_reference_again(toy):
    script = f"""
from toyengine import kernels, overlay
print(kernels.caller(1))
with overlay.swapped({{'kernels.step': {STUDENT!r}}}):
    print(kernels.caller(1))
print(kernels.caller(1))
"""
    assert toy(script) == ["20", "30", "20"]


@pytest.mark.slow
def test_the_reference_does_not_poison_parts_that_were_counted_at_boot(toy, jitted_part):
    restore = "from toyengine import kernels, overlay; overlay.restore(); print(kernels.caller(1))"
    assert [toy(restore, ENGINE_PARTS=jitted_part), toy(CALL, ENGINE_PARTS=jitted_part)] == [["20"], ["30"]]


@pytest.mark.slow
def test_a_jitted_part_has_a_directory_of_its_own(toy, jitted_part, tmp_path):
    toy(CALL)
    toy(CALL, ENGINE_PARTS=jitted_part)
    assert len(cache_folders(tmp_path)) == 2


@pytest.mark.slow
def test_a_part_in_plain_python_shares_the_reference_s_directory(toy, plain_part, tmp_path):
    toy(CALL)
    toy(CALL, ENGINE_PARTS=plain_part)
    assert len(cache_folders(tmp_path)) == 1


def test_a_changed_kernel_file_has_a_directory_of_its_own(toy, tmp_path):
    toy(CALL)
    (tmp_path / "toyengine" / "kernels.py").write_text(KERNELS.replace("x + 1", "x + 1 + 4"))
    assert toy(CALL) == ["60"]
    assert len(cache_folders(tmp_path)) == 2


@pytest.mark.slow
def test_a_changed_file_that_has_no_kernels_keeps_the_kernels(toy, tmp_path):
    toy(CALL)
    # It imports numba_cache, which is not numba.
    with open(tmp_path / "toyengine" / "overlay" / "overlay.py", "a") as parts:
        parts.write("\nNEW = 1\n")
    assert toy(HITS) == ["20", "1"]
    assert len(cache_folders(tmp_path)) == 1


@pytest.mark.slow
def test_a_variable_of_numba_s_that_is_set_later_moves_no_kernels(toy):
    later = (
        "import os, numba; os.environ['NUMBA_OPT'] = '3'; kernels.caller(1.5); "  # numba reads its settings anew
        "again = numba.njit(cache=True)(kernels.caller.py_func); "
        "print(again._cache.cache_path == kernels.caller._cache.cache_path)"
    )
    assert toy(f"{CALL}; {later}") == ["20", "True"]


@pytest.mark.slow
def test_a_cache_directory_that_the_user_names_is_used(toy, tmp_path):
    toy(CALL, NUMBA_CACHE_DIR=str(tmp_path / "own"))
    assert list((tmp_path / "own").rglob("*.nbi"))


def test_a_directory_that_cannot_be_written_is_replaced_by_a_temporary_one(toy, tmp_path):
    (tmp_path / "file").touch()
    where = "; import numba; print(numba.config.CACHE_DIR)"
    value, place = toy(CALL + where, XDG_CACHE_HOME=str(tmp_path / "file"))
    assert (value, "inside-the-tensor-numba-" in place) == ("20", True)


def test_a_temporary_directory_goes_when_the_process_ends(toy, tmp_path):
    (tmp_path / "file").touch()
    where = "import toyengine, numba; print(numba.config.CACHE_DIR)"
    (place,) = toy(where, XDG_CACHE_HOME=str(tmp_path / "file"))
    assert not Path(place).parent.exists()


@pytest.mark.parametrize(
    "sources, version",
    [({"a": "1", "b": "3"}, "v"), ({"a": "1", "c": "2"}, "v"), ({"a": "1"}, "v"), ({"a": "1", "b": "2"}, "w")],
)
def test_the_digest_differs_with_each_name_text_and_version(sources, version):
    assert numba_cache.digest(sources, version) != numba_cache.digest({"a": "1", "b": "2"}, "v")


def test_no_two_kernels_have_a_name_and_a_signature_in_common():
    """numba finds machine code by them: of two, one process may keep the first and another run it as the second."""
    code_of = {}
    for table in (found for found in gc.get_objects() if type(found) is Compiled):
        for kind in table.kinds:
            kernel = table.function(kind)
            cells = [re.sub(" at 0x[0-9a-f]+", "", repr(cell.cell_contents)) for cell in kernel.__closure__ or ()]
            name = kernel.__module__, kernel.__qualname__, table.signature(kind)
            assert code_of.setdefault(name, (kernel.__code__, cells)) == (kernel.__code__, cells), table.name
