"""The probes of lab 2, dispatch."""

from . import keys, schemas, table

__all__ = ["keys", "schemas", "table"]
