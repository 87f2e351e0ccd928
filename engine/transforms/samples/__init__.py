"""Samples of tensor classes: each is its fields, its dense tensor and a table of rules, operator -> one line."""

from .annotated import Logged, Masked
from .eight_bit import EightBit
from .elsewhere import Mesh, OnDisk, Sharded
from .matrices import BlockTree, Butterfly, Diagonal, EinsumFactors, Factorized, LinearOperator, LowRank
from .wrapper import Flops, Sample, flops

__all__ = [
    "BlockTree", "Butterfly", "Diagonal", "EightBit", "EinsumFactors", "Factorized", "Flops", "LinearOperator",
    "Logged", "LowRank", "Masked", "Mesh", "OnDisk", "Sample", "Sharded", "flops",
]  # fmt: skip
