"""Samples of written answers: each reflection has three, of descending points; a file with a mistake is refused."""

import pytest
from written_lab import write_lab

from autograder.author import calibration, lab_text
from autograder.author.calibration import FILE, LEVELS, Sample
from autograder.author.lab_text import LabError
from autograder.grading import rubric

SAMPLES = """\
stride-zero:
  strong: {points: 80, answer: "Every index reads `one` element.", comment: "You say which element."}
  middling: {points: 40, answer: "It repeats.", comment: "Say what the index does then."}
  weak: {points: 0, answer: "It is empty.", comment: "A size of 0 is empty, not a stride."}
"""
BANK = {"reflect-stride-zero": [("Measure `x < y` it.\nThen say it.", 12), ("Say what the index does then.", 3)]}


@pytest.fixture
def lab(tmp_path):
    lab = write_lab(tmp_path)
    lab.path.with_name(FILE).write_text(SAMPLES)
    return lab


@pytest.mark.parametrize("name", lab_text.lab_ids())
def test_every_reflection_of_a_lab_has_samples_that_say_enough(name):
    lab = lab_text.load(name)
    samples = calibration.samples_of(lab)
    assert samples.keys() == {part.name for part in lab.reflections}
    every = [sample for levels in samples.values() for sample in levels.values()]
    assert all(35 <= len(sample.answer.split()) <= 140 and len(sample.comment.split()) <= 45 for sample in every)
    assert len({sample.comment for sample in every}) == len(every)
    for part in lab.reflections:
        strong, middling, weak = (samples[part.name][level].points / part.points for level in LEVELS)
        assert strong >= 0.8 and 0.4 <= middling <= 0.6 and weak <= 0.2


def test_a_lab_without_the_file_has_none(tmp_path):
    assert calibration.samples_of(write_lab(tmp_path)) == {}


def test_a_sample_has_points_answer_and_comment(lab):
    strong = Sample(80, "Every index reads `one` element.", "You say which element.")
    assert calibration.samples_of(lab)["stride-zero"]["strong"] == strong


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "stride-zero:",
            "stride-two:",
            r"expected samples of the lab's reflections, stride-zero; got \['stride-two'\]",
        ),
        ("  weak:", "  feeble:", "expected strong, middling, weak, got"),
        ("points: 40", "points: 80", r"expected points that descend, 80 at most, got \[80, 80, 0\]"),
        ("points: 80", "points: 81", r"80 at most, got \[81, 40, 0\]"),
        ("points: 0", "points: '0'", "weak: expected points"),
        ("stride-zero:", "stride-zero: [", "this is not YAML"),
    ],
)
def test_a_file_with_a_mistake_is_refused(lab, old, new, said):
    lab.path.with_name(FILE).write_text(SAMPLES.replace(old, new))
    with pytest.raises(LabError, match=said):
        calibration.samples_of(lab)


def test_a_grader_sees_samples_in_no_telling_order_and_comments_by_their_frequency(lab):
    [cell] = rubric.rubrics_of(lab, BANK)["reflect-stride-zero"]
    text = cell.source
    places = [text.index(answer) for answer in ("Every index reads `one`", "It repeats.", "It is empty.")]
    assert sorted(places) != places
    assert "**40 of 80.** Say what the index does then." in text
    bank = text[text.index("comment-bank") :]
    assert "Measure `x &lt; y` it.<br>Then say it. <small>(given 12 times)</small>" in bank
    assert 'data-comment="Measure `x &lt; y` it.&#10;Then say it."' in bank
    assert bank.count("Say what the index does then.</div>") == 0  # given already: it is listed once, with its times
    assert "You say which element.</div>" in bank
