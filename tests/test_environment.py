"""environment.yml, pyproject.toml and constraints.txt name the same requirements."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
CONDA_NAMES = {"matplotlib-base": "matplotlib", "msgpack-python": "msgpack"}


def normalised(requirement: str) -> str:
    """`Name>=1; marker` as `name>=1`, so that the two files can be compared."""
    return re.sub(r"[\s_]+", "-", requirement.split(";")[0].strip()).lower()


def distribution(requirement: str) -> str:
    return re.split(r"[<>=!~]", normalised(requirement))[0]


def project_requirements() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {normalised(r) for r in project["dependencies"] + project["optional-dependencies"]["dev"]}


def test_conda_environment_names_the_same_requirements():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    names = [d for d in conda if isinstance(d, str)] + [r for d in conda if isinstance(d, dict) for r in d["pip"]]
    found = set()
    for name in map(normalised, names):
        plain = distribution(name)
        found.add(name.replace(plain, CONDA_NAMES.get(plain, plain), 1))
    assert found - {"python>=3.11", "pip"} == project_requirements()


def test_every_requirement_has_an_exact_version_in_the_constraints():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {distribution(line) for line in lines if "==" in line}
    assert {distribution(r) for r in project_requirements()} <= pinned
