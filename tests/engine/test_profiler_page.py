"""docs/profiler.md does what it says: its programs run in order, and print what it describes."""

import re
from pathlib import Path

import engine

ROOT = Path(engine.__file__).parents[1]
TEXT = (ROOT / "docs" / "profiler.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_its_programs_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scope = {}
    printed = []
    for number, program in enumerate(PROGRAMS):
        exec(compile(program, f"docs/profiler.md, program {number + 1}", "exec"), scope)
        printed.append(capsys.readouterr().out)
    step, cycle, device, timed = printed
    assert "Optimizer.step#SGD.step" in step or "aten::addmm" in step
    assert (tmp_path / "trace.json").is_file()
    assert cycle.startswith("4 [")
    assert "Self CUDA time total: " in device
    assert "64 x 64" in timed


def test_the_files_that_it_names_are_there():
    links = re.findall(r"\]\(\.\./([^)]+)\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []
