"""Wrong answers to dispatch.dispatcher.dispatch_key_set."""

from autograder.made_up.wrong_answer import WrongAnswer

DISPATCH_KEY_SET = "dispatch.dispatcher.dispatch_key_set"
ALL = ("below", "highest", "missing", "backends")

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(DISPATCH_KEY_SET, "a fall-through is left in, and called", ALL, """
def dispatch_key_set(key_set, table):
    return key_set
"""),
    WrongAnswer(DISPATCH_KEY_SET, "only the highest key is looked at", ALL, """
def dispatch_key_set(key_set, table):
    if not key_set & ~BACKEND_MASK:
        return key_set
    kernel, _ = table[highest_key(key_set)]
    if kernel is not None and kernel.is_fallthrough:
        return key_set & ~highest_bit(key_set)
    return key_set
"""),
    WrongAnswer(DISPATCH_KEY_SET, "stops at the first kernel that runs", ("below", "backends"), """
def dispatch_key_set(key_set, table):
    while key_set & ~BACKEND_MASK:
        kernel, _ = table[highest_key(key_set)]
        if kernel is None or not kernel.is_fallthrough:
            return key_set
        key_set &= ~highest_bit(key_set)
    return key_set
"""),
    WrongAnswer(DISPATCH_KEY_SET, "a key without a kernel is skipped too", ("missing", "backends"), (
        """
bit = highest_bit(rest)
if kernel is not None and kernel.is_fallthrough:
    kept &= ~bit
rest &= ~bit
""",
        """
if kernel is None or kernel.is_fallthrough:
    kept &= ~highest_bit(rest)
rest &= ~highest_bit(rest)
""",
    )),
    WrongAnswer(DISPATCH_KEY_SET, "looks at every backend of a functionality, not at the highest", ("backends",), """
def dispatch_key_set(key_set, table):
    kept = rest = key_set
    while rest & ~BACKEND_MASK:
        functionality = highest_bit(rest)
        backends = [functionality | 1 << bit for bit in range(16) if rest >> bit & 1] or [functionality]
        kernels = [table[highest_key(one)][0] for one in backends if highest_key(one) in table]
        if all(kernel is not None and kernel.is_fallthrough for kernel in kernels):
            kept &= ~functionality
        rest &= ~functionality
    return kept
"""),
    WrongAnswer(DISPATCH_KEY_SET, "takes the backend bit away with the functionality", ALL, """
def dispatch_key_set(key_set, table):
    kept = rest = key_set
    while rest & ~BACKEND_MASK:
        key = highest_key(rest)
        if table[key][0] is not None and table[key][0].is_fallthrough:
            kept &= ~bits(key)
        rest &= ~highest_bit(rest)
    return kept
"""),
)  # fmt: skip

WRONG_ANSWERS += (
    WrongAnswer(
        DISPATCH_KEY_SET,
        "Undefined's fallthrough is not looked at",
        ("backends",),
        (
            "if kernel is not None and kernel.is_fallthrough:",
            "if kernel is not None and kernel.is_fallthrough and highest_key(rest) is not DispatchKey.Undefined:",
        ),
    ),
    WrongAnswer(
        DISPATCH_KEY_SET,
        "the last functionality stays",
        ("below", "highest", "backends"),
        (
            "if kernel is not None and kernel.is_fallthrough:",
            "if kernel is not None and kernel.is_fallthrough and rest & ~bit & ~BACKEND_MASK:",
        ),
    ),
    WrongAnswer(
        DISPATCH_KEY_SET,
        "backend bits without a functionality go",
        ("highest", "backends"),
        ("return kept", "return kept if kept & ~BACKEND_MASK else 0"),
    ),
)
