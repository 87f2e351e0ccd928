"""`make autograder-zip FOR=gradescope|prairielearn LAB=01`: the grader for another system's container, in `dist/`.

Both zips hold the grader's wheel, right answers included, the released lab, and config.yaml: they are for the system
and for instructors, never for students.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from autograder.author import grader_wheel, lab_text
from autograder.author.bundle import CONSTRAINTS, EPOCH
from autograder.department.containers import NOT_GRADED, Graded, config
from autograder.department.containers.__main__ import SYSTEMS
from autograder.department.containers.config import GRADESCOPE, PRAIRIELEARN
from autograder.examine import lab_file
from autograder.examine.handin import FILE
from autograder.examine.lab_file import Lab

FILES = Path(__file__).with_name("files")
SHARED = ("grade.sh", "install.sh")
FALLBACK = "not_graded.json"  # grade.sh takes it where the grader died
DIED = "the grader ended without a result, perhaps for want of memory; the container's output says more"
NOTEBOOKS = (".ipynb", ".md")  # of a released lab; what is recorded for students' checks is not needed
TIMEOUT = 600  # seconds, the most that PrairieLearn allows; the grader gives up before, see `SECONDS`
Contents = dict[str, bytes]


def grader(system: str, lab: Lab, wheel: Path, chosen: Mapping[str, str | bool], released: Path) -> Contents:
    """Return the grader's files by name; the platforms differ only in config.yaml and the fallback result."""
    fallback = SYSTEMS[system].translate(Graded(NOT_GRADED, DIED), None)
    found = {name: (FILES / name).read_bytes() for name in SHARED}
    found |= {
        config.FILE: config.text(system, lab.id, chosen).encode(),
        FALLBACK: (json.dumps(fallback, indent=1) + "\n").encode(),
        CONSTRAINTS: (lab_text.ROOT / CONSTRAINTS).read_bytes(),
        wheel.name: wheel.read_bytes(),
    }
    needed = [path for path in sorted(released.iterdir()) if path.suffix in NOTEBOOKS or path.name == lab_file.FILE]
    return found | {f"course/{lab.id}/{path.name}": path.read_bytes() for path in needed}


def for_gradescope(files: Contents, lab: Lab) -> Contents:
    """Return the files of the zip for Gradescope, with setup.sh and run_autograder at its root."""
    own = {name: (FILES / GRADESCOPE / name).read_bytes() for name in ("setup.sh", "run_autograder")}
    return own | files | {"README.md": _text(GRADESCOPE, "README.md", lab)}


def for_prairielearn(files: Contents, lab: Lab) -> Contents:
    """Return the files of the zip for PrairieLearn: the folder of a Docker image, and the folder of a question."""
    image = files | {"Dockerfile": (FILES / PRAIRIELEARN / "Dockerfile").read_bytes()}
    question = {"info.json": _info(lab), "question.html": _text(PRAIRIELEARN, "question.html", lab)}
    readme = {"README.md": _text(PRAIRIELEARN, "README.md", lab)}
    return readme | _below("image", image) | _below(f"questions/{_name(lab)}", question)


MADE: Mapping[str, Callable[[Contents, Lab], Contents]] = {GRADESCOPE: for_gradescope, PRAIRIELEARN: for_prairielearn}


def _below(folder: str, files: Contents) -> Contents:
    return {f"{folder}/{name}": data for name, data in files.items()}


def _name(lab: Lab) -> str:
    return f"inside-the-tensor-{lab.id}"


def _info(lab: Lab) -> bytes:
    """Return the question's info.json. Its uuid is the lab's: the same question when it is made again."""
    by_hand = round(100 * (1 - lab.checked_points / lab.points))
    info = {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, _name(lab))), "title": lab.title, "topic": "Labs", "type": "v3",
        "singleVariant": True, "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True, "image": f"YOUR-REGISTRY/{_name(lab)}",
            "entrypoint": "/inside-the-tensor/grade.sh prairielearn", "timeout": TIMEOUT,
        },
    }  # fmt: skip
    if by_hand:
        info["manualGradingOptions"] = {
            "enabled": True, "manualScoreWeight": by_hand, "autogradeScoreWeight": 100 - by_hand
        }  # fmt: skip
    return (json.dumps(info, indent=4, ensure_ascii=False) + "\n").encode()


def _text(system: str, name: str, lab: Lab) -> bytes:
    """Return a template with the lab's names and points in it."""
    text = (FILES / system / name).read_text(encoding="utf-8")
    documents = [document.name for document in lab.documents]
    known = {
        "LAB": lab.id, "TITLE": lab.title, "NAME": _name(lab), "POINTS": lab.points, "MACHINE": lab.checked_points,
        "EXTRA": lab.extra, "WRITTEN": len(lab.reflections), "BY_HAND": lab.points - lab.checked_points,
        "DOCUMENTS": ", ".join(documents),
    }  # fmt: skip
    for word, value in known.items():
        text = text.replace(f"@{word}@", str(value))
    return text.encode()


def pack(target: Path, contents: Contents) -> Path:
    """Write a reproducible zip: equal files give equal bytes; a file that begins with #! is made executable."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(contents.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = (0o755 if data.startswith(b"#!") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return target


def build(system: str, name: str, chosen: Mapping[str, str | bool], dist: Path, wheel: Path | None = None) -> Path:
    """Build `dist/<lab>-<system>.zip`.

    Args:
        name: "01-strides", or "01".
        chosen: options of config.yaml that are not as by default.
        wheel: the grader's, which is built if it is not given.
    Raises:
        LabError, FileNotFoundError: there is no such lab, or it is not released.
        subprocess.CalledProcessError: the wheel can't be built.
    """
    released = lab_text.ROOT / "course" / lab_text.find(name)
    if not (released / FILE).is_file():
        raise FileNotFoundError(f"{released / FILE} is missing: run `make course` first")
    lab = lab_file.load(released)
    with tempfile.TemporaryDirectory() as scratch:
        files = grader(system, lab, wheel or grader_wheel.build(Path(scratch)), chosen, released)
    return pack(dist / f"{lab.id}-{system}.zip", MADE[system](files, lab))


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = _options(arguments)
    allowed = config.OPTIONS[options.system]
    given = {"extra": options.extra, "visibility": options.visibility, "isolation": options.isolation}
    chosen: dict[str, str | bool] = {name: value for name, value in given.items() if value}
    chosen |= {"accept_no_isolation": True} if options.accept_no_isolation else {}
    for name, value in chosen.items():
        if name not in allowed or value not in allowed[name].values:
            known = ", ".join(map(str, allowed[name].values)) if name in allowed else "no such option"
            print(f"--{name} {value}: {options.system} has {known}", file=sys.stderr)
            return 1
    try:
        made = build(options.system, options.lab, chosen, lab_text.ROOT / "dist")
    except (FileNotFoundError, lab_text.LabError) as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"the wheel could not be built: {' '.join(map(str, error.cmd))} ended with {error.returncode}")
        return 1
    print(f"{made.relative_to(lab_text.ROOT)}   {made.stat().st_size / 1e6:.1f} MB, never for students: it has the "
          "answers. Next: README.md in it.")  # fmt: skip
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make autograder-zip", description="Make the grader for another system.")
    parser.add_argument("--for", dest="system", required=True, choices=[*MADE], help="whose container")
    parser.add_argument("--lab", default="01", help="01-strides, or 01 (default)")
    parser.add_argument("--extra", default="", help="extra credit: add (Gradescope), cap, none")
    parser.add_argument("--visibility", default="", help="Gradescope: when students see verdicts")
    parser.add_argument("--isolation", default="", help="require this tier: bwrap, landlock")
    parser.add_argument(
        "--accept-no-isolation", action="store_true", help="grade where nothing shuts students' code in"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
