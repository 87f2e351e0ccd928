"""The picture of a call under transforms shows where the call lands at each level, as it does when it runs."""

import pytest
from engine.func import functionalize, grad, vmap
from test_draw import (  # noqa: F401  the rules of every picture
    test_a_notebook_gets_svg_and_text_and_no_html,
    test_a_picture_is_valid_xml,
    test_letters_are_11_to_13_pixels,
    test_no_style_of_the_page_is_needed,
    test_nothing_is_drawn_outside_the_card,
    test_the_first_shape_is_an_opaque_card_of_the_full_size,
    test_the_size_is_stated_and_at_most_680_wide,
    test_title_and_description_are_read_in_place_of_the_picture,
)

import engine
from engine import draw, journey

MUL = engine.ops.aten.mul.Tensor
TRANSFORMS = {
    "vmap": vmap,
    "grad": lambda f: grad(lambda x: f(x).sum()),
    "functionalize": functionalize,
}
STACKS = [
    ("vmap",),
    ("grad",),
    ("functionalize",),
    ("vmap", "grad"),
    ("grad", "vmap"),
    ("vmap", "vmap", "vmap", "grad"),
]
OWN = {"vmap": "FuncTorchBatched", "grad": "AutogradCPU", "functionalize": "Functionalize"}


def drawn(*names):
    """Return the picture of a product inside these transforms, the outermost first."""
    pictures = []

    def function(x):
        pictures.append(draw.dispatch(MUL, x, x))
        return x * x

    for name in reversed(names):
        function = TRANSFORMS[name](function)
    function(engine.ones(2, 2, 2, 2))
    return pictures[0]


@pytest.fixture(params=STACKS, ids=", ".join)
def picture(request):
    return drawn(*request.param)


def landings(text):
    return [line.split()[1] for line in text.splitlines() if line.startswith("->")]


@pytest.mark.parametrize("names", STACKS, ids=", ".join)
def test_each_level_has_a_ladder_the_innermost_first(names):
    text = drawn(*names).text
    titles = [line for line in text.splitlines() if line.startswith(("level", "below"))]
    inner = [f"level {number}: {name}" for number, name in enumerate(names, 1)]
    assert titles == [*reversed(inner), "below all levels"]
    assert landings(text) == [*(OWN[name] for name in reversed(names)), "AutogradCPU"]


@pytest.mark.parametrize("names", STACKS[:-1], ids=", ".join)
def test_a_call_that_runs_lands_at_the_same_keys(names):
    expected = drawn(*names).text
    keys = []

    def function(x):
        with engine.dispatch.trace() as steps:
            made = x * x
        keys.extend(step.key.name for step in steps if step.op == "aten::mul.Tensor")
        return made

    for name in reversed(names):
        function = TRANSFORMS[name](function)
    function(engine.ones(2, 2, 2, 2))
    assert [key for key in keys if key in {*OWN.values(), "AutogradCPU"}] == landings(expected)


def test_a_ladder_says_what_its_layer_excludes_and_who_answers():
    lines = drawn("vmap").text.splitlines()
    assert lines[1:3] == ["level 1: vmap", "   front: excludes AutogradCPU, ADInplaceOrView"]
    assert lines[4].startswith("-> FuncTorchBatched") and "batch_rules.py:pointwise" in lines[4]


def test_nothing_runs():
    def function(x):
        with engine.dispatch.trace() as steps:
            draw.dispatch(engine.ops.aten.zero_.default, x)
        assert steps == []
        return x

    assert vmap(function)(engine.ones(2)).tolist() == [1, 1]


def test_the_journey_names_the_layer_that_a_call_goes_to():
    frames = journey.frames("torch.func.vmap(torch.func.grad(lambda a: a.sin()))(x)", {"x": engine.ones(2)})
    notes = [frame.note for frame in frames if frame.place.function in ("front_fallback", "back_fallback")]
    front = notes.index("→ level 2: grad")
    assert notes[front : front + 4] == ["→ level 2: grad", "→ level 1: vmap", "→ level 1: vmap", "→ below all levels"]
