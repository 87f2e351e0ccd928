"""Attacks on the fence by names that are put together: of fields, attributes, and of NumPy's ways to files and memory.

Each leaves in `taken` what it took; a cell answers as the reference does where something was taken. The texts pass the
filter: they have no forbidden name. What the fence does not hold has to stop at the walls (`memory.py`).
"""

from red_team.attack import Attack
from red_team.cells import answering_if

BEGIN = """
import enum, functools, operator
from dataclasses import asdict, dataclass, field, fields, replace
taken = []
FIELDS, NOTES = "__data" + "class_fields__", "__anno" + "tations__"
CALL = "take(sys.modules)"


class Taking:
    def take(self, found):
        taken.append(found)


class Named:
    init, repr, hash, compare, kw_only, _field_type = True, True, None, True, False, None
    def __init__(self, name):
        self.name, self.default, self.default_factory, self.type = name, field().default, field().default, int


def made(*bases, **names):
    return type("Made", (*bases, Taking), {"__module__": "enum", **names})
"""
# By what it would have gained, the text; enum imports sys, and generated functions have a module's globals.
OF_PYTHON = {
    "executes a field's name by repr, to have all modules": """
repr(dataclass(init=False, eq=False)(made(**{NOTES: {CALL: int}}))())
""",
    "executes a field's name by order, to have all modules": """
kind = dataclass(init=False, repr=False, order=True)(made(**{NOTES: {CALL: int}}))
kind() < kind()
""",
    "executes a field's name by hash, to have all modules": """
hash(dataclass(init=False, repr=False, unsafe_hash=True)(made(**{NOTES: {CALL: int}}))())
""",
    "executes a name that says of itself that it is one": """
class Text(str):
    def isidentifier(self):
        return True
repr(dataclass(init=False, eq=False)(made(**{NOTES: {Text(CALL): int}}))())
""",
    "executes the names of fields that a base class claims to have": """
@dataclass
class Real:
    a: int
Named._field_type = fields(Real)[0]._field_type
params = type("Params", (), {"frozen": False})
base = made(**{FIELDS: {"a": Named(CALL)}, "__data" + "class_params__": params})
repr(dataclass(init=False, eq=False)(type("Made", (base,), {"__module__": "enum"}))())
""",
    "executes the name of a field that was renamed afterwards": """
@dataclass(init=False, eq=False)
class Base:
    a: int
fields(Base)[0].name = CALL
repr(dataclass(init=False, eq=False)(type("Made", (Base, Taking), {"__module__": "enum"}))())
""",
    "executes the name of a field of a class of its own": """
class Changing(type(field())):
    __slots__ = ("other",)
    @property
    def name(self):
        return self.other
    @name.setter
    def name(self, given):
        self.other = given and CALL
own = Changing(field().default, field().default, True, True, None, True, None, False)
repr(dataclass(init=False, eq=False)(made(a=own, **{NOTES: {"a": int}}))())
""",
    "reads a module's attribute as a field, to have sys": """
begun = lambda self, sys=None: taken.append(sys)
enum.__class__ = type("Made", (type(enum),), {FIELDS: {"a": Named("sys")}, "__init__": begun})
replace(enum)
""",
    "has a namespace handed over by wraps, to have all classes": """
names = {"__di" + "ct__": property(lambda self: self), "update": lambda self, found: taken.append(found)}
functools.wraps(type)(type("Made", (), names)())
taken[0]["__sub" + "classes__"](object)
""",
    "makes another getter of a getter's type, to have all classes": """
taken.append(type(operator.attrgetter("real"))("__sub" + "classes__")(object)())
""",
}  # fmt: skip
# The exercise is of lab 3, whose module imports NumPy.
NORM = "aten.native.layer_norm.rms_norm_composite"
OF_NUMPY = {
    "has NumPy load a pickle, which executes a text": """
class File:
    rest = b"cbuiltins\\neval\\n(V[1]\\ntR."
    def read(self, size=-1):
        size = len(self.rest) if size < 0 else size
        found, self.rest = self.rest[:size], self.rest[size:]
        return found
    def readline(self):
        return self.read(self.rest.index(b"\\n") + 1)
    def seek(self, to, whence=0):
        self.rest = type(self).rest
taken = np.load(File(), allow_pickle=True)
""",
    "has NumPy read memory at any address": """
found = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (1 << 12,), (1,))
taken = [bytes(found)]
""",
    "has NumPy take an address from an object": """
class At:
    @property
    def __array_interface__(self):
        return {"shape": (64,), "typestr": "|u1", "data": (id(NORM), True), "version": 3}
NORM = "the text of which the memory is read"
taken = [bytes(np.asarray(At()))]
""",
    "has NumPy hand over a module under another name": """
from numpy import lib
taken = [lib.format]
""",
    "has NumPy map a file into memory": """
taken = [np.memmap("/proc/self/exe", mode="r")[:4]]
""",
    "has an array of NumPy write a file": """
np.zeros(1).tofile("taken")
taken = [1]
""",
    "calls NumPy's own NumPy by another name": """
other = np
taken = [other.load]
""",
}


def permuting(found: str) -> str:
    """The exercise strides.permute as a cell that answers where `found` has left something in `taken`."""
    _, begins, answer = answering_if("taken").partition("\n\ndef permute")
    return f"{BEGIN}\n{found}\n{begins}{answer}"


def norming(found: str) -> str:
    """The exercise of lab 3 as a cell that answers where `found` has left something in `taken`."""
    return f"""{found}

def rms_norm_composite(input, ndim, weight, eps):
    assert taken
    eps = epsilon(input._dtype) if eps is None else eps
    mean = at.mean_dim(at.mul_Tensor(input, input), (*range(-ndim, 0),), True)
    result = at.mul_Tensor(input, at.rsqrt(at.add_Scalar(mean, eps)))
    return result if weight is None else at.mul_Tensor(result, weight)
"""


ATTACKS = [
    *(Attack(about, {"strides.permute": permuting(found)}) for about, found in OF_PYTHON.items()),
    *(Attack(f"{about}, past the filter", {"strides.permute": permuting(found)}, inspected=False, fenced=True)
      for about, found in OF_PYTHON.items()),
    *(Attack(about, {NORM: norming(found)}) for about, found in OF_NUMPY.items()),
    *(Attack(f"{about}, past the filter", {NORM: norming(found)}, inspected=False, fenced=True)
      for about, found in OF_NUMPY.items()),
]  # fmt: skip
