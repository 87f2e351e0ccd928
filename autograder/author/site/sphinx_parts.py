"""The parts that the site adds to Sphinx: links to source files, alt texts from pictures, formulas as MathML."""

import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

PYTORCH = "https://github.com/pytorch/pytorch/blob/v2.13.0/"
OF_PYTORCH = re.compile(r"(?:aten|c10|torch|torchgen|tools)/[\w./+-]+\.(?:h|cpp|cu|cuh|cc|c|py|yaml|pyi\.in)")
OF_ENGINE = re.compile(r"engine/([\w/]+)\.py")
TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.S)
DESCRIPTION = re.compile(r"<desc[^>]*>(.*?)</desc>", re.S)


class SourceLinks(SphinxPostTransform):
    """Turns source file names in code font into links, to PyTorch's repository or to the core path's listing."""

    default_priority = 20

    def run(self, **_: Any) -> None:
        """Link every such file name that is not already in a link or a heading."""
        for literal in list(self.document.findall(nodes.literal)):
            if isinstance(literal.parent, nodes.reference | nodes.title):
                continue
            if link := self._link(literal):
                literal.replace_self(link)

    def _link(self, literal: nodes.literal) -> nodes.Element | None:
        text = literal.astext()
        if OF_PYTORCH.fullmatch(text):
            return nodes.reference("", "", literal.deepcopy(), refuri=PYTORCH + text, internal=False)
        found = OF_ENGINE.fullmatch(text)
        page = f"core/{found[1].replace('/', '.')}" if found else ""
        if page not in self.env.found_docs or page == self.env.docname:
            return None
        address = posixpath.relpath(f"{page}.html", posixpath.dirname(self.env.docname) or ".")
        return nodes.reference("", "", literal.deepcopy(), refuri=address, internal=True)


class PictureTexts(SphinxPostTransform):
    """Uses the title and description in an SVG file as its alt text."""

    default_priority = 21

    def run(self, **_: Any) -> None:
        """Set the alt text of each SVG that has none to the title and description in its file."""
        for image in self.document.findall(nodes.image):
            path = Path(self.env.srcdir, unquote(image["uri"]))
            if image.get("alt") or path.suffix != ".svg" or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8")
            found = [pattern.search(text) for pattern in (TITLE, DESCRIPTION)]
            image["alt"] = " ".join(" ".join(each[1].split()) for each in found if each)


def _mathml(node: nodes.Element, display: str) -> str:
    from latex2mathml.converter import convert

    return convert(node.astext(), display=display)


def _inline(translator: Any, node: nodes.Element) -> None:
    translator.body.append(_mathml(node, "inline"))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.Element) -> None:
    translator.body.append(f'<div class="math">{_mathml(node, "block")}</div>')
    raise nodes.SkipNode


def _with_levels(_: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Give the captions of the sidebar, which furo marks as headings, the level that a heading has to have."""
    name = "furo_navigation_tree"
    context[name] = context.get(name, "").replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transforms, the math renderer and the page handler with Sphinx."""
    app.add_post_transform(SourceLinks)
    app.add_post_transform(PictureTexts)
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("html-page-context", _with_levels, priority=900)  # after furo's
    return {"parallel_read_safe": True, "parallel_write_safe": True}
