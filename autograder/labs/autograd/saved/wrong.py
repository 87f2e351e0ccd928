"""Wrong answers to autograd.saved_variable.SavedVariable."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

SAVED = "autograd.saved_variable.SavedVariable"
SAVE = """
    def save(self, tensor, is_output):
        self.version = tensor._version
        if is_output and not variable.is_leaf(tensor):
            self.output_nr = tensor._autograd_meta.output_nr
            self.weak_grad_fn = weakref.ref(tensor._autograd_meta.grad_fn)
            self.data = alias(tensor)
        else:
            self.data = tensor
"""
LOAD = """
    def load(self, node):
        if self.data._version != self.version:
            raise RuntimeError(self.modified(node))
        if self.output_nr is None:
            return self.data
        return variable.with_edge(self.data, (self.weak_grad_fn() or node, self.output_nr))
"""


def _class(save: str = SAVE, load: str = LOAD) -> str:
    return f"class SavedVariable:{save}{load}"


WRONG_ANSWERS = (
    WrongAnswer(SAVED, "an output has no history in no_grad", ("outputs",), (
        "if self.output_nr is None:", "if self.output_nr is None or not state.grad_mode:",
    )),
    WrongAnswer(SAVED, "the version is not checked", ("versions",), _class(load='''
    def load(self, node):
        if self.output_nr is None:
            return self.data
        return variable.with_edge(self.data, (self.weak_grad_fn() or node, self.output_nr))
''')),
    WrongAnswer(SAVED, "every tensor is expected at version 0", ("versions", "outputs"), _class(save=SAVE.replace(
        "self.version = tensor._version", "self.version = 0"))),
    WrongAnswer(SAVED, "an output is kept as it is: it and its node live on", ("outputs",), _class(save='''
    def save(self, tensor, is_output):
        self.version = tensor._version
        self.data = tensor
''')),
    WrongAnswer(SAVED, "the node of an output is kept strongly", ("outputs",), _class(save=SAVE.replace(
        "weakref.ref(tensor._autograd_meta.grad_fn)", "lambda node=tensor._autograd_meta.grad_fn: node"))),
    WrongAnswer(SAVED, "an output comes back without history", ("outputs",), _class(load='''
    def load(self, node):
        if self.data._version != self.version:
            raise RuntimeError(self.modified(node))
        return self.data
''')),
    WrongAnswer(SAVED, "an output without history is treated as one with it", ("outputs",), _class(save=SAVE.replace(
        " and not variable.is_leaf(tensor)", ""))),
    WrongAnswer(SAVED, "a copy is kept, which nobody can write to", ("ordinary", "versions", "outputs"), _class(save='''
    def save(self, tensor, is_output):
        self.data = tensor.clone()
        self.version = self.data._version
''')),
    WrongAnswer(SAVED, "inputs come back without history too", ("ordinary", "versions", "outputs"), _class(save='''
    def save(self, tensor, is_output):
        self.version = tensor._version
        self.data = alias(tensor)
''')),
    WrongAnswer(SAVED, "refuses only what was written to more than once", ("versions",), _class(load=LOAD.replace(
        "self.data._version != self.version", "self.data._version > self.version + 1"))),
    WrongAnswer(SAVED, "one's own words", ("versions",), _class(load=LOAD.replace(
        "self.modified(node)", '"modified"'))),
    WrongAnswer(SAVED, "the alias itself comes back, with a history from then on", ("outputs",), _class(
        load=LOAD.replace("        return variable.with_edge("
        "self.data, (self.weak_grad_fn() or node, self.output_nr))\n",
        "        meta = variable.get_or_create_meta(self.data)\n"
        "        meta.grad_fn, meta.output_nr = self.weak_grad_fn() or node, self.output_nr\n"
        "        return self.data\n"))),
    WrongAnswer(SAVED, "the node that saved it, though another made it", ("outputs",), _class(load=LOAD.replace(
        "self.weak_grad_fn() or node", "node"))),
    WrongAnswer(SAVED, "the node of an output is lost with it", ("outputs",), _class(load=LOAD.replace(
        "self.weak_grad_fn() or node", "self.weak_grad_fn()"))),
    WrongAnswer(SAVED, "output 0, whichever it is", ("outputs",), _class(save=SAVE.replace(
        "self.output_nr = tensor._autograd_meta.output_nr", "self.output_nr = 0"))),
    WrongAnswer(SAVED, "Python's grad_fn, which makes a view's node anew", ("outputs",), _class(save=SAVE.replace(
        "weakref.ref(tensor._autograd_meta.grad_fn)", "weakref.ref(variable.grad_fn(tensor))"))),
    WrongAnswer(SAVED, "an input keeps its output_nr, too", ("ordinary", "versions", "outputs"), _class(
        save=SAVE.replace("            self.data = tensor\n", "            self.data, self.output_nr = tensor, 0\n"
        "            self.weak_grad_fn = lambda: variable.grad_fn(tensor)\n"))),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        SAVED, "if self.data._version != self.version:", "if self.data._version > self.version:",
        "a version counter only grows",
    ),
)  # fmt: skip
