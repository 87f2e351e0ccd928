"""The seccomp filters: each call of the tables is refused by this kernel, and each number is the right one."""

import ctypes
import ctypes.util
import errno
import json
import os
import subprocess
import sys

import pytest

from autograder.sandbox import seccomp, walls

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="not run: seccomp (this is not Linux)")
RULES = (*seccomp.BASE_RULES, *seccomp.WORKER_RULES)
NUMBERS = {machine: 1 + at for at, machine in enumerate(seccomp.ARCHITECTURES)}
ON_THIS = NUMBERS.get(os.uname().machine, 0)
# Installs the filters and makes each call with arguments that no call accepts; prints name -> errno.
PROGRAM = f"""
import ctypes, json, sys, types
walls = types.ModuleType("walls")
exec(open({walls.__file__!r}).read(), vars(walls))
for program in {[seccomp.for_everything().hex(), seccomp.for_worker().hex()]!r}:
    walls.install_filter(bytes.fromhex(program))
libc = ctypes.CDLL(None, use_errno=True)
found = {{}}
for name, number in json.loads(sys.argv[1]).items():
    ctypes.set_errno(0)
    found[name] = ctypes.get_errno() if libc.syscall(number, -1, -1, -1, -1, -1, -1) == -1 else 0
print(json.dumps(found))
"""


def refused_always():
    """Name -> number on this machine of the calls that are refused whatever their arguments are."""
    fields = [rule.call.split(":") for rule in RULES if not rule.test and rule.error == errno.EPERM]
    return {one[0]: int(one[ON_THIS]) for one in fields if one[ON_THIS] != "-"}


@pytest.mark.skipif(not ON_THIS, reason="not run: seccomp (no table for this machine)")
def test_every_call_of_the_tables_is_refused():
    asked = refused_always() | {"unknown": seccomp.NEWEST + 1, "getpid": 39 if ON_THIS == 1 else 172}
    command = [sys.executable, "-c", PROGRAM, json.dumps(asked)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert found.pop("unknown") == errno.ENOSYS
    assert found.pop("getpid") == 0
    assert {name for name, error in found.items() if error != errno.EPERM} == set()


def test_numbers_are_those_of_libseccomp():
    library = ctypes.util.find_library("seccomp")
    if library is None:
        pytest.skip("not run: libseccomp (it knows the numbers of every architecture)")
    resolve = ctypes.CDLL(library).seccomp_syscall_resolve_name_arch
    resolve.argtypes = [ctypes.c_uint32, ctypes.c_char_p]
    wrong = []
    for rule in RULES:
        name, *numbers = rule.call.split(":")
        for (machine, token), number in zip(seccomp.ARCHITECTURES.items(), numbers, strict=True):
            known = resolve(token, name.encode())
            if known != int(number) if number != "-" else known >= 0:
                wrong.append((name, machine, number, known))
    assert wrong == []


def test_a_machine_without_a_table_is_named():
    with pytest.raises(OSError, match="riscv64"):
        seccomp.program(seccomp.BASE_RULES, "riscv64")
