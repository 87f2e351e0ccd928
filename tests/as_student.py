"""A student's computer: an environment that holds the bundle's wheel and nothing of this repository."""

import json
import os
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

from autograder.author import bundle, lab_text, weave

KEPT = ("PIP_", "SSL_", "http_proxy", "https_proxy", "no_proxy", "LANG", "LC_", "SYSTEMROOT")
SESSION = Path(__file__).with_name("student_session.py")
# The smallest training that goes through views, dispatch, autograd, kernels and an optimizer.
TRAINING = """
import engine as torch
torch.manual_seed(0)
x, y = torch.randn(16, 3), torch.randn(16, 1)
model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0], losses
print(torch.__file__)
"""


class Computer:
    """An environment in `folder`, with a home of its own; `make` makes it."""

    def __init__(self, folder: Path):
        self.folder, self.home, self.python = folder, folder / "home", folder / "venv" / "bin" / "python"

    def make(self, python: str | Path) -> None:
        self.home.mkdir(parents=True)
        subprocess.run([str(python), "-m", "venv", str(self.folder / "venv")], check=True)

    def run(self, *arguments, cwd: Path | None = None) -> str:
        """Return what the environment's Python prints; AssertionError with all it said if it fails."""
        kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
        environment = kept | {"HOME": str(self.home), "PATH": f"{self.python.parent}:/usr/bin:/bin"}
        command = [str(self.python), *map(str, arguments)]
        done = subprocess.run(command, cwd=cwd or self.home, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def install(self, wheel: Path, extra: str = "") -> None:
        """As SUBMIT.md says; packages come out of pip's cache where they are there."""
        cache = os.environ.get("PIP_CACHE_DIR") or Path.home() / ".cache" / "pip"
        quietly = ["--quiet", "--no-compile", "--cache-dir", cache]  # Python compiles what it imports
        self.run("-m", "pip", "install", *quietly, "-c", lab_text.ROOT / bundle.CONSTRAINTS, f"{wheel}{extra}")

    def solve(self, notebook: Path, lab: lab_text.Lab, whole: bool = False) -> list[tuple[str, str, str]]:
        """(id, verdict on the stub, verdict on the right answer) of the first exercise, or of all."""
        answers = right_answers(lab)
        if not whole:
            answers = dict(list(answers.items())[:1])
        last = list(answers)[-1].removesuffix("-answer")
        given = notebook.with_name("answers.json")
        given.write_text(json.dumps(answers), encoding="utf-8")
        return [tuple(json.loads(line)) for line in self.run(SESSION, notebook, given, last).splitlines()]


def right_answers(lab: lab_text.Lab) -> dict[str, str]:
    """The text of each answer cell in the instructor's notebook, by the cell's id, in the order of the lab."""
    return {
        cell.id: cell.source
        for cell in weave.instructor_notebook(lab).cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    }


def unpacked(folder: Path, wheel: Path, names: Sequence[str] = lab_text.LABS) -> Path:
    """The bundles of these labs, unpacked together; returns the folder that they make."""
    for lab in names:
        with zipfile.ZipFile(bundle.bundle(lab, wheel, folder / "dist")) as archive:
            archive.extractall(folder)
    return folder / bundle.TOP
