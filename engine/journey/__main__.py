"""`python -m engine.journey "x + y"`: each function that an expression runs, from the Python operator to the bytes."""

import argparse
import ast
import sys
from pathlib import Path

import engine

from ..tensor_impl import Tensor
from . import call_frames, table

LEGEND = """\
[green]green[/]: by hand
[yellow]yellow[/]: generated in memory by the file that the table names
[magenta]magenta[/]: by hand, compiled by numba to machine code
[dim]dim[/]: remembered, runs only while the engine's memos are empty; --all shows more
"""


def sizes(text: str) -> tuple[int, ...]:
    """Parse sizes such as "(2, 3)", "2,3" or "()" as a tuple."""
    given = ast.literal_eval(text if text.strip().startswith("(") else f"({text},)")
    if not isinstance(given, tuple) or not all(type(size) is int and size >= 0 for size in given):
        raise argparse.ArgumentTypeError(f"expected sizes such as (2, 3), got {text}")
    return given


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m engine.journey", description=__doc__)
    parser.add_argument("expression", nargs="?", default="x + y", help='of x, y and torch; default "x + y"')
    parser.add_argument("--x", type=sizes, default=(2, 3), metavar="SIZES", help='sizes of x, default "(2, 3)"')
    parser.add_argument("--y", type=sizes, default=(2, 3), metavar="SIZES", help='sizes of y, default "(2, 3)"')
    parser.add_argument("--requires-grad", action="store_true", help="x is a leaf that requires grad")
    parser.add_argument("--markdown", action="store_true", help="print the table as the README has it")
    parser.add_argument(
        "--committed", type=Path, metavar="FOLDER", help="with --markdown: link to copies of generated text"
    )
    parser.add_argument("--all", action="store_true", help="also what runs only while the engine's memos are empty")
    options = parser.parse_args(arguments)
    names = call_frames.operands(options.x, options.y, options.requires_grad)
    try:
        frames = call_frames.frames(options.expression, names, options.all)
        result = eval(options.expression, {"torch": engine, **names})
    except Exception as error:
        print(f"{options.expression} stops with {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    if options.markdown:
        print(table.markdown(frames, committed=options.committed), end="")
        return 0
    from rich.console import Console

    console = Console(highlight=False)  # as wide as the terminal or the variable COLUMNS, else 80 columns
    console.print(LEGEND)
    console.print(table.rich_table(frames, console.width))
    tensors = {**names, **({"result": result} if isinstance(result, Tensor) else {})}
    console.print(table.bytes_of(tensors), markup=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
