"""Tensors that are known by fewer numbers than they have elements, or only by how they are applied."""

import functools
import math
from typing import Any

import engine as torch

from .wrapper import Rule, Sample, densified

NUMBERS = (int, float)


def scaled(change: Rule) -> dict[str, Rule]:
    """Return the rules for products with numbers, where `change(sample, function)` applies the function to a factor."""

    def by_number(function: Rule) -> Rule:  # but for those that make NaN of zeros that are not kept
        fits = lambda b: isinstance(b, NUMBERS) and b and math.isfinite(b)
        return lambda s, b: change(s, lambda one: function(one, b)) if fits(b) else NotImplemented

    return {"div": by_number(torch.div), "mul": by_number(torch.mul), "neg": lambda s: change(s, torch.neg)}


LINEAR = scaled(lambda s, function: s.with_fields(function, lambda one: one))  # linear in the first tensor


class Diagonal(Sample):
    """A diagonal matrix, known by its diagonal: for scalings of rows and columns. Gradients reach it and operands."""

    fields = ("elements",)
    sizes = lambda elements: (len(elements), len(elements))
    dense = lambda s: torch.diag(s.elements)
    rules = {
        **LINEAR,
        "add": lambda s, b: Diagonal(s.elements + b.elements) if isinstance(b, Diagonal) else NotImplemented,
        "diagonal": lambda s: s.elements.detach(),
        "mm": lambda s, b: s.with_fields(b.elements.mul) if isinstance(b, Diagonal) else s.elements[:, None] * b,
        "rmm": lambda s, a: a * s.elements,
        "sum": lambda s: s.elements.sum(),
        "t": lambda s: s.detach(),
        "trace": lambda s: s.elements.sum(),
    }


class LowRank(Sample):
    """A product of a tall and a wide matrix, never multiplied out: for updates of weights (Hu et al. 2021, LoRA).

    The rank of a sum is the sum of the ranks. Gradients reach both factors and operands.
    """

    fields = ("left", "right")
    sizes = lambda left, right: (left.shape[0], right.shape[1])
    dense = lambda s: s.left @ s.right
    rules = {
        **LINEAR,
        "add": lambda s, b: s.joined(b) if isinstance(b, LowRank) else NotImplemented,
        "embedding": lambda s, indices: s.left[indices] @ s.right,
        "mm": lambda s, b: s.left @ (s.right @ b),
        "rmm": lambda s, a: (a @ s.left) @ s.right,
        "sum": lambda s: s.left.sum(0) @ s.right.sum(1),
        "t": lambda s: LowRank(s.right.t(), s.left.t()),
    }
    joined = lambda s, b: LowRank(torch.cat([s.left, b.left], 1), torch.cat([s.right, b.right]))


class Factorized(Sample):
    """A product of several factors, tensors or samples, that a matrix takes one after the other.

    Gradients reach tensors among the factors, and operands.
    """

    fields = ("factors",)
    sizes = lambda factors: (factors[0].shape[0], factors[-1].shape[1])
    dense = lambda s: functools.reduce(torch.matmul, densified(s.factors))
    rules = {
        **LINEAR,
        "mm": lambda s, b: functools.reduce(lambda made, factor: factor @ made, reversed(s.factors), b),
        "rmm": lambda s, a: functools.reduce(torch.matmul, s.factors, a),
        "t": lambda s: Factorized([factor.t() for factor in reversed(s.factors)]),
    }


class Butterfly(Sample):
    """A product of log2(n) factors, each of which mixes pairs of rows: Fourier's, Hadamard's, or learned ones.

    `twiddles`, (levels, n / 2, 2, 2), has a two-by-two matrix for each pair, `strides` the distance of a pair's rows at
    each level, first applied first. Gradients reach twiddles and operands. Source: Dao et al. 2019, arXiv:1903.05895.
    """

    fields = ("twiddles", "strides")
    sizes = lambda twiddles, strides: (2 * twiddles.shape[1],) * 2
    rules = {
        "mm": lambda s, b: functools.reduce(mixed, zip(s.twiddles, s.strides, strict=True), b),
        "t": lambda s: Butterfly(s.twiddles.flip(0).transpose(2, 3), s.strides[::-1]),
    }


def mixed(columns: Any, level: tuple[Any, int]) -> Any:
    """Return a matrix whose rows are mixed in pairs: the product with one level of a butterfly."""
    twiddle, stride = level
    blocks, pairs = twiddle.reshape(-1, stride, 2, 2), columns.reshape(-1, 2, stride, columns.shape[1])
    return torch.einsum("bsij,bjsc->bisc", blocks, pairs).reshape(columns.shape)


class BlockTree(Sample):
    """Rows of blocks, each a tensor, a sample, or a tree again: for kernels that are smooth away from the diagonal.

    Gradients reach tensors among the blocks, and operands. Source: Hackbusch 1999 (H-matrices).
    """

    fields = ("rows",)
    sizes = lambda rows: (sum(row[0].shape[0] for row in rows), sum(one.shape[1] for one in rows[0]))
    dense = lambda s: torch.cat([torch.cat(row, 1) for row in densified(s.rows)])
    rules = {
        **scaled(Sample.with_fields),
        "mm": lambda s, b: s.applied(b.split([block.shape[1] for block in s.rows[0]])),
        "sum": lambda s: torch.stack([block.sum() for row in s.rows for block in row]).sum(),
        "t": lambda s: BlockTree([[block.t() for block in column] for column in zip(*s.rows, strict=True)]),
    }
    applied = lambda s, parts: torch.cat([functools.reduce(torch.add, map(torch.matmul, row, parts)) for row in s.rows])


class LinearOperator(Sample):
    """A matrix of sizes `extent` that is known only by its products with vectors: for solvers that need nothing else.

    `matvec` and `rmatvec` return a vector's product with the matrix and with its transpose; this may be None. `like` is
    a tensor of its dtype and device. What it keeps is in the functions, and not counted. Operands get their gradients
    by `rmatvec`; the functions get none. Source: scipy.sparse.linalg.LinearOperator.
    """

    fields = ("matvec", "rmatvec", "extent", "like")
    sizes = lambda matvec, rmatvec, extent, like: extent
    rules = {
        "mm": lambda s, b: torch.stack([s.matvec(column) for column in b.unbind(1)], 1),
        "mv": lambda s, vector: s.matvec(vector),
        "t": lambda s: LinearOperator(s.rmatvec, s.matvec, s.extent[::-1], s.like) if s.rmatvec else NotImplemented,
    }


def extents(equation: str, factors: Any) -> dict[str, int]:
    """Return the size of each dimension of an einsum's factors, by its letter."""
    sizes = [size for one in factors for size in one.shape]
    return dict(zip(equation.split("->")[0].replace(",", ""), sizes, strict=True))


class EinsumFactors(Sample):
    """The einsum of factors that is never computed whole: CP ("ir,jr,kr->ijk"), Tucker ("abc,ia,jb,kc->ijk"), trains.

    Rules contract the factors that share an index, one after the other. Gradients reach the factors and operands.
    Source: Kolda and Bader 2009, Tensor Decompositions and Applications.
    """

    fields = ("equation", "factors")
    sizes = lambda equation, factors: list(map(extents(equation, factors).__getitem__, equation.split("->")[1]))
    dense = lambda s: s.contracted(s.output)
    rules = {
        **LINEAR,
        "mm": lambda s, b: s.contracted(s.output[0] + "Z", (s.output[1] + "Z", b)),
        "permute": lambda s, dims: s.with_output([s.output[dim] for dim in dims]),
        "select": lambda s, dim, index: s.selected(s.output[dim], index),
        "sum": lambda s, dims=(): s.summed({s.output[dim] for dim in dims or range(s.dim())}),
        "t": lambda s: s.with_output(s.output[::-1]),
        "transpose": lambda s, one, other: s.exchanged(s.output[one], s.output[other]),
    }
    exchanged = lambda s, one, other: s.with_output(s.output.translate(str.maketrans(one + other, other + one)))
    summed = lambda s, letters: s.with_output([letter for letter in s.output if letter not in letters])
    output = property(lambda s: s.equation.split("->")[1])
    terms = property(lambda s: list(zip(s.equation.split("->")[0].split(","), s.factors, strict=True)))

    def with_output(self, letters: Any) -> Any:
        """Return the einsum of the same factors to dimensions with these letters; without any, a plain tensor."""
        equation = f"{self.equation.split('->')[0]}->{''.join(letters)}"
        return EinsumFactors(equation, self.factors) if letters else self.contracted("")

    def selected(self, letter: str, index: int) -> Any:
        """Return the einsum at one index of the dimension with this letter."""
        chosen = [one.select(term.index(letter), index) if letter in term else one for term, one in self.terms]
        return EinsumFactors(self.equation.replace(letter, ""), chosen)

    def contracted(self, output: str, *operands: tuple[str, Any]) -> Any:
        """Return the einsum of the operands and the factors, each time with the one that shares the most letters."""
        (letters, made), *rest = [*operands, *self.terms]  # type: ignore[misc]
        while rest:
            term, other = rest.pop(max(range(len(rest)), key=lambda place: len({*letters} & {*rest[place][0]})))
            kept = "".join(sorted({*letters, *term} & {*output}.union(*(term for term, _ in rest))))
            made, letters = torch.einsum(f"{letters},{term}->{kept}", made, other), kept
        return torch.einsum(f"{letters}->{output}", made)
