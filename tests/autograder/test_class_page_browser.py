"""The class page in a real browser, from its file: drawn, sorted, searched, by keyboard, and not run by a name."""

import shutil
from dataclasses import replace

import pytest
from made_up_rows import FAILURE, LATE, WALLS, lab, of_results, row
from playwright.sync_api import expect, sync_playwright

from autograder.examine.verdict import REFUSED
from autograder.grading.class_page import page
from autograder.grading.standings import Enrolled

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="not run: needs chromium")]
LAB, OTHER = lab(1), lab(2)
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
TWICE = "&lt;img src=x onerror=&quot;document.title='owned'&quot;&gt;"  # markup to whoever decodes it once too often
WATCH = (
    "window.refused = []; addEventListener('securitypolicyviolation', (event) => refused.push(event.violatedDirective))"
)
MOST_ELEMENTS = 4000  # of the page of a thousand: it opens in well under 2 s with as many


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A class of forty: one late, one refused, one who submitted nothing, two with hostile names and answers."""
    failure = replace(FAILURE, case=HOSTILE, got=TWICE, hint=f"{HOSTILE} {TWICE}")
    rows = [
        row(LAB, f"s{number:02}", [True] * (number + 1) + [False], cpu_seconds=float(number)) for number in range(38)
    ]
    rows[3] = row(LAB, "s03", standing=LATE)
    rows[4] = of_results(LAB, "s04", {}, status=REFUSED, reason=f"not JSON {HOSTILE} {TWICE}")
    rows[5] = row(LAB, "s05", (False,), failure)
    known = {"s05": Enrolled(HOSTILE, "x@y"), "s06": Enrolled(TWICE, ""), "zoe": Enrolled("Zoe Absent", "zoe@y")}
    text = page.html([(LAB, rows), (OTHER, [row(OTHER, "s05", (False,), failure)])], WALLS, "", known)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(text, "utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser, address):
    """A function that opens a section of the page and returns it; in the end, nothing may have gone wrong there."""
    tab, wrong = browser.new_page(), []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("request", lambda request: wrong.extend([request.url] * (not request.url.startswith(address))))
    tab.on("console", lambda message: wrong.extend([message.text] * (message.type in ("error", "warning"))))
    tab.add_init_script(WATCH)

    def open_at(section):
        tab.goto(f"{address}#{section}")
        tab.wait_for_selector("html[data-ready]")
        return tab

    yield open_at
    assert (wrong, tab.evaluate("refused"), tab.title()) == ([], [], "Class page")
    tab.close()


def names(tab):
    return tab.locator("section:not([hidden]) table.students tbody tr td:first-child").all_inner_texts()


@pytest.mark.parametrize(("section", "found"), [("class", {"s05", "s06"}), (LAB.id, {"s04", "s05", "s06"})])
def test_a_hostile_name_is_text_wherever_it_is_shown_sorted_or_searched(opened, section, found):
    tab = opened(section)
    for text in (HOSTILE, TWICE):
        cell = tab.locator("section:not([hidden]) table.students td", has_text=text).first
        assert text in cell.text_content()
    tab.locator("section:not([hidden]) th", has_text="Name").locator("[role=button]").click()
    tab.get_by_label("Search students").locator("visible=true").fill("onerror")
    expect(tab.locator("section:not([hidden]) table.students tbody tr")).to_have_count(len(found))
    assert set(names(tab)) == found
    tab.locator("section:not([hidden]) button.student", has_text="s05").last.click()
    tab.evaluate("document.querySelectorAll('dialog details').forEach((each) => (each.open = true))")
    assert HOSTILE in tab.locator("dialog h2").text_content()
    assert TWICE in tab.locator("dialog li").first.text_content()
    assert tab.locator("img").count() == 0 and tab.locator("body script").count() == 3


def test_headers_are_buttons_that_say_how_the_table_is_sorted(opened):
    tab = opened(LAB.id)
    header = tab.locator("section:not([hidden]) table.students th", has_text="Points")
    header.locator("[role=button]").focus()
    tab.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "ascending")
    tab.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "descending")
    points = tab.locator("section:not([hidden]) table.students tbody tr td:nth-child(3)").all_inner_texts()
    assert points == sorted(points, key=lambda each: -1 if each == "–" else int(each), reverse=True)
    assert header.locator("[role=button]").get_attribute("aria-label").startswith("Points")


@pytest.mark.parametrize(
    ("button", "shown"), [("Not submitted 1", ["zoe"]), ("Late 1", ["s03"]), ("Refused 1", ["s04"])]
)
def test_a_button_shows_only_whom_it_names(opened, button, shown):
    tab = opened(LAB.id)
    chosen = tab.get_by_role("button", name=button, exact=True)
    chosen.click()
    assert names(tab) == shown and chosen.get_attribute("aria-pressed") == "true"
    tab.get_by_role("button", name="Everyone 39").click()
    assert len(names(tab)) == 25


def test_the_refused_are_shown_with_the_reason(opened):
    tab = opened(LAB.id)
    tab.get_by_role("button", name="Refused 1").click()
    assert "refused: not JSON" in tab.locator("section:not([hidden]) td.notes").inner_text()
    tab = opened("class")
    tab.get_by_role("button", name="Refused in some lab 1").click()
    assert "refused" in tab.locator("section:not([hidden]) table.students tbody").inner_text()


def test_a_student_opens_by_keyboard_with_the_way_to_the_page_of_feedback(opened):
    tab = opened(LAB.id)
    tab.locator("section:not([hidden]) table.students button.student", has_text="s00").focus()
    tab.keyboard.press("Enter")
    assert tab.locator("dialog[open] details[open] summary b").all_inner_texts() == [LAB.title]
    assert tab.locator("dialog a").first.get_attribute("href") == f"feedback/s00/{LAB.id}/lab.html"
    assert FAILURE.hint in tab.locator("dialog").inner_text()
    tab.keyboard.press("Escape")
    assert tab.locator("dialog[open]").count() == 0
    assert tab.evaluate("document.activeElement.textContent") == "s00"


def test_a_lab_is_reached_from_the_list_of_labs_and_by_going_back(opened):
    tab = opened("class")
    tab.locator("#labs a", has_text=OTHER.title).click()
    tab.locator(f"main > section[id='{OTHER.id}']").wait_for()  # the page hears of the new address after the click
    assert tab.locator("main > section:visible").get_attribute("id") == OTHER.id
    assert tab.locator("header nav [aria-current]").all_inner_texts() == [OTHER.title.partition(":")[0]]
    tab.go_back()
    tab.locator("main > section[id='class']").wait_for()
    assert tab.locator("main > section:visible").get_attribute("id") == "class"


CONTRAST = """(section) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (color) => {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => rgb(color).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = getComputedStyle(each).backgroundColor;
      if (color !== "rgba(0, 0, 0, 0)") return color;
    }
    return "white";
  };
  const poor = [];
  for (const element of document.querySelectorAll("header *, section:not([hidden]) *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.disabled || !element.checkVisibility()) continue;
    const [one, two] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (two + 0.05);
    const name = `${element.tagName}.${element.className}`;
    if (contrast < 4.5) poor.push(`${name} ${contrast.toFixed(1)}: ${element.textContent.slice(0, 30)}`);
  }
  return poor;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("section", ["class", LAB.id])
def test_every_text_has_the_contrast_that_wcag_asks_for(opened, scheme, section):
    tab = opened(section)
    tab.emulate_media(color_scheme=scheme)
    assert tab.evaluate(CONTRAST) == []


def test_a_class_of_a_thousand_is_data_and_not_elements(browser, tmp_path):
    rows = [row(LAB, f"s{number:03}", (True, True, False, True)) for number in range(1000)]
    path = tmp_path / "report.html"
    path.write_text(page.html([(LAB, rows)], WALLS), "utf-8")
    tab = browser.new_page()
    tab.goto(f"{path.as_uri()}#{LAB.id}")
    tab.wait_for_selector("html[data-ready]")
    assert "1,000" in tab.locator("section:not([hidden]) .dt-info").inner_text()
    assert tab.locator("*").count() < MOST_ELEMENTS
    tab.close()
