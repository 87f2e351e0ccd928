"""The English of the repository: `python -m tests.english [--all | path ...]`.

Flags phrases that a native engineer would not write, in docstrings, comments and Markdown prose, and docstrings that
open with a question word. Prints `path:line: found "..."; write "..."` and exits with 1 if anything was found.
Code, string literals, inline code, quotations, doctests and link targets are not looked at. Fix a finding by rewriting
its sentence.
"""

import argparse
import ast
import io
import itertools
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

HELD = (
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "autograder", "bench", "engine", "examples", "solutions",
    "tests",
)  # fmt: skip
"""The files and folders that have no findings, as git's pathspecs. The others are not rewritten yet: see `--all`."""

END = r"(?=[.,;:)]|\s*$|\s*\n\s*\n)"  # of a clause
ISE = (
    "optim parallel initial normal vector serial sanit synchron recogn organ summar general special minim maxim quant "
    "token material final real local util"
)
PHRASES = (
    # (pattern, what to write instead); a space in a pattern matches any white space, a line break too
    (r"\bat (?:its|their) height\b", "peak"),
    (r"\bso many\b(?! that\b)", "N, or this number of"),
    (r"\bsuch an? one\b", "one, or one like it"),
    (r"\bin place of\b", "instead of"),
    (r"\bas yet\b(?! another\b)", "yet, or so far"),
    (r"\beven so\b(?! (?:small|few|much|little)\b)", "still"),
    (r"\bthought out\b", "planned, or designed"),
    (r"(?<!body\s)\b(?:is|are|was|were|be|been) told\b(?= (?:of|by|with|when|only)\b|[.,;:])", "reported, or given"),
    (r"\basked of\b(?! (?:you|us|(?:a|the|each|every) (?:student|person|reader)s?)\b)", "checked, or required"),
    (r"\bmend(?:s|ed|ing)?\b", "fix"),
    (r"\bways (?:than|through|along)\b", "paths"),
    (r"\b(?:the|a|its|their) price\b(?! (?:list|tag)\b)", "cost"),
    (r"\b(?:the|a|its|whole|written) protocol (?:of|says|lists)\b", "log, or record"),
    (r"\b(?:that|those) of\b(?! (?:you|us|course)\b)", "the noun again"),
    (r"\bstands? (?:in(?! for\b)|at|on|under|below|above|beside|behind|before|there|where|first|next to)\b", "is"),
    (r"\blies? (?:at|on|under|below|beside|behind|there|outside)\b", "is"),
    (r"\blies? in\b(?! (?:how|that|the (?:fact|difference))\b)", "is in"),
    (r"(?<!here\s)\b(?:is|are) no (?!(?:longer|more|less|good|use|one|different|matter|\w+er than)\b)\w+", "is not"),
    (r"\b(?:has|have|had) (?:it|them) not\b", "does not have"),
    (r"\bthat there (?:is|are)" + END, "that exist, or nothing"),
    (r"\bthe (?:great|larg|small|new|old|high|low|slow|fast)est first" + END, "largest first"),
    (
        r"(?:(?<=[.;]\s)who|(?-i:(?<=\s\s)Who)) (?!(?:is|was|has|does|this)\b)[a-z]+s\b(?![^.;]*\?)",
        "anyone who",
    ),
    (r"\bto account\b(?! for\b)", "verify"),
    (r"\bwhile none\b", "when there is none"),
    (r"\b\w*(?:col|behavi|neighb|fav|hon)our\w*", "American spelling: color, neighbor"),
    (rf"\b\w*(?:{'|'.join(ISE.split())})is(?:e[sdr]?|ers|ing|ations?)\b", "American spelling: optimize"),
    (r"\b(?:analys(?:e[sd]?|ing)|centre[sd]?|grey|catalogue)\b", "American spelling: analyze, center, gray, catalog"),
    (r"\b(?:label|model|cancel|travel)l(?:ed|ing)\b", "American spelling: labeled"),
    (r"\d %(?=[.,;:)]| (?:of|more|less|than|in|faster|slower)\b|\s*$)", "98%"),
)
TABLE = [(re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE), instead) for pattern, instead in PHRASES]
OPENING = re.compile(r"r?\"\"\"\s*(What|Whether|Who|How)\b")
OPEN_WITH = "a verb or a noun: Return whether ..."

FENCED = re.compile(r"(?ms)^[ \t]*(```+|~~~+).*?^[ \t]*\1[ \t]*$|\A---\n.*?^---$")
INDENTED = re.compile(r"(?m)(?<=\n\n)(?:(?: {4,}|\t)\S.*\n?)+")
DOCTEST = re.compile(r"(?m)^[ \t]*>>> .*(?:\n[ \t]*\S.*)*")
QUOTED = re.compile(r"``[^`]+``|`[^`]+`|\"[^\"\n]*\"|\]\([^)\s]*\)|<!--.*?-->|<[^>\n]+>|https?://\S+")


def hide(pattern: re.Pattern[str], text: str) -> str:
    """Replace what the pattern finds by a character that is in no prose; every other one stays in its place."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)


def prose_of_markdown(text: str) -> str:
    """Hide code, quotations and targets of links."""
    return hide(QUOTED, hide(INDENTED, hide(FENCED, text)))


def prose_of_python(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Hide everything but docstrings and comments; also list the (line, word) of openings with a question word."""
    statements = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr))
    docstrings = {(node.lineno, node.col_offset) for node in statements if isinstance(node, ast.Constant)}
    begins = [0, *itertools.accumulate(map(len, text.splitlines(keepends=True)))]
    shown = list(re.sub(r"\S", "\0", text))
    openings = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        prose = ""
        if token.type == tokenize.COMMENT:
            prose = hide(QUOTED, token.string).replace("#", " ")
        elif token.type == tokenize.STRING and token.start in docstrings:
            if opening := OPENING.match(token.string):
                openings.append((token.start[0], opening[1]))
            quotes = re.compile(r"\Ar?\"\"\"|\"\"\"\Z")
            prose = hide(QUOTED, hide(DOCTEST, hide(quotes, token.string)))
        begin = begins[token.start[0] - 1] + token.start[1]
        shown[begin : begin + len(prose)] = prose
    return "".join(shown), openings


def findings(path: Path, text: str) -> Iterator[tuple[int, str, str]]:
    """Each (line, what was found, what to write instead), by line."""
    prose, openings = prose_of_python(text) if path.suffix == ".py" else (prose_of_markdown(text), [])
    found = [(line, word, OPEN_WITH) for line, word in openings]
    for pattern, instead in TABLE:
        for hit in pattern.finditer(prose):
            found.append((prose.count("\n", 0, hit.start()) + 1, " ".join(hit[0].split()), instead))
    yield from sorted(found)


def files(paths: Sequence[str]) -> list[Path]:
    """The Python and Markdown files below the paths that git has, or would add; course/ is woven from the others."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    names = [name for name in listed if name.endswith((".py", ".md")) and not name.startswith("course/")]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.english", description=__doc__)
    parser.add_argument("path", nargs="*", help="files or folders instead of those that are held to it")
    parser.add_argument("--all", action="store_true", help="every file")
    options = parser.parse_args(arguments)
    looked_at = files(["."] if options.all else options.path or HELD)
    count = 0
    for path in looked_at:
        for line, found, instead in findings(path, path.read_text(encoding="utf-8")):
            print(f'{path.relative_to(ROOT)}:{line}: found "{found}"; write "{instead}"')
            count += 1
    print(f"english: {count or 'no'} finding{'s' * (count != 1)} in {len(looked_at)} files")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
