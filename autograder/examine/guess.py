"""The guess in a prediction's cell: the cell's first statement, `predict("...")`, holds it, and the rest is given.

A cell is the same given cell with a guess as without one. So nothing that compares cells looks at that statement.
"""

import ast
import warnings
from collections.abc import Sequence

CALL = "predict"
OPEN = f'{CALL}("")'  # before anybody has guessed
MOST_LINES, LONGEST = 20, 4000  # of the statement; one that is longer makes the cell an edited one


def with_open_guess(source: str) -> str:
    """Return the text of a given cell with an empty guess above it."""
    return f"{OPEN}\n{source}"


def without_guess(source: str) -> str:
    """Return the text of a cell without the statement that holds the guess.

    >>> without_guess('predict((2,\\n  3))\\nx.size()'), without_guess('x = 1')
    ('x.size()', 'x = 1')
    """
    lines, _ = _parted(source)
    return source if not lines else "\n".join(source.split("\n")[lines:])


def guess_of(source: str) -> str | None:
    """Return the guess in the text of a cell, in words; "" if it is empty, None in any other cell.

    >>> guess_of('predict("  two views ")\\nx'), guess_of('predict((3, 1))'), guess_of('predict("")'), guess_of('x')
    ('two views', '(3, 1)', '', None)
    """
    _, call = _parted(source)
    return None if call is None else in_words([_value(argument) for argument in call.args])


def in_words(guesses: Sequence[object]) -> str:
    """Return the arguments of `predict` as one text; "" if nothing was guessed.

    >>> in_words(["yes", (2, 3)]), in_words([" "]), in_words([()])
    ('yes, (2, 3)', '', '()')
    """
    return ", ".join(filter(None, map(_word, guesses)))


def _word(guess: object) -> str:
    if isinstance(guess, str):
        return guess.strip()
    try:
        return repr(guess)
    except Exception:  # of an object whose repr fails
        return f"a {type(guess).__name__}"


class _AsTyped:
    """An argument that is a name or a call: it is shown as it was typed, and never evaluated."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _value(argument: ast.expr) -> object:
    try:
        return ast.literal_eval(argument)
    except (ValueError, TypeError, RecursionError, MemoryError):
        pass
    try:
        return _AsTyped(ast.unparse(argument))
    except (ValueError, RecursionError, MemoryError):
        return ""


def _parted(source: str) -> tuple[int, ast.Call | None]:
    """Return the number of lines of the statement that holds the guess, and its call; 0 and None without one.

    Only the first lines are ever parsed, so a cell of any length costs little.
    """
    if not source.startswith(f"{CALL}("):
        return 0, None
    head = source[: LONGEST + 1].split("\n")[:MOST_LINES]
    for count in range(1, len(head) + 1):
        text = "\n".join(head[:count])
        if len(text) > LONGEST:
            break
        if call := _call(text):
            return count, call
    return 0, None


def _call(text: str) -> ast.Call | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
    is_ours = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == CALL
    return call if is_ours and isinstance(call, ast.Call) else None
