"""Wrong answers to tiny_tensor.contiguous_strides and tiny_tensor.Tensor."""

from autograder.made_up.wrong_answer import WrongAnswer

STRIDES, TENSOR = "tiny_tensor.contiguous_strides", "tiny_tensor.Tensor"
BOTH = ("rows", "blocks")

WRONG_ANSWERS = (
    WrongAnswer(STRIDES, "in the wrong order", BOTH, (
        "return tuple(reversed(strides))", "return tuple(strides)",
    )),
    WrongAnswer(STRIDES, "the first index moves fastest", BOTH, """
def contiguous_strides(sizes):
    strides, step = [], 1
    for size in sizes:
        strides.append(step)
        step *= size
    return tuple(strides)
"""),
    WrongAnswer(STRIDES, "only the next size counts", ("blocks",), ("step *= size", "step = size")),
    WrongAnswer(STRIDES, "a list", BOTH, ("return tuple(reversed(strides))", "return strides[::-1]")),
    WrongAnswer(STRIDES, "looks for each size from the left", BOTH, """
def contiguous_strides(sizes):
    return tuple(math.prod(sizes[sizes.index(size) + 1:]) for size in sizes)
"""),
    WrongAnswer(TENSOR, "copies the storage", ("made", "transpose"), (
        "self.storage = storage", "self.storage = list(storage)",
    )),
    WrongAnswer(TENSOR, "the strides that it was given are ignored", ("walk", "transpose", "refusals"), (
        "self.strides = contiguous_strides(self.sizes) if strides is None else tuple(strides)",
        "self.strides = contiguous_strides(self.sizes)",
    )),
    WrongAnswer(TENSOR, "no index is refused", ("refusals",), (
        "if not 0 <= i < size:", "if False:",
    )),
    WrongAnswer(TENSOR, "negative indices are taken", ("refusals",), ("if not 0 <= i < size:", "if not i < size:")),
    WrongAnswer(TENSOR, "too few indices are taken", ("refusals",), (
        "if len(index) != len(self.sizes):", "if len(index) > len(self.sizes):",
    )),
    WrongAnswer(TENSOR, "the transpose keeps its strides", ("transpose",), (
        "return Tensor(self.storage, self.sizes[::-1], self.strides[::-1])",
        "return Tensor(self.storage, self.sizes[::-1], self.strides)",
    )),
    WrongAnswer(TENSOR, "the transpose is a copy", ("transpose",), (
        "return Tensor(self.storage, self.sizes[::-1], self.strides[::-1])",
        "return Tensor(list(self.storage), self.sizes[::-1], self.strides[::-1])",
    )),
    WrongAnswer(TENSOR, "the keys are no set", ("made", "transpose"), (
        "self.keys = set(keys)", "self.keys = keys",
    )),
    WrongAnswer(TENSOR, "the keys that it was given are ignored", ("made",), (
        "self.keys = set(keys)", 'self.keys = {"CPU"}',
    )),
    WrongAnswer(TENSOR, "a set that it was given is kept", ("made",), (
        "self.keys = set(keys)", "self.keys = keys if isinstance(keys, set) else set(keys)",
    )),
    WrongAnswer(TENSOR, "a list of sizes is kept", ("made",), ("self.sizes = tuple(sizes)", "self.sizes = sizes")),
    WrongAnswer(TENSOR, "remembers what it has read", ("made",), (
        "self.grad = None", "self.grad = None\nself.seen = {}",
        "return self.storage[self.offset_of(index)]",
        "return self.seen.setdefault(index, self.storage[self.offset_of(index)])",
    )),
    WrongAnswer(TENSOR, "t turns the tensor itself, too", ("transpose",), (
        "return Tensor(self.storage, self.sizes[::-1], self.strides[::-1])",
        "self.sizes, self.strides = self.sizes[::-1], self.strides[::-1]\n"
        "return Tensor(self.storage, self.sizes, self.strides)",
    )),
    WrongAnswer(TENSOR, "a tensor of one dimension is its own transpose", ("transpose",), (
        "return Tensor(self.storage, self.sizes[::-1], self.strides[::-1])",
        "return self if len(self.sizes) < 2 else Tensor(self.storage, self.sizes[::-1], self.strides[::-1])",
    )),
)  # fmt: skip
