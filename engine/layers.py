"""The reading order of the engine: each module imports only what stands before it.

`import engine` walks this table; the lab number says where a module is built (0: the course's tools).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """A step of the engine: what it is, its modules below `engine` in reading order, the lab that builds it."""

    about: str
    lab: int
    modules: tuple[str, ...]


LAYERS = (
    Layer(
        "the student's parts in place of the reference's", 0, ("layers", "grafting", "rename", "numba_cache", "parts")
    ),
    Layer("the values that describe a tensor", 1, ("dtypes",)),
    Layer("geometry: pure functions of integers", 1, ("strides",)),
    Layer("bytes on a device, and how to reach one element", 1, ("storage", "accessor")),
    Layer("the tensor: a view of a storage", 1, ("tensor_impl",)),
    Layer("kernels", 1, ("cpu.copy",)),
    Layer("operators, free functions with a schema: elements in and out", 1, ("aten.registry", "aten.copy")),
    Layer("operators: new tensors", 1, ("aten.nested", "aten.factories", "aten.from_data")),
    Layer("operators: views", 1, ("aten.views", "aten.splits", "aten.indexing")),
    Layer("how a tensor prints", 1, ("printing",)),
    Layer("public names: which operator is a function, a method, an operator", 1, ("binder",)),
    Layer("dispatch keys, the thread's own, schemas", 2, ("dispatch.keys", "dispatch.local", "dispatch.schema")),
    Layer(
        "the dispatcher: from registrations to a table, from a call to a kernel",
        2,
        ("dispatch.table", "dispatch.tracing", "dispatch.dispatcher", "dispatch.calling", "dispatch.fallbacks"),
    ),
    Layer("calls of any schema: checks, boxes", 2, ("dispatch.convert", "dispatch.boxing")),
    Layer("the dispatcher's public names", 2, ("_ops", "library", "_C")),
    Layer("pictures", 0, ("draw",)),
)

MODULES = tuple(module for layer in LAYERS for module in layer.modules)
