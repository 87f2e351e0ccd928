"""Pictures of a profile: bars as long as the events, one below the other as they are nested."""

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
from engine.draw.bars import round_step
from engine.draw.frames import merged
from engine.profiler import ProfilerActivity, profile
from engine.profiler.events import Event, Kernel, Recording
from engine.profiler.parsing import function_events

US = 1000  # nanoseconds


def events(*rows, kernels=()):
    """Events of (name, start, end in microseconds, other fields)."""
    made = [Event(name, start * US, end * US, **more) for name, start, end, *rest in rows for more in (rest or [{}])]
    return function_events(Recording(made, kernels=list(kernels)), "cuda")


NESTED = (
    ("step", 0, 1000, {"category": "user_annotation", "scope": 7, "stack": ("train.py(9): main",)}),
    ("aten::mm", 0, 600, {"stack": ("train.py(3): step", "train.py(9): main")}),
    ("aten::empty", 100, 200, {"stack": ("train.py(3): step", "train.py(9): main")}),
    ("aten::mm", 600, 700, {"stack": ("train.py(4): step", "train.py(9): main")}),
    ("MulBackward0", 700, 1000, {"scope": 1, "sequence_nr": 3}),
    ("aten::mul", 710, 990),
)
LAUNCHES = (("aten::add", 0, 50), ("cudaLaunchKernel", 10, 30, {"category": "cuda_runtime", "kernel": 0}))
ON_DEVICE = (Kernel("add_kernel", 20 * US, 90 * US, (1, 1, 1), (32, 1, 1), 0, 1),)
MANY = [(f"aten::op{number}", number, number + 1) for number in range(500)]
PICTURES = {
    "a timeline": lambda: draw.timeline(events(*NESTED)),
    "two threads": lambda: draw.timeline(events(("a", 0, 5), ("b", 2, 9, {"thread": 2}))),
    "a device": lambda: draw.timeline(events(*LAUNCHES, kernels=ON_DEVICE)),
    "a part": lambda: draw.timeline(events(*NESTED), 90, 250),
    "many": lambda: draw.timeline(events(*MANY)),
    "a long name": lambda: draw.timeline(events(("<x & y>" * 40, 0, 5))),
    "a flame": lambda: draw.flame(events(*NESTED)),
    "callers": lambda: draw.flame(events(*NESTED), callers=True),
    "a wide flame": lambda: draw.flame(events(*MANY)),
}


@pytest.fixture(params=PICTURES)
def picture(request):
    return PICTURES[request.param]()


def bars(picture):
    """(x, y, width) of the bars, rounded, without the card and the legend."""
    rects = [node for node in ElementTree.fromstring(picture.svg).iter(f"{SVG}rect") if node.get("height") == "17"]
    return [tuple(round(float(node.get(name))) for name in ("x", "y", "width")) for node in rects]


def test_bars_of_a_timeline_are_as_long_as_their_events():
    step, mm, _, second, *_ = bars(draw.timeline(events(*NESTED)))
    assert mm[2] == pytest.approx(0.6 * step[2], abs=1.5)
    assert second[0] == pytest.approx(mm[0] + mm[2], abs=1.5)
    assert mm[0] == step[0]


def test_an_event_lies_below_the_one_that_it_lies_in():
    levels = [y for _, y, _ in bars(draw.timeline(events(*NESTED)))]
    assert [(y - levels[0]) // 19 for y in levels] == [0, 1, 2, 1, 1, 2]


def test_each_thread_and_each_stream_has_a_band():
    picture = draw.timeline(events(*LAUNCHES, ("b", 60, 70, {"thread": 2}), kernels=ON_DEVICE))
    assert {"thread 1", "thread 2", "stream 0"} <= set(texts(picture))
    assert len({y for _, y, _ in bars(picture)}) == 4


def test_what_lies_outside_the_time_asked_for_is_left_out():
    text = draw.timeline(events(*NESTED), 650, 690).text
    assert "aten::mm  from 600 us" in text
    assert "aten::empty" not in text
    with pytest.raises(ValueError, match="expected a profile with events between 2000 and 3000 us, got none"):
        draw.timeline(events(*NESTED), 2000, 3000)


@pytest.mark.parametrize("step, rounded", [(0.9, 1), (1, 1), (1.1, 2), (3, 5), (70, 100), (0.03, 0.05)])
def test_an_axis_goes_in_round_steps(step, rounded):
    assert round_step(step) == pytest.approx(rounded)


def test_paths_that_begin_alike_are_one_frame():
    root = merged([(("a", "b"), 2.0), (("a",), 1.0), (("a", "b"), 3.0), (("c",), 4.0), (("b",), 5.0)])
    assert root.total == 15.0
    assert (root.inside["a"].own, root.inside["a"].total, root.inside["a"].inside["b"].count) == (1.0, 6.0, 2)
    assert [frame.name for frame in root.widest_first()] == ["a", "b", "c"]


def test_a_flame_is_as_wide_as_all_own_times_together():
    picture = draw.flame(events(*NESTED))
    whole, step, mm, *_ = bars(picture)
    assert whole[2] == step[2]
    assert mm[2] == pytest.approx(0.7 * whole[2], abs=1.5)
    assert "aten::mm  70.0% (own 60.0%, 2 calls)" in picture.text


def test_callers_stand_above_the_operators_that_they_called():
    lines = draw.flame(events(*NESTED), callers=True).text.splitlines()
    assert [line.strip().split("  ")[0] for line in lines[:5]] == [
        "all", "train.py(9): main", "train.py(3): step", "aten::mm", "aten::empty",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="with_stack=True"):
        draw.flame(events(("a", 0, 1)), callers=True)


def test_a_profile_is_drawn_as_its_events():
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        engine.ones(3) + 1
    assert draw.timeline(prof).svg == draw.timeline(prof.events()).svg
    assert draw.flame(prof).svg == draw.flame(prof.events()).svg
