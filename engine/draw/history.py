"""The picture of a tensor's history: the nodes that its backward pass runs, from the first to the last.

A node is a box: its name, what it saved from the forward pass, with shape and version. The lines on the left are its
edges: a gradient leaves a node below, runs down its lane and enters the next node, with the shape that it has there;
where lines meet in front of a node, gradients are added. The last nodes, AccumulateGrad, belong to the leaves.
"""

import heapq
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .card import FAINT, GREY, INK, PAD, SMALL, WIDEST, Card, Picture, text_width, tint

MOST_NODES = 40
LANE, LINE, GAP = 13, 15, 12  # distances of lanes, of lines of text in a box, of boxes
HEAD, FOOT = 21, 9  # height of a box above its lines, and below them
GREEN, BLUE, RED = "#009e73", "#0072b2", "#d55e00"
LANES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")

Node = Any  # the class in autograd/node.py; a picture needs no import for it


class Port(NamedTuple):
    """An input of a node, where the gradient of one output of its forward operator enters."""

    row: int
    number: int


class Row(NamedTuple):
    """A node and its details, as shown in the picture.

    Attributes:
        name: of the node; of an AccumulateGrad with the name of its leaf.
        made: name of the tensor that the forward operator made.
        shapes: of the gradients that enter, by input number.
        lines: what it saved, and whether that is wrong by now.
        targets: where its gradients go.
    """

    name: str
    made: str
    shapes: dict[int, str]
    lines: tuple[tuple[str, bool], ...]
    targets: tuple[Port, ...]
    is_leaf: bool


def graph(tensor: Any, names: Mapping[str, Any] | None = None) -> Picture:
    """Draw the nodes that `tensor.backward()` would run, in order, without running them.

    Args:
        tensor: one that requires grad.
        names: of tensors, `dict(model.named_parameters())` for instance; leaves and results are called by them.
    Raises:
        RuntimeError: the tensor does not require grad.
    """
    if not tensor.requires_grad:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    called = Names(names or {})
    order = list(backward_order(tensor))
    shown = order[:MOST_NODES]
    rows = build_rows(shown, called, tensor)
    left_out = len(order) - len(shown)
    root = f"{called.of(tensor) or 'tensor'} {_shape(tensor.shape)}"
    return _picture(root, tensor.output_nr, rows, left_out)


# ---- the graph as plain data


class Names:
    """A lookup from tensors to their names, by identity or by the node and output number that made them."""

    def __init__(self, names: Mapping[str, Any]):
        self._of_tensors = {id(tensor): name for name, tensor in names.items()}
        self._of_outputs = {
            (id(tensor.grad_fn), tensor.output_nr): name
            for name, tensor in names.items() if tensor.grad_fn is not None
        }  # fmt: skip

    def of(self, tensor: Any) -> str:
        """Return the name of a tensor, or "" if it has none."""
        return self._of_tensors.get(id(tensor), "")

    def made_by(self, node: Node) -> str:
        """Return the names of the tensors that a node's operator returned."""
        outputs = range(len(node.input_metadata))
        names = (self._of_outputs.get((id(node), number)) for number in outputs)
        return ", ".join(name for name in names if name)


def backward_order(tensor: Any) -> Iterator[Node]:
    """Yield the nodes of a tensor's graph in the order of the backward pass: of all ready nodes the newest, but leaves
    before all others."""
    root = tensor.grad_fn or _accumulator(tensor)
    waiting: Counter[Node] = Counter()
    seen, stack = {root}, [root]
    while stack:
        for successor, _ in filter(None, stack.pop().next_edges):
            waiting[successor] += 1
            if successor not in seen:
                seen.add(successor)
                stack.append(successor)
    ties = itertools.count()
    ready = [(-root.sequence_nr, next(ties), root)]
    while ready:
        node = heapq.heappop(ready)[-1]
        yield node
        for successor, _ in filter(None, node.next_edges):
            waiting[successor] -= 1
            if not waiting[successor]:
                heapq.heappush(ready, (-successor.sequence_nr, next(ties), successor))


def _accumulator(leaf: Any) -> Node:
    from ..autograd.variable import grad_accumulator  # pictures are loaded before autograd is

    return grad_accumulator(leaf)


def build_rows(nodes: Sequence[Node], names: Names, tensor: Any) -> list[Row]:
    """Return the rows of the picture, one for each node.

    Args:
        tensor: the one whose history it is.
    """
    places = {node: place for place, node in enumerate(nodes)}
    entered: dict[Node, set[int]] = {node: set() for node in nodes}
    entered[nodes[0]].add(tensor.output_nr)
    for node in nodes:
        for successor, number in filter(None, node.next_edges):
            if successor in entered:
                entered[successor].add(number)
    rows = []
    for node in nodes:
        targets = [Port(places[next_], number) for next_, number in filter(None, node.next_edges) if next_ in places]
        shapes = {number: _shape(node.input_metadata[number][0]) for number in sorted(entered[node])}
        leaf = node.variable if node.is_accumulator else None
        made = names.of(leaf) if leaf is not None else names.made_by(node)
        rows.append(Row(node.name().rpartition("::")[2], made, shapes, tuple(saved_value_lines(node, names)),
                        tuple(dict.fromkeys(targets)), leaf is not None))  # fmt: skip
    return rows


def saved_value_lines(node: Node, names: Names) -> Iterator[tuple[str, bool]]:
    """Yield lines of text for the values that a node saved, each with True if the value was modified since."""
    if node.is_accumulator:
        leaf = node.variable
        grad = "none yet" if leaf.grad is None else _shape(leaf.grad.shape)
        yield f"leaf {_shape(leaf.shape)}, version {leaf._version}; grad: {grad}", False
        return
    fields = [(field, getattr(node, f"saved_{field}")) for field in node.saved_fields]
    fields += [(f"saved {place}", entry) for place, entry in enumerate(getattr(node, "saved", None) or ())]
    numbers = []
    for field, value in fields:
        values = value if isinstance(value, (list, tuple)) and value and hasattr(value[0], "unpack") else [value]
        for place, entry in enumerate(values):
            name = field if len(values) == 1 else f"{field}[{place}]"
            if hasattr(entry, "unpack"):
                yield from _saved_tensor(name, entry, names)
            elif "_sym_" not in field and entry is not None:
                numbers.append(f"{name}={entry}")
    if numbers:
        yield ", ".join(numbers), False
    if hasattr(node, "written"):
        yield from _written_lines(node, names)


def _written_lines(node: Any, names: Names) -> Iterator[tuple[str, bool]]:
    """Yield text lines for a `CopySlices`: its slice of the base, and the node of the operator that wrote."""
    sizes, strides, offset = node.view
    yield f"slice {_shape(sizes)}, strides {_shape(strides)}, offset {offset}", False
    if node.written is None:
        yield "written: let go", False
        return
    yield f"written: {node.written.name().rpartition('::')[2]}", False
    yield from ((f"  {text}", is_stale) for text, is_stale in saved_value_lines(node.written, names))


def _saved_tensor(name: str, saved: Any, names: Names) -> Iterator[tuple[str, bool]]:
    if not hasattr(saved, "version"):
        yield f"{name}: let go", False
    elif saved.packed is not None:
        yield f"{name}: packed by a hook", False
    elif saved.data is not None:
        called = names.of(saved.data)
        what = "the result itself" if saved.output_nr is not None else called
        text = f"{name} {_shape(saved.data.shape)}" + (f" = {what}" if what else "") + f", version {saved.version}"
        is_stale = saved.data._version != saved.version
        yield (f"{text}, but it is at version {saved.data._version} now" if is_stale else text), is_stale


def _shape(sizes: Any) -> str:
    return "(" + ", ".join(map(str, sizes)) + ")"


# ---- the picture


class Lane(NamedTuple):
    """A vertical line that leads gradients from the nodes that send them to the input that they enter."""

    column: int
    first: int  # row of the first sender
    port: Port


def lanes_of(rows: Sequence[Row]) -> dict[Port, Lane]:
    """Return a lane for each node input that receives a gradient, in the free column nearest to the boxes."""
    lanes: dict[Port, Lane] = {}
    busy: dict[int, Port] = {}
    for place, row in enumerate(rows):
        busy = {column: port for column, port in busy.items() if port.row > place}
        for port in row.targets:
            if port not in lanes:
                column = next(column for column in itertools.count() if column not in busy)
                lanes[port] = Lane(column, place, port)
                busy[column] = port
    return lanes


class Look(NamedTuple):
    """The coordinates of the parts of the picture.

    Attributes:
        left: of the boxes.
        step: from one lane to the next.
        label: room for shapes between the lanes and the boxes.
        tops, bottoms: y of each box.
    """

    left: float
    step: float
    label: float
    tops: tuple[float, ...]
    bottoms: tuple[float, ...]

    def entry(self, row: int, place: int) -> float:
        """Return the y at which the gradient number `place` enters a node."""
        return self.tops[row] + HEAD / 2 + 2 + place * LINE

    def exit(self, row: int, place: int) -> float:
        """Return the y at which the gradient number `place` leaves a node."""
        return self.bottoms[row] - 4 - 4 * place

    def lane(self, column: int) -> float:
        """Return the x of a lane."""
        return self.left - self.label - self.step * column


def look_of(rows: Sequence[Row], lanes: Mapping[Port, Lane]) -> Look:
    """Return the layout of the boxes, stacked vertically, each as tall as its lines and edges need."""
    columns = max((lane.column for lane in lanes.values()), default=0) + 1
    label = max(text_width(shape, SMALL) for row in rows for shape in row.shapes.values()) + 22
    tops, bottoms, y = [], [], PAD + 40.0
    for row in rows:
        right = len(row.lines) * LINE + (FOOT if row.lines else 4)
        edges = (len(row.shapes) - 1) * LINE + 4 * len(row.targets) + 4
        tops.append(y)
        bottoms.append(y + HEAD + max(right, edges))
        y = bottoms[-1] + GAP
    step = min(LANE, WIDEST / 3 / columns)
    return Look(PAD + step * (columns - 1) + label, step, label, tuple(tops), tuple(bottoms))


def _picture(root: str, output_nr: int, rows: Sequence[Row], left_out: int) -> Picture:
    lanes = lanes_of(rows)
    look = look_of(rows, lanes)
    card = Card()
    card.text(PAD, PAD + 11, root, bold=True)
    note = "its nodes in the order in which the backward pass runs them"
    card.text(PAD + text_width(root) + 14, PAD + 11, note, SMALL, GREY)
    start = look.entry(0, 0)
    card.line(((PAD + 4, PAD + 20), (PAD + 4, start)))
    card.arrow((PAD + 4, start), (look.left - 1, start))
    for lane in lanes.values():
        _edges(card, look, rows, lane)
    for place, row in enumerate(rows):
        _box(card, look, place, row)
    if left_out:
        card.text(look.left, look.bottoms[-1] + 22, f"… and {left_out} more", SMALL, GREY)
    title = f"The graph behind {root}: {len(rows) + left_out} nodes"
    text = _as_text(root, rows, left_out)
    return card.picture(title, ". ".join(text.splitlines()), text)


def _edges(card: Card, look: Look, rows: Sequence[Row], lane: Lane) -> None:
    """Draw the way into one input, from all nodes that send a gradient there."""
    color, x = LANES[lane.column % len(LANES)], look.lane(lane.column)
    shapes = list(rows[lane.port.row].shapes)
    arrival = look.entry(lane.port.row, shapes.index(lane.port.number))
    senders = [place for place in range(lane.first, lane.port.row) if lane.port in rows[place].targets]
    for place in senders:
        y = look.exit(place, rows[place].targets.index(lane.port))
        card.line(((look.left, y), (x, y)), color)
        if place != lane.first:
            card.rect(x - 2.5, y - 2.5, 5, 5, color, round=2.5)
    first = look.exit(lane.first, rows[lane.first].targets.index(lane.port))
    card.line(((x, first), (x, arrival)), color)
    card.arrow((x, arrival), (look.left - 1, arrival), color)


def _box(card: Card, look: Look, place: int, row: Row) -> None:
    top, height = look.tops[place], look.bottoms[place] - look.tops[place]
    width = WIDEST - PAD - look.left
    color = GREEN if row.is_leaf else BLUE
    card.rect(look.left, top, width, height, tint(color, 0.12), color if row.is_leaf else FAINT, 1, 5)
    for number, shape in enumerate(row.shapes.values()):
        y = look.entry(place, number)
        half = text_width(shape, SMALL) / 2 + 3
        middle = look.left - 10 - half
        card.rect(middle - half, y - 7, 2 * half, 14, "#ffffff")
        card.text(middle, y + 4, shape, SMALL, INK, "middle")
    x, y = look.left + 10, top + 16
    card.text(x, y, row.name, bold=True)
    if row.made:
        card.text(x + text_width(row.name) + 12, y, row.made, fill=color)
    room = int((width - 16) / text_width("x", SMALL))
    for line, is_wrong in row.lines:
        y += LINE
        shown = line if len(line) <= room else line[: room - 1] + "…"
        card.text(x, y, shown, SMALL, RED if is_wrong else GREY)


# ---- words


def _as_text(root: str, rows: Sequence[Row], left_out: int) -> str:
    """Return a line for each node: its number, name, the shapes that enter, where gradients go, what it saved."""
    wide = max(len(row.name) for row in rows)
    lines = [root]
    for place, row in enumerate(rows, 1):
        enters = " ".join(row.shapes.values())
        goes = " -> " + ", ".join(str(port.row + 1) for port in row.targets) if row.targets else ""
        kept = "; ".join([*([row.made] if row.made else []), *(line for line, _ in row.lines)])
        lines.append(f"{place:2} {row.name:{wide}}  {enters}{goes}" + (f"  [{kept}]" if kept else ""))
    return "\n".join([*lines, *([f"and {left_out} more"] if left_out else [])])
