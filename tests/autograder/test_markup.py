"""Students' Markdown as pages show it: by one sanitizer, without a name, a class or a style of the student's."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hostile_markdown import GRADE, HOSTILE
from jinja2 import Environment
from markupsafe import Markup
from nbconvert.exporters import HTMLExporter
from nbconvert.filters import strip_files_prefix
from nbformat.v4 import new_markdown_cell, new_notebook
from nbgrader.server_extensions.formgrader import handlers

from autograder.author.course_config import config
from autograder.grading import formgrader_policy, nbgrader_hooks
from autograder.grading.feedback_page import TEMPLATES, FeedbackExporter
from autograder.grading.markup import LONGEST, TAGS, as_typed, is_harmless, markdown2html, rendered, safe_markdown
from autograder.grading.rebuild import released

REPOSITORY = Path(__file__).resolve().parents[2]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Elements(HTMLParser):
    """Every element with its attributes, except colored code."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(re.sub(r'<div class=" ?highlight[^>]*>.*?</div>', "", html, flags=re.S))

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_name_class_or_style_of_a_student_s_is_on_a_page(text):
    for shown in (rendered(text), rendered(safe_markdown(text)), strip_files_prefix(rendered(text))):
        for tag, attributes in Elements(shown).found:
            assert tag in TAGS and set(attributes) <= {"href"}
            assert re.match("https?://|mailto:", attributes.get("href", "https://"))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_is_stored_is_as_harmless(text):
    assert is_harmless(safe_markdown(text)) and "\\href" not in rendered(text).partition("<pre>")[0]


def test_a_heading_has_no_id():
    assert rendered(f"## {GRADE}") == f"<h2>{GRADE}</h2>\n"


def test_what_the_sanitizer_would_change_is_shown_as_typed():
    assert rendered("<b id='x'>y</b>") == "<pre>&lt;b id=&#x27;x&#x27;&gt;y&lt;/b&gt;</pre>"


def test_tables_tasks_lists_links_and_code_are_rendered():
    text = (
        "| a |\n|--:|\n| 1 |\n\n- [x] done\n\n3. three\n\n[docs](https://pytorch.org 'title')\n\n```python\nx = 1\n```"
    )
    shown = rendered(text)
    for part in ("<td>1</td>", "<li>☑ done</li>", '<ol start="3">', "https://pytorch.org", 'class="mi">1</span>'):
        assert part in shown, part


def test_a_relative_link_is_its_words():
    assert rendered("see [the lab](../lab.ipynb)") == "<p>see the lab</p>\n"


def test_an_attached_picture_is_shown_and_no_other_kind():
    text = "![as *drawn*](attachment:a.png)"
    shown = rendered(text, {"a.png": {"image/png": PNG}})
    assert shown == f'<p><img src="data:image/png;base64,{PNG}" alt="as drawn"></p>\n'
    for kinds in ({"image/svg+xml": PNG}, {"image/png": '" onerror="alert(1)'}, {}):
        assert rendered(text, {"a.png": kinds}) == f"<pre>{text}</pre>"


@pytest.mark.parametrize("macro", [r"\href", r"\&#104;ref", r"&bsol;href", r"\h<!-- -->ref", r"\style", r"\htmlId"])
def test_no_macro_reaches_out_of_a_formula(macro):
    assert rendered(f"<p>${macro}{{a}}{{b}}$</p>").startswith("<pre>")
    assert rendered(f"`{macro}`").startswith("<p><code>")


def test_a_very_long_text_is_not_parsed(monkeypatch):
    monkeypatch.setattr("autograder.grading.markup.MarkdownWithMath", None)
    assert safe_markdown("*a*" * LONGEST) == as_typed("*a*" * LONGEST)


def test_the_labs_own_text_is_rendered():
    for path in sorted((REPOSITORY / "course").glob("*/lab.ipynb")):
        for cell in released(REPOSITORY / "course", path.parent.name).cells:
            assert cell.cell_type != "markdown" or is_harmless(cell.source), (path, cell.id)


def test_only_text_that_no_file_can_hold_is_trusted():
    page = Environment(autoescape=False)
    page.filters["markdown2html"] = markdown2html
    template = page.from_string("{{ text | markdown2html }}")
    script = "<script>f()</script>"
    assert script in template.render(text=Markup(script)) and script not in template.render(text=script)


def exporters():
    course = nbgrader_hooks.configure(config(REPOSITORY))
    course.HTMLExporter.update(template_name="formgrade", extra_template_basedirs=[handlers.template_path])
    course.HTMLExporter.preprocessors = []
    feedback = FeedbackExporter(template_name="recorded", extra_template_basedirs=[str(TEMPLATES)])
    return {"formgrader": HTMLExporter(config=course), "feedback": feedback}


@pytest.mark.parametrize("page", ["formgrader", "feedback"])
def test_both_pages_render_with_this_filter(page):
    exporter = exporters()[page]
    cell = new_markdown_cell(f"## {GRADE}\n\n<i>x</i>", id="extra-1")
    given = {"score": 0, "max_score": 0, "student": "ada", "assignment": "01", "index": 0, "total": 1}
    html, _ = exporter.from_notebook_node(new_notebook(cells=[cell]), given | {"nbgrader": given})
    assert f"<h2>{GRADE}</h2>" in html and "contain: paint" in html


@pytest.mark.parametrize("page", ["formgrader", "feedback"])
def test_both_pages_show_an_attached_picture(page):
    cell = new_markdown_cell("![x](attachment:a.png)", id=GRADE, attachments={"a.png": {"image/png": PNG}})
    cell.metadata.nbgrader = {"grade_id": GRADE, "grade": True, "solution": True, "points": 1, "score": 0}
    given = {"score": 0, "max_score": 0, "student": "ada", "assignment": "01", "index": 0, "total": 1}
    html, _ = exporters()[page].from_notebook_node(new_notebook(cells=[cell]), given | {"nbgrader": given})
    assert f'src="data:image/png;base64,{PNG}"' in html


def test_formgrader_s_policy_lets_no_handler_and_no_address_in():
    policy = dict(part.split(" ", 1) for part in formgrader_policy.policy().split("; "))
    assert policy["form-action"] == policy["base-uri"] == policy["default-src"] == "'none'"
    assert "unsafe-inline" not in policy["script-src-attr"] and "example" not in str(policy)
    template = Path(handlers.template_path, "formgrade", "formgrade_macros.html.j2").read_text()
    assert sorted(re.findall(r' on[a-z]+="([^"]*)"', template)) == sorted(formgrader_policy.HANDLERS)
