"""Modules under the names that PyTorch's programs import: `engine.utils._pytree` has the names of transforms/pytree.py.

A row is one of PyTorch's module names, below the package, and the modules whose names it has. They are imported when it
is first imported or asked for.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

from .lazy_names import lazy_names

FAKE_TENSORS = ("transforms.fake_errors", "transforms.fake_storage", "transforms.fake_tensor", "transforms.fake_utils")
DERIVATIVES = ("transforms.eager_transforms", "transforms.forward_mode", "transforms.jacobians")
MODULE_STATE = ("transforms.functional_call",)
FUNC = ("transforms.vmap", *DERIVATIVES, "transforms.levels", *MODULE_STATE, "transforms.functionalize")
ALIASES: dict[str, tuple[str, ...]] = {
    "_C._functorch": ("transforms.levels",),
    "_functorch": ("transforms.argnums",),
    "_functorch.apis": ("transforms.vmap", "transforms.eager_transforms"),
    "_functorch.autograd_function": ("transforms.autograd_function",),
    "_functorch.batch_norm_replacement": MODULE_STATE,
    "_functorch.eager_transforms": (*DERIVATIVES, "transforms.levels", "transforms.functionalize"),
    "_functorch.functional_call": MODULE_STATE,
    "_functorch.pyfunctorch": ("transforms.interpreters",),
    "_functorch.vmap": ("transforms.vmap",),
    "_subclasses": FAKE_TENSORS,
    "_subclasses.fake_tensor": FAKE_TENSORS,
    "amp": ("transforms.autocast_mode", "transforms.grad_scaler"),
    "amp.autocast_mode": ("transforms.autocast_mode",),
    "amp.grad_scaler": ("transforms.grad_scaler",),
    "cpu.amp": ("transforms.cpu_amp",),
    "cuda.amp": ("transforms.cuda_amp",),
    "cuda.amp.autocast_mode": ("transforms.cuda_amp",),
    "cuda.amp.grad_scaler": ("transforms.cuda_amp",),
    "func": FUNC,
    "nn.utils.stateless": ("transforms.stateless",),
    "overrides": ("transforms.overrides",),
    "utils._python_dispatch": ("transforms.python_dispatch", "transforms.wrapper_subclass"),
    "utils._mode_utils": ("transforms.python_dispatch",),
    "utils._pytree": ("transforms.pytree_nodes", "transforms.pytree", "transforms.pytree_text"),
    "utils.flop_counter": ("transforms.flop_counter",),
    "utils.module_tracker": ("transforms.module_tracker",),
}

AUTOCAST = """
    autocast autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_dtype
    is_autocast_cache_enabled is_autocast_enabled set_autocast_cache_enabled set_autocast_dtype set_autocast_enabled
"""
DEPRECATED = """
    get_autocast_cpu_dtype get_autocast_gpu_dtype is_autocast_cpu_enabled set_autocast_cpu_dtype
    set_autocast_cpu_enabled set_autocast_gpu_dtype
"""
LATER: dict[str, str] = {
    "vmap": ".transforms.vmap",
    "GradScaler": ".transforms.grad_scaler",
    **dict.fromkeys(AUTOCAST.split(), ".transforms.autocast_mode"),
    **dict.fromkeys(DEPRECATED.split(), ".transforms.deprecated_amp"),
}
"""Names of the package itself -> the module that has them, imported when they are first asked for."""

REFUSED: dict[str, str] = {
    "autograd.forward_ad": "there are no dual tensors: use func.jvp, which makes two backward passes",
    "autograd.functional": "use func.vjp, func.jvp, func.jacrev, func.jacfwd or func.hessian",
}
"""Modules of PyTorch that the engine leaves out -> what to use."""


class AliasFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A finder and loader for the modules in ALIASES below one package."""

    def __init__(self, package: str):
        self.package = package

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        package, _, name = fullname.partition(".")
        if package == self.package and name in REFUSED:
            raise refusal(name)
        if package != self.package or name not in ALIASES:
            return None
        is_package = any(other.startswith(f"{name}.") for other in ALIASES)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=is_package)

    def exec_module(self, module: ModuleType) -> None:
        """Copy the names of the aliased modules into the module."""
        public: list[str] = []
        for name in ALIASES[module.__name__.partition(".")[2]]:
            found = vars(importlib.import_module(f"{self.package}.{name}"))
            vars(module).update({name: value for name, value in found.items() if name[:2] != "__"})
            public += found.get("__all__", ())
        if public:
            vars(module)["__all__"] = public
        find, _ = lazy_names(module.__name__, names_in(module.__name__.partition(".")[2]))
        vars(module)["__getattr__"] = find


def refusal(name: str) -> ImportError:
    """Return the error for a module in REFUSED."""
    return ImportError(f"torch.{name} is not supported: {REFUSED[name]}")


def names_in(folder: str) -> dict[str, str]:
    """Return the rows of ALIASES directly below a folder ("" is the package), for `lazy_names`."""
    prefix = f"{folder}." if folder else ""
    names = [name.removeprefix(prefix) for name in ALIASES if name.startswith(prefix)]
    return {name: "" for name in names if "." not in name}


def install(package: str) -> None:
    """Let Python find the modules of ALIASES below a package."""
    sys.meta_path.append(AliasFinder(package))
