"""Checks of the backward pass, on small graphs whose nodes follow a script (probe.py)."""

import random
import re
from collections.abc import Iterator

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check, Mistake

Graph = list[tuple]
GRAPH = (
    "a list of nodes, each (number of its inputs, its edges); an edge is (node, input number, factor), and the node "
    "multiplies the sum of what comes in by the factor; ('chain', n) and ('ladder', n) are graphs of n nodes with one "
    "and two edges at each step, ('braid', n) has an edge from each node to the next two, ('fan', n) from one to all"
)
COMPARED = re.compile(r"'[<>]=?' not supported between instances of '\w+Node' and '\w+Node'")
LEAF = (1, ())
CHAIN: Graph = [LEAF, (1, ((0, 0, 2),)), (1, ((1, 0, 3),))]
DIAMOND: Graph = [LEAF, (1, ((0, 0, 2),)), (1, ((0, 0, 3),)), (1, ((1, 0, 1), (2, 0, 1)))]
SQUARE: Graph = [LEAF, (1, ((0, 0, 2), (0, 0, 3)))]
SHORTCUT: Graph = [LEAF, (1, ((0, 0, 2),)), (1, ((1, 0, 3),)), (1, ((0, 0, 5), (2, 0, 1)))]
TWO_LEAVES: Graph = [LEAF, LEAF, (1, ((0, 0, 2), (1, 0, 3)))]
NOBODY: Graph = [LEAF, (1, (None, (0, 0, 2)))]
TWO_OUTPUTS: Graph = [LEAF, (2, ((0, 0, 2),)), (1, ((1, 1, 3),)), (1, ((1, 0, 1), (2, 0, 1)))]
TWO_TOPS: Graph = [LEAF, (1, ((0, 0, 2),)), (1, ((0, 0, 3),)), (1, ((1, 0, 1),))]
FIXED = (CHAIN, DIAMOND, SQUARE, SHORTCUT, TWO_LEAVES, NOBODY, TWO_OUTPUTS)
STACKED: Graph = [
    LEAF,
    (1, ((0, 0, 1), (0, 0, 2))),
    (1, ((1, 0, 1), (1, 0, 1))),
    (1, ((2, 0, 2), (0, 0, 1), (2, 0, 1))),
]


def _graph(rng: random.Random, length: int, nothing: float = 0.0) -> Graph:
    """Draw a graph whose last node reaches all others; factors are None with the probability `nothing`."""
    graph: Graph = []
    for number in range(length):
        edges: list[tuple | None] = []
        for _ in range(rng.randint(1, 3) if number else 0):
            target = rng.randrange(number)
            factor = None if rng.random() < nothing else rng.randint(1, 4)
            edges.append((target, rng.randrange(graph[target][0]), factor) if rng.random() < 0.9 else None)
        if number and not any(edge and edge[0] == number - 1 for edge in edges):
            edges.insert(rng.randint(0, len(edges)), (number - 1, rng.randrange(graph[number - 1][0]), 1))
        graph.append((rng.choice((1, 1, 2)) if number < length - 1 else 1, tuple(edges)))
    return graph


def _counts(graph: Graph, roots: list[int]) -> list[int]:
    """Return, for each node, the number of edges that lead to it from nodes reached from the roots."""
    reached, waiting = set(roots), [0] * len(graph)
    for number in range(len(graph) - 1, -1, -1):
        for edge in graph[number][1] if number in reached else ():
            if edge is not None:
                reached.add(edge[0])
                waiting[edge[0]] += 1
    return waiting


# ---- compute_dependencies


def _plain(graph: Graph) -> Graph:
    """Return the graph with at most one edge from a node to another, and without None."""
    return [(inputs, tuple({edge[0]: edge for edge in edges if edge}.values())) for inputs, edges in graph]


def _dependencies_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([LEAF], [0]), "root")
    for graph, about in ((CHAIN, "chain"), (DIAMOND, "diamond"), (SHORTCUT, "diamond"), (TWO_LEAVES, "chain")):
        yield Case((graph, [len(graph) - 1]), about)
        yield Case((graph, [1]), "not reached")
    for _ in range(24):
        graph = _plain(_graph(rng, rng.randint(3, 8)))
        yield Case((graph, [len(graph) - 1]), "diamond")


def _dependencies_edges(rng: random.Random) -> Iterator[Case]:
    for graph in (SQUARE, NOBODY, TWO_OUTPUTS, STACKED):
        yield Case((graph, [len(graph) - 1]), "None" if graph is NOBODY else "both edges")
    for length in range(2, 8):
        yield Case((("ladder", length), [length - 1]), "both edges")
    for _ in range(24):
        graph = _graph(rng, rng.randint(3, 8))
        yield Case((graph, [len(graph) - 1]), "both edges")


def _dependencies_roots(rng: random.Random) -> Iterator[Case]:
    yield Case(([LEAF], []), "not reached")
    for graph, roots in (
        (CHAIN, [1, 2]), (CHAIN, [2, 1]), (CHAIN, [2, 1, 2, 0]), (DIAMOND, [3, 1]), (CHAIN, [2, 2]),
        (TWO_LEAVES, [0, 1]),
    ):  # fmt: skip
        yield Case((graph, roots), "root")
    for _ in range(28):
        graph = _plain(_graph(rng, rng.randint(3, 8)))
        yield Case((graph, rng.sample(range(len(graph)), 2)), "root")


def _dependencies_deep(rng: random.Random) -> Iterator[Case]:
    for length in (2, 3, 40, 1100, rng.randint(1200, 1500), 20_000):
        yield Case((("chain", length), [length - 1]), "deep")
    for length in (5, rng.randint(900, 1000)):
        yield Case((("fan", length), [length - 1]), "looks")
    for _ in range(26):
        length = rng.randint(7, 14)  # an answer that walks every way comes to an end
        yield Case((("braid", length), [length - 1 - rng.randint(0, 3)]), "once")


def _dependencies_counted(args: tuple, observed: dict) -> dict:
    """Judge whether a node's edges are looked at only a few times, whatever the size of the graph; keep the numbers."""
    if "looks at edges" not in observed:
        return observed
    of, size = ("looks at edges", "comparisons"), args[0][1]
    return observed | {name: counting.within(observed[name], 0, 4 * size) for name in of}


def _of_dependencies(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    graph, roots = args
    apart = next(key for key in wanted if wanted[key] != got[key])
    if apart in ("roots afterwards", "looks at edges", "comparisons"):
        yield {"roots afterwards": "argument"}.get(apart, "looks")
    elif wanted[apart] == "none":
        yield "not reached"
    elif apart in ("nodes", "edges"):
        yield "entry" if got["nodes"] < wanted["nodes"] else "count"
    else:
        yield _of_count(graph, roots, int(apart.split()[1]), wanted[apart], got[apart])


def _of_count(graph: Graph | tuple, roots: list[int], number: int, right: int, given: int | str) -> str:
    """Return the mistake in the number of one node that is reached."""
    if given == "none" or (given == 0 and number in roots):
        return "root" if number in roots else "entry"
    if right == 0:  # only a root waits for nothing
        return "root"
    if type(graph) is tuple:
        distinct, paths = 1, max(right, int(given)) if graph[0] in ("ladder", "braid") else right
    else:
        distinct, paths = sum(any(edge and edge[0] == number for edge in edges) for _, edges in graph), right
    return "both edges" if given == distinct < right else "once" if given == paths > right else "count"


COMPUTE_DEPENDENCIES = Check(
    "autograd.engine.compute_dependencies",
    ("graph", "roots"),
    (
        Aspect("ordinary", 3, _dependencies_ordinary),
        Aspect("edges", 1, _dependencies_edges, needs="ordinary"),
        Aspect("roots", 1, _dependencies_roots, needs="ordinary"),
        Aspect("deep", 3, _dependencies_deep, needs="ordinary", findings=_dependencies_counted),
    ),
    {
        "root": "a root has an entry too: 0, and one more for each edge that leads to it",
        "entry": "every node that can be reached has an entry",
        "count": "each edge from a node in the dict counts once, for the node that it leads to: walk on from a node "
        "only "
        "the first time",
        "chain": "each edge counts once, for the node that it leads to",
        "diamond": "a node is reached by several paths: count each edge to it, but walk on from it only once",
        "both edges": "two edges of one node to the same node are two gradients",
        "None": "where an edge is None, there is nothing to follow",
        "not reached": "only nodes that can be reached from the roots are in the dict, and only edges from there count",
        "argument": "the list of roots has changed: take the nodes from a list of your own",
        "deep": "a chain may be longer than Python's limit for recursion: keep a list of the nodes to look at",
        "once": "with two edges at each step, the number of paths doubles: look at each node once, not at each path",
        "looks": "the work must grow like the number of edges: ask for a node's edges once, and ask the dict whether a "
        "node is known; `in` of a list compares the node with each that is in it",
        "type": "return a dict: node -> int",
        "returned None": "the function ends without `return`",
        "raised": "every graph here is sound, so no error is expected: it comes from a line of your own",
    },
    probe="autograd.graphs.dependencies",
    differs=_of_dependencies,
    words={"graph": GRAPH, "roots": "numbers of nodes"},
    program="autograd.program.run",
)


# ---- evaluate_function


def _evaluated(graph: Graph, calls: list[int], value: float, needed: list[int] | None = None) -> tuple:
    """Return the arguments of a pass that begins at the last node with one gradient."""
    root = len(graph) - 1
    buffers: list = [None] * root + [[value]]
    return graph, _counts(graph, [root]), buffers, calls, needed


def _evaluate_ordinary(rng: random.Random) -> Iterator[Case]:
    abouts = ("one", "diamond", "twice", "diamond", "one", "None", "input number")
    for graph, about in zip(FIXED, abouts, strict=True):
        for calls in range(1, len(graph) + 1):
            whole = list(range(len(graph) - 1, len(graph) - 1 - calls, -1))
            yield Case(_evaluated(graph, whole, rng.choice((1.0, 2.0, 5.0))), about)
    for graph in (CHAIN, SQUARE, NOBODY, TWO_LEAVES):
        whole = list(range(len(graph) - 1, -1, -1))
        yield Case((*_evaluated(graph, whole, 7.0), True), "freed")
        yield Case((*_evaluated(graph, whole[:1], 3.0), True), "freed")
    yield Case(([LEAF, LEAF, (1, ((1, 0, 2), (0, 0, 3)))], [1, 1, 0], [None, None, [2.0]], [2], None), "one")
    yield Case((TWO_LEAVES, [1, 1, 0], [None, None, [2.0]], [2], [0, 2]), "needed")
    yield Case((DIAMOND, [1, 0, 1, 0], [None, None, [3.0], None], [2], None), "diamond")
    yield Case((DIAMOND, [1, 0, 0, 0], [[5.0], None, [3.0], None], [2], None), "diamond")
    for _ in range(20):
        graph = _graph(rng, rng.randint(2, 6))
        some = list(range(len(graph) - 1, -1, -1))[: rng.randint(1, 6)]
        yield Case(_evaluated(graph, some, rng.choice((1.0, 3.0))), "diamond")
    for _ in range(14):
        graph = _graph(rng, rng.randint(3, 6))
        needed = sorted(rng.sample(range(len(graph) - 1), rng.randint(1, len(graph) - 1)))
        yield Case(_evaluated(graph, [len(graph) - 1], 2.0, [*needed, len(graph) - 1]), "needed")


def _evaluate_absent(rng: random.Random) -> Iterator[Case]:
    yield Case(([LEAF], [0], [None], [0], None), "no buffer")
    yield Case(([(2, ())], [0], [None], [0], None), "no buffer")
    yield Case(([(2, ())], [0], [[None, 2.0]], [0], None), "counted all the same")
    yield Case(([LEAF, (1, ((0, 0, None),))], [1, 0], [None, [2.0]], [1], None), "counted all the same")
    yield Case(([LEAF, (1, ((0, 0, None), (0, 0, 3)))], [2, 0], [None, [2.0]], [1, 0], None), "counted all the same")
    yield Case(([LEAF, (1, ((0, 0, 3), (0, 0, None)))], [2, 0], [None, [2.0]], [1, 0], None), "counted all the same")
    yield Case((CHAIN, [1, 1, 0], [None, None, None], [2], None), "no buffer")
    yield Case((CHAIN, [1, 1, 0], [None, None, None], [2, 1, 0], None), "no buffer")
    yield Case(([LEAF, (3, ((0, 0, 2),))], [1, 0], [None, None], [1], None), "no buffer")
    yield Case(([LEAF, (1, (None, (0, 0, None), None))], [1, 0], [None, [2.0]], [1, 0], None), "counted all the same")
    for _ in range(38):
        graph = _graph(rng, rng.randint(2, 6), nothing=0.6)
        calls = list(range(len(graph) - 1, -1, -1))[: rng.randint(2, 6)]
        args = _evaluated(graph, calls, 2.0)
        yield Case(args, "counted all the same")


def _of_evaluate(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    graph, waiting, buffers, calls, needed, *_ = args
    if any(type(each) is str for each in got["ready"]):
        yield "list"
    elif [type(came) for _, came in got["ran"]] != [list] * len(got["ran"]):
        yield "no buffer"
    elif wanted["released"] != got["released"]:
        yield "released"
    elif len(calls) == 1 and wanted["ran"] != got["ran"]:
        yield "no buffer" if buffers[calls[0]] is None else "ran"
    elif any(got["buffers"][number] is not None and wanted["buffers"][number] is None for number in calls):
        yield "buffer stays"
    elif wanted["waiting"] != got["waiting"]:
        yield "waits"
    elif wanted["buffers"] != got["buffers"]:
        yield _of_buffers(wanted["buffers"], got["buffers"])
    elif wanted["ready"] != got["ready"]:
        right, given = next(
            (one, other) for one, other in zip(wanted["ready"], got["ready"], strict=False) if one != other
        )
        extra = set(given) - set(right)
        is_order = sorted(right) == sorted(given)
        yield "order" if is_order else "needed" if needed and extra and not extra & set(needed) else "ready"
    else:
        yield "ran"


def _of_buffers(wanted: list, got: list) -> str:
    """Return the mistake in the gradients that wait: they are missing, at another input, or not summed."""
    right, given = next((one, other) for one, other in zip(wanted, got, strict=True) if one != other)
    if right is None or given is None:
        return "handed on"
    places = [[value is not None for value in each] for each in (right, given)]
    return "input number" if places[0] != places[1] else "sums"


EVALUATE_FUNCTION = Check(
    "autograd.engine.evaluate_function",
    ("graph", "waiting", "buffers", "calls", "needed", "is_freed"),
    (
        Aspect("ordinary", 6, _evaluate_ordinary),
        Aspect("absent", 4, _evaluate_absent, needs="ordinary"),
    ),
    {
        "one": "the node runs with the gradients of its buffer, and its own go along the edges",
        "ran": "the nodes saw other gradients: a node runs once, with the list that its buffer holds",
        "released": "`call_function(task, node, grads)` runs the node: it checks and sums what comes out, and has the "
        "node let go of what it saved",
        "freed": "`call_function(task, node, grads)` runs the node: it checks and sums what comes out, and has the "
        "node let go of what it saved",
        "buffer stays": "take the buffer out of `task.buffers`: the gradients in it have been used",
        "handed on": "each gradient that is not None goes into the buffer of the node that its edge leads to",
        "sums": "another gradient waits here: number i of `call_function`'s list goes along edge number i of "
        "`node.next_edges`, Nones counted, and gradients for the same input are added (`add_to_buffer`)",
        "waits": "for each edge that is not None, the node that it leads to waits for one gradient fewer",
        "ready": "a node is ready when it waits for no further gradient, and only then",
        "order": "the nodes that became ready come in the order of the edges",
        "list": "return the list of the nodes that became ready; it may be empty",
        "diamond": "a node is ready only when it waits for no further gradient: until then they are added up",
        "twice": "two edges may lead to the same input: both gradients go there, and it becomes ready once",
        "None": "where an edge is None, the gradient in its place goes nowhere",
        "input number": "an edge says to which input of the node the gradient goes",
        "needed": "a node that `runs(task, following)` says is not needed never becomes ready",
        "no buffer": "no gradient has come in for this node: it runs with a list of Nones, one for each input",
        "counted all the same": "a gradient that is None is not added, but the edge has been served: count it",
    },
    probe="autograd.graphs.evaluate",
    differs=_of_evaluate,
    words={
        "graph": GRAPH,
        "waiting": "the number of gradients that each node waits for",
        "buffers": "the buffer of each node, None for none",
        "calls": "the nodes that are evaluated, one after the other",
        "needed": "the nodes for which `runs` is True; None: all",
        "is_freed": "True: the answer also says which nodes have let go of what they saved",
    },
    program="autograd.program.without_absent_gradients",
)


# ---- thread_main


def _main_ordinary(rng: random.Random) -> Iterator[Case]:
    for graph in FIXED:
        yield Case(("gradients", graph, [(len(graph) - 1, 1.0)]), "all nodes")
    yield Case(("gradients", [LEAF], [(0, 2.0)]), "begin")
    yield Case(("gradients", [LEAF, LEAF], [(0, 2.0), (1, None)]), "without a gradient")
    yield Case(("gradients", TWO_TOPS, [(3, None), (2, 2.0)]), "without a gradient")
    yield Case(("gradients", TWO_TOPS, [(3, 3.0), (2, None)]), "without a gradient")
    yield Case(("gradients", ("chain", 20_000), [(19_999, 2.0)]), "deep")
    yield Case(("gradients", CHAIN, [(2, 1.0), (0, 5.0)]), "begin")
    yield Case(("gradients", CHAIN, [(0, 5.0), (2, 1.0)]), "begin")
    yield Case(("gradients", [LEAF, LEAF], [(0, 2.0), (1, 3.0)]), "begin")
    for _ in range(36):
        graph = _graph(rng, rng.randint(2, 7), nothing=0.1)
        roots = [(len(graph) - 1, 1.0)]
        if rng.random() < 0.4:
            roots.append((rng.randrange(len(graph) - 1), 2.0))
        rng.shuffle(roots)
        yield Case(("gradients", graph, roots), "begin" if len(roots) > 1 else "all nodes")


def _main_order(rng: random.Random) -> Iterator[Case]:
    fan: Graph = [LEAF, LEAF, LEAF, (1, ((1, 0, 1), (0, 0, 1), (2, 0, 1)))]
    yield Case(("order", fan, [(3, 1.0)], [0, 1, 2, 3]), "made last")
    yield Case(("order", fan, [(3, 1.0)], [2, 0, 1, 3]), "made last")
    yield Case(("order", fan, [(3, 1.0)], ["first", "first", "first", 3]), "equal")
    yield Case(("order", fan, [(3, 1.0)], ["first", 1, "first", 3]), "equal")
    yield Case(("order", DIAMOND, [(3, 1.0)], ["first", 1, 2, 3]), "made last")
    yield Case(("order", DIAMOND, [(3, 1.0)], ["first", 2, 1, 3]), "made last")
    yield Case(("order", [LEAF, LEAF, LEAF], [(1, 1.0), (0, 1.0), (2, 1.0)], [5, 5, 5]), "equal")
    yield Case(("order", [LEAF, LEAF, LEAF], [(1, 1.0), (0, 1.0), (2, 1.0)], [5, 9, 7]), "made last")
    yield Case(("order", [LEAF, LEAF, LEAF], [(0, 1.0), (1, 1.0), (2, 1.0)], [5, 7, 9]), "made last")
    for sequence in ([5, 5, 5], [0, 0, 0], ["first", "first", "first"]):
        for roots in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
            yield Case(("order", [LEAF, LEAF, LEAF], [(root, 1.0) for root in roots], sequence), "equal")
    late: Graph = [LEAF, (1, ((0, 0, 1),)), LEAF, LEAF]  # node 0 becomes ready behind three, or two, equal ones
    for roots in ([1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2]):
        yield Case(("order", late, [(root, 1.0) for root in roots], [5, 5, 5, 5]), "equal")
        yield Case(("order", late, [(root, 1.0) for root in roots], [5, 7, 5, 5]), "equal")
    yield Case(("order", [LEAF, LEAF], [(0, 1.0), (1, 1.0)], [1 << 60, (1 << 60) + 1]), "made last")
    # Forty small batches of equal ones become ready, and all wait until the spine is through.
    spine: Graph = [LEAF] * 80
    for number in range(40):
        before = [(79 + number, 0, 1)] if number else []
        spine.append((1, ((2 * number + 1, 0, 1), *before, (2 * number, 0, 1))))
    yield Case(("order", spine, [(119, 1.0)], [*[1] * 80, *range(2, 42)]), "batches")
    yield Case(("order", spine, [(119, 1.0)], [1] * 120), "batches")
    branches: Graph = [LEAF, LEAF, (1, ((0, 0, 1),)), (1, ((1, 0, 1),)), (1, ((2, 0, 1), (3, 0, 1)))]
    yield Case(("order", branches, [(4, 1.0)], ["first", "first", 2, 3, 4]), "leaves at once")
    yield Case(("order", branches, [(4, 1.0)], [0, 1, 2, 3, 4]), "made last")
    for _ in range(40):
        graph = _graph(rng, rng.randint(3, 8))
        length = len(graph)
        numbers: list = list(range(length)) if rng.random() < 0.5 else [rng.randrange(length) for _ in range(length)]
        for number, (_, edges) in enumerate(graph):
            if not any(edges):
                numbers[number] = "first"
        begins = [(length - 1, 1.0)]
        if rng.random() < 0.4:
            begins.insert(rng.randint(0, 1), (rng.randrange(length - 1), 2.0))
        yield Case(("order", graph, begins, numbers), "equal" if len(set(numbers)) < length else "made last")


def _of_main(args: tuple, wanted: object, got: object) -> Iterator[str]:
    observed, graph, roots, *sequence = args
    if observed == "gradients" and type(graph) is list:
        right, given = next((wanted[key], got[key]) for key in wanted if wanted[key] != got[key])  # type: ignore
        if right == "does not run":
            yield "without a gradient" if any(value is None for _, value in roots) else "begin"
        else:
            yield "all nodes" if given == "does not run" else "begin" if len(roots) > 1 else "once"
    elif observed == "order":
        one, other = next((one, other) for one, other in zip(wanted, got, strict=False) if one != other)  # type: ignore
        numbers = sequence[0]
        is_accumulator = numbers[one] == "first" != numbers[other]
        yield "equal" if numbers[one] == numbers[other] else "leaves at once" if is_accumulator else "made last"


THREAD_MAIN = Check(
    "autograd.engine.thread_main",
    ("observed", "graph", "roots", "sequence"),
    (
        Aspect("ordinary", 3, _main_ordinary),
        Aspect("order", 3, _main_order, needs="ordinary"),
    ),
    {
        "all nodes": "every node that becomes ready runs, once",
        "once": "a node has run with another gradient, or more than once: it runs when `evaluate_function` says "
        "that it "
        "is ready",
        "begin": "the pass begins with those keys of `task.buffers` that wait for no gradient: a root may be below "
        "another root",
        "without a gradient": "the pass begins with keys of `task.buffers`: a node that has no gradient does not "
        "begin, "
        "though it waits for none",
        "deep": "a chain may be longer than Python's limit for recursion: use a loop",
        "made last": "of the nodes that are ready, the one with the greatest `sequence_nr` runs first",
        "equal": "of several with the same `sequence_nr`, the one that became ready first runs first, also where "
        "others "
        "have run in between",
        "batches": "of several with the same `sequence_nr`, the one that became ready first runs first, also where "
        "others have run in between",
        "leaves at once": "an accumulator has the greatest number of all: it runs as soon as it is ready",
        "raised": "every graph here is sound, so no error is expected: it comes from a line of your own",
    },
    probe="autograd.graphs.run",
    mistakes=(
        Mistake(
            "two nodes were compared, and nodes cannot be: in a heap, a number that grows with every entry ever pushed "
            "must come before the node",
            lambda args, wanted, got: got.raised == "TypeError" and COMPARED.search(got.message) is not None,
        ),
    ),
    differs=_of_main,
    words={
        "graph": GRAPH,
        "roots": "(node, its gradient); with None no gradient has come in, so the node does not begin",
        "sequence": "the sequence number of each node; 'first' is the number of an accumulator",
        "gradients": "asks what each node saw, in any order",
        "order": "asks in which order the nodes ran",
    },
    program="autograd.program.run",
)

CHECKS = (COMPUTE_DEPENDENCIES, EVALUATE_FUNCTION, THREAD_MAIN)
