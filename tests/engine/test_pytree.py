"""Trees of containers, engine against torch.utils._pytree: the same expressions with `P` one and the other."""

import dataclasses
import gc
import importlib
import json
import weakref
from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest
from compare import needs_torch, torch

import engine
from engine.utils import _pytree as pytree

Point = namedtuple("Point", "x y")


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def __repr__(self):
        return f"Pair({self.first}, {self.second})"


TREE = {"a": [1, (2, None)], "b": Point(3, {"c": 4}), "d": OrderedDict(e=5), "f": [], "g": deque([6, 7], 3)}


@dataclasses.dataclass
class Data:
    x: object
    y: object
    z: object = None


SCOPE = {"json": json, "Data": Data,
         "OrderedDict": OrderedDict, "defaultdict": defaultdict, "deque": deque, "Point": Point, "Pair": Pair,
         "TREE": TREE, "MORE": defaultdict(list, {"b": 1, "a": (2,)})}  # fmt: skip
EXPRESSIONS = (
    "P.tree_flatten(TREE)",
    "P.tree_flatten(MORE)",
    "P.tree_flatten(3)",
    "P.tree_flatten(())",
    "P.tree_flatten(TREE, is_leaf=lambda node: isinstance(node, list))",
    "P.tree_unflatten(range(8), P.tree_structure(TREE))",
    "P.tree_unflatten(P.tree_structure(MORE), [3, 4])",
    "P.tree_unflatten([1, 2, 3], P.tree_structure([0, 0]))",
    "P.tree_unflatten([1], 3)",
    "P.tree_map(lambda x: (x,), TREE)",
    "P.tree_map(lambda x, y: (x, y), [1, (2, 3)], [[4], (5, {6: 7})])",
    "P.tree_map(lambda x, y: (x, y), {1: 2, 3: 4}, OrderedDict([(3, 5), (1, 6)]))",
    "P.tree_map(lambda x, y: 0, [1, 2], (1, 2))",
    "P.tree_map(lambda x, y: 0, [1, 2], [1, 2, 3])",
    "P.tree_map(lambda x, y: 0, {1: 2}, {3: 4})",
    "P.tree_map(lambda x, y: 0, Point(1, 2), (1, 2))",
    "P.tree_map(lambda x, y: 0, Pair(1, 2), [1, 2])",
    "P.tree_map(lambda x, y: (x, y), deque([1], 2), deque([3], 4))",
    "P.tree_map(lambda x: -x, Pair(1, [2]))",
    "P.tree_map_only(int, lambda x: -x, [1, 'a', (2.5, True)])",
    "P.tree_map_only((int, str), lambda x: x * 2, [1, 'a', 2.5])",
    "P.tree_map_only(lambda x: x == 1, lambda x: 5, [1, 2])",
    "P.tree_map_only(3, lambda x: 5, [1, 2])",
    "P.tree_leaves(TREE)",
    "P.tree_flatten(T.Size([2, 3]))",
    "P.tree_flatten(T.ones(2, 3).max(1))[1]",
    "P.tree_map(lambda x: x + 1, (T.ones(2, 3).max(1), T.ones(2).shape))",
    "[*P.tree_iter(MORE)]",
    "P.tree_all(bool, TREE), P.tree_any(bool, TREE), P.tree_all(bool, []), P.tree_any(bool, [])",
    "P.tree_all_only(int, lambda x: x > 1, ['a', 2]), P.tree_any_only(int, lambda x: x > 2, [3.0, 2])",
    "P.tree_is_leaf(None), P.tree_is_leaf([]), P.tree_is_leaf(Point(1, 2))",
    "P.tree_structure(TREE) == P.tree_structure(P.tree_map(str, TREE)), P.tree_structure([]) == P.tree_structure(())",
    "len({P.tree_structure(TREE), P.tree_structure(P.tree_map(str, TREE)), P.tree_structure(MORE)})",
    "P.tree_structure(TREE).num_leaves, P.tree_structure(TREE).num_nodes, P.tree_structure(TREE).num_children",
    "P.tree_structure(TREE).children(), P.tree_structure(TREE).child(0), P.tree_structure(1).is_leaf()",
    "P.tree_structure(TREE).context, P.tree_structure(MORE).type",
    "P._broadcast_to_and_flatten(1, P.tree_structure(TREE))",
    "P._broadcast_to_and_flatten((0, [1, None]), P.tree_structure(((5, 6), [7, (8, 9)])))",
    "P._broadcast_to_and_flatten((0, 1), P.tree_structure([5, 6]))",
    "P._broadcast_to_and_flatten((0, 1, 2), P.tree_structure((5, 6)))",
    "P._broadcast_to_and_flatten({'a': 0}, P.tree_structure({'b': 1}))",
    "P.register_pytree_node(Pair, None, None)",
    "[P.treespec_dumps(P.tree_structure(tree)) for tree in (1, [{'a': (2,)}], MORE, OrderedDict(a=1), deque([1], 4))]",
    "P.treespec_loads(P.treespec_dumps(P.tree_structure(MORE))) == P.tree_structure(MORE)",
    "P.treespec_dumps(P.tree_structure(Point(1, 2)))",
    "P.treespec_dumps(P.tree_structure(Pair(1, 2)))",
    "P.treespec_dumps(P.tree_structure([]), 2)",
    "P.treespec_dumps([])",
    "P.treespec_loads(json.dumps([1, {'type': 'no.Such', 'context': None, 'children_spec': []}]))",
    "P.treespec_pprint(P.tree_structure(TREE))",
    "[(P.keystr(path), P.key_get(TREE, path) is leaf, path) for path, leaf in P.tree_leaves_with_path(TREE)]",
    "P.tree_map_with_path(lambda path, x, y: (P.keystr(path), x, y), {'a': [1]}, {'a': [(2, 3)]})",
    "P.tree_flatten_with_path([Pair(1, 2)])",
    "P.tree_flatten(Data(1, [2, 3])), P.tree_map(lambda x: -x, Data(1, [2])), P.tree_leaves_with_path(Data(1, 2, 3))",
    "P.register_dataclass(int)",
    "P.register_dataclass(Data, field_names=['x'])",
    "P.treespec_leaf() == P.LeafSpec()",
    "[P.is_namedtuple(thing) for thing in (Point, Point(1, 2), (1, 2))], P.is_structseq(T.ones(2).max(0))",
    "P.arg_tree_leaves(1, [2], a={'b': 3}), next(P.tree_iter([4, 5])), P.map_only(int)(abs).__name__",
    "P.register_pytree_node(list, None, None)",
)  # fmt: skip


def outcome(P, expression):
    try:
        return repr(eval(expression, {**SCOPE, "P": P, "T": engine if P is pytree else torch}))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


@pytest.fixture(scope="module", autouse=True)
def _containers():
    for P in (pytree, *([importlib.import_module("torch.utils._pytree")] if importlib.util.find_spec("torch") else [])):
        P.register_pytree_node(
            Pair, lambda pair: ([pair.first, pair.second], None), lambda children, _: Pair(*children)
        )
        P.register_dataclass(Data)


@needs_torch
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_trees_are_pytorchs(expression):
    assert outcome(pytree, expression) == outcome(importlib.import_module("torch.utils._pytree"), expression)


def test_a_tree_comes_back_from_its_leaves_and_its_structure():
    leaves, structure = pytree.tree_flatten(TREE)
    assert leaves == [1, 2, None, 3, 4, 5, 6, 7]
    assert repr(pytree.tree_unflatten(leaves, structure)) == repr(TREE)


def test_a_structure_prints_a_container_a_line():
    assert repr(pytree.tree_structure([1, (2, {"a": None})])) == (
        "TreeSpec(list, None, [*,\n  TreeSpec(tuple, None, [*,\n    TreeSpec(dict, ['a'], [*])])])"
    )


def test_too_many_leaves_are_refused_in_pytorchs_words():
    with pytest.raises(ValueError, match="`leaves` has length 3 but the spec refers to a pytree that holds 1 items"):
        pytree.tree_unflatten([1, 2, 3], pytree.tree_structure([0]))


def test_a_structure_is_written_as_pytorchs_json_and_read_again():
    leaf = {"type": None, "context": None, "children_spec": []}
    written = {"type": "collections.OrderedDict", "context": '["a"]', "children_spec": [leaf]}
    text = pytree.treespec_dumps(pytree.tree_structure(OrderedDict(a=1)))
    assert json.loads(text) == [1, written]
    assert pytree.treespec_loads(text).unflatten([5]) == OrderedDict(a=5)


def test_a_leaf_has_the_path_that_python_writes():
    paths = [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path({"a": [1, Point(2, (3,))]})]
    assert paths == ["['a'][0]", "['a'][1].x", "['a'][1].y[0]"]


def test_a_prefix_is_repeated_for_the_leaves_below_it():
    assert pytree._broadcast_to_and_flatten([0, (1, None)], pytree.tree_structure([[5, 6], (7, 8)])) == [0, 0, 1, None]


def test_a_tree_that_was_taken_apart_keeps_no_leaf_alive():
    tensor = engine.ones(1)
    leaf = weakref.ref(tensor)
    gc.disable()
    try:
        pytree.tree_map(type, [tensor])
        del tensor
        assert leaf() is None
    finally:
        gc.enable()
