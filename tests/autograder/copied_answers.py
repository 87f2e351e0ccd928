"""Answers that a test hands in: written independently of each other and of the repository, and copies in disguise."""

import ast
import random

LONG = """
def view_strides(sizes, strides, new_sizes):
    if not all(sizes):
        if list(sizes) == list(new_sizes):
            return tuple(strides)
        return contiguous_strides(new_sizes)
    # collapse the old dimensions into runs of memory
    counts = []
    gaps = []
    for n, s in zip(sizes, strides):
        if n == 1:
            continue
        if gaps and gaps[-1] == n * s:
            counts[-1] = counts[-1] * n
            gaps[-1] = s
            continue
        counts.append(n)
        gaps.append(s)
    out = [None] * len(new_sizes)
    run = len(counts) - 1
    filled = 1
    last = strides[-1] if len(strides) else 1
    for position in range(len(new_sizes) - 1, -1, -1):
        wanted = new_sizes[position]
        if wanted == 1:
            out[position] = last
            continue
        if run < 0:
            return None
        out[position] = gaps[run] * filled
        last = out[position] * wanted
        filled = filled * wanted
        if filled > counts[run]:
            return None
        if filled == counts[run]:
            filled = 1
            run = run - 1
    return tuple(out)
"""

RENAMED_AND_REORDERED = '''
def view_strides(shape, step, target):
    """My own solution."""
    if not all(shape):
        if list(shape) == list(target):
            return tuple(step)
        return contiguous_strides(target)
    stride_of = []
    amount = []
    # go through all of the old axes!
    for length, jump in zip(shape, step):
        if length == 1:
            continue    # nothing to do
        if stride_of and stride_of[-1] == length * jump:
            stride_of[-1] = jump
            amount[-1] = amount[-1] * length
            continue
        stride_of.append(jump)
        amount.append(length)
    prev = step[-1] if len(step) else 1
    done = 1
    result = [None] * len(target)
    k = len(amount) - 1
    for i in range(len(target) - 1, -1, -1):
        size = target[i]
        if size == 1:
            result[i] = prev
            continue
        if k < 0:
            return None
        # here the magic happens
        result[i] = stride_of[k] * done
        done = done * size
        prev = size * result[i]
        if done > amount[k]:
            return None
        if done == amount[k]:
            k = k - 1
            done = 1
    return tuple(result)
'''

INDEPENDENT = (
    '''
def view_strides(sizes, strides, new_sizes):
    if 0 in sizes:
        return tuple(strides) if tuple(sizes) == tuple(new_sizes) else contiguous_strides(new_sizes)
    answer = []
    old = list(zip(sizes, strides))
    right = strides[-1] if strides else 1
    for n in reversed(new_sizes):
        if n == 1:
            answer.insert(0, right)
            continue
        need, first = n, None
        while need > 1:
            if not old:
                return None
            size, stride = old.pop()
            if size == 1:
                continue
            if first is None:
                first, expected = stride, stride
            if stride != expected:
                return None
            if need % size == 0:
                need //= size
                expected = stride * size
            elif size % need == 0:
                old.append((size // need, stride * need))
                need = 1
            else:
                return None
        answer.insert(0, first)
        right = first * n
    return tuple(answer)
''',
    '''
def view_strides(sizes, strides, new_sizes):
    numel = 1
    for s in sizes:
        numel *= s
    if numel == 0:
        if sizes == new_sizes:
            return strides
        return contiguous_strides(new_sizes)
    def where(linear):
        place = 0
        for d in range(len(sizes) - 1, -1, -1):
            place += (linear % sizes[d]) * strides[d]
            linear //= sizes[d]
        return place
    guess, below = [], 1
    for d in range(len(new_sizes))[::-1]:
        if new_sizes[d] > 1:
            guess.append(where(below))
        elif guess:
            guess.append(guess[-1] * new_sizes[d + 1])
        else:
            guess.append(strides[-1] if strides else 1)
        below *= new_sizes[d]
    guess.reverse()
    for linear in range(numel):
        rest, place = linear, 0
        for size, stride in zip(new_sizes[::-1], guess[::-1]):
            rest, index = divmod(rest, size)
            place += index * stride
        if place != where(linear):
            return None
    return tuple(guess)
''',
    '''
def view_strides(sizes, strides, new_sizes):
    if math.prod(sizes) == 0:
        same = tuple(sizes) == tuple(new_sizes)
        return tuple(strides) if same else contiguous_strides(new_sizes)
    groups = {}
    reach = 0
    for i, size in enumerate(sizes):
        if i and size > 1 and strides[reach] != size * strides[i]:
            groups[i] = math.prod(sizes[i:])
        if size > 1:
            reach = i
    result = [0] * len(new_sizes)
    tail = 1
    for j in reversed(range(len(new_sizes))):
        inside = max((i for i, count in groups.items() if count <= tail), default=None)
        tail *= new_sizes[j]
        if inside is not None and any(tail > count and tail % count for count in groups.values()):
            return None
        result[j] = tail
    return tuple(result)
''',
)  # fmt: skip
"""Different ideas, right or nearly: walking and splitting, asking each element, groups by their count."""

SHORT = (  # one natural answer, as six people write it
    "def contiguous_strides(sizes):\n    out = []\n    n = 1\n    for s in reversed(sizes):\n"
    "        out.append(n)\n        n *= max(s, 1)\n    return tuple(reversed(out))\n",
    "def contiguous_strides(sizes):\n    result = []\n    stride = 1\n    for x in reversed(sizes):\n"
    "        result.append(stride)  # first\n        stride *= max(x, 1)\n    return tuple(reversed(result))\n",
    "def contiguous_strides(sizes):\n    strides = []\n    step = 1\n    for size in reversed(sizes):\n"
    "        strides.append(step)\n        step = step * max(size, 1)\n    return tuple(reversed(strides))\n",
    "def contiguous_strides(sizes):\n    strides = []\n    acc = 1\n    for d in reversed(sizes):\n"
    "        strides.append(acc)\n        acc *= max(d, 1)\n    return tuple(strides[::-1])\n",
    "def contiguous_strides(sizes):\n    strides = [1]\n    for size in reversed(sizes[1:]):\n"
    "        strides.append(strides[-1] * max(size, 1))\n    return tuple(reversed(strides[: len(sizes)]))\n",
    "def contiguous_strides(sizes):\n    k = 1\n    l = []\n    for i in reversed(sizes):\n"
    "        l.append(k)\n        k *= max(i, 1)\n    return tuple(reversed(l))\n",
)  # fmt: skip

CHOICES = """\
    if 0 in sizes:
--
    if any(s == 0 for s in sizes):
--
    if math.prod(sizes) == 0:
--
    numel = math.prod(sizes)
    if numel == 0:
--
    if not all(sizes):
====
        return tuple(strides) if tuple(sizes) == tuple(new_sizes) else contiguous_strides(new_sizes)
--
        if sizes == new_sizes:
            return strides
        return contiguous_strides(new_sizes)
--
        if tuple(sizes) != tuple(new_sizes):
            return contiguous_strides(new_sizes)
        return tuple(strides)
--
        if list(sizes) == list(new_sizes):
            return tuple(strides)
        else:
            return contiguous_strides(new_sizes)
====
    last = strides[-1] if strides else 1
--
    if strides:
        last = strides[-1]
    else:
        last = 1
--
    last = 1 if not strides else strides[-1]
--
    last = strides[-1] if len(strides) > 0 else 1
====
    groups = []
    for size, stride in zip(sizes, strides):
--
    groups = []
    for i in range(len(sizes)):
        size, stride = sizes[i], strides[i]
--
    groups = []
    for i in range(len(sizes)):
        size = sizes[i]
        stride = strides[i]
--
    groups = []
    for i, size in enumerate(sizes):
        stride = strides[i]
====
        if size == 1:
            continue
        if groups and groups[-1][1] == size * stride:
            groups[-1] = (groups[-1][0] * size, stride)
        else:
            groups.append((size, stride))
--
        if size != 1:
            if groups and groups[-1][1] == size * stride:
                groups[-1][0] *= size
                groups[-1][1] = stride
            else:
                groups.append([size, stride])
--
        if size == 1:
            continue
        if len(groups) > 0:
            n, s = groups[-1]
            if s == stride * size:
                groups[-1] = (n * size, stride)
                continue
        groups.append((size, stride))
====
    result = []
    for n in reversed(new_sizes):
--
    result = []
    for n in new_sizes[::-1]:
--
    result = []
    for d in range(len(new_sizes) - 1, -1, -1):
        n = new_sizes[d]
--
    result = []
    for d in reversed(range(len(new_sizes))):
        n = new_sizes[d]
====
        if n == 1:
            result.append(last)
            continue
--
        if n == 1:
            result.insert(0, last)
            continue
====
        if not groups:
            return None
        count, stride = groups.pop()
        if count % n:
            return None
--
        if len(groups) == 0 or groups[-1][0] % n != 0:
            return None
        count, stride = groups.pop()
--
        if not groups or groups[-1][0] % n:
            return None
        count = groups[-1][0]
        stride = groups[-1][1]
        groups.pop()
====
        result.append(stride)
        last = stride * n
--
        result.append(stride)
        last = n * stride
--
        result = [stride] + result
        last = stride * n
====
        if count != n:
            groups.append((count // n, last))
--
        if count // n > 1:
            groups.append((count // n, last))
--
        count //= n
        if count > 1:
            groups.append((count, last))
--
        rest = count // n
        if rest != 1:
            groups.append([rest, stride * n])
====
    return tuple(reversed(result))
--
    return tuple(result[::-1])
--
    result.reverse()
    return tuple(result)
--
    return tuple(result)
"""
"""One idea for view_strides, a piece after another (====), and natural ways to write each (--)."""


def natural_choices(count: int, seed: int = 0) -> list[str]:
    """Answers of `count` people who had the same idea and wrote it down by themselves."""
    draw = random.Random(seed)
    first = "def view_strides(sizes, strides, new_sizes):\n"
    pieces = [piece.strip("\n").split("\n--\n") for piece in CHOICES.split("====")]
    return [first + "\n".join(map(draw.choice, pieces)) + "\n" for _ in range(count)]


PROSE = (
    "A dimension whose stride is zero walks nowhere: whichever index you pick along it, the address formula adds "
    "nothing, so every slice you see is the very same run of cells, and writing through one writes through them all."
)
PROSE_COPY = (
    "A dimension whose stride is 0 walks nowhere: whichever index you pick along it the address formula adds "
    "nothing. So every slice you see is the very same run of cells; **writing** into one changes them all."
)
OTHER_PROSE = (
    "Stride 0 means the index is multiplied by zero. All indices then land on one element of the storage, which is how "
    "expand repeats a value without copying it.",
    "It says that moving along this axis does not move in memory, the same number is read again and again, as after "
    "broadcasting a bias over a batch of rows.",
)
"""Answers to "What does a stride of 0 mean?"."""


# ---- copies that a program makes


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self.names.get(node.arg, node.arg))  # without its annotation


def disguised(source: str) -> str:
    """A copy with other names and layout, no comments or docstrings, and neighbors swapped where that changes nothing.

    Only simple assignments are swapped that neither read nor write what the other writes.
    """
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)} - {"self"}
    _Renamed({name: f"q{number}" for number, name in enumerate(sorted(own))}).visit(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    for node in ast.walk(tree):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(body, list):
                _swap(body)
    return ast.unparse(ast.fix_missing_locations(tree))


def _swap(body: list[ast.stmt]) -> None:
    for at in range(len(body) - 1):
        first, second = body[at : at + 2]
        if isinstance(first, ast.Assign | ast.AugAssign) and isinstance(second, ast.Assign | ast.AugAssign):
            written = [_names(each, ast.Store) for each in (first, second)]
            used = [_names(each, ast.Load) | stored for each, stored in zip((first, second), written, strict=True)]
            if not (written[0] & used[1] or written[1] & used[0]):
                body[at : at + 2] = [second, first]


def _names(node: ast.stmt, kind: type[ast.expr_context]) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, kind)}
