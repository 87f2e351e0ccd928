"""Texts as tokens, and fragments: short runs of tokens, which two texts share or not.

Of code, comments, docstrings, line breaks and the text of strings don't count, and a variable's name is as good as
another. Every run of tokens is kept (winnowing with a window of 1): an answer is short, and a copy with one statement
moved shares fewer of them. Runs are short so that most of them stay whole when statements change places.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pygments.lexers import PythonLexer
from pygments.token import Comment, Literal, Name, Text, Whitespace

LEXER = PythonLexer(stripnl=False, ensurenl=False)
SKIPPED = (Comment, Text, Whitespace, Literal.String.Doc)
BUILTIN = (Name.Builtin, Name.Exception)
DEFINED = (Name.Function, Name.Class)
VARIABLE, STRING = "V", "S"
WORD = re.compile(r"\w+")


class Token(NamedTuple):
    """A token in the form used for comparison, and the range of characters that it covers in the text."""

    word: str
    start: int
    end: int


Fragment = tuple[str, ...]


def code_tokens(text: str) -> list[Token]:
    """Return the tokens of Python code, which may have syntax errors.

    >>> [token.word for token in code_tokens("total = fold(xs, 0)  # sum")]
    ['V', '=', 'fold', '(', 'V', ',', '0', ')']
    """
    read = [each for each in LEXER.get_tokens_unprocessed(text) if each[2].strip() and not _is_in(each[1], SKIPPED)]
    own = {value for _, kind, value in read if _is_in(kind, DEFINED)}
    tokens: list[Token] = []
    for place, (start, kind, value) in enumerate(read):
        before = read[place - 1][2] if place else ""
        after = read[place + 1][2] if place + 1 < len(read) else ""
        word = _word(kind, value, value in own, before == "." or after == "(")
        if word == STRING and tokens and tokens[-1].word == STRING:
            tokens[-1] = tokens[-1]._replace(end=start + len(value))
        else:
            tokens.append(Token(word, start, start + len(value)))
    return tokens


def _is_in(kind: object, kinds: Sequence) -> bool:
    return any(kind in each for each in kinds)


def _word(kind: object, value: str, is_own: bool, is_named: bool) -> str:
    """Return the token as it is compared; functions and attributes of others keep their names."""
    if kind in Literal.String:
        return STRING
    if kind in Name and not _is_in(kind, BUILTIN) and (is_own or not is_named):
        return VARIABLE
    return value


def prose_tokens(text: str) -> list[Token]:
    """Return the words of a text in lower case.

    >>> prose_tokens("A *view*")
    [Token(word='a', start=0, end=1), Token(word='view', start=3, end=7)]
    """
    return [Token(found[0].casefold(), *found.span()) for found in WORD.finditer(text)]


class Measure(NamedTuple):
    """The settings for comparing texts of one kind.

    Args:
        tokens: of a text.
        length: tokens of a fragment.
        least: fragments that two answers must share, and few others have, to raise a question.
        share: the same, as a share of all such fragments of the answer that has fewer.
        whole: the same, as a share of all fragments of the shorter answer: a few unusual words in a usual text are not
            asked about.
    """

    tokens: Callable[[str], list[Token]]
    length: int
    least: int
    share: float
    whole: float


MEASURES = {"code": Measure(code_tokens, 6, 20, 0.6, 0.3), "prose": Measure(prose_tokens, 4, 12, 0.4, 0.25)}
"""For code, tests/autograder/test_similarity.py counts what these numbers find, and what they ask in vain."""


def fragments(words: Sequence[str], length: int) -> list[Fragment]:
    """Return all sequences of `length` consecutive words, in order.

    >>> fragments(("a", "b", "c"), 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [tuple(words[at : at + length]) for at in range(len(words) - length + 1)]


def fragments_of(text: str, kind: str) -> frozenset[Fragment]:
    """Return the fragments of a text of this kind, "code" or "prose"."""
    measure = MEASURES[kind]
    return frozenset(fragments([token.word for token in measure.tokens(text)], measure.length))
