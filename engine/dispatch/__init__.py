"""Which function runs: keys, schemas, the table of an operator, calls through it."""

from .dispatcher import table
from .recording import trace

__all__ = ["table", "trace"]
