"""Which function runs: keys, schemas, the table of an operator, calls through it."""

from .dispatcher import table

__all__ = ["table"]
