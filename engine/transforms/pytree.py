"""Nested containers as a flat list of leaves and a `TreeSpec`, and back. Mirrors torch/utils/_pytree.py."""

import dataclasses
import functools
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from types import UnionType
from typing import Any

from .pytree_nodes import BUILTIN_TYPES, STANDARD_DICT_TYPES, SUPPORTED_NODES, _get_node_type

IsLeaf = Callable[[Any], bool] | None


@dataclasses.dataclass(frozen=True, repr=False, slots=True)
class TreeSpec:
    """The structure of a tree: the container's type (None for a leaf), its context, and the specs of its children."""

    type: Any
    _context: Any
    _children: list["TreeSpec"]
    num_nodes: int = dataclasses.field(init=False)
    num_leaves: int = dataclasses.field(init=False)
    num_children: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        assert self.type or self._context is None, "leaf node should not have a context"
        assert self.type or not self._children, "leaf node should not have children"
        object.__setattr__(self, "num_nodes", 1 + sum(child.num_nodes for child in self._children))
        leaves = sum(child.num_leaves for child in self._children) if self.type else 1
        object.__setattr__(self, "num_leaves", leaves)
        object.__setattr__(self, "num_children", len(self._children))

    def __repr__(self, indent: int = 2) -> str:
        children = (",\n" + " " * indent).join(child.__repr__(indent + 2) for child in self._children)
        return f"TreeSpec({self.type.__name__}, {self._context}, [{children}])" if self.type else "*"

    def __hash__(self) -> int:
        return hash((self.type, tuple(self._children)))  # a context may have no hash

    context = property(lambda self: self._context)
    children_specs = property(lambda self: self._children)

    def is_leaf(self) -> bool:
        return self.type is None

    def children(self) -> list["TreeSpec"]:
        return [*self._children]

    def child(self, index: int) -> "TreeSpec":
        return self._children[index]

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Return the tree of this structure with these leaves; a ValueError if there are more or fewer."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self._take(iter(leaves))

    def _take(self, leaves: Iterator[Any]) -> Any:
        if self.type is None:
            return next(leaves)
        return SUPPORTED_NODES[self.type].unflatten_fn([child._take(leaves) for child in self._children], self._context)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """Return the parts of `tree` at the leaves of this structure; a ValueError if it differs above them."""
        if self.type is None:
            return [tree]
        parts = zip(self._children, self._children_of(tree), strict=True)
        return [leaf for child, part in parts for leaf in child.flatten_up_to(part)]

    def _children_of(self, tree: Any) -> list[Any]:
        kind, own = _get_node_type(tree), self.type not in BUILTIN_TYPES
        dicts = {self.type, kind} <= STANDARD_DICT_TYPES
        if kind != self.type and not dicts:
            raise ValueError(f"{'Type' if own else 'Node type'} mismatch; expected {self.type!r}, but got {kind!r}.")
        children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if dicts:
            keys = self._context[1] if self.type is defaultdict else self._context
            differing = {"missing": {*keys} - {*tree}, "extra": {*tree} - {*keys}}
            if any(differing.values()):
                listed = "".join(f"; {which} key(s): {found}" for which, found in differing.items() if found)
                raise ValueError(f"Node keys mismatch{listed}.")
            return [tree[key] for key in keys]
        if context != self._context and kind is not deque:
            of_what = "for custom node type" if own else "for node type"
            got = "" if own else f"; expected {self._context!r}, but got {context!r}"
            raise ValueError(f"Node context mismatch {of_what} {self.type!r}{got}.")
        return children


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, None, [])


PyTreeSpec = TreeSpec
_LEAF_SPEC = LeafSpec()


def treespec_leaf() -> TreeSpec:
    """Return the structure of a leaf."""
    return _LEAF_SPEC


# ---- trees


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return True if a tree is a leaf, by its type or because `is_leaf` says so."""
    return (is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves of a tree, from left to right, and its structure."""
    leaves: list[Any] = []
    return leaves, _flatten(tree, is_leaf, leaves)


def _flatten(tree: Any, is_leaf: IsLeaf, leaves: list[Any]) -> TreeSpec:  # a closure would keep the leaves alive
    if tree_is_leaf(tree, is_leaf):
        leaves.append(tree)
        return _LEAF_SPEC
    kind = _get_node_type(tree)
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [_flatten(child, is_leaf, leaves) for child in children])


def tree_unflatten(leaves: Any, treespec: Any) -> Any:
    """Return the tree with these leaves and this structure; the arguments may be exchanged."""
    if not isinstance(treespec, TreeSpec) and isinstance(leaves, TreeSpec):
        leaves, treespec = treespec, leaves
    return _checked(treespec).unflatten(leaves)


def _checked(spec: Any) -> TreeSpec:
    if isinstance(spec, TreeSpec):
        return spec
    raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(spec)}.")


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """Yield the leaves of a tree, from left to right."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
    else:
        for child in SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)[0]:
            yield from tree_iter(child, is_leaf)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """Return the leaves of a tree, from left to right."""
    return [*tree_iter(tree, is_leaf)]


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """Return the leaves of all arguments."""
    return tree_leaves((args, kwargs))


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """Return the structure of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Return a tree of the results of `func` for each leaf, with the parts of `rests` at the same place."""
    leaves, structure = tree_flatten(tree, is_leaf)
    return structure.unflatten(map(func, leaves, *map(structure.flatten_up_to, rests)))


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Call `func` as `tree_map` does, and return `tree`."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable], Callable]:
    """Return a decorator for a function of a leaf, which returns a leaf that doesn't match as it is."""
    asked = type_or_types_or_pred
    matches = (lambda leaf: isinstance(leaf, asked)) if isinstance(asked, (type, tuple, UnionType)) else asked
    if not callable(matches):
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")
    return lambda func: functools.wraps(func)(lambda leaf: func(leaf) if matches(leaf) else leaf)


def tree_map_only(kinds: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Return the tree with `func` applied to the leaves of certain types, or that a predicate accepts."""
    return tree_map(map_only(kinds)(func), tree, is_leaf=is_leaf)


def tree_map_only_(kinds: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Call `func` as `tree_map_only` does, and return `tree`."""
    return tree_map_(map_only(kinds)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return True if `pred` holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return True if `pred` holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(kinds: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return True if `pred` holds for all leaves of certain types."""
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, kinds))


def tree_any_only(kinds: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return True if `pred` holds for a leaf of certain types."""
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, kinds))


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: IsLeaf = None) -> list[Any] | None:
    """Return a leaf of `tree` for each leaf of the structure below it; None if `tree` is not its prefix."""
    leaves, prefix = tree_flatten(tree, is_leaf)
    try:
        parts = prefix.flatten_up_to(treespec.unflatten([0] * treespec.num_leaves))
    except ValueError:
        return None
    return [leaf for leaf, part in zip(leaves, parts, strict=True) for _ in tree_leaves(part, is_leaf)]
