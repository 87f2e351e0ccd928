"""The types that are containers of a tree, and the keys of their children. Mirrors torch/utils/_pytree.py.

A type is a container if it is in SUPPORTED_NODES; everything else is a leaf, None included.
"""

import dataclasses
import operator
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..aten.return_types import NamedResult
from ..tensor_impl import Size

Function = Callable[..., Any]
KeyPath = tuple[Any, ...]
PyTree = Context = DumpableContext = KeyEntry = Any  # for programs that name them
FlattenFn = UnflattenFn = FlattenWithKeysFn = ToDumpableContextFn = FromDumpableContextFn = Function


def _key_class(name: str, field: str, text: str, get: Callable[[Any, Any], Any]) -> Any:
    """Return a class of keys, which get a child from its container and print as Python would write that."""
    value = operator.attrgetter(field)
    body = {"__str__": lambda key: text.format(value(key)), "get": lambda key, parent: get(parent, value(key))}
    return dataclasses.make_dataclass(name, [field], frozen=True, namespace=body | {"__module__": __name__})


SequenceKey = _key_class("SequenceKey", "idx", "[{!r}]", operator.getitem)
MappingKey = _key_class("MappingKey", "key", "[{!r}]", operator.getitem)
GetAttrKey = _key_class("GetAttrKey", "name", ".{}", getattr)


class NodeDef(NamedTuple):
    """A container: `flatten_fn(tree) -> children, context`, `unflatten_fn(children, context) -> tree`.

    `flatten_with_keys_fn` returns pairs (key, child) instead of children, for key paths. The last three are for
    `treespec_dumps`: a name, and functions that make a context what json can write, and back.
    """

    type: Any
    flatten_fn: Function
    unflatten_fn: Function
    flatten_with_keys_fn: Function | None = None
    serialized_type_name: str | None = None
    to_dumpable_context: Function | None = None
    from_dumpable_context: Function | None = None


SUPPORTED_NODES: dict[Any, NodeDef] = {}
SUPPORTED_SERIALIZED_TYPES = SUPPORTED_NODES
SERIALIZED_TYPE_TO_PYTHON_TYPE: dict[str | None, Any] = {}


def _private_register_pytree_node(cls: Any, flatten_fn: Function, unflatten_fn: Function, **optional: Any) -> None:
    node = NodeDef(cls, flatten_fn, unflatten_fn, **optional)
    if cls in SUPPORTED_NODES:
        about = f"{cls} is already registered as pytree node. Overwriting the previous registration."
        warnings.warn(about, stacklevel=2)
    if (node.to_dumpable_context is None) != (node.from_dumpable_context is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    SUPPORTED_NODES[cls] = node
    SERIALIZED_TYPE_TO_PYTHON_TYPE[node.serialized_type_name] = cls


_register_pytree_node = _private_register_pytree_node  # its former name


def register_pytree_node(cls: Any, flatten_fn: Function, unflatten_fn: Function, **optional: Any) -> None:
    """Make `cls` a container, by the functions of NodeDef; a ValueError if it is one already."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, **optional)


def register_dataclass(
    cls: type, *, field_names: Iterable[str] | None = None, drop_field_names: Iterable[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:  # fmt: skip
    """Make a dataclass a container of its fields, without the ones that are None.

    Args:
        field_names, drop_field_names: the fields in the tree, which a class that is not a dataclass needs, and others.
    Raises:
        ValueError: the fields are not all of them.
    """
    fields = [field.name for field in dataclasses.fields(cls) if field.init] if dataclasses.is_dataclass(cls) else None
    names = fields if field_names is None else [*field_names]
    if names is None:
        about = f"used to initialize {cls}, as it is not a dataclass."
        raise ValueError(f"field_names must be specified with a list of all fields {about}")
    if fields and field_names is not None and {*fields} - {*(drop_field_names or ())} != {*names}:
        raise ValueError(f"field_names does not include all dataclass fields.\nThey are {fields}, got {names}.")
    _register(
        cls, serialized_type_name,
        lambda tree: [child for name in names if (child := getattr(tree, name)) is not None],
        lambda tree: [[name for name in names if (getattr(tree, name) is None) == absent] for absent in (False, True)],
        lambda children, context: cls(**_as_dict(children, context[0]), **dict.fromkeys(context[1])),
        lambda tree: [GetAttrKey(name) for name in names if getattr(tree, name) is not None],
    )  # fmt: skip


def is_namedtuple_class(cls: Any) -> bool:
    """Return True for a class that `collections.namedtuple` made, and for classes derived from one."""
    is_tuple = isinstance(cls, type) and issubclass(cls, tuple)
    return is_tuple and isinstance(getattr(cls, "_fields", None), tuple) and hasattr(cls, "_asdict")


def is_namedtuple_instance(obj: object) -> bool:
    """Return True for a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: object) -> bool:
    """Return True for a named tuple and for its class."""
    return is_namedtuple_class(obj) or is_namedtuple_instance(obj)


def is_structseq(obj: object) -> bool:
    """Return True for a named result, as of `max`, and for its class."""
    return issubclass(obj if isinstance(obj, type) else type(obj), NamedResult)


is_structseq_class = is_structseq_instance = is_structseq


def _get_node_type(tree: Any) -> Any:
    """Return the key that a tree's type has in SUPPORTED_NODES: the type itself, `namedtuple` for all named tuples."""
    kind = type(tree)
    if is_structseq(kind) and kind not in SUPPORTED_NODES:
        _register(kind, None, list, _nothing, lambda items, _: kind(items), _positions)
    return namedtuple if is_namedtuple_class(kind) else kind


# ---- the built-in containers


def _register(
    kind: Any, name: str | None, children: Function, context: Function, unflatten: Function, keys: Function
) -> NodeDef:
    """Register a container by functions of a tree that return its children, its context and its keys."""
    with_keys = lambda tree: ([*zip(keys(tree), children(tree), strict=True)], context(tree))  # noqa: E731
    optional = {"flatten_with_keys_fn": with_keys, "serialized_type_name": name}
    _private_register_pytree_node(kind, lambda tree: (children(tree), context(tree)), unflatten, **optional)
    return SUPPORTED_NODES[kind]


def _nothing(tree: Any) -> None:
    return None


def _values(tree: Any) -> list[Any]:
    return [*tree.values()]


def _positions(tree: Any) -> Iterable[Any]:
    return map(SequenceKey, range(len(tree)))


def _mapping_keys(tree: Any) -> Iterable[Any]:
    return map(MappingKey, tree)


def _as_dict(children: Iterable[Any], keys: Iterable[Any]) -> dict[Any, Any]:
    return dict(zip(keys, children, strict=True))


for _row in (  # type, name, tree -> children, tree -> context, (children, context) -> tree, tree -> keys
    (tuple, "builtins.tuple", list, _nothing, lambda children, _: tuple(children), _positions),
    (list, "builtins.list", lambda tree: tree, _nothing, lambda children, _: list(children), _positions),
    (dict, "builtins.dict", _values, list, _as_dict, _mapping_keys),
    (namedtuple, "collections.namedtuple", list, type, lambda children, kind: kind(*children),
     lambda tree: map(GetAttrKey, tree._fields)),
    (OrderedDict, "collections.OrderedDict", _values, list, lambda *parts: OrderedDict(_as_dict(*parts)),
     _mapping_keys),
    (defaultdict, "collections.defaultdict", _values, lambda tree: [tree.default_factory, list(tree)],
     lambda children, context: defaultdict(context[0], _as_dict(children, context[1])), _mapping_keys),
    (deque, "collections.deque", list, lambda tree: tree.maxlen, deque, _positions),
    (Size, "torch.Size", list, _nothing, lambda children, _: tuple(children), _positions),
):  # fmt: skip
    _node = _register(*_row)
    globals()[f"_{_node.type.__name__.lower()}_flatten"] = _node.flatten_fn  # `_dict_flatten`
    globals()[f"_{_node.type.__name__.lower()}_unflatten"] = _node.unflatten_fn
STANDARD_DICT_TYPES = frozenset({dict, OrderedDict, defaultdict})
BUILTIN_TYPES = frozenset(SUPPORTED_NODES) - {Size}
