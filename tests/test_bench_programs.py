"""The programs of `make programs` learn on the engine as they do with PyTorch."""

import pytest

import engine
from bench import programs


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_the_losses_are_pytorchs(pytorch, name):
    ours = programs.losses(name, engine, steps=3)
    assert not programs.differs(ours, programs.losses(name, pytorch, steps=3))
    assert ours[-1] < ours[0]


def test_losses_differ_where_one_of_them_does():
    assert programs.differs([1.0, 2.0], [1.0, 2.1]) and programs.differs([1.0, float("nan")], [1.0, 2.0])
    assert not programs.differs([1.0, 2.0], [1.0, 2.00001])
