"""Memos of the engine: functions under `functools.cache` and its like at the top level of a module."""

import sys
import types
import weakref
from typing import Any

_PACKAGE = __name__.partition(".")[0]
_memos: weakref.WeakKeyDictionary[types.ModuleType, tuple[int, tuple[Any, ...]]] = weakref.WeakKeyDictionary()


def forget_memos() -> None:
    """Clear every memo of the engine, as after the code of a function was replaced: entries may come from it."""
    for name, module in tuple(sys.modules.items()):
        if name == _PACKAGE or name.startswith(f"{_PACKAGE}."):
            for memo in _memos_of(module):
                memo.cache_clear()


def search_again(module: types.ModuleType) -> None:
    """Search a module for memos at the next `forget_memos`, though it has as many names as before."""
    _memos.pop(module, None)


def _memos_of(module: types.ModuleType) -> tuple[Any, ...]:
    """Return the module's memos, searched again only when it has other names: going through all values takes 2 ms."""
    known = _memos.get(module)
    if known is None or known[0] != len(vars(module)):
        values = tuple(vars(module).values())
        # The type is checked, because `engine.ops` answers to every name.
        known = _memos[module] = len(values), tuple(value for value in values if hasattr(type(value), "cache_clear"))
    return known[1]
