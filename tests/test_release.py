"""The version and the license are the same everywhere, and CITATION.cff can be cited."""

import re
import tomllib
from pathlib import Path

import yaml

import engine

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_package_takes_its_version_from_the_engine():
    assert "version" in PROJECT["dynamic"]


def test_the_changelog_begins_with_the_current_version():
    headings = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert headings[0] == engine.__version__
    assert len(headings) == len(set(headings))


def test_the_citation_has_the_fields_that_the_format_requires():
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["title"] == "Inside the Tensor" and CITATION["message"]
    assert CITATION["authors"] and all(
        author.get("name") or author.get("family-names") for author in CITATION["authors"]
    )


def test_the_citation_names_version_and_license_of_the_package():
    assert (str(CITATION["version"]), CITATION["license"]) == (engine.__version__, PROJECT["license"])
