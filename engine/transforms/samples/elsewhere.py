"""Tensors whose elements are elsewhere: in a file, or on several devices, which are simulated."""

import functools
import os
import tempfile
import weakref
from collections import Counter
from typing import Any

import numpy as np

import engine as torch

from .matrices import NUMBERS
from .wrapper import Rule, Sample, densified

ROWS = 256


class File:
    """A file with the elements of a tensor, removed when it is no longer referred to.

    Attributes:
        bytes_read: number of bytes that were copied from it to memory.
    """

    def __init__(self, tensor: Any):
        handle, self.path = tempfile.mkstemp(suffix=".npy")
        weakref.finalize(self, os.unlink, self.path)
        with os.fdopen(handle, "wb") as file:
            np.save(file, tensor.detach().numpy())
        self.sizes, self.bytes_read = tensor.shape, 0

    def read(self, rows: Any = ...) -> Any:
        """Return a tensor of the rows that an index of NumPy selects."""
        found = np.array(np.load(self.path, mmap_mode="r")[rows])
        self.bytes_read += found.nbytes
        return torch.from_numpy(found)


class OnDisk(Sample):
    """A tensor in a file, read by each operator anew and forgotten afterwards: for weights larger than memory.

    Products with matrices read 256 rows at a time, embeddings only their rows. Gradients reach it and operands.
    Source: numpy.memmap; ZeRO-Infinity, arXiv:2104.07857.

    >>> weight = OnDisk.save(torch.ones(1024, 1024))
    >>> _ = torch.nn.functional.embedding(torch.tensor([3, 5]), weight)
    >>> weight, weight.file.bytes_read
    (OnDisk((1024, 1024), 0 of 4,194,304 bytes), 8192)
    """

    fields = ("file", "like")
    sizes = lambda file, like: file.sizes
    dense = lambda s: s.file.read()
    dense_for = lambda s, func: s.dense()  # without a warning: to be read is what it is for
    save = staticmethod(lambda tensor: OnDisk(File(tensor), tensor.detach().new_empty(0)))
    rules = {
        "embedding": lambda s, indices: s.file.read(indices.numpy()),
        "index_select": lambda s, dim, indices: NotImplemented if dim % s.dim() else s.file.read(indices.numpy()),
        "mm": lambda s, b: torch.cat([s.file.read(slice(at, at + ROWS)) @ b for at in range(0, s.shape[0], ROWS)]),
        "select": lambda s, dim, index: NotImplemented if dim % s.dim() else s.file.read(index),
    }


class Mesh:
    """Simulated devices in a row, which count what they send to each other.

    Attributes:
        calls, bytes: collective -> the number of its calls; of bytes that all devices together got from others.
    """

    def __init__(self, size: int):
        self.size = size
        self.calls: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()

    def all_gather(self, shards: Any, axis: int) -> Any:
        """Return the whole tensor, which all devices have then."""
        return self._counted("all_gather", torch.cat(list(shards), axis))

    def reduce_scatter(self, partial: Any, axis: int) -> Any:
        """Return the sum of tensors, one of each device, in pieces, one for each device."""
        return self._counted("reduce_scatter", functools.reduce(torch.add, partial)).tensor_split(self.size, axis)

    def _counted(self, name: str, whole: Any) -> Any:
        self.calls[name] += 1
        self.bytes[name] += (self.size - 1) * whole.nbytes
        return whole


def local(name: str) -> Rule:
    """Return the rule for an elementwise operator: each device has all that it needs."""

    def rule(s: Any, *others: Any) -> Any:
        sizes = [one.shape for one in others if not isinstance(one, NUMBERS)]
        if torch.broadcast_shapes(s.shape, *sizes) != s.shape:
            return NotImplemented
        parts = [[one] * s.mesh.size if isinstance(one, NUMBERS) else s.parts(one, s.axis, s.shape) for one in others]
        return Sharded(list(map(getattr(torch, name), s.shards, *parts)), s.axis, s.mesh)

    return rule


class Sharded(Sample):
    """A tensor in shards along one dimension, one for each device of a mesh: tensor parallelism, seen from one place.

    A product over the dimension that is whole is local; over the one that is cut, it ends with a reduce-scatter. Where
    there is no rule, all-gather. Gradients reach shards and operands; their collectives are counted, too. Each device
    keeps its part: 1 / size of the bytes. Source: Shoeybi et al. 2019 (Megatron-LM); torch/distributed/tensor.

    >>> mesh = Mesh(4)
    >>> rows, columns = (Sharded.shard(torch.ones(1024, 1024), axis, mesh) for axis in (0, 1))
    >>> hidden = torch.relu(torch.ones(8, 1024) @ columns)
    >>> _ = mesh.bytes, hidden @ rows
    >>> mesh.bytes
    Counter({'reduce_scatter': 98304})
    """

    fields = ("shards", "axis", "mesh")
    sizes = lambda shards, axis, mesh: [
        sum(extents) if dim == axis else extents[0]
        for dim, extents in enumerate(zip(*[one.shape for one in shards], strict=True))
    ]
    dense = lambda s: s.mesh.all_gather(s.shards, s.axis)
    shard = staticmethod(lambda tensor, axis, mesh: Sharded(list(tensor.tensor_split(mesh.size, axis)), axis, mesh))
    rules = {
        **{name: local(name) for name in ("add", "div", "exp", "mul", "neg", "relu", "sub")},
        "mm": lambda s, b: s.multiplied(b),
        "mv": lambda s, vector: s.multiplied(vector[:, None]).with_fields(lambda one: one[:, 0]),
        "sum": lambda s: s.mesh.all_gather([one.sum().view(1) for one in s.shards], 0).sum(),
        "t": lambda s: Sharded([one.t() for one in s.shards], 1 - s.axis, s.mesh),
    }
    cuts = property(lambda s: [one.shape[s.axis] for one in s.shards])

    def parts(self, other: Any, axis: int, sizes: Any) -> Any:
        """Return the shards of a tensor that is cut along `axis` as this one is; another one is expanded and cut so."""
        is_cut = isinstance(other, Sharded) and (other.axis, other.cuts) == (axis, self.cuts)
        return other.shards if is_cut else densified(other).expand(sizes).split(self.cuts, axis)

    def multiplied(self, other: Any) -> Any:
        """Return the product with a matrix, whose rows are cut as the columns here if these are."""
        if self.axis == 0:
            other = densified(other)
            return Sharded([one @ other for one in self.shards], 0, self.mesh)
        partial = list(map(torch.matmul, self.shards, self.parts(other, 0, other.shape)))
        return Sharded(list(self.mesh.reduce_scatter(partial, 0)), 0, self.mesh)
