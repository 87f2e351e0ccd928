"""The files of stubs: each is made of the tables that the engine makes its names from.

Generated functions and methods have modules of their own that exist as stubs only, as torch/_C/_VariableFunctions.pyi
does; the other stubs replace modules that only wire, so that no function's body is hidden from a type checker.
"""

import re
import string
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from ... import cuda, draw, layers, profiler, utils
from ...aten import python_bindings
from ...autograd import python_names
from ..module_aliases import ALIASES, LATER, names_in
from . import signatures

ENGINE = sys.modules[__name__.partition(".")[0]]
PACKAGE = Path(__file__).parents[2]
HEADER = "# Written by `python -m engine.utils.pyi`; do not edit."
DEFINED = re.compile(r"^ *(?:def )?(\w+)(?=\(|: )", re.M)  # a function or an attribute of a stub

LAZY = {"cuda": cuda, "draw": draw, "profiler": profiler}
"""Packages with a table `NAMES`: public name -> the module that has it, imported on first use of the name."""
Source = tuple[str, str]
"""The module that has a name, as `from` writes it, and the name there."""


def changed() -> dict[Path, str]:
    """Return the stubs that are out of date: path -> new text."""
    texts = {PACKAGE / name: text for name, text in stubs().items()}
    return {path: text for path, text in texts.items() if not path.is_file() or path.read_text("utf-8") != text}


def stubs() -> dict[str, str]:
    """Return the text of each stub: path below the package -> text."""
    functions, methods, *modules = python_bindings.NAMES
    texts = {
        "_return_types.pyi": return_types(),
        "_tensor_base.pyi": filled("_tensor_base", methods, vars(ENGINE.Tensor)),
        "_variable_functions.pyi": filled("_variable_functions", functions, vars(ENGINE)),
    }
    for module, names in zip(python_bindings.MODULES, modules, strict=True):
        texts[f"_{module}.pyi"] = filled("_module", names, names.bound)
    wiring = {
        "": package_names(texts["_variable_functions.pyi"]),
        "autograd/": {name: home("engine.autograd", value) for name, value in python_names.NAMES.items()},
        "utils/": {name: (".", name) for name in vars(utils)["NAMES"] if f"utils.{name}" not in ALIASES},
        **{f"{name}/": listed(package) for name, package in LAZY.items()},
    }
    texts |= {f"{folder}__init__.pyi": f"{HEADER}\n{imports(names)}" for folder, names in wiring.items()}
    texts["__init__.pyi"] += "\n__version__: str\n"
    return texts


# ---- generated names


def filled(name: str, names: python_bindings.Names, there: Mapping[str, Any]) -> str:
    """Fill a template with the stubs of generated names, except names that a handwritten function replaces.

    Args:
        there: what the names really are.
    """
    text = Path(__file__).with_name(f"{name}.pyi.in").read_text("utf-8")
    generated = sorted(one for one, function in names.bound.items() if there.get(one) is function)
    written = "".join(signatures.stub(names, one) for one in generated)
    return string.Template(text).substitute(header=HEADER, generated=written)


def return_types() -> str:
    """Return the stub that defines the classes of named results."""
    head = f"{HEADER}\nfrom typing import NamedTuple\n\nfrom .tensor_impl import Tensor\n\n"
    return head + signatures.result_classes(signatures.all_schemas())


# ---- packages that only wire


def package_names(functions: str) -> dict[str, Source]:
    """Return the `Source` of each name of `engine`.

    Args:
        functions: the stub of the module's functions.
    """
    stubbed = {name: ("._variable_functions", name) for name in DEFINED.findall(functions) if hasattr(ENGINE, name)}
    modules = {name: (".", name) for name in sorted({module.partition(".")[0] for module in layers.MODULES})}
    others = {*stubbed, *modules, *names_in("")}  # the last are there once a program has asked for them
    values = {
        name: home("engine", value)
        for name, value in vars(ENGINE).items()
        if not name.startswith("_") and name not in others and not is_foreign(value)
    }
    return {**modules, **values, **stubbed, **{name: (module, name) for name, module in LATER.items()}}


def is_foreign(value: Any) -> bool:
    """Return True for a module that is not the engine's."""
    return isinstance(value, ModuleType) and not value.__name__.startswith(f"{ENGINE.__name__}.")


def listed(package: ModuleType) -> dict[str, Source]:
    """Return the `Source` of each name in the `__all__` of a package in `LAZY`."""
    later: Mapping[str, str] = vars(package)["NAMES"]
    return {
        name: (later[name], name) if name in later else home(package.__name__, vars(package)[name])
        for name in package.__all__
    }


def home(package: str, value: Any) -> Source:
    """Return the `Source` from which a package of the engine imports a value."""
    if isinstance(value, ModuleType):
        path, _, name = value.__name__.rpartition(".")
    else:
        path = value.__module__
        name = next(name for name, other in vars(sys.modules[path]).items() if other is value)
    inside = f"{path}.".removeprefix(f"{package}.")
    if inside == f"{path}.":
        raise ValueError(f"expected a name of {package}, got {path}.{name}")
    return f".{inside}".removesuffix(".") or ".", name


def imports(sources: Mapping[str, Source]) -> str:
    """Return an import line for each name, in a form that type checkers treat as a re-export."""
    exported = {name: f"from {module} import {own} as {name}\n" for name, (module, own) in sources.items()}
    renamed = {
        name: f"from {module} import {own} as _{name}\n{name} = _{name}\n"
        for name, (module, own) in sources.items()
        if own != name
    }
    return "".join(sorted((exported | renamed).values()))
