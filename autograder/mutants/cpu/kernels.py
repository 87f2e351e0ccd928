"""Wrong choices of a kernel: by what the processor has, and by dtype."""

from autograder.mutants.model import WrongAnswer

CAPABILITY = "cpu.capability.compute_cpu_capability"
TABLE = "cpu.loops.Compiled"

WRONG_ANSWERS = (
    WrongAnswer(CAPABILITY, "gives what was asked for, whether it is there or not", ("asked",), """
def compute_cpu_capability(features, asked):
    if asked.upper() in VECTOR_BYTES:
        return asked.upper()
    found = "DEFAULT"
    for name, needed in NEEDED.items():
        if not all(features.get(feature) for feature in needed):
            break
        found = name
    return found
"""),
    WrongAnswer(CAPABILITY, "one feature of a capability is enough", ("ordinary", "asked"), """
def compute_cpu_capability(features, asked):
    found = "DEFAULT"
    for name, needed in NEEDED.items():
        if found == asked.upper() or not any(features.get(feature) for feature in needed):
            break
        found = name
    return found
"""),
    WrongAnswer(CAPABILITY, "the largest that is there, even without the smaller one", ("ordinary", "asked"), """
def compute_cpu_capability(features, asked):
    there = ["DEFAULT"] + [name for name, needed in NEEDED.items() if all(map(features.get, needed))]
    names = list(VECTOR_BYTES)
    most = names.index(asked.upper()) if asked.upper() in names else len(names)
    return [name for name in there if names.index(name) <= most][-1]
"""),
    WrongAnswer(CAPABILITY, "compares small letters with large ones", ("asked",), """
def compute_cpu_capability(features, asked):
    found = "DEFAULT"
    for name, needed in NEEDED.items():
        if found == asked or not all(features.get(feature) for feature in needed):
            break
        found = name
    return found
"""),
    WrongAnswer(CAPABILITY, "an unknown name means DEFAULT", ("asked",), """
def compute_cpu_capability(features, asked):
    names = list(VECTOR_BYTES)
    limit = names.index(asked.upper()) if asked.upper() in names else 0 if asked else len(names)
    found = "DEFAULT"
    for name, needed in NEEDED.items():
        if names.index(name) > limit or not all(features.get(feature) for feature in needed):
            break
        found = name
    return found
"""),
    WrongAnswer(TABLE, "compiles again at each question", ("ordinary", "refusals", "compiled"), """
class Compiled(dict):
    def __missing__(self, kind):
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        dispatcher = self.dispatchers[kind] = njit(**self.options)(self.function(kind))
        return dispatcher.compile(self.signature(kind))
"""),
    WrongAnswer(TABLE, "compiles for all dtypes at the first question", ("ordinary", "refusals", "compiled"), """
class Compiled(dict):
    def __missing__(self, kind):
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        for each in self.kinds:
            self.dispatchers[each] = njit(**self.options)(self.function(each))
            self[each] = self.dispatchers[each].compile(self.signature(each))
        return self[kind]
"""),
    WrongAnswer(TABLE, "a message with the dtype's own name", ("refusals",), """
class Compiled(dict):
    def __missing__(self, kind):
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{kind}'")
        dispatcher = self.dispatchers[kind] = njit(**self.options)(self.function(kind))
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        return entry
"""),
    WrongAnswer(TABLE, "the options are forgotten", ("ordinary", "refusals", "compiled"), """
class Compiled(dict):
    def __missing__(self, kind):
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        dispatcher = self.dispatchers[kind] = njit(nogil=True)(self.function(kind))
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        return entry
"""),
    WrongAnswer(TABLE, "refuses after it has compiled", ("refusals",), """
class Compiled(dict):
    def __missing__(self, kind):
        dispatcher = self.dispatchers[kind] = njit(**self.options)(self.function(kind))
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        return entry
"""),
    WrongAnswer(CAPABILITY, "looks for a name within what is asked for", ("asked",), """
def compute_cpu_capability(features, asked):
    found = "DEFAULT"
    for name, needed in NEEDED.items():
        if found in asked.upper() or not all(features.get(feature) for feature in needed):
            break
        found = name
    return found
"""),
    WrongAnswer(CAPABILITY, "enters what is missing into the features", ("ordinary", "asked"), """
def compute_cpu_capability(features, asked):
    found = "DEFAULT"
    for name, needed in NEEDED.items():
        if found == asked.upper() or not all(features.setdefault(feature, False) for feature in needed):
            break
        found = name
    return found
"""),
)  # fmt: skip
