"""The handle that a caller gets for a hook, to remove it again. Mirrors torch/utils/hooks.py."""

import itertools
from typing import Any

_ids = itertools.count()


class RemovableHandle:
    """A handle that removes a hook from the dict that holds it under `id`; also at the end of a `with` block.

    Args:
        hooks: the dict.
        extra: dicts that may have more to say of the same hook.
    """

    def __init__(self, hooks: dict[int, Any], *extra: dict[int, Any]):
        self.id = next(_ids)
        self._dicts = hooks, *extra

    def remove(self) -> None:
        """Remove the hook; do nothing if it is already removed."""
        for entries in self._dicts:
            entries.pop(self.id, None)

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, *error: Any) -> None:
        self.remove()
