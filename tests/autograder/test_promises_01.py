"""The claims and the figures in lab 1's text hold on the engine of a student who has solved it."""

import ast
import contextlib
import io
import re

import numpy as np
import pytest
from test_payoffs import payoff_of

import engine
from autograder import overlay
from autograder.author import lab_text
from autograder.made_up import cohort

LAB = lab_text.load("01-strides")
STUDENT = "emmy-recursive"
PROSE = "\n".join(cell.source for cell in LAB.cells if cell.kind == "markdown")


@pytest.fixture(scope="module", autouse=True)
def students_engine():
    """Run this file on the answers of a made-up student; none of them is the reference."""
    students = cohort.load(LAB.id)
    names = [exercise.name for exercise in LAB.exercises]
    answers = {name: cohort.submitted_source(students[STUDENT], students, name) for name in names}
    for name, source in answers.items():
        assert source != overlay.source_of(name)
        overlay.graft(name, source)
    assert not overlay.rebuilt(names)
    yield
    for name in names:
        overlay.restore(name)
    overlay.rebuilt(names)


@pytest.fixture(scope="module")
def result():
    return payoff_of(LAB.id)()


def run(*beginnings):
    """Run the import cell, then the code cells that contain these texts; returns the names and what they printed."""
    imports, *others = (cell for cell in LAB.cells if cell.kind == "code")
    chosen = [next(cell for cell in others if beginning in cell.source) for beginning in beginnings]
    namespace = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(imports.source, namespace)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for cell in chosen:
            exec(compile(cell.source, f"{LAB.path}:{cell.line}", "exec"), namespace)
    return namespace, printed.getvalue()


VIEWS = {
    "transpose": lambda x: x.t(),
    "slice": lambda x: x[1:, ::2],
    "repeat": lambda x: x.view(3, 1, 4).expand(3, 5, 4),
    "cut into overlapping windows": lambda x: x.unfold(1, 3, 1),
}


@pytest.mark.parametrize("promise", VIEWS)
def test_the_tensor_does_what_the_opening_says_without_moving_a_number(promise):
    assert promise in " ".join(PROSE.split())
    x = engine.arange(12).view(3, 4)
    y = VIEWS[promise](x)
    assert y.untyped_storage() is x.untyped_storage() and y.size() != x.size()
    assert y.tolist() == VIEWS[promise](engine.arange(12).view(3, 4).clone()).tolist()


def test_the_first_picture_shows_twelve_numbers_and_three_tensors_over_them():
    namespace, _ = run("table = engine.arange(12)")
    table = namespace["table"]
    picture = namespace["draw"].storage(table, table.t(), table[:, 1:3], names=["one", "two", "three"])
    assert "A storage of 12 cells" in picture.svg and all(name in picture.text for name in ("one", "two", "three"))


def test_ten_exercises_are_in_the_core_and_three_optional():
    optional = [exercise.name for exercise in LAB.exercises if exercise.optional]
    assert (len(LAB.exercises) - len(optional), len(optional)) == (10, 3) and LAB.points == 100
    assert PROSE.count("*Optional.*") == 3


def test_each_pixel_becomes_a_weighted_average_of_nine(result):
    images = np.pad(payoff_of(LAB.id).__globals__["DIGITS"][:6], ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), axis=(1, 2))
    blurred = (windows * np.outer([1, 2, 1], [1, 2, 1])).sum(axis=(3, 4)) / 16
    assert result["strip"] == np.hstack(list(blurred)).tolist()


def test_the_nine_are_read_through_a_view_without_memory_of_its_own(result):
    canvas = engine.zeros(6, 10, 10, dtype=engine.float64)
    windows = canvas.unfold(1, 3, 1).unfold(2, 3, 1)
    assert windows.untyped_storage() is canvas.untyped_storage() and result["same view by hand"]
    assert result["strides of the windows"] == windows.stride() == (100, 10, 1, 10, 1)


def test_the_bytes_of_the_windows_and_of_their_copy_match_the_model_answer(result):
    storage, copy = result["bytes of their storage"], result["bytes of a copy"]
    assert (storage, copy) == (4_800, 27_648) and f"{copy / storage:.2f}" == "5.76"
    photograph = engine.empty(3, 224, 224, device="meta")
    windows = photograph.unfold(1, 3, 1).unfold(2, 3, 1)
    assert photograph.numel() * 4 == 602_112 and windows.numel() * 4 == 5_322_672
    assert f"{5_322_672 / 602_112:.2f}" == "8.84"


def test_in_the_copy_the_smaller_dimension_of_two_equal_strides_went_inside(result):
    sizes, old, new = (6, 8, 8, 3, 3), result["strides of the windows"], result["strides of the copy"]
    assert not engine.strides.is_contiguous(sizes, new)
    for stride in (1, 10):
        small, large = sorted((size, step) for size, step, was in zip(sizes, new, old, strict=True) if was == stride)
        assert small[1] < large[1]


def test_the_cells_between_the_images_say_which_digit_each_shows():
    _, printed = run("digits = load_digits().images")
    between, target = printed.splitlines()
    assert ast.literal_eval(between) == ast.literal_eval(target) and len(ast.literal_eval(target)) == 15


def test_one_kept_image_keeps_the_memory_of_all_of_them():
    namespace, _ = run("first = engine.from_numpy")
    first = namespace["first"]
    assert namespace["load_digits"]().images.shape == (1797, 8, 8) and first.stride() == (65, 8, 1)
    assert first.untyped_storage().nbytes() >= 1796 * 65 * 8 > first.numel() * first.element_size()


def test_the_memory_goes_with_the_last_view():
    _, printed = run("tensor, storage = weakref.ref(x)")
    assert re.findall("True|False", printed) == ["True", "True", "False", "False", "False"]


@pytest.mark.usefixtures("pytorch")
def test_pytorch_prints_the_counts_that_the_text_shows():
    _, printed = run("def handles(tensor)")
    shown = re.search(r"PyTorch 2\.13 prints:\n\n((?:    .*\n)+)", PROSE)[1]
    assert printed.splitlines() == [line.strip() for line in shown.splitlines()]


def test_the_transposed_table_is_walked_in_steps_of_3_and_minus_2():
    walk = engine.strides.strided_offsets((3, 2), (1, 3))
    assert ", ".join(map(str, walk)) == "0, 3, 1, 4, 2, 5" and "0, 3, 1, 4, 2, 5" in PROSE


def test_the_six_elements_of_the_picture_are_spread_over_eleven_cells():
    offsets = engine.strides.strided_offsets((2, 3), (6, 2), 1)
    assert len(offsets) == 6 and max(offsets) - min(offsets) + 1 == 11


def test_four_of_nine_numbers_are_lost_in_the_windows():
    namespace, printed = run("targets = {")
    windows = namespace["targets"]["windows"]
    assert re.findall(r"(\w+): (done|refused)", printed) == [
        ("fresh", "done"), ("transposed", "done"), ("expanded", "refused"), ("windows", "done")
    ]  # fmt: skip
    assert windows.numel() - len({number for row in windows.tolist() for number in row}) == 4


def test_the_three_colleagues_have_the_strides_and_bytes_that_the_drill_explains():
    names, _ = run("ann = engine.zeros")
    held = {name: (names[name].stride(), names[name].untyped_storage().nbytes()) for name in ("ann", "ben", "cem")}
    assert held == {"ann": ((0, 1), 16), "ben": ((1, 1), 24), "cem": ((4, 1), 48)}
    assert names["cem"].untyped_storage() is not names["table"].untyped_storage()
    assert str(engine.strides.has_internal_overlap((3, 4), (0, 1))) == "MemOverlap.YES"
    assert str(engine.strides.has_internal_overlap((4,), (1,))) == "MemOverlap.NO"


def test_reshape_of_a_transposed_million_copies_four_million_bytes():
    x = engine.zeros(1000, 1000)
    assert x.reshape(-1).untyped_storage() is x.untyped_storage()
    copied = x.t().reshape(-1).untyped_storage()
    assert copied is not x.untyped_storage() and copied.nbytes() == 4_000_000


def test_the_diagnosis_names_the_strides_of_both_tensors():
    names, _ = run("pixels = engine.from_numpy")
    fixed = names["pixels"].permute(2, 0, 1)
    assert (names["wrong"].stride(), fixed.stride()) == ((64, 8, 1), (1, 32, 4))
    assert fixed.data_ptr() == names["pixels"].data_ptr()


def test_some_tensors_that_are_too_hard_overlap_and_others_do_not():
    for sizes, strides, distinct in [((3, 3), (1, 1), 5), ((2, 3), (6, 2), 6)]:
        assert engine.strides.has_internal_overlap(sizes, strides) is engine.strides.MemOverlap.TOO_HARD
        assert len(set(engine.strides.strided_offsets(sizes, strides))) == distinct


def test_the_whole_of_anns_tensor_may_be_filled_but_not_written_in_place():
    readings = engine.zeros(1, 4).expand(3, 4)
    assert readings.fill_(1.5).tolist() == [[1.5] * 4] * 3
    for write in (lambda: readings.copy_(engine.ones(3, 4)), lambda: readings.add_(1)):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            write()
