"""The engine as it enters the sandbox."""

import ast
import multiprocessing

import pytest

from autograder.sandbox import image
from engine.layers import Layer

MODULE = '''
"""A module."""
RATIO = 2

def double(x: int) -> int:
    """Twice x."""
    answer = RATIO * x
    return answer

class Pair:
    """Two numbers."""

    def __init__(self, a):
        self.a = a

    def swap(self):
        return self.a

    def keep(self):
        return "kept"
'''


def test_a_body_is_blanked_and_its_docstring_and_signature_stay():
    double = ast.parse(image.blank(MODULE, {"double": ()})).body[2]
    assert ast.unparse(double).splitlines() == [
        "def double(x: int) -> int:",
        '    """Twice x."""',
        "    raise NotImplementedError('double')",
    ]


def test_of_a_class_only_the_students_methods_are_blanked():
    blanked = image.blank(MODULE, {"Pair": ("swap",)})
    assert "NotImplementedError('Pair.swap')" in blanked
    assert blanked.count("NotImplementedError") == 1


@pytest.mark.parametrize("exercises", [{"triple": ()}, {"Pair": ()}, {"Pair": ("lost",)}])
def test_an_exercise_that_can_not_be_blanked_is_our_mistake(exercises):
    with pytest.raises(ValueError, match="triple|which of its methods|lost"):
        image.blank(MODULE, exercises)


def test_the_image_holds_no_answer():
    folder = image.build("01-strides", {"strides.view_strides": (), "accessor.TensorAccessor": ("__getitem__",)})
    text = "".join(path.read_text() for path in folder.rglob("*.py"))
    assert "walked != group" not in text
    assert "Return strides for `new_sizes` that read the same elements" in text


def test_the_image_holds_of_the_autograder_what_a_worker_needs():
    folder = image.build("01-strides", {"strides.view_strides": ()}) / "autograder"
    inside = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if path.read_text()}
    of_sandbox = (
        "answers",
        "checked_generators",
        "exercise_bodies",
        "restricted_builtins",
        "quick_compiler",
        "walls",
        "warm_up",
        "wire",
        "worker",
        "zygote",
    )
    of_examine = ("cpu_compiler", "gpu_compiler", "error_data", "observe", "plain_data", "refused_names")
    machinery = {f"sandbox/{name}.py" for name in of_sandbox} | {f"examine/{name}.py" for name in of_examine}
    machinery |= {
        f"overlay/{name}.py" for name in ("cell_compiler", "grafting", "lazy_imports", "overlay", "regenerate")
    }
    assert {path for path in inside if not path.startswith("labs/")} == machinery
    of_labs = {path for path in inside if path.startswith("labs/")} - {
        "labs/cpu/looped.py",
        "labs/cuda/arrays.py",
        "labs/cuda/compilable.py",
        "labs/profiler/modules.py",
    }
    assert {path.rpartition("/")[2] for path in of_labs} == {"probe.py"}


def test_modules_of_later_labs_stay_out(monkeypatch):
    layers = (Layer("now", "1", ("strides",)), Layer("later", "2", ("dtypes", "cpu")))
    monkeypatch.setattr("engine.layers.LAYERS", layers)
    names = {path.as_posix() for path in image.engine_files("01-strides")}
    assert "engine/strides.py" in names
    assert not [name for name in names if name == "engine/dtypes.py" or name.startswith("engine/cpu/")]


def test_an_exercise_of_a_module_that_stays_out_is_our_mistake():
    with pytest.raises(ValueError, match="not part of the engine of lab"):
        image.build("01-strides", {"nowhere.permute": ()})


def make_one_and_end(sender):
    sender.send(image.build("01-strides", {"strides.permute": ()}))


def test_the_folder_goes_with_the_process_that_made_it():
    context = multiprocessing.get_context("forkserver")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=make_one_and_end, args=(sender,))
    process.start()
    made = receiver.recv()
    process.join()
    assert not made.exists()
