"""The configuration of a container's grader, `config.yaml`: written by `make autograder-zip`, then perhaps edited."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

FILE = "config.yaml"
GRADESCOPE, PRAIRIELEARN = "gradescope", "prairielearn"
ANY = "any"


class ConfigError(ValueError):
    """The configuration is invalid; the message says what was found, what was expected, and what to do."""


class Option(NamedTuple):
    """One option of the file: its allowed values, of which the first is the default, and a description."""

    values: tuple[str | bool, ...]
    about: str


NO_WALLS = Option(
    (False, True),
    "Where no tier holds, nothing shuts students' code in, and nobody is graded. true grades all the same: such code\n"
    "can then read what is in the container, and can forge the verdicts on its own submission.",
)
TIER = Option((ANY, "bwrap", "landlock"), "The isolation that is required; any: the strongest that holds.")
OPTIONS: Mapping[str, Mapping[str, Option]] = MappingProxyType(
    {
        GRADESCOPE: {
            "extra": Option(
                ("add", "cap", "none"),
                "Extra credit of optional exercises: add it to the score, which may exceed the machine's maximum;\n"
                "cap: fill up lost points; none: show it only.",
            ),
            "visibility": Option(
                ("visible", "after_due_date", "after_published", "hidden"), "When students see their verdicts."
            ),
            "isolation": TIER,
            "accept_no_isolation": NO_WALLS,
        },
        PRAIRIELEARN: {
            "extra": Option(
                ("cap", "none"), "Extra credit of optional exercises fills up lost points, or is only shown."
            ),
            "isolation": TIER,
            "accept_no_isolation": NO_WALLS,
        },
    }
)


class Config(NamedTuple):
    """The values of the configuration file; an `isolation` of "" selects the strongest tier available."""

    lab: str
    extra: str
    isolation: str
    accept_no_isolation: bool
    visibility: str = "visible"


def text(system: str, lab: str, chosen: Mapping[str, str | bool]) -> str:
    """Return the text of a configuration file; options that are not in `chosen` have their defaults."""
    lines = ["# Read by the grader at every submission. After a change, build the container again.", f"lab: {lab}"]
    for name, option in OPTIONS[system].items():
        value = chosen.get(name, option.values[0])
        allowed = " | ".join(map(_spelled, option.values))
        lines += ["", *(f"# {line}" for line in option.about.splitlines()), f"{name}: {_spelled(value)}  # {allowed}"]
    return "\n".join(lines) + "\n"


def read(path: Path, system: str) -> Config:
    """Read the configuration from a file.

    Raises:
        ConfigError: it is missing, or says something that is not in `OPTIONS`.
    """
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} can't be read ({error.strerror}): make the zip again, make autograder-zip") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    if type(given) is not dict or type(given.get("lab")) is not str:
        raise ConfigError(f"{path}: expected a line `lab: ` and one for each option, as make autograder-zip writes it")
    options = OPTIONS[system]
    if unknown := sorted(map(str, set(given) - {"lab", *options})):
        raise ConfigError(f"{path}: {', '.join(unknown)}: no such option; there are lab, {', '.join(options)}")
    return _config(given["lab"], {name: _value(path, name, given, option) for name, option in options.items()})


def _value(path: Path, name: str, given: Mapping[str, Any], option: Option) -> Any:
    value = given.get(name, option.values[0])
    if not any(value is allowed or (type(value) is str and value == allowed) for allowed in option.values):
        raise ConfigError(f"{path}: {name}: {value!r}; expected {' | '.join(map(_spelled, option.values))}")
    return value


def _config(lab: str, values: Mapping[str, Any]) -> Config:
    tier = values["isolation"]
    return Config(lab=lab, **{**values, "isolation": "" if tier == ANY else tier})


def _spelled(value: str | bool) -> str:
    return str(value).lower() if type(value) is bool else str(value)
