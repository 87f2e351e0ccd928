"""No function outside engine/cuda takes more than twelve arguments, but for those whose signature is given."""

import ast
from collections.abc import Iterator
from pathlib import Path

import numba
import numpy as np

import engine
from engine.cpu.argument_structs import Matrix, VectorBatch, type_of

PACKAGE = Path(engine.__file__).parent
MOST = 12
GIVEN = {
    "aten/native/convolution_backward.py _convolution_double_backward": "the schema in native_functions.yaml",
    "autograd/gradcheck.py gradcheck": "torch.autograd.gradcheck",
    "cpu/gemm_loops.py blocked_products": "an exercise of lab 5",
    "cpu/gemm_loops.py row_products": "an exercise of lab 5",
    "optim/adam.py Adam.__init__": "torch.optim.Adam",
    "profiler/autograd_profiler.py profile.__init__": "torch.autograd.profiler.profile",
    "profiler/stepwise.py profile.__init__": "torch.profiler.profile",
    "transforms/wrapper_subclass.py make_wrapper_subclass": "torch.Tensor._make_wrapper_subclass",
    "transforms/flop_counter.py conv_backward_flop": "torch.utils.flop_counter.conv_backward_flop",
}


def functions(node: ast.AST, above: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for child in ast.iter_child_nodes(node):
        name = f"{above}{getattr(child, 'name', '')}"
        if isinstance(child, ast.FunctionDef):
            yield name, child
        yield from functions(child, f"{name}." if hasattr(child, "name") else above)


def count(function: ast.FunctionDef) -> int:
    given = function.args
    named = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)
    return named + (given.vararg is not None) + (given.kwarg is not None)


def test_only_functions_with_a_given_signature_take_more_than_twelve_arguments():
    found = {
        f"{path.relative_to(PACKAGE).as_posix()} {name}"
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] != "cuda"
        for name, function in functions(ast.parse(path.read_text(encoding="utf-8")))
        if count(function) > MOST
    }
    assert found == GIVEN.keys()


def corner(matrix):
    return matrix.elements[matrix.start + matrix.row_stride + matrix.column_stride]


def test_a_kernel_reads_a_record_by_name_compiled_and_as_python():
    compiled = numba.njit(corner).compile((type_of(Matrix, engine.float32),))
    elements = np.arange(10, dtype=np.float32)
    record = Matrix(elements, 1, 4, 2)
    assert corner(record) == compiled(record) == compiled(tuple(record)) == 7


def test_the_types_of_a_record_are_in_the_order_of_its_fields():
    assert dict(zip(VectorBatch._fields, type_of(VectorBatch, engine.int64).types, strict=True)) == {
        "elements": numba.int64[::1],
        "start": numba.int64,
        "batch_stride": numba.int64,
        "stride": numba.int64,
    }
