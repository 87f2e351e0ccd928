"""Wrong answers to dispatch.registry.OperatorEntry."""

from autograder.labs.dispatch.entries.right import OTHER_ENTRY
from autograder.made_up.wrong_answer import WrongAnswer, changed

ENTRY = "dispatch.registry.OperatorEntry"
UNDO = """
    def deregister_kernel(self, key, kernel):
        if kernel not in self.registered.get(key, []):
            raise RuntimeError("not registered")
        self.registered[key].remove(kernel)
        if not self.registered[key]:
            del self.registered[key]
        self.forget()
"""
KERNEL = """
    def register_kernel(self, key, kernel):
        self.registered.setdefault(key, []).insert(0, kernel)
        self.forget()
"""
SCHEMA = """
class OperatorEntry:
    def register_schema(self, schema, tags=(), debug=""):
        if self.schema is not None:
            raise RuntimeError(f"defined twice, {self.debug}")
        self.schema, self.tags, self.debug = schema, tuple(tags), debug
"""

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(ENTRY, "a second definition takes the first one's place", ("refusals",),
                SCHEMA.replace('raise RuntimeError(f"defined twice, {self.debug}")', "pass") + KERNEL + UNDO),
    WrongAnswer(ENTRY, "refuses, and has overwritten the tags before", ("refusals",), """
class OperatorEntry:
    def register_schema(self, schema, tags=(), debug=""):
        self.tags, self.debug = tuple(tags), debug
        if self.schema is not None:
            raise RuntimeError(f"defined twice, {self.debug}")
        self.schema = schema
""" + KERNEL + UNDO),
    WrongAnswer(ENTRY, "the same schema again is no mistake", ("refusals",),
                SCHEMA.replace("self.schema is not None", "self.schema is not None and str(schema) != str(self.schema)")
                + KERNEL + UNDO),
    WrongAnswer(ENTRY, "the oldest kernel serves", ("ordinary", "undo", "refusals"),
                SCHEMA + KERNEL.replace("insert(0, kernel)", "append(kernel)") + UNDO),
    WrongAnswer(ENTRY, "a newer kernel takes the older one's place for good", ("ordinary", "undo", "refusals"),
                SCHEMA + """
    def register_kernel(self, key, kernel):
        self.registered[key] = [kernel]
        self.forget()
""" + UNDO),
    WrongAnswer(ENTRY, "calls that have resolved go on to the old kernel", ("ordinary", "undo", "refusals"),
                SCHEMA + KERNEL.replace("        self.forget()\n", "") + UNDO),
    WrongAnswer(ENTRY, "undoing lets resolved calls go on", ("undo",),
                SCHEMA + KERNEL + UNDO.replace("        self.forget()\n", "")),
    WrongAnswer(ENTRY, "redispatches are not resolved again", ("ordinary", "undo", "refusals"),
                SCHEMA + KERNEL.replace("self.forget()", "self.calls.clear()")
                + UNDO.replace("self.forget()", "self.calls.clear()")),
    WrongAnswer(ENTRY, "undoing takes the newest kernel", ("undo", "refusals"),
                SCHEMA + KERNEL + UNDO.replace("remove(kernel)", "pop(0)")),
    WrongAnswer(ENTRY, "undoing empties the key", ("undo", "refusals"), SCHEMA + KERNEL + """
    def deregister_kernel(self, key, kernel):
        if kernel not in self.registered.get(key, []):
            raise RuntimeError("not registered")
        del self.registered[key]
        self.forget()
"""),
    WrongAnswer(ENTRY, "undoing takes every kernel with that function", ("undo", "refusals"), SCHEMA + KERNEL + """
    def deregister_kernel(self, key, kernel):
        if kernel not in self.registered.get(key, []):
            raise RuntimeError("not registered")
        left = [other for other in self.registered[key] if other.function is not kernel.function]
        if left:
            self.registered[key] = left
        else:
            del self.registered[key]
        self.forget()
"""),
    WrongAnswer(ENTRY, "an empty list is left behind", ("undo", "refusals"), SCHEMA + KERNEL + """
    def deregister_kernel(self, key, kernel):
        if kernel not in self.registered.get(key, []):
            raise RuntimeError("not registered")
        self.registered[key].remove(kernel)
        self.forget()
"""),
    WrongAnswer(ENTRY, "undoing twice is no mistake", ("refusals",), SCHEMA + KERNEL
                + UNDO.replace('            raise RuntimeError("not registered")', "            return")),
)  # fmt: skip

WRONG_ANSWERS += (
    WrongAnswer(
        ENTRY,
        "new dicts for what calls have resolved",
        (
            "ordinary",
            "undo",
            "refusals",
        ),
        changed(
            OTHER_ENTRY,
            'raise RuntimeError(f"{self.name} is defined, see {self.debug}")',
            'raise RuntimeError(f"defined twice, {self.debug}")',
            """
self.registered.setdefault(key, []).insert(0, kernel)
self.forget()
""",
            """
self.registered.setdefault(key, []).insert(0, kernel)
self.calls, self.redispatches = Resolved(self, "call"), Resolved(self, "redispatch")
""",
        ),
    ),
    WrongAnswer(
        ENTRY,
        "the message does not say where the first schema came from",
        ("refusals",),
        changed(
            OTHER_ENTRY,
            'raise RuntimeError(f"{self.name} is defined, see {self.debug}")',
            'raise RuntimeError(f"{self.name} is defined, see {debug}")',
        ),
    ),
    WrongAnswer(
        ENTRY,
        "tags are kept as they come",
        (
            "ordinary",
            "refusals",
        ),
        changed(
            OTHER_ENTRY,
            "self.schema, self.tags, self.debug = schema, tuple(tags), debug",
            "self.schema, self.tags, self.debug = schema, tags, debug",
        ),
    ),
    WrongAnswer(
        ENTRY,
        "an empty list is made where nothing is registered",
        ("refusals",),
        changed(
            OTHER_ENTRY,
            "if kernel not in self.registered.get(key, []):",
            "if kernel not in self.registered.setdefault(key, []):",
        ),
    ),
    WrongAnswer(
        ENTRY,
        "the list is emptied before it is known whether the kernel is there",
        ("refusals",),
        changed(
            OTHER_ENTRY,
            'raise RuntimeError("not registered")',
            """
self.registered.pop(key, None)
raise RuntimeError("not registered")
""",
        ),
    ),
    WrongAnswer(
        ENTRY,
        "undoing looks at all keys",
        (
            "undo",
            "refusals",
        ),
        changed(
            OTHER_ENTRY,
            "if kernel not in self.registered.get(key, []):",
            "holders = [other for other, kernels in self.registered.items() if kernel in kernels]\nif not holders:",
            "self.registered[key].remove(kernel)\nif not self.registered[key]:\n    del self.registered[key]",
            """
for key in holders:
    self.registered[key].remove(kernel)
    if not self.registered[key]:
        del self.registered[key]
""",
        ),
    ),
    WrongAnswer(
        ENTRY,
        "a KeyError where nothing is registered",
        ("refusals",),
        changed(
            OTHER_ENTRY,
            "if kernel not in self.registered.get(key, []):",
            "if kernel not in self.registered[key]:",
        ),
    ),
    WrongAnswer(
        ENTRY,
        "only calls resolve again where a kernel goes",
        ("undo",),
        changed(
            OTHER_ENTRY,
            """
if not self.registered[key]:
    del self.registered[key]
self.forget()
""",
            """
if not self.registered[key]:
    del self.registered[key]
self.calls.clear()
""",
        ),
    ),
    WrongAnswer(
        ENTRY,
        "a schema again for what is defined without tags",
        ("refusals",),
        changed(
            OTHER_ENTRY,
            "if self.schema is not None:",
            "if self.schema is not None and self.tags:",
        ),
    ),
    WrongAnswer(
        ENTRY,
        "forgets before it refuses",
        ("refusals",),
        ("if kernel not in kernels:", "self.forget()\nif kernel not in kernels:"),
    ),
)
