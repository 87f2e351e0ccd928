"""Wrong answers to tiny_tensor.Table and tiny_tensor.call."""

from autograder.proof.model import WrongAnswer

TABLE, CALL = "tiny_tensor.Table", "tiny_tensor.call"
ALL = ("finds", "refusals")

WRONG_ANSWERS = (
    WrongAnswer(TABLE, "a second kernel replaces the first", ("refusals",), (
        "if (op, key) in self.kernels:", "if False:",
    )),
    WrongAnswer(TABLE, "the lowest key counts", ALL, ("for key in KEYS:", "for key in reversed(KEYS):")),
    WrongAnswer(TABLE, "only the highest key is looked at", ALL, (
        "if key in keys and (op, key) in self.kernels:\n    return self.kernels[op, key]",
        "if key in keys:\n    return self.kernels[op, key]",
    )),
    WrongAnswer(TABLE, "None where nothing fits", ("refusals",), (
        'raise NotImplementedError(f"{op} has no kernel for {sorted(keys)}")', "return None",
    )),
    WrongAnswer(TABLE, "a KeyError where nothing fits", ("refusals",), (
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
    WrongAnswer(CALL, "only the first argument's keys count", ("chooses", "below"), """
def call(op, *args, below=None):
    keys = set(args[0].keys)
    if below is not None:
        keys &= set(KEYS[KEYS.index(below) + 1 :])
    return TABLE.find(op, keys)(*args)
"""),
    WrongAnswer(CALL, "the first argument gets the keys of all", ("chooses", "below"), """
def call(op, *args, below=None):
    keys = args[0].keys
    for arg in args[1:]:
        keys |= arg.keys
    if below is not None:
        keys = keys & set(KEYS[KEYS.index(below) + 1 :])
    return TABLE.find(op, keys)(*args)
"""),
    WrongAnswer(CALL, "below includes the key itself", ("below",), (
        "keys &= set(KEYS[KEYS.index(below) + 1 :])", "keys &= set(KEYS[KEYS.index(below) :])",
    )),
    WrongAnswer(CALL, "below takes away one key alone", ("below",), (
        "keys &= set(KEYS[KEYS.index(below) + 1 :])", "keys -= {below}",
    )),
    WrongAnswer(CALL, "below gives keys that no argument has", ("below",), (
        "keys &= set(KEYS[KEYS.index(below) + 1 :])", "keys = set(KEYS[KEYS.index(below) + 1 :])",
    )),
    WrongAnswer(CALL, "only keys that all arguments have count", ("chooses", "below"), """
def call(op, *args, below=None):
    keys = set(KEYS)
    for arg in args:
        keys &= arg.keys
    if below is not None:
        keys &= set(KEYS[KEYS.index(below) + 1 :])
    return TABLE.find(op, keys)(*args)
"""),
)  # fmt: skip
