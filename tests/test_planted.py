"""The table of planted faults can be planted, and its tests exist; `make planted` plants them."""

import ast
from collections import Counter

import pytest

from tests.planted.__main__ import chosen, planted
from tests.planted.table import FAULTS, ROOT, Fault


def test_there_are_thirty_faults_and_ten_in_each_wing():
    wings = Counter(fault.file.partition("/")[0] for fault in FAULTS)
    assert len(FAULTS) >= 30 and wings["engine"] >= 10 and wings["autograder"] >= 10
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_applies(fault):
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.before) == 1
    assert fault.before != fault.after


def test_the_tests_of_each_fault_exist():
    missing = []
    for test in {test for fault in FAULTS for test in fault.tests}:
        path, _, name = test.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""
        functions = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
        if not functions or (name and name not in functions):
            missing.append(test)
    assert missing == []


def test_a_fault_is_gone_after_its_tests_and_one_that_is_not_there_is_refused(tmp_path):
    file = tmp_path / "sign.py"
    file.write_text("return -x\n")
    fault = Fault("a sign is lost", "sign.py", "-x", "x", ())
    before = file.stat().st_mtime_ns
    with planted(fault, tmp_path):
        assert file.read_text() == "return x\n"
        with pytest.raises(ValueError, match="its text is 0 times in sign.py"), planted(fault, tmp_path):
            pass
    assert file.read_text() == "return -x\n" and file.stat().st_mtime_ns == before


def test_a_name_that_no_fault_has_is_said():
    assert chosen([]) == list(FAULTS) and chosen([FAULTS[0].name]) == [FAULTS[0]]
    with pytest.raises(SystemExit, match="no fault has 'xyzzy' in its name"):
        chosen(["xyzzy"])
