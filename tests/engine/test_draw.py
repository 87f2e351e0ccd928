"""Pictures are plain, self-contained SVG, and show what the strides say."""

import re
from xml.etree import ElementTree

import pytest

import engine
from autograder.student.draw_engine_map import draw_map
from autograder.student.draw_points import draw_points
from engine import draw
from engine.draw import card
from engine.draw.geometry import geometry_of, shown_cells

SVG = "{http://www.w3.org/2000/svg}"
TWELVE = list(range(12))
ROWS = [
    ("dtypes.py", 1, []),
    ("strides.py", 1, [("permute", "yours"), ("expand", "failing"), ("unfold", "reference")]),
]
PICTURES = {
    "contiguous": lambda: draw.storage(draw.Geometry(range(6), (2, 3), (3, 1))),
    "transposed": lambda: draw.storage(draw.Geometry(range(6), (3, 2), (1, 3))),
    "expanded": lambda: draw.storage(draw.Geometry([7, 8, 9], (4, 3), (0, 1))),
    "windows": lambda: draw.storage(draw.Geometry(range(6), (4, 3), (1, 1))),
    "four dimensions": lambda: draw.storage(draw.Geometry(range(36), (2, 2, 3, 3), (18, 1, 6, 2))),
    "long values": lambda: draw.storage(draw.Geometry([-1.23456789e-12] * 20, (4, 5), (5, 1))),
    "long": lambda: draw.storage(draw.Geometry(range(100000), (20, 30), (1000, 3), 4000)),
    "many slices": lambda: draw.storage(draw.Geometry(range(4000), (10, 10, 2, 20), (400, 40, 20, 1))),
    "no elements": lambda: draw.storage(draw.Geometry([], (0, 3), (3, 1))),
    "no dimensions": lambda: draw.storage(draw.Geometry(range(5), (), (), 3)),
    "two views": lambda: draw.storage(
        draw.Geometry(TWELVE, (3, 4), (4, 1)), draw.Geometry(TWELVE, (3, 2), (4, 1), 1), names=("x", "x[:, 1:3] & <y>")
    ),
    "a map": lambda: draw_map(ROWS),
    "an empty map": lambda: draw_map([]),
    "points": lambda: draw_points("01-strides", POINTS, "0 of 4 written answers"),
    "no points": lambda: draw_points("01-strides", []),
}


@pytest.fixture(params=PICTURES)
def picture(request):
    return PICTURES[request.param]()


def texts(picture):
    return [node.text for node in ElementTree.fromstring(picture.svg).iter(f"{SVG}text")]


def test_a_picture_is_valid_xml(picture):
    assert ElementTree.fromstring(picture.svg).tag == f"{SVG}svg"


def test_a_notebook_gets_svg_and_text_and_no_html(picture):
    assert set(picture._repr_mimebundle_()) == {"image/svg+xml", "text/plain"}


def test_the_first_shape_is_an_opaque_card_of_the_full_size(picture):
    root = ElementTree.fromstring(picture.svg)
    first = next(node for node in root if node.tag not in (f"{SVG}title", f"{SVG}desc"))
    assert (first.get("fill"), first.get("width")) == ("#ffffff", str(int(root.get("width")) - 1))


def test_no_style_of_the_page_is_needed(picture):
    assert not re.search(r"<style|class=|currentColor|<script|href|url\(", picture.svg)


def test_the_size_is_stated_and_at_most_680_wide(picture):
    root = ElementTree.fromstring(picture.svg)
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert int(root.get("width")) <= 680


def test_nothing_is_drawn_outside_the_card(picture):
    root = ElementTree.fromstring(picture.svg)
    width, height = int(root.get("width")), int(root.get("height"))
    for node in root.iter(f"{SVG}rect"):
        assert float(node.get("x")) + float(node.get("width")) <= width
        assert float(node.get("y")) + float(node.get("height")) <= height


def test_title_and_description_are_read_in_place_of_the_picture(picture):
    root = ElementTree.fromstring(picture.svg)
    spoken = [root.find(f"{SVG}title"), root.find(f"{SVG}desc")]
    assert root.get("aria-labelledby").split() == [node.get("id") for node in spoken]
    assert spoken[0].text


def test_letters_are_11_to_13_pixels(picture):
    assert set(re.findall(r'font-size="(\d+)"', picture.svg)) <= {"11", "12", "13"}


@pytest.mark.parametrize("make", PICTURES.values(), ids=PICTURES)
def test_the_same_picture_has_the_same_bytes(make):
    assert make().svg == make().svg


def test_different_pictures_have_different_ids():
    ids = [re.search(r'title id="(\w+)"', make().svg)[1] for make in PICTURES.values()]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    "sizes, strides, offset",
    [((2, 3), (3, 1), 0), ((3, 2), (1, 3), 2), ((2, 2, 2), (1, 0, 4), 1), ((), (), 5), ((0, 3), (3, 1), 0)],
)  # fmt: skip
def test_the_walk_visits_the_cells_that_the_strides_say(sizes, strides, offset):
    geometry = geometry_of(draw.Geometry(range(20), sizes, strides, offset))
    assert geometry.walk() == engine.strides.strided_offsets(sizes, strides, offset)


def test_cells_in_use_are_colored_and_the_others_grey():
    root = ElementTree.fromstring(draw.storage(draw.Geometry(range(8), (2, 2), (4, 2), 1)).svg)
    fills = [node.get("fill") for node in root.iter(f"{SVG}rect")]
    assert fills.count(card.PAPER) == 4


def test_rows_of_a_view_have_different_colors():
    svg = draw.storage(draw.Geometry(range(6), (2, 3), (3, 1))).svg
    assert [svg.count(card.tint(color)) for color in card.OKABE_ITO[:3]] == [6, 6, 0]


def test_a_shared_cell_says_how_many_elements_it_holds():
    assert texts(draw.storage(draw.Geometry(range(6), (4, 3), (1, 1)))).count("×3") == 2


def test_a_walk_shows_each_step():
    written = texts(draw.storage(draw.Geometry(range(6), (3, 2), (1, 3))))
    assert [text for text in written if re.fullmatch(r"[+-]\d", text)] == ["+3", "-2", "+3", "-2", "+3"]


def test_no_walk_is_drawn_where_elements_share_a_cell():
    written = texts(draw.storage(draw.Geometry(range(4), (2, 2), (1, 1))))
    assert "×2" in written and not [text for text in written if re.fullmatch(r"[+-]\d", text)]


def test_a_walk_can_be_left_out():
    assert "-2" not in texts(draw.storage(draw.Geometry(range(6), (3, 2), (1, 3)), walk=False))


def test_values_that_are_not_cell_numbers_are_shown_with_them():
    assert texts(draw.storage(draw.Geometry([5.0, 2.5], (2,), (1,)))).count("2.5") == 2


def test_a_wide_storage_wraps_into_rows():
    root = ElementTree.fromstring(draw.storage(draw.Geometry(range(24), (1,), (1,))).svg)
    assert len({node.get("y") for node in root.iter(f"{SVG}rect") if node.get("fill") == card.PAPER}) == 2


@pytest.mark.parametrize(
    "length, used, most, expected",
    [
        (4, [], 4, [0, 1, 2, 3]),
        (100, [50], 10, [0, None, 49, 50, 51, None, 99]),
        (100, [2], 10, [0, 1, 2, 3, None, 99]),
        (100, [3], 10, [0, 1, 2, 3, 4, None, 99]),
        (100, range(100), 5, [0, 1, 2, None, 99]),
    ],
)
def test_a_long_storage_is_shown_around_the_cells_in_use(length, used, most, expected):
    assert shown_cells(length, used, most) == expected


def test_a_tensor_is_drawn_as_its_geometry():
    tensor = engine.arange(12).view(3, 4)[:, 1:3]
    assert draw.storage(tensor).svg == draw.storage(draw.Geometry(TWELVE, (3, 2), (4, 1), 1)).svg


def test_two_tensors_over_one_storage_are_drawn_together():
    tensor = engine.arange(6)
    assert "b: sizes (2,)  strides (2,)  offset 1" in texts(draw.storage(tensor, tensor[1:4:2]))


def test_the_text_shows_cells_values_and_uses():
    assert draw.storage(draw.Geometry([7, 8, 9], (2, 2), (1, 1))).text == (
        "storage: 3 cells\n"
        "cell      0    1    2\n"
        "value     7    8    9\n"
        "used     ×1   ×2   ×1\n"
        "sizes (2, 2)  strides (1, 1)  offset 0: cells\n"
        "  [0, 1]\n"
        "  [1, 2]"
    )


@pytest.mark.parametrize(
    "views, error",
    [
        ((), ValueError),
        ((3,), TypeError),
        ((draw.Geometry(range(3), (2,), (1, 1)),), ValueError),
        ((draw.Geometry(range(3), (2,), (5,)),), ValueError),
        ((draw.Geometry([1], (1,), (1,)), draw.Geometry([1], (1,), (1,))), ValueError),
    ],
)
def test_what_cannot_be_drawn_is_refused(views, error):
    with pytest.raises(error):
        draw.storage(*views)


def test_the_map_counts_what_is_yours():
    assert "1 of 3 exercises run your code" in texts(draw_map(ROWS))


def test_the_map_marks_each_state_by_sign_as_well_as_color():
    assert {"✓ permute", "✗ expand", "unfold"} <= set(texts(draw_map(ROWS)))


POINTS = [("strides.permute", "right", 5, 5), ("strides.expand", "wrong", 2, 6), ("strides.unfold", "open", 0, 6)]


def test_the_points_of_a_lab_are_added_up():
    assert "01-strides: 7 of 17 points" in texts(draw_points("01-strides", POINTS))


def test_each_exercise_has_its_state_and_points():
    assert {"strides.expand", "wrong", "2 of 6"} <= set(texts(draw_points("01-strides", POINTS)))


def test_a_state_of_points_that_is_unknown_is_refused():
    with pytest.raises(ValueError, match="got done"):
        draw_points("01-strides", [("strides.permute", "done", 5, 5)])


def test_an_unknown_state_is_refused():
    with pytest.raises(ValueError, match="done"):
        draw_map([("strides.py", 1, [("permute", "done")])])


def test_a_saved_picture_is_its_svg_with_a_size_in_pixels(picture, tmp_path):
    path = picture.save(tmp_path / "x.svg")
    assert path.read_text(encoding="utf-8") == picture.svg + "\n"
    root = ElementTree.parse(path).getroot()
    assert root.attrib["viewBox"] == f"0 0 {root.attrib['width']} {root.attrib['height']}"


def test_a_picture_is_saved_as_a_page_too(tmp_path):
    picture = draw.storage(engine.arange(6).view(2, 3))
    page = picture.save(str(tmp_path / "x & y.html")).read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and "<title>x &amp; y</title>" in page and picture.svg in page


def test_another_suffix_is_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.svg or \.html, got 'x\.png'; save it as \"x\.svg\""):
        draw.storage(engine.ones(2)).save(tmp_path / "x.png")
    assert [*tmp_path.iterdir()] == []


def test_a_file_stays_as_it_was_if_writing_fails(tmp_path, monkeypatch):
    path = draw.storage(engine.ones(2)).save(tmp_path / "x.svg")
    before = path.read_text(encoding="utf-8")

    def full(self, text, encoding):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(OSError, match="No space left"):
        draw.storage(engine.zeros(3)).save(path)
    assert [*tmp_path.iterdir()] == [path] and path.read_text(encoding="utf-8") == before
