"""Which function runs: keys, schemas, the table of an operator, calls through it."""

from .dumps import table
from .recording import trace

__all__ = ["table", "trace"]
