"""The parts of the reading site: pages from notebooks, listings, docstrings, terms, links; and a small site, built."""

import ast
import re

import nbformat
import pytest
from written_lab import write_lab

from autograder.author import lab_text, weave
from autograder.author.site import built_pages, core_path, docstrings, downloads, executed, front, glossary, lab_pages
from autograder.author.site import repository_pages as repository
from autograder.author.site.__main__ import SETTINGS
from autograder.overlay import source_of

# ---- a lab's page


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    return write_lab(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def notebook(lab):
    """The lab's notebook as if it had been executed, with a prediction and a picture."""
    cells = weave.instructor_notebook(lab)
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><title>Six cells</title><desc>in two rows</desc></svg>'
    output = nbformat.v4.new_output("execute_result", {"image/svg+xml": svg, "text/plain": "6"}, execution_count=1)
    asked = nbformat.v4.new_code_cell('guess = predict("which?")\n\nprint(6)', metadata={"tags": ["predict"]})
    asked.outputs = [nbformat.v4.new_output("stream", text="\x1b[32m6\x1b[0m\n")]
    drawn = nbformat.v4.new_code_cell("draw.storage(x)", outputs=[output])
    formula = nbformat.v4.new_markdown_cell("Cell $i_0$: `c10/core/TensorImpl.h`, and `engine/strides.py`.")
    cells.cells += [asked, drawn, formula]
    return cells


def code(page):
    return [cell for cell in page.cells if cell.cell_type == "code"]


def test_a_solution_is_folded_without_its_marks(lab, notebook):
    page = lab_pages.page(lab, notebook, student=False)
    (folded,) = [cell for cell in code(page) if "def contiguous_strides" in cell.source]
    assert "hide-input" in folded.metadata.tags and folded.metadata.mystnb.code_prompt_show == lab_pages.SOLUTION
    assert "SOLUTION" not in folded.source and "reversed(sizes)" in folded.source


def test_a_students_page_has_the_stub_and_no_model_answer(lab, notebook):
    text = nbformat.writes(lab_pages.page(lab, notebook, student=True))
    assert "raise NotImplementedError" in text and "reversed(sizes)" not in text
    assert "every index reads the same element" not in text and "What does a stride of 0 mean?" in text


def test_the_outcome_of_a_prediction_is_folded_and_what_asks_for_it_is_left_out(lab, notebook):
    asked = code(lab_pages.page(lab, notebook, student=False))[-2]
    assert asked.source == "print(6)" and "hide-output" in asked.metadata.tags
    assert asked.metadata.mystnb.code_prompt_show == lab_pages.OUTCOME and asked.outputs[0].text == "6\n"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ('axes.plot(x, label="engine")\naxes.set_xlabel("step")', "Chart: step"),
        ('axes.set(xlabel="bytes", ylabel="GFLOP/s")', "Chart: bytes, GFLOP/s"),
        ("axes.imshow(x)", "Picture that the code above draws. Look. It is wrong."),
    ],
)
def test_a_chart_is_told_in_the_words_that_are_on_it_or_before_it(code, text):
    assert lab_pages._alt(code, "Other.\n\nLook. It is *wrong*.") == text


def test_an_answer_that_a_cell_prints_is_left_out():
    source = source_of("strides.contiguous_strides")
    shown = lab_pages.without_answers(f"before\n{source}after\n")
    assert core_path.STUB in shown and "reversed(sizes)" not in shown and shown.startswith("before\ndef contiguous")
    assert shown.endswith("after\n") and lab_pages.without_answers("nothing of it") == "nothing of it"


def test_a_section_and_the_title_have_targets():
    text, sections = lab_pages.with_labels("# One\n\n## Two\n\n### Three\n\n## Four", "07-x", 3)
    assert sections == 5 and text.startswith("(07-x-section-0)=\n# One") and "(07-x-section-5)=\n## Four" in text


# ---- what was executed is kept


def test_a_notebook_is_executed_again_only_if_something_changed(tmp_path, monkeypatch):
    runs = []
    monkeypatch.setattr(executed, "run", lambda path: runs.append(path) or nbformat.read(path, as_version=4))
    (tmp_path / "course" / "09-x").mkdir(parents=True)
    one, two = (nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text, id="a")]) for text in ("1", "2"))
    for cells, count in [(one, 1), (one, 1), (two, 2), (two, 2)]:
        executed.notebook("x", cells, "09-x", tmp_path)
        assert len(runs) == count
    (tmp_path / "course" / "09-x" / "cases.json").write_text("{}")
    executed.notebook("x", two, "09-x", tmp_path)
    assert len(runs) == 3


def test_pieces_of_one_stream_are_joined():
    pieces = [nbformat.v4.new_output("stream", text=text) for text in ("a\n", "10%\r", "100%\n")]
    assert [output.text for output in executed.joined_streams(pieces)] == ["a\n100%\n"]


# ---- listings


MODULES = [module for modules in core_path.CORE_PATH.values() for module in modules]


@pytest.mark.parametrize("module", MODULES)
def test_a_listing_leaves_out_no_line_of_the_file(module):
    text = core_path.text_of(module)
    shown = "\n".join(f"{piece.docstring}\n{piece.code}" for piece in core_path.pieces(text))
    tree = ast.parse(text)
    lines = {line.strip() for line in text.splitlines()[tree.body[0].end_lineno :]} - {""}
    apart = re.sub(r'"""', "", shown)
    missing = [line for line in lines if line.strip('r"') and re.sub(r'r?"""', "", line).strip() not in apart]
    assert [line for line in missing if "\\" not in line] == []


def stripped(text):
    return "\n".join(line.strip() for line in text.splitlines())


@pytest.mark.parametrize("module", MODULES)
def test_a_students_listing_has_no_body_of_an_exercise(module):
    here = {
        name.removeprefix(f"{module}."): exercise
        for name, (_, exercise) in core_path.exercises().items()
        if name.startswith(f"{module}.")
    }
    shown = core_path.blanked(core_path.text_of(module), here)
    for name, exercise in here.items():
        for function in core_path.asked(ast.parse(source_of(f"{module}.{name}")).body[0], exercise):
            body = function.body[ast.get_docstring(function) is not None :]
            assert stripped(ast.unparse(body)) not in stripped(ast.unparse(ast.parse(shown))), function.name
    assert (core_path.STUB in shown) == bool(here)


# ---- docstrings


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a *b* `*c*` [d]", r"a \*b\* `*c*` \[d\]"),
        ("Mirrors c10/{A,B}.h.", "Mirrors `c10/A.h`, `c10/B.h`."),
        ("Args:\n    x, y: one\n        and more\n    *z: two", "**Args**\n\n- `x, y`: one\n  and more\n- `*z`: two"),
        ("Returns:\n    a number", "**Returns**\n\n- a number"),
        (">>> f(1)\n2", "```pycon\n>>> f(1)\n2\n```"),
        ("Schemas:\n    f(Tensor a) -> Tensor", "**Schemas**\n\n```text\nf(Tensor a) -> Tensor\n```"),
    ],
)
def test_a_docstring_as_markdown(text, markdown):
    assert docstrings.markdown(text) == markdown


# ---- glossary


LABS = [lab_text.load(name) for name in lab_text.LABS]


def test_each_term_has_one_definition_and_each_definition_a_term():
    by_hand = glossary.load()
    terms = [term.name for term in glossary.terms(LABS, by_hand)]
    assert len(terms) == len({term.lower() for term in terms}) > 100
    assert set(by_hand["definitions"]) - set(terms) == set(), "definitions of words that no lab emphasizes"


def test_emphasis_in_code_hints_and_tables_is_not_a_term():
    text = "A *b* is. `*c*`\n\n| *d* |\n\n<details>*e*</details>\n\n```\n*f*\n```\n\n**g** 2 * 3 * 4"
    assert list(glossary.emphasized(text)) == [("b", "A *b* is.")]


# ---- pages of the repository, the first page


def test_links_lead_to_pages_listings_or_become_text():
    text = (
        "[a](b.md#c) [`s`](../engine/strides.py#L3) [g](../tests/x.py) [w](https://github.com/x)\n```\n[g](x.py)\n```"
    )
    made = repository.with_links("docs/a.md", text, ["docs/b.md"])
    assert made == "[a](b.md#c) [`s`](../core/strides.md) g [w](https://github.com/x)\n```\n[g](x.py)\n```"


def test_a_link_to_a_labs_notebook_leads_to_its_page():
    made = repository.with_links("README.md", "[Strides](course/01-strides/lab.ipynb)", ["README.md"])
    assert made == "[Strides](labs/01-strides.ipynb)"


def test_a_students_edition_has_no_guide_for_instructors():
    assert set(repository.names(student=False)) - set(repository.names(student=True)) == set(repository.OF_INSTRUCTORS)


def test_the_table_of_labs_states_times_exercises_and_points():
    rows = front.labs_table().splitlines()[2:]
    for row, lab in zip(rows, LABS, strict=False):
        _, number, title, time, exercises, points, _ = map(str.strip, row.split("|"))
        assert number == lab.number and lab_pages.page_of(lab.id) in title
        assert re.match(r"[\d.]+&nbsp;hours?$", time) or not lab.path.with_name("times.yaml").is_file()
        assert int(exercises) == len(lab.exercises) and points.startswith(str(lab.points))


# ---- a small site


@pytest.fixture(scope="module")
def site(lab, notebook, tmp_path_factory):
    """A site of a lab, a listing and a page of terms, built by Sphinx with warnings as errors."""
    from sphinx.cmd.build import build_main

    folder = tmp_path_factory.mktemp("site")
    pages = {
        "index.md": "# Start\n\n[A lab](labs/lab.ipynb)\n\n```{toctree}\nlabs/lab\ncore/index\n```\n",
        "labs/lab.ipynb": nbformat.writes(lab_pages.page(lab, notebook, student=False)),
        **{f"core/{module}.md": core_path._page("1", module, {}, False) for module in ("strides", "accessor")},
        "core/index.md": "# Path\n\n```{toctree}\nstrides\naccessor\n```\n",
    }
    for name, text in pages.items():
        (folder / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "src" / name).write_text(text)
    strict = ["-W", "--keep-going", "--quiet", "--conf-dir", str(SETTINGS)]
    assert build_main([*strict, str(folder / "src"), str(folder / "html")]) == 0
    (folder / "html" / downloads.FOLDER).mkdir()
    (folder / "html" / downloads.FOLDER / f"{lab.id}.zip").touch()
    return folder / "html"


def test_a_small_site_has_no_faults(site):
    assert built_pages.faults(site) == []


def test_pictures_formulas_and_names_of_files(site):
    text = (site / "labs" / "lab.html").read_text()
    assert 'alt="Six cells in two rows"' in text and "<math" in text
    assert 'href="https://github.com/pytorch/pytorch/blob/v2.13.0/c10/core/TensorImpl.h"' in text
    assert 'href="../core/strides.html"' in text and "<summary" in text


FAULTY = """\
<a href="#no">1</a><a href="b.html">2</a><a href="http://example.org/">3</a><a href="#here" id="here">fine</a>
<img src="x.svg" alt="x.svg"><script src="https://cdn.example.org/a.js"></script><link rel="stylesheet" href="c.css">
"""


def test_faults_are_found(tmp_path):
    (tmp_path / "a.html").write_text(FAULTY)
    (tmp_path / "c.css").write_text("@import 'x'")
    found = "\n".join(built_pages.faults(tmp_path))
    for part in ("#no leads to no anchor", "b.html leads nowhere", "example.org, which is not in HOSTS", "alt text",
                 "loads from the network: https://cdn", "x.svg, which is missing", "c.css: loads"):  # fmt: skip
        assert part in found
    assert len(found.splitlines()) == 7
