"""The probes of lab 2, dispatch."""

from . import entries, factories, graphs, guards, keys, resolving, schemas, stacks, table

__all__ = ["entries", "factories", "graphs", "guards", "keys", "resolving", "schemas", "stacks", "table"]
