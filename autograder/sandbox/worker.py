"""Runs inside, in a process of its own for one exercise: answers what the broker asks.

Everything here shares its process with a student's code and may be changed by it; so nothing here is
believed outside, and nothing here knows an expected answer. Names that the loop needs are bound before the
student's code runs, so that careless code (a function called `len`) spoils nothing by accident.
"""

import builtins
import importlib
import importlib.util
import os
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

from autograder.examine import observe
from autograder.examine.plain_data import NotPlain, blemish
from autograder.sandbox import answers, checked_generators, restricted_builtins, wire


def serve(channel: int) -> None:
    """Answer requests on the file descriptor `channel` until the other end closes it."""
    engine = importlib.import_module("engine")
    parts = importlib.import_module("autograder.overlay.overlay")
    receive, send = _receiver(channel), _sender(channel)
    exercise = ""
    while (request := receive()) is not None:
        operation, reply = request["operation"], {"nonce": request["nonce"]}
        if operation == "ask":
            reply |= _observe(engine, exercise, request["probe"], request["args"])
        elif operation == "kernels":
            reply |= _attempt(partial(_keep, request["files"]))
        elif operation == "blank":
            exercise = request["exercise"]
            reply |= _attempt(partial(_begin, engine, parts, exercise, request["stub"], request["others"]))
        else:
            fenced = request["fence"]
            numpy = None if fenced is None else frozenset(fenced["numpy"])
            _guard_imports(exercise, frozenset(request["imports"]), numpy)
            cell = partial(_graft, parts, exercise, request["source"], fenced)
            reply |= _attempt(cell, refusal=(parts.PartError, restricted_builtins.Refused))
        send(reply)


def _begin(engine: Any, parts: Any, exercise: str, stub: str, others: dict[str, Any]) -> None:
    """Complete the engine: every exercise was empty until now, and this one never was anything else."""
    answers.give(others)
    observe.before_cell(engine, exercise)
    parts.blank(exercise, stub)


def _keep(files: dict[str, Any]) -> None:
    """Write files of numba's cache: path below it -> array of bytes."""
    for path, array in files.items():
        target = os.path.join(os.environ["NUMBA_CACHE_DIR"], path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb", buffering=0) as file:
            file.write(array)


def _attempt(action: Callable[[], object], refusal: tuple[type[BaseException], ...] = ()) -> dict[str, str]:
    """Run `action`, and return {"error": ""}, or what was raised; {"refused": reason} for a `refusal`."""
    try:
        action()
    except refusal as error:
        return {"refused": str(error)}
    except BaseException as error:
        return {"error": "".join(traceback.format_exception_only(error)).strip()[-1000:] or "it raised"}
    return {"error": ""}


def _graft(parts: Any, exercise: str, source: str, fenced: dict[str, list[str]] | None) -> None:
    if fenced is not None:
        names = frozenset(fenced["may_use"]), frozenset(fenced["without"])
        checked_generators.restrict()
        restricted_builtins.require(source, f"<{exercise}>", *names)
        module = importlib.import_module("engine." + exercise.rpartition(".")[0])
        restricted_builtins.enclose(module, *names, frozenset(fenced["numpy"]))
    parts.graft(exercise, source)


def _observe(engine: Any, exercise: str, probe: str, args: tuple) -> dict[str, Any]:
    """Return a probe's observation, made sendable; SystemExit is an observation too: the worker must live on."""
    try:
        seen = observe.observe(engine, exercise, probe, args)
    except BaseException as error:
        seen = {"raised": type(error).__name__, "message": str(error)[:500]}
    if "value" in seen and (reason := blemish(seen["value"])):
        seen["value"] = NotPlain(reason)
    return seen


def _guard_imports(exercise: str, allowed: frozenset[str], numpy: frozenset[str] | None) -> None:
    """Let code of the exercise's module import only `allowed` ("math", "math.prod") from now on.

    Of tools it gets what it may use, of NumPy these names; None leaves them whole.

    An import statement asks `builtins.__import__`, and hands it the globals of its module.
    """
    module = "engine." + exercise.rpartition(".")[0]
    import_anything = builtins.__import__

    def import_allowed(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if globals is not None and globals.get("__name__") == module:
            origin = importlib.util.resolve_name("." * level + name, globals.get("__package__")) if level else name
            members = {f"{origin}.{member}" for member in fromlist or ()}
            if origin not in allowed and not (members and members <= allowed):
                raise ImportError(f"{exercise} may not import {origin}")
            if restricted_builtins.is_tool(origin) and numpy is not None:
                return restricted_builtins.imported(origin, fromlist or (), numpy)
        return import_anything(name, globals, locals, fromlist, level)

    builtins.__import__ = import_allowed


def _receiver(channel: int) -> Callable[[], dict[str, Any] | None]:
    read, decode, length, head = os.read, wire.decode, wire.LENGTH, wire.LENGTH.size
    received = bytearray()

    def end() -> int:
        return head + length.unpack_from(received)[0]

    def receive() -> dict[str, Any] | None:
        while len(received) < head or len(received) < end():
            chunk = read(channel, 1 << 16)
            if not chunk:
                return None
            received.extend(chunk)
        body = bytes(received[head : end()])
        del received[: end()]
        return decode(body)

    return receive


def _sender(channel: int) -> Callable[[dict[str, Any]], None]:
    write, frame, too_large = os.write, wire.frame, wire.WireError

    def send(reply: dict[str, Any]) -> None:
        try:
            body = memoryview(frame(reply))
        except too_large as error:
            body = memoryview(frame({"nonce": reply["nonce"], "value": NotPlain(str(error)[:200])}))
        while body:
            body = body[write(channel, body) :]

    return send
