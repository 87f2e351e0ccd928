"""The generated source: of three operators pinned, of all of them sound.

The pinned text is in golden/, one file an operator: kernels, calls, names in Python. After a wanted change of a
generator `python tests/engine/test_codegen.py` writes these files anew; read their difference before you commit it.
"""

import ast
from pathlib import Path

import pytest

import engine
from engine.aten import python_bindings, registration
from engine.journey import show_generated

GOLDEN = Path(__file__).parent / "golden"
OPERATORS = ("add", "sum", "zeros")  # elementwise and structured; structured reduction; factory
TEXTS = show_generated.generated()


def generated(operator):
    """All text that is generated for an operator."""
    pieces = [
        TEXTS[f"{part}/{operator}.py"] for part in ("kernels", "autograd", "calls") if f"{part}/{operator}.py" in TEXTS
    ]
    for names in python_bindings.NAMES:
        wanted = (operator, f"{operator}_", f"__{operator}__", f"__r{operator}__", f"__i{operator}__")
        pieces += [f"# {names.owner}{name}\n{names.source(name)}" for name in wanted if name in names.bound]
    return "\n".join(pieces)


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_text_of_an_operator_is_the_one_that_was_read_and_kept(operator):
    assert generated(operator) == (GOLDEN / f"{operator}.py").read_text(encoding="utf-8")


def test_all_generated_text_is_python():
    for name, text in TEXTS.items():
        ast.parse(text, name)  # which an error names


def test_every_kernel_that_is_generated_is_registered_and_compiles():
    for entry in registration.FAMILIES.values():
        entry.compile()
        files = {where: kernel.function.__code__.co_filename for where, kernel in entry.kernels.items()}
        assert {where: file for where, file in files.items() if file != entry.filename} == {}


def test_a_traceback_shows_generated_lines():
    import linecache

    x = engine.ones(2, 3)
    x + x
    assert linecache.getline("<generated: add>", 1) == "class structured_add_Tensor(Functional, TensorIteratorBase):\n"
    assert linecache.getline("<dispatcher: aten::add.Tensor>", 1).startswith("def call(self, other, alpha")


def test_show_generated_writes_a_file_for_each_family_and_counts_lines(tmp_path, capsys):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "of_yesterday.py").write_text("")
    assert show_generated.main([str(tmp_path)]) == 0
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.py")}
    assert written == set(TEXTS)
    assert {f"kernels/{name}.py" for name in registration.FAMILIES} < written
    counts = show_generated.count(TEXTS)
    assert sum(counts["generated"].values()) == show_generated.lines(TEXTS.values())
    assert f"{sum(counts['generated'].values()):,} lines" in capsys.readouterr().out


def test_show_generated_wants_a_folder(capsys):
    assert show_generated.main([]) == 2


if __name__ == "__main__":
    for operator in OPERATORS:
        (GOLDEN / f"{operator}.py").write_text(generated(operator), encoding="utf-8")
