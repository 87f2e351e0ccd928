"""Numba computes in the sandbox, where it leaves things out, what it computes elsewhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from autograder import sandbox
from autograder.examine import cpu_compiler
from autograder.labs.cpu import looped

PROGRAM = """
import json, sys
sys.path.insert(0, {folder!r})
import quick_compiler
if {is_quick}:
    quick_compiler.before_numba()
import numba, numpy as np
from numba.core import config, event
from numba.core.codegen import CPUCodegen
if {is_quick}:
    quick_compiler.begin()

class Counts(event.Listener):
    def __init__(self):
        self.count = 0

    def on_start(self, event):
        self.count += 1

    def on_end(self, event):
        pass

calls, functions = Counts(), Counts()
event.register("numba:llvm_lock", calls)
event.register("numba:compile", functions)

@numba.njit
def assigned(x, i):
    x[:] = 1, i
    return x

compute = numba.njit(lambda x: np.sqrt(x).sum())
found = [assigned(np.zeros(2), 3).tolist(), repr(compute(np.arange(5.0)))]
try:
    assigned(np.zeros(3), 3)
except ValueError:
    found.append("ValueError")
passes, make = [], CPUCodegen._function_pass_manager
CPUCodegen._function_pass_manager = lambda self, **options: passes.append(1) or make(self, **options)
numba.njit(lambda x: x + 1)(1)
unasked = len(passes)
config.OPT = type(config.OPT)(3)
numba.njit(lambda x: x + 2)(1)
print(json.dumps({{"found": found, "calls": calls.count, "functions": functions.count, "unasked": unasked,
                   "asked": len(passes) - unasked}}))
"""


@pytest.fixture(scope="module")
def made():
    """The program's findings by a numba that is not told anything, and by a quick one."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    folder = str(Path(sandbox.__file__).parent)  # the module alone: the engine beside it takes longer than the test
    programs = (PROGRAM.format(folder=folder, is_quick=is_quick) for is_quick in (False, True))
    commands = ([sys.executable, "-c", program] for program in programs)
    return [json.loads(subprocess.check_output(command, env=environment, text=True)) for command in commands]


@pytest.mark.slow
def test_it_computes_the_same_and_raises_the_same_error(made):
    usual, quick = made
    assert quick["found"] == usual["found"] and quick["found"][-1] == "ValueError"


@pytest.mark.slow
def test_nobody_is_told_of_calls_of_llvm_and_the_text_of_an_error_is_not_compiled(made):
    usual, quick = made
    assert usual["calls"] > 1000 and quick["calls"] == 0
    assert quick["functions"] < usual["functions"] - 20


@pytest.mark.slow
def test_functions_are_optimized_only_where_a_check_asks_for_it(made):
    usual, quick = made
    assert usual["unasked"] > 0 and usual["asked"] > 0
    assert quick["unasked"] == 0 and quick["asked"] > 0


def test_what_is_compiled_before_workers_are_forked_has_the_options_of_a_check_s_kernels():
    kernel = looped.in_numba(engine, "elementwise", lambda x: x, "this test's")
    assert {name: kernel.targetoptions[name] for name in cpu_compiler.OF_KERNELS} == cpu_compiler.OF_KERNELS
    assert set(kernel.targetoptions) - set(cpu_compiler.OF_KERNELS) <= {"nopython", "boundscheck"}
