"""Random sequences of registrations, as plain data that runs on any `T` that behaves as PyTorch.

A sequence is a tuple of `Action`s on one operator; an action's number is its place in the sequence, and is written
into the file name's line number at which it registers, so that PyTorch's dump says which function is at a key.
"""

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

RUNTIME_KEYS = (
    "FuncTorchVmapMode", "FuncTorchBatched", "AutocastCUDA", "AutocastCPU", "Tracer", "AutogradMeta",
    "AutogradPrivateUse1", "AutogradCUDA", "AutogradCPU", "AutogradOther", "ADInplaceOrView", "Functionalize",
    "Python", "BackendSelect", "Meta", "PrivateUse1", "QuantizedCPU", "CUDA", "CPU", "Undefined",
)  # fmt: skip
ALIAS_KEYS = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional",
              "Autograd", "FuncTorchBatchedDecomposition")  # fmt: skip
FALLBACK_KEYS = ("PrivateUse1", "QuantizedCPU", "CUDA", "CPU")  # which have none in PyTorch, so that it can be undone
TAKEN_FALLBACK_KEYS = ("Tracer", "AutocastCPU", "Meta", "ADInplaceOrView")  # a second one is an error
FILE = "registration"  # of the lines that register


@dataclass(frozen=True)
class Action:
    """`define`; `impl` and `fallback` at a key; `destroy` of an earlier action by its number."""

    what: str
    key: str = ""
    fallthrough: bool = False
    of: int = -1


def draw(seed: int, keys: tuple[str, ...] = RUNTIME_KEYS, fallbacks: bool = True) -> tuple[Action, ...]:
    """A sequence that leaves the operator defined."""
    chance = random.Random(seed)
    actions: list[Action] = []
    alive: dict[int, Action] = {}
    for _ in range(chance.randint(3, 14)):
        choice = chance.random()
        defined = any(action.what == "define" for action in alive.values())
        if not defined and choice < 0.35:
            action = Action("define")
        elif alive and choice > 0.8:
            action = Action("destroy", of=chance.choice(list(alive)))
        elif fallbacks and choice > 0.7:
            taken = chance.random() < 0.15
            action = Action("fallback", chance.choice(TAKEN_FALLBACK_KEYS if taken else FALLBACK_KEYS), choice > 0.78)
        else:
            at = chance.choice(ALIAS_KEYS if chance.random() < 0.45 else keys)
            action = Action("impl", at, chance.random() < 0.15)
        if action.what == "destroy":
            del alive[action.of]
        else:
            alive[len(actions)] = action
        actions.append(action)
    if not any(action.what == "define" for action in alive.values()):
        actions.append(Action("define"))
    return tuple(actions)


def describe(actions: tuple[Action, ...]) -> list[str]:
    """A sequence in few words."""
    return [
        f"{action.what} {action.key or action.of}{' fallthrough' if action.fallthrough else ''}".replace(" -1", "")
        for action in actions
    ]


class Side:
    """The registrations of a sequence on one side, one library an action.

    Args:
        T: the engine or PyTorch.
        namespace: a fresh one.
        schema: of the operator.
        kernel, fallback: number of an action -> the function that it registers.
        with_keyset: whether these take the key set of a call first.
    """

    def __init__(
        self, T: Any, namespace: str, schema: str, kernel: Callable[[int], Any], fallback: Callable[[int], Any],
        with_keyset: bool = False,
    ):  # fmt: skip
        self.T, self.namespace, self.schema = T, namespace, schema
        self.kernel, self.fallback, self.with_keyset = kernel, fallback, with_keyset
        self.libraries: dict[int, Any] = {}
        self.handles: dict[int, Any] = {}
        self.defined: int | None = None

    def run(self, number: int, action: Action) -> str | None:
        """Do one action; the type of its error, if it is refused."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._run(number, action)
        except Exception as error:
            return type(error).__name__
        return None

    def _run(self, number: int, action: Action) -> None:
        if action.what == "destroy":
            self.destroy(action.of)
            return
        namespace = "_" if action.what == "fallback" else self.namespace
        kind = "FRAGMENT" if action.what == "define" else "IMPL"
        name = self.schema.partition("(")[0]
        skipped = self.T.library.fallthrough_kernel
        call = {
            "define": "library.define(schema)",
            "impl": "library.impl(name, function, key, with_keyset=with_keyset)",
            "fallback": "library.fallback(function, key, with_keyset=with_keyset)",
        }[action.what]
        make = self.fallback if action.what == "fallback" else self.kernel
        scope = {"Library": self.T.library.Library, "schema": self.schema, "name": name, "key": action.key,
                 "namespace": namespace, "kind": kind,
                 "function": skipped if action.fallthrough else make(number), "made": self.libraries,
                 "number": number, "with_keyset": self.with_keyset and not action.fallthrough}  # fmt: skip
        line = f"library = made[number] = Library(namespace, kind); handle = {call}"
        exec(compile("\n" * number + line, FILE, "exec"), scope)
        if action.what == "define":
            self.defined = number
        self.handles[number] = scope["handle"]

    def destroy(self, number: int) -> None:
        """Undo an action; by its handle, where registering gave one, every second time."""
        library, handle = self.libraries.pop(number, None), self.handles.pop(number, None)
        if self.defined == number:
            self.defined = None
        if number % 2 and hasattr(handle, "destroy"):
            handle.destroy()
        elif library is not None:
            library._destroy()

    def close(self) -> None:
        for number in reversed(list(self.libraries)):
            self.destroy(number)
