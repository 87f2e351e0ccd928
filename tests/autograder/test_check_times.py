"""The command that measures how long a check takes."""

from autograder.labs import CHECKS
from autograder.proof import check_times


def test_each_exercise_has_a_line_with_both_times_and_the_slowest_is_last(capsys):
    assert check_times.main(["strides.permute", "strides.unfold"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in lines) == ["strides.permute", "strides.unfold"]
    assert [line.split()[5] for line in lines] == sorted(line.split()[5] for line in lines)


def test_a_check_that_takes_longer_than_its_limit_fails_the_command(capsys, monkeypatch):
    monkeypatch.setattr(check_times, "limit_of", lambda exercise: 0.0)
    assert check_times.main(["strides.permute"]) == 1
    assert "more than 0 s" in capsys.readouterr().out


def test_checks_with_threads_on_the_simulator_may_take_longer():
    assert {check_times.limit_of(name) for name in CHECKS} == {1.0, 3}
