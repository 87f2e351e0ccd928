"""The cost of a class is measured on one that is really graded, by the pool and by a cluster of this machine."""

import re
import subprocess
import sys

import psutil
import pytest

from autograder.grading import store
from autograder.proof import measure_class


def test_a_folder_is_as_large_as_its_files_and_a_process_has_its_kind(tmp_path):
    (tmp_path / "one").write_bytes(b"x" * 10)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "two").write_bytes(b"x" * 5)
    assert measure_class.size_of(tmp_path) == 15 and measure_class.size_of(tmp_path / "one") == 10
    assert measure_class.size_of(tmp_path / "none") == 0
    command = [sys.executable, "-c", "print('running', flush=True); input()", "autograder.grading"]
    with psutil.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()  # between fork and exec it has no command that could be read
            ((kind, size),) = measure_class._sizes([psutil.Process(process.pid)])
        finally:
            process.kill()
    assert kind == "command" and size > 0


@pytest.mark.handed_out
@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("options", [[], ["--cluster", "--kill"]], ids=["pool", "cluster, a worker killed"])
def test_a_small_class_is_graded_and_measured(tmp_path, capsys, options):
    if options:
        pytest.importorskip("distributed", reason="not run: dask.distributed is not installed")
    assert measure_class.main(["3", "--lab", "01", "--root", str(tmp_path), *options]) == 0
    said = capsys.readouterr().out
    assert "3 submissions of 01-strides" in said and "every score is the deserved one" in said
    assert ("a worker was killed after" in said) is bool(options)
    assert len(list(store.paths(tmp_path, "01-strides"))) == 3
    sizes = {name: float(size) for name, size in re.findall(r"MiB +([\w.]+), ([\d.]+) KiB a submission", said)}
    assert sizes["records"] > 1 and sizes["autograded"] > 10 and sizes["gradebook.db"] > 1
