"""Students' Markdown and code, harmless to whoever reads it in feedback, in formgrader or in JupyterLab.

nbconvert renders Markdown with raw HTML and any link as they stand, and stops at a picture that is missing. So a
cell is rendered here first: if a sanitizer would take anything away, the reader sees the text as it was typed.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from html import escape
from html.parser import HTMLParser
from typing import Any

import bleach
from bleach.css_sanitizer import CSSSanitizer
from nbconvert.filters import Highlight2HTML
from nbconvert.filters.markdown_mistune import markdown2html_mistune

PLAIN = "plain"  # in the metadata of a code cell: it is shown without colors
LONGEST_SPACE = 1000  # characters of white space in a row in code that is colored
LONGEST = 10_000  # characters that are rendered; more are shown as typed
TAGS = frozenset(
    """a abbr b blockquote br caption cite code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i input kbd li ol p
    pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr tt u ul""".split()  # noqa: SIM905
)
ATTRIBUTES = {
    "a": ["href", "title", "class"], "td": ["align", "style"], "th": ["align", "style"], "ol": ["start"],
    "input": ["disabled", "checked", "class"], "details": ["open"], "li": ["class"],
    "span": ["class"], "div": ["class"], "pre": ["class"], "code": ["class"],
    **{f"h{level}": ["id"] for level in range(1, 7)},
}  # fmt: skip
PROTOCOLS = frozenset(("http", "https", "mailto"))
STYLES = CSSSanitizer(allowed_css_properties=["text-align"], allowed_svg_properties=[])
# Of these MathJax, which formgrader and JupyterLab load, makes links that run scripts and styles that cover the page.
REACHES_OUT = re.compile(r"\\(?:href|url|require|cssId|class|style|bbox|unicode|mmlToken|data|html\w*)(?![A-Za-z])")

ATTACHED = "(attachment:"
PICTURE = re.compile(r"!\[([\w .,-]*)\]\(attachment:([\w.-]+)\)")  # a plain one, whose words are plain too
MISSING = "\n\n*A picture of this answer can't be shown: ask for it as PNG, JPEG or GIF.*"


def highlighted(source: str, language: str | None = None, metadata: Mapping[str, Any] | None = None) -> str:
    """Return code as HTML, for nbconvert's pages, with syntax highlighting unless the cell's metadata turn it off.

    As Python's, whatever the notebook's language is called: IPython's own coloring takes time that grows with the
    square of a text's length, and Python's with the square of white space.
    """
    longest = max(map(len, re.findall(r"\s+", source)), default=0)
    if (metadata or {}).get(PLAIN) or longest > LONGEST_SPACE:
        return f'<div class="highlight"><pre>{escape(source)}</pre></div>'
    return Highlight2HTML(pygments_lexer="python3")(source, metadata=metadata)


def safe_markdown(source: str, pictures: Collection[str] = ()) -> str:
    """Return `source` if it renders to harmless HTML, or else the same text in a fenced block.

    Args:
        pictures: names of attachments of the cell that may be shown.
    """
    if is_harmless(PICTURE.sub(lambda found: found[1] if found[2] in pictures else found[0], source)):
        return source
    missing = ATTACHED in source and not all(name in pictures for _, name in PICTURE.findall(source))
    return as_typed(source) + MISSING * missing


def as_typed(source: str) -> str:
    """Return a fenced block that shows `source` verbatim."""
    longest = max((len(run) for run in re.findall(r"~+", source)), default=0)
    fence = "~" * max(4, longest + 1)
    return f"{fence}\n{source}\n{fence}"


def is_harmless(source: str) -> bool:
    """Return whether the rendered HTML passes through a sanitizer unchanged.

    >>> is_harmless("`a < b` and *c*, [d](https://example.org)"), is_harmless("[e](java&#115;cript:f)")
    (True, False)
    >>> is_harmless(r"$\\sum_d i_d s_d$"), is_harmless(r"$\\href{javascript:f}{g}$")
    (True, False)
    """
    if len(source) > LONGEST:
        return False
    try:
        rendered = markdown2html_mistune(source)
    except Exception:  # a missing picture, a stack that is too deep: whatever stops it would stop the feedback too
        return False
    cleaned = bleach.clean(rendered, tags=TAGS, attributes=_allows, protocols=PROTOCOLS, css_sanitizer=STYLES)
    events = _events(rendered)
    return events == _events(cleaned) and not any(map(REACHES_OUT.search, _texts(events)))


def _allows(tag: str, name: str, value: str) -> bool:
    if tag == "input" and name == "type":
        return value == "checkbox"
    return name in ATTRIBUTES.get(tag, ())


def _events(html: str) -> list[tuple]:
    reader = _Events()
    reader.feed(html)
    reader.close()
    return _joined(reader.events)


def _texts(events: Iterable[tuple]) -> Iterator[str]:
    """Yield the texts in which MathJax looks for formulas: all but code."""
    depth = 0
    for kind, said, *_ in events:
        if said in ("code", "pre"):
            depth += {"start": 1, "end": -1}.get(kind, 0)
        elif kind == "text" and not depth:
            yield said


def _joined(events: Iterable[tuple]) -> list[tuple]:
    """Join text that comes in pieces; white space does not matter."""
    out: list[tuple] = []
    for event in events:
        if event[0] == "text" and out and out[-1][0] == "text":
            out[-1] = ("text", out[-1][1] + event[1])
        else:
            out.append(event)
    texts = [(kind, *(" ".join(part.split()) if kind == "text" else part for part in rest)) for kind, *rest in out]
    return [event for event in texts if event != ("text", "")]


def _spelling(name: str, value: str | None) -> str:
    return (value or "").replace(" ", "").rstrip(";") if name == "style" else value or ""


class _Events(HTMLParser):
    """The content of a page, in a form that doesn't depend on how it is spelled."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.events: list[tuple] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append(("start", tag, frozenset((name, _spelling(name, value)) for name, value in attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self.events.append(("end", tag))

    def handle_data(self, data: str) -> None:
        self.events.append(("text", data))

    def handle_comment(self, data: str) -> None:
        self.events.append(("comment", data))

    def handle_decl(self, decl: str) -> None:
        self.events.append(("declaration", decl))

    def handle_pi(self, data: str) -> None:
        self.events.append(("instruction", data))

    def unknown_decl(self, data: str) -> None:
        self.events.append(("declaration", data))
