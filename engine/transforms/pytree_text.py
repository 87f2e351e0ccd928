"""Paths of leaves, and structures as text. Mirrors torch/utils/_pytree.py."""

import functools
import importlib
import json
from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterator
from typing import Any

from .pytree import IsLeaf, TreeSpec, _checked, tree_is_leaf, tree_structure, treespec_leaf
from .pytree_nodes import SERIALIZED_TYPE_TO_PYTHON_TYPE, SUPPORTED_NODES, KeyPath, NodeDef, _get_node_type


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    """Return pairs of a leaf's key path and the leaf; a ValueError if a container has no `flatten_with_keys_fn`."""
    return [*_key_paths((), tree, is_leaf)]


def _key_paths(path: KeyPath, tree: Any, is_leaf: IsLeaf) -> Iterator[tuple[KeyPath, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    node = SUPPORTED_NODES[_get_node_type(tree)]
    if node.flatten_with_keys_fn is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {node.type}. "
            "Please pass a flatten_with_keys_fn argument to register_pytree_node."
        )
    for key, child in node.flatten_with_keys_fn(tree)[0]:
        yield from _key_paths((*path, key), child, is_leaf)


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Return pairs of a leaf's key path and the leaf, and the structure."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """As `tree_map`; the first argument of `func` is the leaf's key path."""
    pairs, structure = tree_flatten_with_path(tree, is_leaf)
    parts = map(structure.flatten_up_to, rests)
    return structure.unflatten(func(*pair, *rest) for pair, *rest in zip(pairs, *parts, strict=True))


def keystr(kp: KeyPath) -> str:
    """Return a key path as Python would write it: "['a'][0].x"."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """Return the part of a tree at a key path."""
    return functools.reduce(lambda parent, key: key.get(parent), kp, obj)


def treespec_pprint(treespec: TreeSpec) -> str:
    """Return the text of a tree with this structure whose leaves print as asterisks."""
    asterisk = type("Asterisk", (), {"__repr__": lambda leaf: "*"})()
    return repr(treespec.unflatten([asterisk] * treespec.num_leaves))


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """Return a structure as JSON; a NotImplementedError if a type has no `serialized_type_name`."""
    spec = _checked(treespec)
    return json.dumps((_supported(1 if protocol is None else protocol), _to_json(spec)))


def treespec_loads(serialized: str) -> TreeSpec:
    """Return the structure that `treespec_dumps` wrote; a NotImplementedError if it has names of no container."""
    protocol, schema = json.loads(serialized)
    _supported(protocol)
    return _from_json(schema)


def _supported(protocol: int) -> int:
    if protocol != 1:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return protocol


def _to_json(spec: TreeSpec) -> dict[str, Any]:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    node = SUPPORTED_NODES[spec.type]
    if node.serialized_type_name is None:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call "
            "with a `serialized_type_name` kwarg."
        )
    try:
        context = (node.to_dumpable_context or json.dumps)(spec.context)
    except TypeError as error:
        raise TypeError(
            "Unable to serialize context. Please make the context json dump-able, or register a custom serializer "
            "using _register_pytree_node."
        ) from error
    return {"type": node.serialized_type_name, "context": context, "children_spec": [*map(_to_json, spec.children())]}


def _from_json(schema: dict[str, Any]) -> TreeSpec:
    name = schema["type"]
    if name is None:
        return treespec_leaf()
    if name not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(f"Deserializing {name} in pytree is not registered.")
    kind = SERIALIZED_TYPE_TO_PYTHON_TYPE[name]
    context = (SUPPORTED_NODES[kind].from_dumpable_context or json.loads)(schema["context"])
    return TreeSpec(kind, context, [*map(_from_json, schema["children_spec"])])


# ---- contexts that are classes or functions


def _name_of_class(kind: Any) -> Any:
    if kind not in SUPPORTED_NODES:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {kind} because we didn't register a serializated_type_name. "
            "Please register using `_register_namedtuple`."
        )
    return SUPPORTED_NODES[kind].serialized_type_name


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    SUPPORTED_NODES[cls] = SUPPORTED_NODES[namedtuple]._replace(type=cls, serialized_type_name=serialized_type_name)
    SERIALIZED_TYPE_TO_PYTHON_TYPE[serialized_type_name] = cls


def _names_of_defaultdict(context: list[Any]) -> dict[str, Any]:
    names = {"default_factory_module": context[0].__module__, "default_factory_name": context[0].__qualname__}
    return names | {"dict_context": context[1]}


def _defaultdict_of_names(names: dict[str, Any]) -> list[Any]:
    module = importlib.import_module(names["default_factory_module"])
    return [getattr(module, names["default_factory_name"]), names["dict_context"]]


for _kind, *_functions in (
    (namedtuple, _name_of_class, SERIALIZED_TYPE_TO_PYTHON_TYPE.__getitem__),
    (defaultdict, _names_of_defaultdict, _defaultdict_of_names),
):
    SUPPORTED_NODES[_kind] = NodeDef(*SUPPORTED_NODES[_kind][:5], *_functions)
