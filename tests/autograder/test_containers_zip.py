"""The zips for Gradescope and PrairieLearn: their configuration, their files, and what they take from an upload."""

import io
import json
import zipfile

import pytest
from handed_in import LAB, REPOSITORY, notebook_of

from autograder.author import lab_text
from autograder.department.containers import (
    __main__,
    build,
    config,
    upload,
)
from autograder.department.containers.config import Config, ConfigError
from autograder.examine import lab_file
from autograder.examine.handin import Refused

COURSE = REPOSITORY / "course"
RELEASED = lab_file.load(COURSE / LAB)


# ---- config.yaml


@pytest.mark.parametrize("system", config.OPTIONS)
def test_a_written_configuration_is_read_as_it_was_chosen(tmp_path, system):
    path = tmp_path / config.FILE
    path.write_text(config.text(system, LAB, {"extra": "none", "isolation": "landlock", "accept_no_isolation": True}))
    assert config.read(path, system) == Config(LAB, "none", "landlock", True)


@pytest.mark.parametrize("system", config.OPTIONS)
def test_by_default_nobody_is_graded_without_walls(tmp_path, system):
    path = tmp_path / config.FILE
    path.write_text(config.text(system, LAB, {}))
    assert config.read(path, system) == Config(LAB, "add" if system == "gradescope" else "cap", "", False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lab: [", "is not YAML"),
        ("- lab", "expected a line `lab: `"),
        ("extra: add", "expected a line `lab: `"),
        ("lab: x\nacept_no_isolation: true", "acept_no_isolation: no such option"),
        ("lab: x\naccept_no_isolation: yes please", "expected false | true"),
        ("lab: x\naccept_no_isolation: 1", "expected false | true"),
        ("lab: x\nextra: all", "expected add | cap | none"),
        ("lab: x\nisolation: none", "expected any | bwrap | landlock"),
    ],
)
def test_a_configuration_that_says_something_else_is_refused(tmp_path, text, said):
    path = tmp_path / config.FILE
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        config.read(path, "gradescope")
    assert said in str(error.value)


def test_a_missing_configuration_says_how_to_make_it(tmp_path):
    with pytest.raises(ConfigError, match="make the zip again"):
        config.read(tmp_path / config.FILE, "gradescope")


# ---- uploads


def notebook(lab=LAB):
    return json.dumps(notebook_of(REPOSITORY, {}) if lab == LAB else other_notebook(lab)).encode()


def other_notebook(lab):
    return json.loads((COURSE / lab / "lab.ipynb").read_text())


def zipped(**files):
    """The bytes of a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return out.getvalue()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"lab.ipynb": b"{"}, {"lab.ipynb": b"{"}),
        ({"My Lab 2 (1).ipynb": b"{"}, {"lab.ipynb": b"{"}),
        ({"02-dispatch/lab.ipynb": b"{", "trace (1).md": b"| |"}, {"lab.ipynb": b"{", "TRACE.md": b"| |"}),
        ({"ada.zip": zipped(lab_ipynb=b"{", TRACE_md=b"| |")}, {"lab.ipynb": b"{", "TRACE.md": b"| |"}),
        ({"lab.ipynb": b"{", ".ipynb_checkpoints/lab-checkpoint.ipynb": b"{}"}, {"lab.ipynb": b"{"}),
        ({"lab.ipynb": b"{", "timestamp.txt": b"1999", "results.json": b"{}"}, {"lab.ipynb": b"{"}),
    ],
)
def test_of_an_upload_the_notebook_and_the_lab_s_documents_are_taken(tmp_path, files, expected):
    put(tmp_path, files)
    assert upload.files_of(tmp_path, "02-dispatch", COURSE) == expected


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "expected the notebook lab.ipynb, found nothing"),
        ({"lab.py": b"", "notes.pdf": b""}, "found 'lab.py', 'notes.pdf'"),
        ({"a.ipynb": b"{}", "b/lab.ipynb": b"{}"}, "expected one notebook, found 2: 'a.ipynb', 'b/lab.ipynb'"),
        ({"ada.zip": zipped(a_ipynb=b"{}", b_ipynb=b"{}")}, "expected one notebook, found 2"),
        ({"ada.zip": b"no zip"}, "it is no zip archive"),
        ({"ada.zip": zipped(**{f"{n}_md": bytes(30_000_000) for n in "ab"})}, "unpacks to more than 50,000,000 bytes"),
        ({"lab.ipynb": notebook("03-operators")}, "is the notebook of another lab: upload the one of 02-dispatch"),
    ],
)
def test_an_upload_without_one_notebook_of_the_lab_is_refused_with_what_was_found(tmp_path, files, said):
    put(tmp_path, files)
    with pytest.raises(Refused) as refused:
        upload.files_of(tmp_path, "02-dispatch", COURSE)
    assert said in refused.value.reason


def test_no_link_in_an_upload_is_followed(tmp_path):
    (tmp_path / "lab.ipynb").symlink_to(COURSE / "02-dispatch" / "lab.ipynb")
    with pytest.raises(Refused, match="it is a link"):
        upload.files_of(tmp_path, "02-dispatch", COURSE)


def put(folder, files):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


# ---- the zips


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "inside_the_tensor_grader-0.1.0-py3-none-any.whl"
    path.write_bytes(b"a wheel")
    return path


def unpacked(path):
    with zipfile.ZipFile(path) as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
        return {name: archive.read(name) for name in archive.namelist()}, modes


def test_gradescope_s_zip_has_its_two_scripts_at_the_root(wheel, tmp_path):
    files, modes = unpacked(build.build("gradescope", "02", {}, tmp_path / "dist", wheel))
    assert set(files) == {
        "README.md", "config.yaml", "constraints.txt", "grade.sh", "install.sh", "not_graded.json", "run_autograder",
        "setup.sh", wheel.name, "course/02-dispatch/TRACE.md", "course/02-dispatch/lab.ipynb",
        "course/02-dispatch/lab.json",
    }  # fmt: skip
    assert all(modes[name] == 0o755 for name in ("setup.sh", "run_autograder", "grade.sh"))
    assert "score" not in json.loads(files["not_graded.json"])


def test_prairielearn_s_zip_has_an_image_and_a_question(wheel, tmp_path):
    files, modes = unpacked(build.build("prairielearn", "02", {}, tmp_path / "dist", wheel))
    question = "questions/inside-the-tensor-02-dispatch"
    info = json.loads(files[f"{question}/info.json"])
    options = info["externalGradingOptions"]
    assert (info["gradingMethod"], options["enabled"], options["timeout"]) == ("External", True, 600)
    assert options["timeout"] > __main__.SECONDS
    (script, *words) = options["entrypoint"].split()
    assert modes[script.replace("/inside-the-tensor/", "image/")] == 0o755 and words == ["prairielearn"]
    weights = info["manualGradingOptions"]
    released = lab_file.load(COURSE / "02-dispatch")
    assert weights["autogradeScoreWeight"] == released.checked_points == 100 - weights["manualScoreWeight"]
    assert b'optional-file-names="TRACE.md"' in files[f"{question}/question.html"]
    assert b"COPY . /inside-the-tensor" in files["image/Dockerfile"] and f"image/{wheel.name}" in files


@pytest.mark.parametrize("system", config.OPTIONS)
@pytest.mark.parametrize("lab", lab_text.LABS)
def test_a_zip_s_instructions_have_no_gap_and_its_configuration_is_valid(wheel, tmp_path, system, lab):
    files, _ = unpacked(build.build(system, lab, {}, tmp_path / "dist", wheel))
    texts = [data.decode() for name, data in files.items() if name.endswith((".md", ".html")) and "course/" not in name]
    assert texts and not [text for text in texts if "@" in text]
    (tmp_path / config.FILE).write_bytes(files.get("config.yaml", files.get("image/config.yaml")))
    assert config.read(tmp_path / config.FILE, system).lab == lab


def test_the_same_release_gives_the_same_bytes(wheel, tmp_path):
    first, second = (build.build("gradescope", "01", {}, tmp_path / name, wheel).read_bytes() for name in "ab")
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--for", "prairielearn", "--extra", "add"], "--extra add: prairielearn has cap, none"),
        (["--for", "prairielearn", "--visibility", "hidden"], "--visibility hidden: prairielearn has no such option"),
        (["--for", "gradescope", "--isolation", "docker"], "--isolation docker: gradescope has any, bwrap, landlock"),
        (["--for", "gradescope", "--lab", "99"], "99"),
    ],
)
def test_what_can_t_be_built_is_said_in_a_sentence(capsys, arguments, said):
    assert build.main(arguments) == 1
    assert said in capsys.readouterr().err
