"""`python -m engine.utils.pyi [--check]`: write the stubs, or say which are not what the engine's tables give."""

import argparse
import sys

from . import stubs


def main(arguments: list[str] | None = None) -> int:
    """Write the stubs that are out of date, or only check them; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m engine.utils.pyi", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a stub is out of date")
    options = parser.parse_args(arguments)
    changed = stubs.changed()
    for path, text in changed.items():
        if not options.check:
            path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(stubs.PACKAGE.parent)}: {'run `make stubs`' if options.check else 'written'}")
    return int(options.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
