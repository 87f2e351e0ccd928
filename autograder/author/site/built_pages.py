"""Faults of a built site: links and anchors that lead nowhere, pictures without a text, anything from the network."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HOSTS = {
    "github.com", "pytorch.org", "docs.pytorch.org", "numpy.org", "arxiv.org", "doi.org", "blog.ezyang.com",
    "pytorch-dev-podcast.simplecast.com", "www.akkadia.org", "distributed.dask.org", "siboehm.com", "horace.io",
    "developer.nvidia.com", "zdevito.github.io", "ui.perfetto.dev", "perfetto.dev", "www.brendangregg.com",
}  # fmt: skip
"""The sites that a link may lead to; nothing is ever loaded from them."""
MADE_BY = {"www.sphinx-doc.org", "pradyunsg.me"}  # in the footer of every page
LOADS = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
OF_CSS = re.compile(r"@import|url\(\s*['\"]?(?:https?:)?//")
OF_SCRIPTS = re.compile(r"(?:fetch|import|importScripts)\(\s*['\"`](?:https?:)?//|\.src\s*=\s*['\"`](?:https?:)?//")
SHORTEST_ALT = 10  # characters of a text that says something


@dataclass
class Page:
    """The parts of a page that are checked: links, loaded files, anchors and pictures."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    pictures: list[tuple[str, str]] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.page.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        if tag == "img":
            self.page.pictures.append((given.get("src", ""), given.get("alt", "")))
        if (name := LOADS.get(tag)) and name in given and given.get("rel") not in ("canonical", "next", "prev"):
            self.page.loads.append(given[name])


@cache
def _page(path: Path, _: int) -> Page:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def page(path: Path) -> Page:
    """Parse the page in a file; each file is read only once."""
    return _page(path, path.stat().st_mtime_ns)


def faults(site: Path) -> list[str]:
    """Return all faults of a site, one line each."""
    site = site.resolve()
    found = [fault for path in sorted(site.rglob("*.html")) for fault in _of_page(path, site)]
    for pattern, what in ((OF_CSS, "*.css"), (OF_SCRIPTS, "*.js")):
        for path in sorted(site.rglob(what)):
            if hit := pattern.search(path.read_text(encoding="utf-8")):
                found.append(f"{path.relative_to(site)}: loads from the network: {hit[0]}")
    return found


def _of_page(path: Path, site: Path) -> Iterator[str]:
    name = path.relative_to(site)
    for link in page(path).links:
        if fault := _of_link(link, path, site):
            yield f"{name}: {fault}"
    for load in page(path).loads:
        if urlsplit(load).netloc:
            yield f"{name}: loads from the network: {load}"
        elif not load.startswith(("data:", "#")) and not (path.parent / unquote(urlsplit(load).path)).is_file():
            yield f"{name}: loads {load}, which is missing"
    for source, alt in page(path).pictures:
        if len(alt) < SHORTEST_ALT or alt == source or alt.endswith((".svg", ".png")):
            yield f"{name}: the picture {source} has the alt text {alt!r}"


def _of_link(link: str, path: Path, site: Path) -> str | None:
    parts = urlsplit(link)
    if parts.scheme in ("http", "https"):
        return None if parts.hostname in HOSTS | MADE_BY else f"a link to {parts.hostname}, which is not in HOSTS"
    if parts.scheme == "mailto":
        return None
    if parts.scheme or parts.netloc:
        return f"the link {link} leads nowhere"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file() or site not in target.parents:
        return f"the link {link} leads nowhere"
    anchor = unquote(parts.fragment)
    if anchor and target.suffix == ".html" and anchor not in page(target).anchors:
        return f"the link {link} leads to no anchor"
    return None


def summary(site: Path) -> str:
    """Return a summary of a site: the number of pages, links and pictures, and its size."""
    read = [page(path) for path in site.rglob("*.html")]
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    links, pictures = sum(len(each.links) for each in read), sum(len(each.pictures) for each in read)
    return f"{len(read)} pages, {links:,} links, {pictures} pictures, {size / 1e6:.0f} MB"
