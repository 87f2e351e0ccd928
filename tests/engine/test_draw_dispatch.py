"""The ladder of a call shows what the dispatcher does: each key once, why, and the kernel that a call really runs."""

from xml.etree import ElementTree

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
from engine.draw import card
from engine.library import Library

K = engine._C.DispatchKey
ops = engine.ops.aten


def ones(*sizes, **options):
    return engine.ones(*sizes, **options)


PICTURES = {
    "two tensors": lambda: draw.dispatch(ops.add.Tensor, ones(2), ones(2)),
    "in place": lambda: draw.dispatch("aten::add_.Tensor", ones(2), ones(2)),
    "composite": lambda: draw.dispatch(ops.matmul, ones(2, 2), ones(2, 2)),
    "factory": lambda: draw.dispatch(ops.randn.default, [3]),
    "a list": lambda: draw.dispatch(ops.cat.default, [ones(2), ones(2)]),
    "an empty list": lambda: draw.dispatch(ops.cat.default, []),
    "three tensors": lambda: draw.dispatch(ops.where.self, ones(2).eq(1), ones(2), ones(2)),
    "two backends": lambda: draw.dispatch(ops.add.Tensor, ones(2), engine.empty(2, device="meta")),
}


@pytest.fixture(params=PICTURES)
def picture(request):
    return PICTURES[request.param]()


def test_the_ladder_of_an_add_stops_at_autograd_which_goes_on_to_the_cpu():
    assert draw.dispatch("aten::add.Tensor", ones(2), ones(2)).text == (
        "aten::add.Tensor\n"
        " - AutocastCPU      excluded by the thread  [self other]\n"
        "-> AutogradCPU      Autograd kernel: <autograd: add.Tensor>:Autograd_add_Tensor  [self other]\n"
        "   ADInplaceOrView  would fall through  [self other thread +]\n"
        "   BackendSelect    would fall through  [thread +]\n"
        "   CPU              waits for a redispatch: <generated: add>:wrapper_CPU_add_Tensor  [self other]"
    )


def test_below_autograd_the_ladder_falls_through_to_the_cpu():
    with engine._C._ExcludeDispatchKeyGuard(K.AutogradCPU):
        text = draw.dispatch("aten::add.Tensor", ones(2), ones(2)).text
    assert text == (
        "aten::add.Tensor\n"
        " - AutocastCPU      excluded by the thread  [self other]\n"
        " - AutogradCPU      excluded by the thread  [self other]\n"
        " x ADInplaceOrView  falls through (backend fallback)  [self other thread +]\n"
        " x BackendSelect    falls through (backend fallback)  [thread +]\n"
        "-> CPU              kernel of this key: <generated: add>:wrapper_CPU_add_Tensor  [self other]"
    )


@pytest.mark.parametrize(
    "op, make",
    [
        ("add.Tensor", lambda: (ones(2), ones(2))),
        ("add_.Tensor", lambda: (ones(2), ones(2))),
        ("matmul", lambda: (ones(2, 2), ones(2, 2))),
        ("clone", lambda: (ones(2),)),
        ("randn", lambda: ([3],)),
        ("t", lambda: (ones(2, 2),)),
        ("zero_", lambda: (engine.empty(2, device="meta"),)),
    ],
)
@pytest.mark.parametrize(
    "guard",
    [
        engine._C._ExcludeDispatchKeyGuard(engine._C.DispatchKeySet([])),
        engine._C._ExcludeDispatchKeyGuard(engine._C.DispatchKeySet([K.ADInplaceOrView, K.AutogradCPU])),
        engine._C._IncludeDispatchKeyGuard(engine._C.DispatchKeySet(K.Tracer)),
    ],
    ids=["no guard", "below autograd", "tracer"],
)
def test_the_rung_that_is_filled_is_where_the_call_lands(op, make, guard):
    arguments = make()
    name = op if "." in op else f"{op}.default"
    with guard, engine.dispatch.trace() as steps:
        picture = draw.dispatch(f"aten::{op}", *arguments)
        getattr(getattr(ops, name.split(".")[0]), name.split(".")[1])(*arguments)
    taken = next(line for line in picture.text.splitlines() if line.startswith("->"))
    assert taken.split()[1] == steps[0].key.name
    assert str(steps[0].place) in taken


def test_nothing_runs():
    x = ones(2)
    version = x._version
    with engine.dispatch.trace() as steps:
        draw.dispatch(ops.zero_.default, x)
    assert (x.tolist(), x._version, steps) == ([1.0, 1.0], version, [])


def test_each_key_has_one_rung_and_each_fall_through_two_strokes():
    picture = PICTURES["two tensors"]()
    assert [texts(picture).count(name) for name in ("AutocastCPU", "AutogradCPU", "BackendSelect", "CPU")] == [1] * 4
    strokes = [
        node
        for node in ElementTree.fromstring(picture.svg).iter(f"{SVG}path")
        if node.get("stroke") == card.tint("#d55e00", 0.55)
    ]
    assert len(strokes) == 2 * picture.text.count("falls through")


def test_a_key_without_a_kernel_is_named_as_the_end_of_the_call():
    library = Library("ladder", "DEF")
    library.define("nothing(Tensor x) -> Tensor")
    try:
        with engine._C._ExcludeDispatchKeyGuard(K.AutogradCPU):
            assert "!! CPU              no kernel" in draw.dispatch("ladder::nothing", ones(1)).text
    finally:
        library._destroy()


def test_of_two_backends_the_higher_one_is_asked():
    text = PICTURES["two backends"]().text
    assert "-> AutogradMeta" in text
    assert "AutogradCPU      another backend is higher" in text


@pytest.mark.parametrize("op, args", [("aten::no_such", ()), ("aten::add.Tensor", (1,))])
def test_what_cannot_be_called_is_refused(op, args):
    with pytest.raises(RuntimeError):
        draw.dispatch(op, *args)
