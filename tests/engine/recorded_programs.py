"""Programs in files of golden/, each with what it prints with PyTorch, which the engine must print, too.

    ==== title
    the program, which sees PRELUDE
    ----
    what it prints

`python tests/engine/recorded_programs.py` runs the programs with PyTorch and writes the files anew.
"""

import contextlib
import importlib
import io
import re
import warnings
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"
FILES = ("autocast", "autograd_function", "func", "grad_scaler")
PRELUDE = """
import importlib, pickle, re, threading, warnings
nn, F = torch.nn, torch.nn.functional
bf, hf, f32, f64 = torch.bfloat16, torch.float16, torch.float32, torch.float64
python_dispatch = importlib.import_module(torch.__name__ + ".utils._python_dispatch")
fakes = importlib.import_module(torch.__name__ + "._subclasses")

class Log(python_dispatch.TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.ops = []
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if "record_function" not in str(func):
            self.ops.append(str(func).removeprefix("aten.").removesuffix(".default"))
        return func(*args, **(kwargs or {}))

def net(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

def num(tensor):
    return [round(one, 5) for one in tensor.detach().float().flatten().tolist()]

def X(*sizes):
    return (torch.arange(1, 1 + torch.Size(sizes).numel()).float().reshape(sizes) / 7).sin()

def nums(tree):
    if isinstance(tree, torch.Tensor):
        elements = tree.detach().flatten().tolist()
        return tuple(tree.shape), [round(one, 4) + 0.0 if isinstance(one, float) else one for one in elements]
    if isinstance(tree, dict):
        return {key: nums(one) for key, one in tree.items()}
    return type(tree)(map(nums, tree)) if isinstance(tree, (list, tuple)) else tree

def err(function):
    try:
        return function()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"

def warned(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function()
    texts = [re.sub(r" \\(Triggered internally.*", "", str(one.message)) for one in caught]
    return result, [(one.category.__name__, text) for one, text in zip(caught, texts)]
"""


def programs(name: str) -> dict[str, tuple[str, str]]:
    """Return title -> (program, output) of a file."""
    parts = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").split("==== ")[1:]
    return {title: (*rest.split("----\n"),) for title, _, rest in (part.partition("\n") for part in parts)}


def printed(program: str, T) -> str:
    """Return what a program prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(PRELUDE + program, {"torch": T})
    return re.sub(r" +$", "", out.getvalue(), flags=re.M)


if __name__ == "__main__":
    for name in FILES:
        texts = [
            f"==== {title}\n{program}----\n{printed(program, importlib.import_module('torch'))}"
            for title, (program, _) in programs(name).items()
        ]
        (GOLDEN / f"{name}.txt").write_text("".join(texts), encoding="utf-8")
