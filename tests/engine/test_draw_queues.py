"""The picture of a program on queues has a band for the host and for each stream, and says all times in words."""

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

from engine import draw

PROGRAM = [
    ("launch", 0, 100), ("record", 0, "done"), ("launch", 1, 30), ("wait", 1, "done"), ("launch", 1, 60),
    ("synchronize", 1), ("host", 20),
]  # fmt: skip
PICTURES = {"two streams": draw.queues(PROGRAM, 8), "nothing": draw.queues([], 5), "idle": draw.queues(PROGRAM[:1], 0)}


@pytest.fixture(params=PICTURES.values(), ids=PICTURES)
def picture(request):
    return request.param


def test_there_is_a_band_for_the_host_and_for_each_stream():
    drawn = texts(PICTURES["two streams"])
    assert {"host", "stream 0", "stream 1", "done", "waits"} <= set(drawn)


def test_the_words_say_when_each_call_returned():
    lines = PICTURES["two streams"].text.splitlines()
    assert len(lines) == len(PROGRAM) and "returned at 8, on the device 8 to 108" in lines[0]
