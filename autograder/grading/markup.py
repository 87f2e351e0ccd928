"""Students' Markdown and code, harmless to whoever reads it in feedback, in formgrader or in JupyterLab.

nbconvert renders Markdown with raw HTML and any link as they are, and gives headings ids by which formgrader's script
finds its boxes. So pages render it with `markdown2html` of this module: bare tags of a list, and three attributes.
What is stored for JupyterLab passes through the same sanitizer: if that would take anything away, the reader sees the
text as it was typed.
"""

import re
import secrets
from collections.abc import Mapping
from html import escape, unescape
from types import MappingProxyType
from typing import Any

import bleach
from bs4 import BeautifulSoup
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from nbconvert.filters import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.examine.handin import PICTURES

PLAIN = "plain"  # in the metadata of a code cell: it is shown without colors
PYTHON = frozenset(("python", "python3", "py", "ipython", "ipython3"))  # blocks in Markdown that are colored
LONGEST_SPACE = 1000  # characters of white space in a row in code that is colored
LONGEST = 10_000  # characters that are rendered; more are shown as typed
TAGS = frozenset(
    """a abbr b blockquote br caption cite code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img kbd li ol p
    pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr tt u ul""".split()  # noqa: SIM905
)
ADDRESS = re.compile(r"(?:https?://|mailto:)[^\\]*")  # with its scheme: another leads into the grader's own server
RELATIVE = re.compile(r"[\w./#-]*")
ATTRIBUTES = {("a", "href"): ADDRESS, ("ol", "start"): re.compile(r"\d{1,9}"), ("img", "alt"): re.compile(r"[^\\]*")}
PROTOCOLS = frozenset(("http", "https", "mailto"))
# Of these MathJax, which formgrader and JupyterLab load, makes links that run scripts and styles that cover the page.
REACHES_OUT = re.compile(r"\\(?:href|url|require|cssId|class|style|bbox|unicode|mmlToken|data|html\w*)(?![A-Za-z])")
CODE = re.compile(r"<(code|pre)\b.*?</\1>", re.S)  # in sanitized HTML; MathJax looks for no formulas there
CONFINED = '<div style="contain: paint; overflow-x: auto">{}</div>'  # no formula is painted outside, or takes a click

ATTACHMENT = "attachment:"
ATTACHED = re.compile(r"\(attachment:([^)\s]*)")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
MISSING = "\n\n*A picture of this answer can't be shown: ask for it as PNG, JPEG or GIF.*"
Pictures = Mapping[str, Mapping[str, str]]  # by name and kind, as base64
NO_PICTURES: Pictures = MappingProxyType({})


@pass_context
def markdown2html(context: Context, source: str) -> str:
    """Return Markdown as HTML, for nbconvert's pages: sanitized, unless it is `Markup`, which no file can hold."""
    if isinstance(source, Markup):
        return MarkdownWithMath(IPythonRenderer(escape=False, exclude_anchor_links=True)).render(source)
    return CONFINED.format(rendered(source, context.get("cell", {}).get("attachments", {})))


def highlighted(source: str, language: str | None = None, metadata: Mapping[str, Any] | None = None) -> str:
    """Return code as HTML, for nbconvert's pages, with syntax highlighting unless the cell's metadata turn it off.

    As Python's, whatever the notebook's language is called: IPython's own coloring takes time that grows with the
    square of a text's length, and Python's with the square of white space.
    """
    longest = max(map(len, re.findall(r"\s+", source)), default=0)
    if (metadata or {}).get(PLAIN) or longest > LONGEST_SPACE:
        return f'<div class="highlight">{_plain(source)}</div>'
    return Highlight2HTML(pygments_lexer="python3")(source, metadata=metadata)


def rendered(source: str, pictures: Pictures = NO_PICTURES) -> str:
    """Return Markdown as sanitized HTML, without ids, or as it was typed if the sanitizer would take something away.

    >>> rendered("## reflect-diagnosis"), rendered('<b id="c">d</b>')
    ('<h2>reflect-diagnosis</h2>\\n', '<pre>&lt;b id=&quot;c&quot;&gt;d&lt;/b&gt;</pre>')
    """
    html = _sanitized(source, pictures)
    return _plain(source) if html is None else html


def safe_markdown(source: str, pictures: Pictures = NO_PICTURES) -> str:
    """Return `source` if it renders to harmless HTML, or else the same text in a fenced block.

    Args:
        pictures: attachments of the cell that may be shown.
    """
    if is_harmless(source, pictures):
        return source
    missing = any(name not in pictures for name in ATTACHED.findall(source))
    return as_typed(source) + MISSING * missing


def as_typed(source: str) -> str:
    """Return a fenced block that shows `source` verbatim."""
    longest = max((len(run) for run in re.findall(r"~+", source)), default=0)
    fence = "~" * max(4, longest + 1)
    return f"{fence}\n{source}\n{fence}"


def is_harmless(source: str, pictures: Pictures = NO_PICTURES) -> bool:
    """Return whether the sanitizer takes nothing away from the rendered HTML.

    >>> is_harmless("`a < b` and *c*, [d](https://example.org)"), is_harmless("[e](java&#115;cript:f)")
    (True, False)
    >>> is_harmless(r"$\\sum_d i_d s_d$"), is_harmless(r"$\\href{javascript:f}{g}$")
    (True, False)
    """
    return len(source) <= LONGEST and _sanitized(source, pictures) is not None


def _sanitized(source: str, pictures: Pictures) -> str | None:
    renderer = _Renderer(pictures)
    try:
        html = MarkdownWithMath(renderer).render(source)
        sanitized = renderer.sanitized(html)
        is_same = html.count("</") == sanitized.count("</") and _parsed(html) == _parsed(sanitized)
    except Exception:  # a missing picture, a stack that is too deep: whatever stops it would stop the page too
        return None
    reaches_out = REACHES_OUT.search(unescape(CODE.sub(" ", sanitized)))
    return renderer.with_kept(sanitized) if is_same and not reaches_out else None


def _parsed(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def _plain(source: str) -> str:
    return f"<pre>{escape(source)}</pre>"


class _Renderer(IPythonRenderer):
    """nbconvert's renderer, without ids, classes and styles.

    Code and pictures are kept aside and inserted after sanitizing. Their places have a mark that no text can guess,
    and the sanitizer leaves it in no attribute but a picture's source.
    """

    def __init__(self, pictures: Pictures) -> None:
        super().__init__(escape=False, exclude_anchor_links=True)
        self.pictures = pictures
        self.mark = secrets.token_hex(8)
        self.place = re.compile(f"{self.mark}([0-9]+)[.]")
        self.kept: list[str] = []

    def sanitized(self, html: str) -> str:
        return bleach.clean(html, tags=TAGS, attributes=self._allows, protocols=PROTOCOLS)

    def with_kept(self, html: str) -> str:
        return self.place.sub(lambda found: self.kept[int(found[1])], html)

    def _keep(self, html: str) -> str:
        self.kept.append(html)
        return f"{self.mark}{len(self.kept) - 1}."

    def _allows(self, tag: str, name: str, value: str) -> bool:
        if (tag, name) == ("img", "src"):
            return bool(self.place.fullmatch(value))
        allowed = ATTRIBUTES.get((tag, name))
        return allowed is not None and bool(allowed.fullmatch(value)) and self.mark not in value

    def block_code(self, code: str, info: str | None = None) -> str:
        language = (info or "").split()[:1]
        if (info or "").startswith("mermaid"):  # which JupyterLab draws: left to the sanitizer, who takes it away
            return super().block_code(code, info)
        return self._keep(highlighted(code) if PYTHON.issuperset(language) and language else _plain(code))

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return text if RELATIVE.fullmatch(url) else super().link(text, url)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        kinds = self.pictures.get(url.removeprefix(ATTACHMENT), {}) if url.startswith(ATTACHMENT) else {}
        for kind, data in kinds.items():
            if kind in PICTURES and BASE64.fullmatch(data):
                return super().image(text, self._keep(f"data:{kind};base64,{data}"))
        return super().image(text, url)

    def table_cell(self, text: str, align: str | None = None, head: bool = False) -> str:
        return f"<th>{text}</th>" if head else f"<td>{text}</td>"

    def task_list_item(self, text: str, checked: bool = False) -> str:
        return f"<li>{'☑' if checked else '☐'} {text}</li>\n"
