"""The picture of a graph shows what the backward pass does: its nodes in its order, what they saved, their edges."""

import pytest
from test_draw import (  # noqa: F401  the rules of every picture
    SVG,
    test_a_notebook_gets_svg_and_text_and_no_html,
    test_a_picture_is_valid_xml,
    test_letters_are_11_to_13_pixels,
    test_no_style_of_the_page_is_needed,
    test_nothing_is_drawn_outside_the_card,
    test_the_first_shape_is_an_opaque_card_of_the_full_size,
    test_the_size_is_stated_and_at_most_680_wide,
    test_title_and_description_are_read_in_place_of_the_picture,
    texts,
)

import engine
from engine import draw
from engine.draw import history


def ones(*sizes):
    return engine.ones(*sizes, requires_grad=True)


def network():
    engine.manual_seed(0)
    nn = engine.nn
    model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.LayerNorm(5), nn.Linear(5, 3))
    loss = nn.functional.cross_entropy(model(engine.randn(4, 6)), engine.tensor([0, 1, 2, 1]))
    return loss, dict(model.named_parameters())


def diamond():
    """Two ways to the same leaf, joined by operators with several outputs and inputs."""
    first, second = (ones(4, 6) * 2).split(3, 1)
    return (engine.cat([first, second, first]) * first.sum()).mean()


def chain(length):
    tensor = ones(2)
    for _ in range(length):
        tensor = tensor * 2
    return tensor


class Double(engine.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


PICTURES = {
    "a leaf": lambda: draw.graph(ones(2)),
    "a network": lambda: draw.graph(*network()),
    "a diamond": lambda: draw.graph(diamond()),
    "a long chain": lambda: draw.graph(chain(100)),
    "an operator of one's own": lambda: draw.graph(Double.apply(ones(2))),
    "an output of several": lambda: draw.graph(ones(4).split(2)[1]),
    "many edges": lambda: draw.graph(engine.cat([ones(1) for _ in range(39)])),
}


@pytest.fixture(params=PICTURES)
def picture(request):
    return PICTURES[request.param]()


def test_saved_tensors_are_shown_with_shape_and_version_and_leaves_with_their_gradient():
    w, x = ones(3), ones(2, 3)
    h = w * x
    e = h.exp()
    loss = e.sum()
    picture = draw.graph(loss, {"w": w, "x": x, "h": h, "loss": loss})
    assert picture.text == (
        "loss ()\n"
        " 1 SumBackward0    () -> 2  [loss]\n"
        " 2 ExpBackward0    (2, 3) -> 3  [result (2, 3) = the result itself, version 0]\n"
        " 3 MulBackward0    (2, 3) -> 4, 5  [h; other (2, 3) = x, version 0; self (3) = w, version 0]\n"
        " 4 AccumulateGrad  (3)  [w; leaf (3), version 0; grad: none yet]\n"
        " 5 AccumulateGrad  (2, 3)  [x; leaf (2, 3), version 0; grad: none yet]"
    )
    e.add_(1)
    assert "at version 1 now" in draw.graph(loss).text
    (h * 2).sum().backward(retain_graph=True)
    assert "grad: (3)" in draw.graph(loss).text


def test_what_the_backward_pass_let_go_is_shown_so():
    loss, names = network()
    loss.backward()
    assert "target: let go" in draw.graph(loss, names).text


@pytest.mark.parametrize("make", [diamond, lambda: network()[0], lambda: chain(5)])
def test_the_order_is_that_of_the_backward_pass(make):
    tensor, ran = make(), []
    order = [*history.backward_order(tensor)]
    for node in order:
        node.register_hook(lambda grads, _, node=node: ran.append(node))
    tensor.sum().backward()
    assert ran == order


def test_a_tensor_without_history_is_refused():
    with pytest.raises(RuntimeError, match="does not require grad"):
        draw.graph(engine.ones(2))


def test_a_long_graph_is_cut():
    picture = draw.graph(chain(100))
    assert texts(picture)[-1] == f"… and {101 - history.MOST_NODES} more"
    assert len(picture.text.splitlines()) == history.MOST_NODES + 2


def test_lanes_that_are_open_at_the_same_time_stand_apart():
    rows = history.build_rows([*history.backward_order(tensor := diamond())], history.Names({}), tensor)
    lanes = [*history.lanes_of(rows).values()]
    for one in lanes:
        for other in lanes:
            overlap = one.first < other.port.row and other.first < one.port.row
            assert one is other or not overlap or one.column != other.column


def test_drawing_a_graph_runs_and_keeps_nothing():
    loss, names = network()
    draw.graph(loss, names)
    assert all(parameter.grad is None for parameter in names.values())
    loss.backward()
    assert all(parameter.grad is not None for parameter in names.values())


def test_the_box_of_a_write_to_a_view_shows_the_slice_and_the_node_that_wrote():
    y = engine.ones(4, requires_grad=True) * 2
    y[1:3].mul_(engine.tensor([5.0, 7.0]))
    lines = [text for text, _ in history.saved_value_lines(y.grad_fn, history.Names({}))]
    assert lines == ["slice (2), strides (1), offset 1", "written: MulBackward0", "  other (2), version 0"]
    y.sum().backward()
    assert [text for text, _ in history.saved_value_lines(y.grad_fn, history.Names({}))] == [
        "slice (2), strides (1), offset 1", "written: let go"
    ]  # fmt: skip
