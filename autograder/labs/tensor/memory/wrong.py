"""Wrong answers to tiny_tensor.contiguous_strides and tiny_tensor.Tensor."""

from autograder.proof.model import WrongAnswer

STRIDES, TENSOR = "tiny_tensor.contiguous_strides", "tiny_tensor.Tensor"
ALL = ("walk", "transpose", "refusals")

WRONG_ANSWERS = (
    WrongAnswer(STRIDES, "in the wrong order", ("strides",), (
        "return tuple(reversed(strides))", "return tuple(strides)",
    )),
    WrongAnswer(STRIDES, "the first index moves fastest", ("strides",), """
def contiguous_strides(sizes):
    strides, step = [], 1
    for size in sizes:
        strides.append(step)
        step *= size
    return tuple(strides)
"""),
    WrongAnswer(STRIDES, "only the next size counts", ("strides",), ("step *= size", "step = size")),
    WrongAnswer(STRIDES, "a list", ("strides",), ("return tuple(reversed(strides))", "return strides[::-1]")),
    WrongAnswer(TENSOR, "copies the storage", ALL, (
        "self.storage = storage", "self.storage = list(storage)",
    )),
    WrongAnswer(TENSOR, "the strides that it was given are ignored", ALL, (
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
    WrongAnswer(TENSOR, "the keys are no set", ALL, (
        "self.keys = set(keys)", "self.keys = keys",
    )),
)  # fmt: skip
