"""A file is written whole or not at all, and no draft stays."""

from pathlib import Path

import pytest

from autograder.files import write_whole


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "performance.md"
    write_whole(path, "old")

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "replace", interrupt)
        write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_line_ends_are_those_of_the_text(tmp_path):
    path = tmp_path / "part.py"
    write_whole(path, "a\r\nb\n", durable=True)
    assert path.read_bytes() == b"a\r\nb\n"


def test_what_cannot_be_written_leaves_the_old_text(tmp_path):
    path = tmp_path / "kept.txt"
    write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new \ud800")
    assert path.read_text(encoding="utf-8") == "old" and list(tmp_path.iterdir()) == [path]
