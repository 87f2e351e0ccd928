"""The promises of the opening and the payoff of lab 4, on an engine of which every exercise is a student's."""

import re
from functools import cache

import pytest

import engine
from autograder import overlay
from autograder.author import lab_text
from autograder.made_up.answers import RIGHT_ANSWERS

LAB = "04-autograd"


@pytest.fixture(scope="module")
def handed_in():
    """All exercises are written by a student: in other words where there is such an answer."""
    names = [exercise.name for exercise in lab_text.load(LAB).exercises]
    texts = {name: RIGHT_ANSWERS.get(name, (overlay.source_of(name),))[-1] for name in names}
    for name, text in texts.items():
        overlay.graft(name, text)
    assert overlay.rebuilt(names) == {}
    yield names
    overlay.restore()
    overlay.rebuilt(names)


@cache
def namespace():
    """Return the names of the import cell and of the payoff's cells."""
    names = {"__name__": "__main__"}
    imports, *others = (cell for cell in lab_text.load(LAB).cells if cell.kind == "code")
    for cell in (imports, *(cell for cell in others if "payoff" in cell.metadata.get("tags", []))):
        exec(compile(cell.source.replace("resume()", ""), "<lab 4>", "exec"), names)
    return names


@pytest.mark.slow
def test_the_network_begins_undecided_and_learns_to_read(handed_in):
    trained = namespace()["payoff"](steps=12)
    assert trained["losses"][0] > 2.30 > trained["losses"][-1]
    assert trained["right of 497"] > 250
    assert trained["gradients clipped"] > 0
    assert trained["records in the test"] is False
    assert trained["backward of CrossEntropy is right"] is True


def test_a_step_records_a_graph_that_ends_in_the_three_leaves(handed_in):
    names = namespace()
    leaves = names["weights_at_start"]()
    scores = names["scores_of"](engine.from_numpy(names["PIXELS"][:2]), *leaves)
    order = list(engine.draw.history.backward_order(scores))
    assert sum(node.is_accumulator for node in order) == len(leaves) == 3
    assert {"CopySlices", "ExpBackward0"} <= {node.name().rpartition("::")[2] for node in order}


def test_the_node_of_an_operator_is_the_one_that_the_student_generates(handed_in):
    info = namespace()["entries"]()["div.Tensor"]
    generated = engine.autograd.gen_autograd_functions.node_source(info)
    assert generated != text_by_the_reference(info)
    assert re.match(r"class DivBackward0\(Node\):", generated)


def text_by_the_reference(info):
    """Return the reference's text of a node."""
    name = "autograd.gen_autograd_functions.node_source"
    scope = dict(vars(engine.autograd.gen_autograd_functions))
    exec(overlay.source_of(name), scope)
    return scope["node_source"](info)


def test_a_write_to_a_view_reaches_the_gradient_of_its_base(handed_in):
    x = engine.ones(4, requires_grad=True)
    y = x * 2
    y[1:3].mul_(engine.tensor([5.0, 7.0]))
    y.backward(engine.tensor([1.0, 10.0, 100.0, 1000.0]))
    assert x.grad.tolist() == [2.0, 100.0, 1400.0, 2000.0]


def test_a_chain_of_ten_thousand_operators_is_walked(handed_in):
    x = engine.tensor([1.0], dtype=engine.float64, requires_grad=True)
    y = x
    for _ in range(10_000):
        y = y * 1.0001
    y.backward()
    assert x.grad.item() == pytest.approx(1.0001**10_000)


@pytest.mark.parametrize(("u", "is_caught"), [((1.0, 1.0), False), ((0.3, 0.9), True)])
def test_an_error_that_sums_to_0_passes_with_ones_for_u_only(u, is_caught):
    names = {"engine": engine}
    cells = [cell.source for cell in lab_text.load(LAB).cells if "class Shifted(Square)" in cell.source]
    exec(cells[0].partition("\n\nx = ")[0], names)
    u = engine.tensor(u, dtype=engine.float64)

    def product(function):
        """The gradient for a v, times u."""
        x = engine.tensor([3.0, 4.0], dtype=engine.float64, requires_grad=True)
        function.apply(x).backward(engine.tensor([0.2, 0.7], dtype=engine.float64))
        return (x.grad * u).sum().item()

    assert (abs(product(names["Shifted"]) - product(names["Square"])) > 1e-6) == is_caught
