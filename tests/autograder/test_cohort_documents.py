"""The documents of the cohort earn what its files say, and the students who have none lose nothing else."""

import pytest

from autograder import documents
from autograder.author import lab_text
from autograder.made_up.cohort import lost_aspects, submitted_document
from autograder.made_up.student import ALL, load

TEMPLATES = lab_text.ROOT / "solutions"
STUDENTS = [
    pytest.param(lab, name, document, id=f"{lab}-{name}")
    for lab in lab_text.LABS
    for document in documents.of_lab(lab).values()
    for name in load(lab)
]


@pytest.fixture(scope="module")
def expected():
    return {(lab, name): d.expected() for lab in lab_text.LABS for name, d in documents.of_lab(lab).items()}


@pytest.mark.slow
@pytest.mark.parametrize(("lab", "name", "document"), STUDENTS)
def test_a_document_earns_what_it_deserves(lab, name, document, expected):
    students = load(lab)
    template = (TEMPLATES / lab / document.name).read_text("utf-8")
    text = submitted_document(students[name], students, document, template)
    result = documents.judge(document, text, expected[lab, document.name])
    lost = lost_aspects(students[name], students, document.name)
    deserved = [0 if ALL in lost or aspect.name in lost else aspect.points for aspect in document.aspects]
    assert result.points == sum(deserved), result
    if result.aspects:
        assert [aspect.points for aspect in result.aspects] == deserved
