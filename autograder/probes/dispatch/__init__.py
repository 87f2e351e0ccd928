"""The probes of lab 2, dispatch."""

from . import keys, schemas, table

__all__ = ["keys", "schemas", "table"]
from . import entries, factories, graphs, guards, resolving, stacks

__all__ = ["entries", "factories", "graphs", "guards", "resolving", "stacks"]
