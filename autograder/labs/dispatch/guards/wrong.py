"""Wrong answers to dispatch.local.DispatchKeyGuard."""

from autograder.made_up.wrong_answer import WrongAnswer

GUARD = "dispatch.local.DispatchKeyGuard"
INIT = """
class DispatchKeyGuard:
    def __init__(self, included=0, excluded=0):
        self.included = included
        self.excluded = excluded
"""
ENTER = (
    INIT
    + """
    def __enter__(self):
        self.before = local.state
        local.state = state_of(self.before.included | self.included, self.before.excluded | self.excluded)
"""
)

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(GUARD, "not restored after an exception", ("exceptions",), ENTER + """
    def __exit__(self, kind, error, trace):
        if kind is None:
            local.state = self.before
"""),
    WrongAnswer(GUARD, "swallows the exception", ("exceptions",), ENTER + """
    def __exit__(self, kind, error, trace):
        local.state = self.before
        return True
"""),
    WrongAnswer(GUARD, "takes its own bits out", ("nested",), ENTER + """
    def __exit__(self, kind, error, trace):
        now = local.state
        local.state = state_of(now.included & ~self.included, now.excluded & ~self.excluded)
"""),
    WrongAnswer(GUARD, "goes back to the default state", ("nested", "exceptions"), ENTER + """
    def __exit__(self, kind, error, trace):
        local.state = state_of(DEFAULT_INCLUDED, DEFAULT_EXCLUDED)
"""),
    WrongAnswer(GUARD, "its own bits instead of the thread's", ("ordinary", "nested", "exceptions"), INIT + """
    def __enter__(self):
        self.before = local.state
        local.state = state_of(self.included, self.excluded)

    def __exit__(self, kind, error, trace):
        local.state = self.before
"""),
    WrongAnswer(GUARD, "takes what it excludes from what is included", ("ordinary", "nested", "exceptions"), INIT + """
    def __enter__(self):
        self.before = local.state
        included = (self.before.included | self.included) & ~self.excluded
        local.state = state_of(included, self.before.excluded)

    def __exit__(self, kind, error, trace):
        local.state = self.before
"""),
    WrongAnswer(GUARD, "collects the bits in itself", ("nested",), INIT + """
    def __enter__(self):
        self.before = local.state
        self.included |= self.before.included
        self.excluded |= self.before.excluded
        local.state = state_of(self.included, self.excluded)

    def __exit__(self, kind, error, trace):
        local.state = self.before
"""),
)  # fmt: skip

WRONG_ANSWERS += (
    WrongAnswer(
        GUARD,
        "restores only after an Exception",
        ("exceptions",),
        (
            "local.state = self.before",
            """
if kind is None or issubclass(kind, Exception):
    local.state = self.before
""",
        ),
    ),
    WrongAnswer(
        GUARD,
        "not restored after a SystemExit",
        ("exceptions",),
        (
            "local.state = self.before",
            """
if kind is None or not issubclass(kind, SystemExit):
    local.state = self.before
""",
        ),
    ),
    WrongAnswer(
        GUARD,
        "writes into the state, which others have too",
        ("ordinary",),
        """
class DispatchKeyGuard:
    def __init__(self, included=0, excluded=0):
        self.included = included
        self.excluded = excluded

    def __enter__(self):
        self.before = local.state.included, local.state.excluded
        local.state.included |= self.included
        local.state.excluded |= self.excluded

    def __exit__(self, kind, error, trace):
        local.state.included, local.state.excluded = self.before
""",
    ),
    WrongAnswer(
        GUARD,
        "a state that state_of has not made",
        ("ordinary",),
        (
            "local.state = state_of(self.before.included | self.included, self.before.excluded | self.excluded)",
            "local.state = ThreadState(self.before.included | self.included, self.before.excluded | self.excluded)",
        ),
    ),
    WrongAnswer(
        GUARD,
        "only includes",
        (
            "ordinary",
            "nested",
            "exceptions",
        ),
        (
            "local.state = state_of(self.before.included | self.included, self.before.excluded | self.excluded)",
            "local.state = state_of(self.before.included | self.included, self.before.excluded)",
        ),
    ),
    WrongAnswer(
        GUARD,
        "the state of before is kept in the class",
        (
            "nested",
            "exceptions",
        ),
        (
            "self.before = local.state",
            "DispatchKeyGuard.before = local.state",
            "local.state = state_of(self.before.included | self.included, self.before.excluded | self.excluded)",
            """
before = DispatchKeyGuard.before
local.state = state_of(before.included | self.included, before.excluded | self.excluded)
""",
            "local.state = self.before",
            "local.state = DispatchKeyGuard.before",
        ),
    ),
    WrongAnswer(
        GUARD,
        "the state of before is kept from the first time on",
        ("nested",),
        (
            "self.before = local.state",
            """
if not hasattr(self, "before"):
    self.before = local.state
""",
        ),
    ),
    WrongAnswer(
        GUARD,
        "raises the exception again as another one",
        ("exceptions",),
        (
            "local.state = self.before",
            """
local.state = self.before
if error is not None:
    raise RuntimeError("the block has ended") from error
""",
        ),
    ),
    *(
        WrongAnswer(GUARD, f"swallows a {kind}", ("exceptions",), (
            "local.state = self.before", f"local.state = self.before\nreturn kind is {kind}",
        ))
        for kind in ("KeyboardInterrupt", "GeneratorExit", "StopIteration")
    ),
    WrongAnswer(GUARD, "puts back only what nobody has changed", ("nested",), (
        "self.before = local.state", "before = self.before = local.state",
        "local.state = state_of(self.before.included | self.included, self.before.excluded | self.excluded)",
        "self.now = local.state = state_of(before.included | self.included, before.excluded | self.excluded)",
        "local.state = self.before", "if local.state is self.now:\n    local.state = self.before",
    )),
    WrongAnswer(GUARD, "puts back after the exceptions that it knows", ("exceptions",), (
        "local.state = self.before",
        "if kind is None or issubclass(kind, (Exception, KeyboardInterrupt, SystemExit)):\n"
        "    local.state = self.before",
    )),
)  # fmt: skip
