"""The bench writes its tables into docs/performance.md, and nothing else."""

import re

from bench import page

TEXT = page.PAGE.read_text(encoding="utf-8")


def test_the_tables_are_replaced_and_the_text_around_them_stays(tmp_path):
    copy = tmp_path / "performance.md"
    copy.write_text(TEXT, encoding="utf-8")
    assert page.has_place(copy)
    page.write("| new \\1 |\n", copy)
    before, tables, after = re.split(r"(?s)(?<=-->\n)(.*)(?=<!-- /bench)", copy.read_text(encoding="utf-8"))
    assert tables == "| new \\1 |\n"
    assert TEXT.startswith(before) and TEXT.endswith(after) and "make bench ARGS=--write" in before


def test_a_page_without_the_marks_has_no_place_for_tables(tmp_path):
    copy = tmp_path / "performance.md"
    assert not page.has_place(copy)
    copy.write_text("# Performance", encoding="utf-8")
    assert not page.has_place(copy)


def test_the_tables_say_when_and_on_what_they_were_measured():
    tables = page.TABLES.search(TEXT)[0]
    assert re.search(r"Measured on \d{4}-\d\d-\d\d, commit [0-9a-f]{7}", tables)
    assert re.match(r"Measured on \d{4}-\d\d-\d\d, commit \S.*, \d+ cores$", page.provenance())
