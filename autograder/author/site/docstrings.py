"""Docstrings as Markdown: paragraphs, `Args:` and its like as lists, doctests and schemas as code."""

import re
from collections.abc import Iterator

SECTION = re.compile(r"(Args|Returns|Raises|Yields|Attributes|Schemas|Note|Example|Examples):\s*(.*)")
ITEM = re.compile(r"(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*): (.*)")
OF_CODE = {"Schemas", "Example", "Examples"}
SPECIAL = re.compile(r"([\\*_<>\[\]$|~{}#^])")
RULE = re.compile(r"^([-=+])", re.M)  # of a heading or a list, where a line of a docstring means neither
CODE = re.compile(r"(``[^`]+``|`[^`]+`)")
FILE = re.compile(r"(?<![\w/.`])((?:aten|c10|torch|torchgen|tools|engine)/[\w./+-]+\.(?:h|cpp|cu|cuh|pyi?|yaml|in))\b")
SEVERAL = re.compile(r"([\w/]+/)\{([\w,]+)\}(\.\w+)")


def markdown(docstring: str) -> str:
    """Convert a docstring, as returned by `inspect.getdoc`, to Markdown."""
    return "\n\n".join(_block(block) for block in _blocks(docstring))


def inline(text: str) -> str:
    """Convert plain text to Markdown: code in backticks stays code, and names of source files become code."""
    pieces = CODE.split(SEVERAL.sub(_one_by_one, text))
    return "".join(piece if at % 2 else _escaped(piece) for at, piece in enumerate(pieces))


def _one_by_one(found: re.Match[str]) -> str:
    """Return `aten/{A,B}.cpp` as two names."""
    return ", ".join(f"{found[1]}{name}{found[3]}" for name in found[2].split(","))


def _escaped(text: str) -> str:
    pieces = FILE.split(text)
    return "".join(f"`{piece}`" if at % 2 else SPECIAL.sub(r"\\\1", piece) for at, piece in enumerate(pieces))


def _blocks(docstring: str) -> Iterator[list[str]]:
    """Yield lines that belong together: up to an empty line, and a section up to the next line that is not indented."""
    block: list[str] = []
    for line in docstring.splitlines():
        in_section = bool(block) and SECTION.fullmatch(block[0]) is not None
        ends = not line.strip() if not in_section else bool(line.strip()) and not line.startswith(" ")
        if block and (ends or (SECTION.fullmatch(line) and not in_section)):
            yield block
            block = []
        if line.strip():
            block.append(line)
    if block:
        yield block


def _block(lines: list[str]) -> str:
    if found := SECTION.fullmatch(lines[0]):
        return _section(found[1], found[2], lines[1:])
    if lines[0].startswith(">>> "):
        return fenced("\n".join(lines), "pycon")
    if all(line.startswith("    ") for line in lines):
        return fenced("\n".join(line[4:] for line in lines), "text")
    return RULE.sub(r"\\\1", inline("\n".join(line.strip() for line in lines)))


def _section(name: str, first: str, lines: list[str]) -> str:
    if name in OF_CODE:
        language = "pycon" if any(line.strip().startswith(">>> ") for line in lines) else "text"
        return f"**{name}**\n\n" + fenced("\n".join(line[4:] for line in lines), language)
    items: list[str] = [f"- {inline(first)}"] if first else []
    for line in lines:
        text = line.strip()
        if found := ITEM.fullmatch(text) if line.startswith("    ") and not line.startswith("     ") else None:
            items.append(f"- `{found[1]}`: {inline(found[2])}")
        elif items:
            items[-1] += f"\n  {inline(text)}"
        else:
            items.append(f"- {inline(text)}")
    return f"**{name}**\n\n" + "\n".join(items)


def fenced(text: str, language: str) -> str:
    """Return a code block, fenced with more backticks than the text contains."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
