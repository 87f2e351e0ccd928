"""Findings that several checks of the profiler make on an observation."""

from collections.abc import Callable
from typing import Any

from autograder.examine.model import Mistake


def without(*names: str) -> Callable[[tuple, Any], Any]:
    """Build findings that omit the dict entries checked by another aspect, so that a mistake counts only once."""

    def findings(args: tuple, observed: Any) -> Any:
        if type(observed) is not dict:
            return observed
        return {name: value for name, value in observed.items() if name not in names}

    return findings


def told_apart(*mistakes: Mistake) -> tuple[Mistake, ...]:
    """Return the mistakes, each shown only if no mistake with a different text explains the answer too."""

    def alone(mistake: Mistake) -> Mistake:
        others = [one for one in mistakes if one.says != mistake.says]

        def shows(args: tuple, wanted: Any, got: Any) -> bool:
            return mistake.shows(args, wanted, got) and not any(_shows(one, args, wanted, got) for one in others)

        return Mistake(mistake.says, shows)

    return tuple(map(alone, mistakes))


def _shows(mistake: Mistake, args: tuple, wanted: Any, got: Any) -> bool:
    try:
        return bool(mistake.shows(args, wanted, got))
    except Exception:  # a rule need not know what another one knows
        return False


def in_another_order(*titles: str) -> Callable[[tuple, Any, Any], bool]:
    """Build a `Mistake.shows` that recognizes dicts of columns with the right rows in another order."""

    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        right, mine = (
            list(zip(*(one.value[title] for title in titles if title in one.value), strict=True))
            for one in (wanted, got)
        )
        return right != mine and sorted(right, key=repr) == sorted(mine, key=repr)

    return shows
