"""Wrong answers to tiny_tensor.Table and tiny_tensor.call."""

from autograder.made_up.wrong_answer import WrongAnswer

TABLE, CALL = "tiny_tensor.Table", "tiny_tensor.call"
ALL = ("finds", "later", "refusals")

WRONG_ANSWERS = (
    WrongAnswer(TABLE, "a second kernel replaces the first", ("refusals",), (
        "if (op, key) in self.kernels:", "if False:",
    )),
    WrongAnswer(TABLE, "the lowest key counts", ALL, ("for key in KEYS:", "for key in reversed(KEYS):")),
    WrongAnswer(TABLE, "only the highest key is looked at", ALL, (
        "if key in keys and (op, key) in self.kernels:\n    return self.kernels[op, key]",
        "if key in keys:\n    return self.kernels[op, key]",
    )),
    WrongAnswer(TABLE, "None where nothing fits", ("later", "refusals"), (
        'raise NotImplementedError(f"{op} has no kernel for {sorted(keys)}")', "return None",
    )),
    WrongAnswer(TABLE, "a KeyError where nothing fits", ("later", "refusals"), (
        'raise NotImplementedError(f"{op} has no kernel for {sorted(keys)}")', "raise KeyError(op)",
    )),
    WrongAnswer(TABLE, "one kernel for each key, whatever the operator", ALL, """
class Table:
    def __init__(self):
        self.kernels = {}

    def register(self, op, key, kernel):
        if key in self.kernels:
            raise RuntimeError("taken")
        self.kernels[key] = kernel

    def find(self, op, keys):
        for key in KEYS:
            if key in keys and key in self.kernels:
                return self.kernels[key]
        raise NotImplementedError(op)
"""),
    WrongAnswer(TABLE, "remembers what it has found", ("later",), (
        "self.kernels = {}", "self.kernels, self.found = {}, {}",
        "for key in KEYS:\n    if key in keys and (op, key) in self.kernels:\n        return self.kernels[op, key]",
        "at = (op, *sorted(keys))\nfor key in KEYS:\n    if key in keys and (op, key) in self.kernels:\n"
        "        return self.found.setdefault(at, self.kernels[op, key])",
    )),
    WrongAnswer(TABLE, "KEYS as they are when it is made", ("later",), (
        "self.kernels = {}", "self.kernels, self.order = {}, list(KEYS)", "for key in KEYS:", "for key in self.order:",
    )),
    WrongAnswer(TABLE, "a kernel can be found once", ("later",), (
        "return self.kernels[op, key]", "return self.kernels.pop((op, key))",
    )),
    WrongAnswer(TABLE, "empties the keys where nothing fits", ("later", "refusals"), (
        'raise NotImplementedError(f"{op} has no kernel for {sorted(keys)}")',
        "keys.clear()\nraise NotImplementedError(op)",
    )),
    WrongAnswer(TABLE, "enters before it refuses", ("refusals",), (
        'if (op, key) in self.kernels:\n    raise RuntimeError(f"{op} already has a kernel for {key}")\n'
        "self.kernels[op, key] = kernel",
        "taken = (op, key) in self.kernels\nself.kernels[op, key] = kernel\nif taken:\n    raise RuntimeError(op)",
    )),
    WrongAnswer(CALL, "goes on to the next key after a kernel's own NotImplementedError", ("through",), (
        "return TABLE.find(op, keys)(*args)", """
for key in KEYS:
    if key in keys:
        try:
            return TABLE.find(op, {key})(*args)
        except NotImplementedError:
            pass
raise NotImplementedError(op)
""")),
    WrongAnswer(CALL, "an error of the kernel becomes another one", ("through",), (
        "return TABLE.find(op, keys)(*args)", """
try:
    return TABLE.find(op, keys)(*args)
except KeyError as error:
    raise RuntimeError(op) from error
""")),
    WrongAnswer(CALL, "calls again if nothing comes back", ("chooses", "below", "through"), (
        "return TABLE.find(op, keys)(*args)",
        "kernel = TABLE.find(op, keys)\nreturn kernel(*args) or kernel(*args)",
    )),
    WrongAnswer(CALL, "only the first argument's keys count", ("chooses", "below", "through"), """
def call(op, *args, below=None):
    keys = set(args[0].keys)
    if below is not None:
        keys &= set(KEYS[KEYS.index(below) + 1 :])
    return TABLE.find(op, keys)(*args)
"""),
    WrongAnswer(CALL, "the first argument gets the keys of all", ("through",), """
def call(op, *args, below=None):
    keys = args[0].keys
    for arg in args[1:]:
        keys |= arg.keys
    if below is not None:
        keys = keys & set(KEYS[KEYS.index(below) + 1 :])
    return TABLE.find(op, keys)(*args)
"""),
    WrongAnswer(CALL, "below includes the key itself", ("below", "through"), (
        "keys &= set(KEYS[KEYS.index(below) + 1 :])", "keys &= set(KEYS[KEYS.index(below) :])",
    )),
    WrongAnswer(CALL, "below takes away one key alone", ("below", "through"), (
        "keys &= set(KEYS[KEYS.index(below) + 1 :])", "keys -= {below}",
    )),
    WrongAnswer(CALL, "below gives keys that no argument has", ("below", "through"), (
        "keys &= set(KEYS[KEYS.index(below) + 1 :])", "keys = set(KEYS[KEYS.index(below) + 1 :])",
    )),
    WrongAnswer(CALL, "only keys that all arguments have count", ("chooses", "below", "through"), """
def call(op, *args, below=None):
    keys = set(KEYS)
    for arg in args:
        keys &= arg.keys
    if below is not None:
        keys &= set(KEYS[KEYS.index(below) + 1 :])
    return TABLE.find(op, keys)(*args)
"""),
)  # fmt: skip
