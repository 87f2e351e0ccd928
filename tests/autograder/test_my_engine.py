"""A student's own engine as one tree: the parts are in the engine's files, and nothing else changes or is lost."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from another_way import ANOTHER_WAY

import engine
from autograder.author import lab_text, solutions
from autograder.overlay import PartError, source_of
from autograder.student import my_engine
from autograder.student.part_text import placed

PACKAGE = Path(engine.__file__).parent
MUL = "autograd.variable_type_manual.mul"
# The answers of `Different` can be seen from outside: every element's offset is counted from the end.
DIFFERENT = '''
import math
from functools import reduce as fold

LARGEST = 1  # and not the engine's


def max(a, b):  # a helper with the name of a builtin
    return a if a > b else b


def wrap_dim(size):
    return max(size, LARGEST)


def contiguous_strides(sizes):
    """Mine."""
    print("mine runs")
    return tuple(fold(lambda a, b: a * wrap_dim(b), sizes[d + 1 :], LARGEST) for d in range(len(sizes)))
'''
PROGRAM = """
import engine as torch
torch.manual_seed(0)
x = torch.randn(3, 4, requires_grad=True)
y = (x.t().contiguous() @ x).exp().permute(1, 0)[1:, ::2] + torch.arange(2)
y.sum().backward()
print(y.tolist(), x.grad.tolist(), torch.ones(2, 3).stride())
"""


def run(program, tree):
    """Run a program in a fresh process, in the folder of a tree or as the reference."""
    environment = {name: value for name, value in os.environ.items() if name not in ("ENGINE_PARTS", "PYTHONPATH")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def text_of(path):
    return (PACKAGE / path).read_text(encoding="utf-8")


def run_text(text, path="strides.py"):
    """The names of a module of the engine with this text."""
    module = Path(path).with_suffix("")
    names = {"__name__": f"engine.{'.'.join(module.parts)}", "__package__": ".".join(["engine", *module.parts[:-1]])}
    exec(compile(text, path, "exec"), names)
    return names


def place(cell, name="strides.contiguous_strides", path="strides.py", others=()):
    return placed(text_of(path), name, cell, lambda: others)


# ---- a part in the engine's text


def test_the_references_text_in_its_own_place_changes_no_code():
    for name, text in solutions.solutions().items():
        path = f"{name.rpartition('.')[0].replace('.', '/')}.py"
        assert ast.dump(ast.parse(place(text, name, path))) == ast.dump(ast.parse(text_of(path))), name


@pytest.mark.slow
def test_every_right_answer_in_other_words_finds_its_place():
    parts = solutions.solutions() | ANOTHER_WAY
    file_of = {name: f"{name.rpartition('.')[0].replace('.', '/')}.py" for name in parts}
    tree = my_engine.assemble(parts, file_of)
    assert (tree.mine, tree.left) == (tuple(parts), {})
    for path, text in tree.files.items():
        mine = [name for name in parts if file_of[name] == path]
        assert [name for name in mine if f"# yours: {name}\n" not in text] == []


def test_helpers_stand_before_the_function_and_are_renamed_only_if_they_clash():
    text = place(DIFFERENT)
    names = run_text(text)
    assert names["contiguous_strides"]((2, 0, 3)) == (3, 3, 1)
    assert names["wrap_dim"](-1, 3) == 2  # the engine's own stays
    assert "LARGEST = 1  # and not the engine's\n" in text  # no clash: the name and the comment stay
    assert "def max_contiguous_strides(a, b):  # a helper with the name of a builtin\n" in text
    assert "return max_contiguous_strides(size, LARGEST)\n" in text
    assert text.index("def wrap_dim_contiguous_strides") < text.index("def contiguous_strides")


def test_an_import_that_the_file_has_too_is_no_clash():
    text = place("import math\nimport os.path\n\ndef contiguous_strides(sizes):\n    return math.prod(sizes)\n")
    assert text.count("import math\n") == 2
    assert run_text(text)["contiguous_strides"]((2, 3)) == 6


@pytest.mark.parametrize(
    "lines",
    [
        "from math import floor as wrap_dim",
        "from math import (floor as\n    wrap_dim)",
        "import math as wrap_dim\nwrap_dim = wrap_dim.floor",
        "wrap_dim = lambda number: int(number)",
        "for wrap_dim in (int,):\n    pass",
        "with open(__import__('os').devnull) as wrap_dim:\n    pass\nwrap_dim = int",
        "class wrap_dim(int):\n    pass",
        "wrap_dim = None\ndef use():\n    global wrap_dim\n    wrap_dim = int\nuse()",
        "try:\n    1 / 0\nexcept ZeroDivisionError as wrap_dim:\n    pass\nwrap_dim = int",
        "import wrap_dim.inside",
    ],
)
def test_a_name_that_clashes_is_renamed_however_it_is_bound_or_the_part_is_refused(lines):
    cell = f"{lines}\ndef contiguous_strides(sizes):\n    return [wrap_dim(size) for size in sizes]\n"
    try:
        text = place(cell)
    except PartError as error:
        assert "`wrap_dim` too: call yours something else" in str(error)
        assert "except" in lines or "wrap_dim.inside" in lines or "\n    wrap_dim)" in lines
    else:
        names = run_text(text)
        assert names["contiguous_strides"]([2.5]) == [2]
        assert names["wrap_dim"](-1, 3) == 2


def test_local_names_keywords_and_texts_that_read_like_a_helper_stay():
    cell = """
def wrap_dim(size):
    return size

def contiguous_strides(sizes, *, wrap_dim=wrap_dim):
    "wrap_dim"
    return [wrap_dim(size) for size in sizes], dict(wrap_dim=1), f"{wrap_dim(3)} wrap_dim"
"""
    text = place(cell)
    assert "def contiguous_strides(sizes, *, wrap_dim=wrap_dim_contiguous_strides):\n" in text
    assert run_text(text)["contiguous_strides"]((2,)) == ([2], {"wrap_dim": 1}, "3 wrap_dim")


def test_a_helper_with_the_name_of_a_function_in_another_file_of_the_folder_is_renamed():
    """The operators' functions are found by their names in a whole folder, where a name must be of one file."""
    cell = "def relu():\n    pass\n\ndef permute(self, dims):\n    relu()\n"
    tree = my_engine.assemble(
        {"aten.native.tensor_transpose.permute": cell},
        {"aten.native.tensor_transpose.permute": "aten/native/tensor_transpose.py"},
    )
    assert "def relu_permute():" in tree.files["aten/native/tensor_transpose.py"]


def test_two_parts_of_a_file_have_helpers_of_the_same_name():
    parts = {
        f"strides.{name}": f"def helper():\n    return {name!r}\n\n{head}:\n    return helper()\n"
        for name, head in (("permute", "def permute(sizes, strides, dims)"), ("unfold", "def unfold(*given)"))
    }
    text = my_engine.assemble(parts, dict.fromkeys(parts, "strides.py")).files["strides.py"]
    names = run_text(text)
    assert (names["permute"](1, 2, 3), names["unfold"]()) == ("permute", "unfold")


def test_the_decorators_are_the_references():
    path, name = "cpu/gemm_loops.py", "cpu.gemm_loops.row_products"
    cell = source_of(name)
    bare = cell[cell.index("def ") :]
    decorators = cell[: cell.index("def ")]
    assert decorators.startswith("@")
    for own in (bare, f"from numba import njit\n\n@njit(cache=True)\n{bare}"):
        assert f"{decorators}{bare}" in place(own, name, path)


def test_of_a_class_only_what_the_part_defines_is_replaced():
    cell = """
LIMIT = 7

class TensorAccessor:
  "Mine."
  __slots__ = ()
  sizes: tuple

  def offset_of(self, index):  # two spaces
    text = '''
  stays as it is'''
    return self.limit() + LIMIT + len(text)

  @staticmethod
  def limit():
    return 1
"""
    text = place(cell, "accessor.TensorAccessor", "accessor.py")
    made = run_text(text, "accessor.py")["TensorAccessor"]
    accessor = made([0, 1], (2,), (1,), 0)
    assert accessor.offset_of(0) == 8 + len("\n  stays as it is")
    assert (len(accessor), made.__slots__) == (2, engine.accessor.TensorAccessor.__slots__)
    assert made.__doc__ == engine.accessor.TensorAccessor.__doc__
    assert "    def offset_of(self, index):  # two spaces\n" in text or "    def offset_of(self, index):\n" in text


@pytest.mark.parametrize(
    "cell, reason",
    [
        ("contiguous_strides = len", "the cell has no `def contiguous_strides`"),
        ("class contiguous_strides:\n    pass", "a class on one side only"),
        ("from __future__ import annotations\ndef contiguous_strides(sizes): pass", "from __future__ imports must"),
        ("def contiguous_strides(sizes:", "can't be put into the engine's file"),
    ],
)
def test_a_part_that_has_no_place_is_refused_with_the_reason(cell, reason):
    with pytest.raises(PartError, match=reason):
        place(cell)


def test_a_statement_in_a_class_that_is_no_method_is_refused():
    with pytest.raises(PartError, match="line 2 of the cell: a class can take methods and attributes only"):
        place("class TensorAccessor:\n    if True:\n        pass", "accessor.TensorAccessor", "accessor.py")


# ---- the command: what it refuses


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "my_engine"
    solutions.write(folder, {"strides.permute": source_of("strides.permute")})
    return folder


def refusal(capsys, *arguments):
    assert my_engine.main([str(argument) for argument in arguments]) == 1
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    return printed.err


def test_no_folder_of_parts_and_no_part_are_one_sentence(tmp_path, capsys):
    missing, empty = tmp_path / "missing", tmp_path / "empty"
    empty.mkdir()
    assert f"there is no folder {missing}" in refusal(capsys, tmp_path / "tree", "--parts", missing)
    assert f"there is no part in {empty}" in refusal(capsys, tmp_path / "tree", "--parts", empty)
    assert sorted(tmp_path.iterdir()) == [empty]


def test_a_part_that_is_no_text_is_named(parts, capsys):
    (parts / "strides" / "expand.py").write_bytes(b"\xff\xfe\x00")
    assert "can't be read" in refusal(capsys, parts.parent / "tree", "--parts", parts)


def test_what_the_command_did_not_write_stays(parts, capsys):
    tree = parts.parent / "tree"
    tree.mkdir()
    (tree / "notes.txt").write_text("mine")
    assert "this command did not write it" in refusal(capsys, tree, "--parts", parts)
    assert [(path.name, path.read_text()) for path in tree.iterdir()] == [("notes.txt", "mine")]
    assert "is no folder" in refusal(capsys, tree / "notes.txt", "--parts", parts)


def test_a_tree_that_was_changed_since_stays(parts, capsys):
    tree = parts.parent / "tree"
    (tree / "engine").mkdir(parents=True)
    (tree / "engine" / "strides.py").write_text("as written")
    record = my_engine.digests(tree)
    (tree / my_engine.RECORD).write_text(str(record).replace("'", '"'))
    my_engine.require_free(tree, parts)
    (tree / "engine" / "__pycache__").mkdir()
    (tree / "engine" / "__pycache__" / "strides.pyc").write_bytes(b"compiled")
    my_engine.require_free(tree, parts)
    (tree / "engine" / "mine.py").write_text("added")
    assert "was changed after it was written (engine/mine.py)" in refusal(capsys, tree, "--parts", parts)
    (tree / "engine" / "mine.py").unlink()
    (tree / "engine" / "strides.py").write_text("changed")
    assert "was changed after it was written (engine/strides.py)" in refusal(capsys, tree, "--parts", parts)


def test_a_target_in_the_parts_or_around_them_is_refused(parts, capsys):
    for target in (parts / "tree", parts, parts.parent):
        assert "lie in one another" in refusal(capsys, target, "--parts", parts)


def test_the_readme_says_whose_each_function_is(tmp_path):
    tree = my_engine.Tree({}, ("strides.permute", "strides.not_asked"), {"strides.expand": "a reason"})
    text = my_engine.readme(tree, my_engine.exercises_by_lab(tmp_path))
    rows = {line.split(" | ")[0]: line.split(" | ")[1:] for line in text.splitlines() if line.startswith("| ")}
    assert {lab for lab in rows if lab[2].isdigit()} == {f"| {lab}" for lab in lab_text.LABS}
    mine, references = rows["| 01-strides"]
    assert mine == "`strides.permute`" and "`strides.expand`" in references and "strides.permute" not in references
    assert rows["| in no lab here"][0] == "`strides.not_asked`"
    assert "`strides.expand` is still the reference's: a reason" in text
    assert "import engine as torch" in text and "BSD-3-Clause" in text


# ---- the tree, in fresh processes


@pytest.mark.handed_out
@pytest.mark.slow  # each run imports the engine twice in fresh processes, and kernels are compiled
class TestTree:
    def test_right_answers_make_an_engine_with_the_same_results(self, tmp_path, capsys):
        parts, tree = tmp_path / "my_engine", tmp_path / "tree"
        solutions.write(parts, solutions.solutions() | ANOTHER_WAY)
        assert my_engine.main([str(tree), "--parts", str(parts)]) == 0
        assert f"with {len(solutions.solutions())} of your parts" in capsys.readouterr().out
        assert run(PROGRAM, tree) == run(PROGRAM, tmp_path)
        assert Path(run("import engine; print(engine.__file__)", tree).strip()).parent == tree / "engine"
        assert {path.name for path in tree.iterdir()} == {"engine", "README.md", "LICENSE", my_engine.RECORD}
        assert not list(tmp_path.glob(".tree-*"))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
        command += ["-c", str(lab_text.ROOT / "pyproject.toml"), "--rootdir", str(lab_text.ROOT)]
        command += [
            str(lab_text.ROOT / "tests" / "engine" / name) for name in ("test_dispatch_table.py", "test_schema.py")
        ]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stdout[-3000:]

    def test_a_different_function_is_seen_in_the_tree_and_only_there(self, tmp_path, capsys):
        parts, tree = tmp_path / "my_engine", tmp_path / "tree"
        solutions.write(parts, {"strides.contiguous_strides": DIFFERENT})
        assert my_engine.main([str(tree), "--parts", str(parts)]) == 0
        program = "import engine as torch; print(torch.ones(2, 3).sum().item())"
        assert (run(program, tree).count("mine runs") > 0, run(program, tmp_path)) == (True, "6.0\n")
        solutions.write(parts, {"strides.contiguous_strides": source_of("strides.contiguous_strides")})
        assert my_engine.main([str(tree), "--parts", str(parts)]) == 0  # its own tree is written again
        assert run(program, tree) == "6.0\n"

    def test_a_kernel_that_is_generated_in_the_reference_is_the_students_in_the_tree(self, tmp_path):
        parts, tree = tmp_path / "my_engine", tmp_path / "tree"
        text = source_of(MUL).replace("    if not (state", "    print('mine runs')\n    if not (state", 1)
        solutions.write(parts, {MUL: text})
        assert my_engine.main([str(tree), "--parts", str(parts)]) == 0
        program = "import engine as torch; x = torch.ones(2, requires_grad=True); print((x * x).tolist())"
        assert run(program, tree) == "mine runs\n[1.0, 1.0]\n" and run(program, tmp_path) == "[1.0, 1.0]\n"

    def test_a_part_that_cannot_be_placed_is_named_and_the_reference_stays(self, tmp_path, capsys):
        parts, tree = tmp_path / "my_engine", tmp_path / "tree"
        early = "from engine.tensor_impl import Tensor\n\n"  # there while a graft is made, not while the file is read
        solutions.write(
            parts,
            {
                "strides.permute": early + source_of("strides.permute"),
                "strides.expand": source_of("strides.expand"),
                "strides.unfold": "def unfold(sizes):\n    pass\n",
                "strides.no_such": "def no_such():\n    pass\n",
            },
        )
        assert my_engine.main([str(tree), "--parts", str(parts)]) == 1
        told = capsys.readouterr()
        assert "with 1 of your parts" in told.out
        left = dict(line.split(" is left to the reference: ") for line in told.err.splitlines()[1:])
        assert set(left) == {"strides.permute", "strides.unfold", "strides.no_such"}
        assert "can't be imported with it in its file: ImportError" in left["strides.permute"]
        assert "must take" in left["strides.unfold"] and "has no no_such" in left["strides.no_such"]
        assert run(PROGRAM, tree) == run(PROGRAM, tmp_path)
        assert source_of("strides.permute") in (tree / "engine" / "strides.py").read_text()
