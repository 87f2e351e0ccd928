"""The picture of a kernel's accesses shows which thread touches which element, loads and stores told apart."""

import re

import numpy as np
import pytest
import recorded_kernels as kernels
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

from engine import draw
from engine.draw.accesses import COLOURS, RED
from engine.draw.card import INK, tint
from engine.memory_trace import record

F = np.float32


def over_the_edge():
    return record(kernels.shift_without_guard, 1, 9, np.zeros(8, F), np.zeros(8, F))


def copies(stride):
    return record(kernels.copy, 2, 64, np.zeros(128, F), np.zeros(128 * 3, F), stride)


def nothing():
    return record(kernels.barrier_in_an_if, 1, 2, np.zeros(0, F), np.zeros(0, F))


PICTURES = {
    "one kernel": lambda: draw.accesses(copies(1)),
    "three kernels": lambda: draw.accesses(copies(1), copies(2), copies(3), names=["a" * 60, "b", "c"], block=1),
    "shared memory": lambda: draw.accesses(kernels.transpose(kernels.padded_transpose, (32, 4)), arrays=["tile"]),
    "over the edge": lambda: draw.accesses(over_the_edge()),
    "nothing": lambda: draw.accesses(nothing()),
    "no elements": lambda: draw.accesses(nothing(), arrays=["x"]),
}


@pytest.fixture(params=PICTURES)
def picture(request):
    return PICTURES[request.param]()


def cells(picture, fill):
    """Count the cells of a color."""
    return sum(path.count("M") for path in re.findall(rf'<path d="([^"]*)" fill="{fill}"/>', picture.svg))


def of_warp(number):
    return tint(COLOURS[number], 0.75)


def test_a_cell_is_an_element_and_a_thread_in_the_color_of_its_warp():
    trace = record(kernels.copy, 1, 40, np.zeros(40, F), np.zeros(40, F), 1)
    picture = draw.accesses(trace, arrays=["x"])
    legend = {0: 3, 1: 1}  # of loads, of stores, of each warp
    assert [cells(picture, of_warp(warp)) for warp in (0, 1)] == [32 + legend[0], 8 + legend[1]]
    assert cells(picture, INK) == 1


def test_stores_have_a_dark_core():
    trace = record(kernels.copy, 1, 40, np.zeros(40, F), np.zeros(40, F), 1)
    assert cells(draw.accesses(trace, arrays=["out"]), INK) == 40 + 1


def test_what_misses_the_array_is_in_a_color_of_its_own():
    assert cells(draw.accesses(over_the_edge()), tint(RED, 0.75)) == 1 + 3 + 1
    assert "outside the array" in texts(draw.accesses(over_the_edge()))
    assert "outside the array" not in texts(draw.accesses(copies(1)))


def test_the_words_say_what_the_picture_shows():
    assert draw.accesses(copies(3), names=["every third"], block=1).text == (
        "every third:\n"
        "  out, 128 elements: 64 stores\n"
        "    warp 0: 32 elements from 64 to 95\n"
        "    warp 1: 32 elements from 96 to 127\n"
        "  x, 384 elements: 64 loads\n"
        "    warp 0: 32 elements from 192 to 285\n"
        "    warp 1: 32 elements from 288 to 381"
    )


@pytest.mark.parametrize(
    ("draws", "message"),
    [
        (lambda: draw.accesses(), "expected 1 to 3 traces to draw, got 0"),
        (lambda: draw.accesses(copies(1), block=2), "copy ran in blocks 0 to 1, there is no block 2"),
        (lambda: draw.accesses(copies(1), arrays=["y"]), "copy has no array 'y'; it has out, x"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draws, message):
    with pytest.raises(ValueError, match=message):
        draws()
