"""Right answers written in another way than the engine's."""

OTHER_VIEW = """
def view_strides(sizes, strides, new_sizes):
    if not sizes:
        return (1,) * len(new_sizes)
    if 0 in sizes:
        return strides if sizes == new_sizes else contiguous_strides(new_sizes)
    result, new_d = [1] * len(new_sizes), len(new_sizes) - 1
    base, group, walked = strides[-1], 1, 1
    for d in reversed(range(len(sizes))):
        group *= sizes[d]
        if d == 0 or (sizes[d - 1] != 1 and strides[d - 1] != group * base):
            while new_d >= 0 and (walked < group or new_sizes[new_d] == 1):
                result[new_d] = walked * base
                walked *= new_sizes[new_d]
                new_d -= 1
            if walked != group:
                return None
            base, group, walked = strides[d - 1], 1, 1
    return tuple(result)
"""

RIGHT_ANSWERS = {
    "strides.expand": (
        """
def expand(sizes, strides, new_sizes):
    extra = len(new_sizes) - len(sizes)
    if extra < 0 or min(new_sizes[:extra], default=0) < 0:
        raise RuntimeError("sizes")
    kept = []
    for size, stride, target in zip(sizes, strides, new_sizes[extra:]):
        if target in (-1, size):
            kept.append((size, stride))
        elif size == 1 and target >= 0:
            kept.append((target, 0))
        else:
            raise RuntimeError(f"{size} can't become {target}")
    for target in reversed(new_sizes[:extra]):
        kept.insert(0, (target, math.prod(kept[0]) if target == 1 and kept else 0))
    return tuple(size for size, _ in kept), tuple(stride for _, stride in kept)
""",
        """
from itertools import zip_longest


def expand(sizes, strides, new_sizes):
    if len(sizes) > len(new_sizes):
        raise RuntimeError
    result, right = (), (1, 0)
    for target, size, stride in zip_longest(new_sizes[::-1], sizes[::-1], strides[::-1]):
        if size is None:
            right = target, right[0] * right[1] if target == 1 else 0
        elif target == -1:
            right = size, stride
        else:
            right = target, stride if size == target else 0
            if size not in (1, target):
                raise RuntimeError
        if target < 0 and (size is None or target < -1):
            raise RuntimeError
        result = (right, *result)
    return tuple(pair[0] for pair in result), tuple(pair[1] for pair in result)
""",
    ),
    "strides.infer_size": (
        """
def infer_size(shape, numel):
    given = [size for size in shape if size != -1]
    if len(given) < len(shape) - 1 or any(size < 0 for size in given):
        raise RuntimeError
    known = math.prod(given)
    if len(given) == len(shape):
        if known != numel:
            raise RuntimeError
        return tuple(given)
    try:
        missing, rest = divmod(numel, known)
    except ZeroDivisionError:
        raise RuntimeError("ambiguous") from None
    if rest:
        raise RuntimeError("a remainder")
    at = list(shape).index(-1)
    given.insert(at, missing)
    return tuple(given)
""",
        """
def infer_size(shape, numel):
    if min(shape, default=0) < -1 or shape.count(-1) > 1:
        raise RuntimeError(f"shape {shape}")
    left = numel
    for size in shape:
        if size == -1:
            continue
        if size == 0:
            left = 0 if left == 0 and -1 not in shape else -1
        elif left % size == 0:
            left //= size
        else:
            left = -1
        if left == -1:
            raise RuntimeError(f"{numel} elements do not fill {shape}")
    if -1 not in shape and left != 1 and (left or 0 not in shape):
        raise RuntimeError(f"{numel} elements do not fill {shape}")
    return tuple(left if size == -1 else size for size in shape)
""",
    ),
    "strides.view_strides": (
        """
def view_strides(sizes, strides, new_sizes):
    if 0 in sizes:
        return strides if sizes == new_sizes else contiguous_strides(new_sizes)
    offsets = strided_offsets(sizes, strides)
    new_strides, step = [], strides[-1] if strides else 1
    steps = contiguous_strides(new_sizes)
    for size, skipped in zip(reversed(new_sizes), reversed(steps)):
        stride = step if size == 1 else offsets[skipped] - offsets[0]
        new_strides.insert(0, stride)
        step = stride * size
    new_strides = tuple(new_strides)
    return new_strides if strided_offsets(new_sizes, new_strides) == offsets else None
""",
        """
def view_strides(sizes, strides, new_sizes):
    if 0 in sizes:
        return tuple(strides) if tuple(sizes) == tuple(new_sizes) else contiguous_strides(new_sizes)
    pieces = []  # [elements, stride], outermost first, as few as possible
    for size, stride in zip(sizes, strides):
        if size == 1:
            continue
        if pieces and pieces[-1][1] == size * stride:
            pieces[-1] = [pieces[-1][0] * size, stride]
        else:
            pieces.append([size, stride])
    result, step = [], strides[-1] if strides else 1
    for size in new_sizes[::-1]:
        if size > 1:
            if not pieces or pieces[-1][0] % size:
                return None
            step = pieces[-1][1]
            pieces[-1] = [pieces[-1][0] // size, step * size]
            if pieces[-1][0] == 1:
                pieces.pop()
        result.append(step)
        step *= size
    return tuple(result[::-1])
""",
        OTHER_VIEW,
    ),
}
