"""einsum: sums of products written with a letter for each dimension. Mirrors aten/src/ATen/native/Linear.cpp."""

from collections import Counter
from collections.abc import Sequence

from ...tensor_impl import Tensor
from ..at import at
from .linear import sumproduct_pair

ELLIPSIS = "..."
Label = str | int  # a letter, or the place of a dimension among those that "..." represents


def einsum(equation: str, tensors: Sequence[Tensor], path: Sequence[int] | None) -> Tensor:
    """Return the operands' product summed over all letters missing from the output: "ij,jk->ik" is a matrix product.

    Args:
        equation: letters of each operand's dimensions, comma-separated; "..." represents any number of dimensions,
            which broadcast. Without "->", the output has those, then the letters that occur once, in alphabetical
            order.
        path: pairs of places in the list of operands, to be multiplied next; the product goes to the list's end.
    Raises:
        RuntimeError: the equation is not one, or does not fit the operands.
    """
    if not tensors:
        raise RuntimeError("einsum(): must provide at least one operand")
    left, arrow, right = equation.replace(" ", "").partition("->")
    written = [parse(subscripts, f"operand {number}") for number, subscripts in enumerate(left.split(","))]
    if len(written) != len(tensors):
        what = "fewer" if len(written) > len(tensors) else "more"
        raise RuntimeError(f"einsum(): {what} operands were provided than specified in the equation")
    hidden = [dims_of_ellipsis(own, tensor, n) for n, (own, tensor) in enumerate(zip(written, tensors, strict=True))]
    most = max(hidden)
    labels = [expanded(own, most - number, most) for own, number in zip(written, hidden, strict=True)]
    if arrow:
        output = expanded(output_of(right, written), 0, most)
    else:
        counts = Counter(label for own in written for label in own)
        output = [*range(most), *sorted(each for each, count in counts.items() if count == 1 and each != ELLIPSIS)]
    order = list(dict.fromkeys([*output, *(label for own in labels for label in own)]))
    arranged = enumerate(zip(tensors, labels, strict=True))
    operands = [dimension_for_each(order, tensor, own, number) for number, (tensor, own) in arranged]
    check_broadcast(order, operands)
    summed = range(len(output), len(order))
    if len(operands) == 1 and summed:
        return at.sum_dim_IntList(operands[0], tuple(summed))
    result = contract(operands, summed, path)
    return at.view(result, result._sizes[: len(output)]) if summed else result


def parse(subscripts: str, owner: str) -> list[str]:
    """Return the letters in the subscripts of an operand or of the output; "..." counts as one letter.

    Raises:
        RuntimeError: there is something else.
    """
    letters: list[str] = []
    place = 0
    while place < len(subscripts):
        letter = subscripts[place]
        if letter == ".":
            letter = ELLIPSIS
            if ELLIPSIS in letters:
                raise RuntimeError(f"einsum(): found '.' for {owner} for which an ellipsis was already found")
            if subscripts[place : place + 3] != ELLIPSIS:
                raise RuntimeError(f"einsum(): found '.' for {owner} that is not part of any ellipsis")
        elif not (letter.isascii() and letter.isalpha()):
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {place} in the equation string, "
                "subscripts must be in [a-zA-Z]"
            )
        letters.append(letter)
        place += len(letter)
    return letters


def output_of(subscripts: str, written: list[list[str]]) -> list[str]:
    """Check and return the letters of an explicitly written output.

    Raises:
        RuntimeError: one occurs twice, or in no operand.
    """
    letters = parse(subscripts, "the output")
    for letter in letters:
        if letters.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if letter != ELLIPSIS and not any(letter in own for own in written):
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )
    return letters


def dims_of_ellipsis(letters: list[str], tensor: Tensor, number: int) -> int:
    """Return the number of dimensions that "..." represents in an operand.

    Raises:
        RuntimeError: it has not as many dimensions as letters.
    """
    named, ndim = len(letters) - letters.count(ELLIPSIS), len(tensor._sizes)
    if named > ndim or (named < ndim and ELLIPSIS not in letters):
        what, end = ("is more than", "") if ELLIPSIS in letters else ("does not match", " and no ellipsis was given")
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({named}) {what} the number of dimensions ({ndim}) "
            f"for operand {number}{end}"
        )
    return ndim - named


def expanded(letters: list[str], first: int, end: int) -> list[Label]:
    """Return the letters with "..." replaced by the numbers of range(first, end)."""
    places: list[Label] = list(range(first, end))
    return [label for letter in letters for label in (places if letter == ELLIPSIS else [letter])]


def dimension_for_each(order: list[Label], tensor: Tensor, labels: list[Label], number: int) -> Tensor:
    """Return an operand with one dimension per label in `order`, of size 1 for each label that the operand lacks.

    Raises:
        RuntimeError: a label that it has twice, of which the diagonal is taken, has two sizes.
    """
    labels = list(labels)
    for label in order:
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            size, other = tensor._sizes[first], tensor._sizes[second]
            if size != other:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {number} but the sizes don't match, "
                    f"{other} != {size}"
                )
            tensor = at.diagonal(tensor, 0, first, second)
            labels = [*labels[:first], *labels[first + 1 : second], *labels[second + 1 :], label]
    for label in order:
        if label not in labels:
            tensor = at.unsqueeze(tensor, len(labels))
            labels.append(label)
    return at.permute(tensor, tuple(labels.index(label) for label in order))


def check_broadcast(order: list[Label], operands: list[Tensor]) -> None:
    """Check that all operands have the same size, or size 1, for each label.

    Raises:
        RuntimeError: they have others.
    """
    for dim, label in enumerate(order):
        seen = 1
        for number, operand in enumerate(operands):
            size = operand._sizes[dim]
            if size not in (1, seen) and seen != 1:
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {size} for operand {number} which does not broadcast with "
                    f"previously seen size {seen}"
                    if isinstance(label, str)
                    else f"einsum(): dimension {label} covered by ellipsis in operand {number}has size {size} which "
                    f"does not broadcast with previously seen ellipsis with size {seen} for the respective dimension"
                )
            seen = size if seen == 1 else seen


def contract(operands: list[Tensor], summed: range, path: Sequence[int] | None) -> Tensor:
    """Multiply the operands pairwise, and sum each product over the dimensions in `summed` that later operands lack."""
    if path is not None and len(path) != 2 * (len(operands) - 1):
        raise RuntimeError(
            "einsum(): expected contraction path given in path parameter to have length "
            f"{2 * (len(operands) - 1)} but got {len(path)}"
        )
    steps = iter(path or ())
    while len(operands) > 1:
        i, j = sorted((next(steps), next(steps))) if path is not None else (0, 1)
        if not 0 <= i < j < len(operands):
            raise RuntimeError(f"einsum(): invalid contraction path ({i}, {j} is not a valid pair)")
        right, left = operands.pop(j), operands.pop(i)
        later = {dim for dim in summed for operand in operands if operand._sizes[dim] != 1}
        here = [dim for dim in summed if dim not in later and left._sizes[dim] != 1 and right._sizes[dim] != 1]
        left, right = sum_alone(left, right, summed, later), sum_alone(right, left, summed, later)
        operands.insert(len(operands) if path is not None else 0, sumproduct_pair(left, right, here))
    (result,) = operands
    return result


def sum_alone(tensor: Tensor, other: Tensor, summed: range, later: set[int]) -> Tensor:
    """Return `tensor` summed over the dimensions in `summed` that no other operand has; integers become int64."""
    alone = (dim for dim in summed if dim not in later)
    dims = tuple(dim for dim in alone if tensor._sizes[dim] != 1 and other._sizes[dim] == 1)
    return at.sum_dim_IntList(tensor, dims, True) if dims else tensor
