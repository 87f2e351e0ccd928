"""Wrong answers to cpu.capability.compute_cpu_capability, cpu.loops.Compiled."""

from autograder.made_up.wrong_answer import WrongAnswer

COMPUTE_CPU_CAPABILITY = "cpu.capability.compute_cpu_capability"
COMPILED = "cpu.loops.Compiled"

WRONG_ANSWERS = (
    WrongAnswer(COMPILED, "what the compiler raises is taken for a dtype that is missing", ("refusals",), (
        "entry = self[kind] = dispatcher.compile(self.signature(kind))",
        """
try:
    entry = self[kind] = dispatcher.compile(self.signature(kind))
except KeyError:
    raise NotImplementedError(self.name) from None
""",
    )),
    WrongAnswer(COMPUTE_CPU_CAPABILITY, "gives what was asked for, whether it is there or not", ("asked",), (
        "most = asked.upper()",
        """
if asked.upper() in VECTOR_BYTES:
    return asked.upper()
""",
        "if found == most or not all(features.get(feature) for feature in needed):",
        "if not all(features.get(feature) for feature in needed):",
    )),
    WrongAnswer(COMPUTE_CPU_CAPABILITY, "one feature of a capability is enough", ("ordinary", "asked"), (
        """
most = asked.upper()
found = "DEFAULT"
""",
        'found = "DEFAULT"',
        "if found == most or not all(features.get(feature) for feature in needed):",
        "if found == asked.upper() or not any(features.get(feature) for feature in needed):",
    )),
    WrongAnswer(
        COMPUTE_CPU_CAPABILITY, "the largest that is there, even without the smaller one", ("ordinary", "asked"), """
def compute_cpu_capability(features, asked):
    there = ["DEFAULT"] + [name for name, needed in NEEDED.items() if all(map(features.get, needed))]
    names = list(VECTOR_BYTES)
    most = names.index(asked.upper()) if asked.upper() in names else len(names)
    return [name for name in there if names.index(name) <= most][-1]
"""),
    WrongAnswer(COMPUTE_CPU_CAPABILITY, "compares small letters with large ones", ("asked",), (
        """
most = asked.upper()
found = "DEFAULT"
""",
        'found = "DEFAULT"',
        "if found == most or not all(features.get(feature) for feature in needed):",
        "if found == asked or not all(features.get(feature) for feature in needed):",
    )),
    WrongAnswer(COMPUTE_CPU_CAPABILITY, "an unknown name means DEFAULT", ("asked",), (
        "most = asked.upper()",
        """
names = list(VECTOR_BYTES)
limit = names.index(asked.upper()) if asked.upper() in names else 0 if asked else len(names)
""",
        "if found == most or not all(features.get(feature) for feature in needed):",
        "if names.index(name) > limit or not all(features.get(feature) for feature in needed):",
    )),
    WrongAnswer(COMPUTE_CPU_CAPABILITY, "looks for a name within what is asked for", ("asked",), (
        """
most = asked.upper()
found = "DEFAULT"
""",
        'found = "DEFAULT"',
        "if found == most or not all(features.get(feature) for feature in needed):",
        "if found in asked.upper() or not all(features.get(feature) for feature in needed):",
    )),
    WrongAnswer(COMPUTE_CPU_CAPABILITY, "enters what is missing into the features", ("ordinary", "asked"), (
        """
most = asked.upper()
found = "DEFAULT"
""",
        'found = "DEFAULT"',
        "if found == most or not all(features.get(feature) for feature in needed):",
        "if found == asked.upper() or not all(features.setdefault(feature, False) for feature in needed):",
    )),
    WrongAnswer(COMPILED, "compiles again at each question", ("ordinary", "refusals", "compiled"), """
class Compiled(dict):
    def __missing__(self, kind):
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        dispatcher = self.dispatchers[kind] = njit(**self.options)(self.function(kind))
        return dispatcher.compile(self.signature(kind))
"""),
    WrongAnswer(COMPILED, "compiles for all dtypes at the first question", ("ordinary", "refusals", "compiled"), """
class Compiled(dict):
    def __missing__(self, kind):
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        for each in self.kinds:
            self.dispatchers[each] = njit(**self.options)(self.function(each))
            self[each] = self.dispatchers[each].compile(self.signature(each))
        return self[kind]
"""),
    WrongAnswer(COMPILED, "a message with the dtype's own name", ("refusals",), """
class Compiled(dict):
    def __missing__(self, kind):
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{kind}'")
        dispatcher = self.dispatchers[kind] = njit(**self.options)(self.function(kind))
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        return entry
"""),
    WrongAnswer(COMPILED, "the options are forgotten", ("ordinary", "refusals", "compiled"), """
class Compiled(dict):
    def __missing__(self, kind):
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        dispatcher = self.dispatchers[kind] = njit(nogil=True)(self.function(kind))
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        return entry
"""),
    WrongAnswer(COMPILED, "keeps the dispatcher of what can't be compiled", ("refusals",), (
        """
entry = self[kind] = dispatcher.compile(self.signature(kind))
self.dispatchers[kind] = dispatcher
""",
        """
self.dispatchers[kind] = dispatcher
entry = self[kind] = dispatcher.compile(self.signature(kind))
""",
    )),
    WrongAnswer(COMPILED, "takes what can't be compiled for a dtype that is not there", ("refusals",), (
        "entry = self[kind] = dispatcher.compile(self.signature(kind))",
        """
try:
    entry = self[kind] = dispatcher.compile(self.signature(kind))
except Exception as error:
    raise NotImplementedError('no kernel for ' + SCALAR_TYPE_NAMES[kind]) from error
""",
    )),
    WrongAnswer(COMPILED, "refuses after it has compiled", ("refusals",), """
class Compiled(dict):
    def __missing__(self, kind):
        dispatcher = self.dispatchers[kind] = njit(**self.options)(self.function(kind))
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        if kind not in self.kinds:
            raise NotImplementedError(f"\\"{self.name}\\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        return entry
"""),
)  # fmt: skip
