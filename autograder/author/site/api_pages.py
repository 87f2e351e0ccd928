"""The public names of the engine and their docstrings, a page for each module that a program imports."""

import importlib
import inspect
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from autograder.author.site.docstrings import inline, markdown

FOLDER = "api"
ENGINE = "engine"
MODULES = (
    "nn", "nn.functional", "nn.init", "nn.utils", "optim", "linalg", "autograd", "autograd.graph", "profiler",
    "utils.benchmark", "cuda", "library", "extend", "draw", "journey", "memory_trace",
)  # fmt: skip
INHERITED = (Exception, tuple, list, dict, object)


class Name(NamedTuple):
    """A public name, with its signature and docstring; `kind` is a directive of Sphinx's Python domain."""

    kind: str
    name: str
    signature: str
    docstring: str
    methods: tuple["Name", ...] = ()


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of each page."""
    engine = importlib.import_module(ENGINE)
    tensor = engine.Tensor
    yield f"{FOLDER}/{ENGINE}.md", _page(ENGINE, inspect.getdoc(engine) or "", names_of(engine, _public(engine)))
    methods = [_member(tensor, name) for name in _attributes(tensor)]
    yield f"{FOLDER}/{ENGINE}.Tensor.md", _page(f"{ENGINE}.Tensor", inspect.getdoc(tensor) or "", methods, "Tensor.")
    made = [ENGINE, f"{ENGINE}.Tensor"]
    for module in MODULES:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "no GPU")  # nothing runs here
            found = importlib.import_module(f"{ENGINE}.{module}")
            docstring = inspect.getdoc(found) or ""
        names = [each for each in names_of(found, _public(found)) if each.docstring]
        made.append(f"{ENGINE}.{module}")
        yield f"{FOLDER}/{ENGINE}.{module}.md", _page(f"{ENGINE}.{module}", docstring, names)
    yield f"{FOLDER}/index.md", _contents(made)


def _contents(made: list[str]) -> str:
    rows = []
    for name in made:
        about = inspect.getdoc(_found(name)) or ""
        rows.append(f"| [`{name}`]({name}.md) | {inline(about.partition(chr(10))[0])} |")
    head = "# Reference\n\nThe engine's public names, from its docstrings. They are PyTorch's, and mean the same.\n"
    toctree = "\n".join(["```{toctree}", ":hidden:", "", *made, "```"])
    return "\n".join([head, "| module | contents |", "|---|---|", *rows, "", toctree, ""])


def _found(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        return getattr(importlib.import_module(module), attribute)


def _public(module: Any) -> list[str]:
    """Return a module's public names, except modules: `__all__`, or what has a docstring and is defined below it."""
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    found = {name: getattr(module, name, None) for name in names}
    if not hasattr(module, "__all__") and module.__name__ != ENGINE:
        found = {
            name: each for name, each in found.items() if (getattr(each, "__module__", "") or "").startswith(ENGINE)
        }
    return sorted(name for name, each in found.items() if callable(each) and not inspect.ismodule(each))


def names_of(module: Any, names: list[str]) -> list[Name]:
    """Return a module's public names with their docstrings."""
    return [_name(name, getattr(module, name)) for name in names if name != "Tensor"]


def _name(name: str, value: Any) -> Name:
    docstring = inspect.getdoc(value) or ""
    if inspect.isclass(value):
        own = () if issubclass(value, INHERITED[:-1]) else tuple(_own_methods(value))
        kind = "exception" if issubclass(value, BaseException) else "class"
        return Name(kind, name, _signature(value), docstring, own)
    return Name("function", name, _signature(value), docstring)


def _own_methods(kind: type) -> Iterator[Name]:
    """Yield the documented methods and properties that the class itself defines."""
    for name, value in vars(kind).items():
        documented = inspect.getdoc(value) if callable(value) or isinstance(value, property) else None
        if not name.startswith("_") and documented:
            yield _member(kind, name)


def _attributes(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_") and inspect.getdoc(getattr(kind, name))]


def _member(kind: type, name: str) -> Name:
    value = inspect.getattr_static(kind, name)
    docstring = inspect.getdoc(getattr(kind, name)) or ""
    if isinstance(value, property) or not callable(getattr(kind, name)):
        return Name("property", name, "", docstring)
    signature = re.sub(r"^\((?:self|cls)(?:, )?", "(", _signature(getattr(kind, name)))
    return Name("method", name, signature, docstring)


def _signature(value: Any) -> str:
    """Return the signature as Sphinx can parse it; without types, which the docstrings say."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    text = str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return re.sub(r"<[^<>]*?([\w.]+)[^<>\w]*(?: at 0x\w+)?>", r"\1", text)


def _page(title: str, docstring: str, names: list[Name], prefix: str = "") -> str:
    lines = [f"# {title}", "", markdown(docstring), ""]
    module = title.removesuffix(".Tensor") if prefix else title
    for each in names:
        lines.append(_directive(each._replace(name=prefix + each.name), module))
    return "\n".join(lines)


def _directive(each: Name, module: str, fence: str = ":::::") -> str:
    lines = [
        f"{fence}{{py:{each.kind}}} {each.name}{each.signature}",
        f":module: {module}",
        "",
        markdown(each.docstring),
    ]
    for method in each.methods:
        lines += ["", _directive(method._replace(name=f"{each.name}.{method.name}"), module, fence[1:])]
    return "\n".join([*lines, fence, ""])
