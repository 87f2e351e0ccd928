"""Mutants of a function: its source with one thing changed, as a slip of the hand or of the mind would.

Cosmic Ray's operators change a token (`<` to `<=`, `+` to `-`, 1 to 2, `break` to `continue`); those below
change a piece of the syntax tree. What no case can tell apart by design is not mutated: docstrings,
annotations, the texts of errors, and `strict=True`, which asserts what the docstring promises.
"""

import ast
import copy
import difflib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from autograder.proof.mutants_of_state import OF_STATE

# Cosmic Ray's that draw at random, and one that has nothing to do here.
LEFT_OUT = ("VariableReplacer", "VariableInserter", "RemoveDecorator")
# Of small ints, identity is equality, and which ints are small is the interpreter's business: comparing by
# identity is among the wrong answers written by hand instead.
IDENTITY = ("_Is", "_IsNot")


@dataclass(frozen=True)
class Mutant:
    """A modified copy of a source.

    Args:
        operator: what was done.
        source: text that defines the function or class.
        before, after: the lines that differ, as `ast.unparse` writes them, stripped and joined by newlines.
    """

    operator: str
    source: str
    before: str
    after: str


def mutants(source: str, methods: tuple[str, ...] = ()) -> list[Mutant]:
    """Return all distinct mutants of the function, or of the named methods of the class, that `source` defines.

    Mutants whose syntax tree is the reference's, or another mutant's, are left out.
    """
    reference = essence(source)
    seen = {reference}
    found = []
    for operator, mutated in itertools.chain(_by_tokens(source), _by_tree(source)):
        try:
            text = essence(mutated)
        except SyntaxError:
            continue
        if text in seen or not _only_within(methods, source, mutated):
            continue
        seen.add(text)
        found.append(Mutant(operator, mutated, *_changed_lines(reference, text)))
    return found


def essence(source: str) -> str:
    """Return the source in `ast.unparse` form, without the parts that are never mutated.

    >>> essence('def f(x: int) -> int:' + chr(10) + '    "Twice."  # x' + chr(10) + '    return 2*x')
    'def f(x):\\n    return 2 * x'
    """
    return ast.unparse(ast.fix_missing_locations(_Essence().visit(ast.parse(source))))


class _Essence(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        return self.visit_ClassDef(node)

    def visit_ClassDef(self, node):
        if not isinstance(node, ast.FunctionDef):
            self.generic_visit(node)
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != "strict"]
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call):
            node.exc = ast.Call(node.exc.func, [], [])
        return node


def _changed_lines(reference: str, mutated: str) -> tuple[str, str]:
    diff = list(difflib.ndiff(reference.splitlines(), mutated.splitlines()))
    before, after = ("\n".join(line[2:].strip() for line in diff if line[0] == sign) for sign in "-+")
    return before, after


def _only_within(methods: tuple[str, ...], source: str, mutated: str) -> bool:
    """Return whether everything but `methods` is unchanged; without methods, always True."""
    if not methods:
        return True
    given = []
    for text in (source, mutated):
        tree = ast.parse(essence(text))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name in methods:
                node.body = [ast.Pass()]
        given.append(ast.dump(tree))
    return given[0] == given[1]


def _by_tokens(source: str) -> Iterator[tuple[str, str]]:
    """Yield Cosmic Ray's mutants."""
    from cosmic_ray import plugins
    from cosmic_ray.ast import get_ast
    from cosmic_ray.mutating import MutationVisitor

    tree = get_ast(source)
    for name in plugins.operator_names():
        short = name.split("/")[1]
        if short in LEFT_OUT or short.startswith("ReplaceComparison") and short.endswith(IDENTITY):
            continue
        operator = plugins.get_operator(name)()
        for occurrence in itertools.count():
            visitor = MutationVisitor(occurrence, operator)
            mutated = visitor.walk(tree)
            if not visitor.mutation_applied:
                break
            yield short, mutated.get_code()
            tree = get_ast(source)  # parsing is most of the work, so it is not done where nothing was changed


def _by_tree(source: str) -> Iterator[tuple[str, str]]:
    """Yield mutants by our own operators: each gives the replacements of a node."""
    tree = ast.parse(source)
    for position, node in enumerate(ast.walk(tree)):
        for name, operator in OPERATORS.items():
            for occurrence in range(len(list(operator(copy.deepcopy(node))))):
                mutated = copy.deepcopy(tree)
                target = next(itertools.islice(ast.walk(mutated), position, None))
                replacement = list(operator(copy.deepcopy(target)))[occurrence]
                yield name, ast.unparse(ast.fix_missing_locations(_replaced(mutated, target, replacement)))


def _replaced(tree: ast.AST, target: ast.AST, replacement: ast.AST) -> ast.AST:
    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return replacement if node is target else self.generic_visit(node)

    return Replace().visit(tree)


def _delete_statement(node):
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not is_text:
        yield ast.Pass()


def _negate_condition(node):
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        yield node


def _swap_arguments(node):
    if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in ("min", "max")):
        for i in range(len(node.args) - 1):
            swapped = copy.deepcopy(node)
            swapped.args[i], swapped.args[i + 1] = swapped.args[i + 1], swapped.args[i]
            yield swapped


def _drop_operand(node):
    if isinstance(node, ast.BoolOp):
        for i in range(len(node.values)):
            rest = node.values[:i] + node.values[i + 1 :]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def _drop_call(node):
    """Yield the arguments of a call, such as `x` and `1` of `max(x, 1)`; not an error's: its text can't be raised."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.func.id.endswith("Error"):
        is_tuple_already = node.func.id == "tuple" and isinstance(node.args[0], ast.Name)
        yield from () if is_tuple_already else node.args


def _take_one_branch(node):
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)


def _drop_filter(node):
    if isinstance(node, ast.comprehension) and node.ifs:
        node.ifs = []
        yield node


def _open_slice(node):
    """Open one end of a slice: `x[a:b]` to `x[:b]` and `x[a:]`."""
    if isinstance(node, ast.Slice):
        for bound in ("lower", "upper"):
            if getattr(node, bound) is not None:
                opened = copy.deepcopy(node)
                setattr(opened, bound, None)
                yield opened


def _swap_function(node):
    swaps = {"min": "max", "max": "min", "any": "all", "all": "any", "tuple": "list", "list": "tuple"}
    if isinstance(node, ast.Name) and node.id in swaps:
        yield ast.Name(swaps[node.id], node.ctx)


def _swap_names(node):
    """Swap one half of a geometry for the other: `sizes[d]` to `strides[d]`, `size * step` to `stride * step`."""
    swaps = {"sizes": "strides", "strides": "sizes", "size": "stride", "stride": "size", "start": "end", "end": "start"}
    places = {ast.Subscript: ("value",), ast.BinOp: ("left", "right"), ast.Compare: ("left",)}
    for place in places.get(type(node), ()):
        child = getattr(node, place)
        if isinstance(child, ast.Name) and child.id in swaps:
            swapped = copy.deepcopy(node)
            setattr(swapped, place, ast.Name(swaps[child.id], child.ctx))
            yield swapped


OPERATORS: dict[str, Callable[[ast.AST], Iterator[ast.AST]]] = {
    "DeleteStatement": _delete_statement,
    "NegateCondition": _negate_condition,
    "SwapArguments": _swap_arguments,
    "DropOperand": _drop_operand,
    "DropCall": _drop_call,
    "TakeOneBranch": _take_one_branch,
    "DropFilter": _drop_filter,
    "OpenSlice": _open_slice,
    "SwapFunction": _swap_function,
    "SwapNames": _swap_names,
    **OF_STATE,
}
