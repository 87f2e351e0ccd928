"""Wrong answers to dispatch.keys.bits, dispatch.keys.highest_key, dispatch.boxing.key_set_of_stack."""

from autograder.made_up.wrong_answer import WrongAnswer

BITS = "dispatch.keys.bits"
HIGHEST_KEY = "dispatch.keys.highest_key"
KEY_SET_OF_STACK = "dispatch.boxing.key_set_of_stack"

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(BITS, "the number of the key is taken for the number of a bit", ("ordinary", "refusals"), """
def bits(key):
    if key >= DispatchKey.Autograd:
        raise RuntimeError("alias")
    return 1 << key
"""),
    WrongAnswer(BITS, "alias keys get bits too", ("refusals",), """
def bits(key):
    functionality, backend = to_functionality_key(key), to_backend_component(key)
    key_set = 1 << (functionality + FUNCTIONALITY_SHIFT) if functionality else 0
    return key_set | (1 << BACKEND_BITS[backend] if backend else 0)
"""),
    WrongAnswer(BITS, "Undefined gets a bit", ("ordinary", "refusals"), """
def bits(key):
    if key >= DispatchKey.Autograd:
        raise RuntimeError("alias")
    key_set = 1 << (to_functionality_key(key) + FUNCTIONALITY_SHIFT)
    backend = to_backend_component(key)
    return key_set | (1 << BACKEND_BITS[backend]) if backend else key_set
"""),
    WrongAnswer(BITS, "the backend's bit is forgotten", ("ordinary", "refusals"), """
def bits(key):
    if key >= DispatchKey.Autograd:
        raise RuntimeError("alias")
    return 1 << (to_functionality_key(key) + FUNCTIONALITY_SHIFT) if key else 0
"""),
    WrongAnswer(BITS, "an alias is refused by another error", ("refusals",), """
def bits(key):
    if key >= DispatchKey.Autograd:
        raise ValueError("alias")
    key_set = 1 << (to_functionality_key(key) + FUNCTIONALITY_SHIFT) if key else 0
    backend = to_backend_component(key)
    return key_set | (1 << BACKEND_BITS[backend]) if backend else key_set
"""),
    WrongAnswer(HIGHEST_KEY, "the last key of the set, whatever is missing", ("edge",), """
def highest_key(key_set):
    keys = list(keys_of(key_set))
    return keys[-1] if keys else DispatchKey.Undefined
"""),
    WrongAnswer(HIGHEST_KEY, "the lowest backend instead of the highest", ("ordinary", "edge"), (
        """
backend = BACKEND_OF_BIT.get((key_set & BACKEND_MASK).bit_length() - 1, "")
return PER_BACKEND[functionality].get(backend, K.Undefined)
""",
        """
for backend, bit in BACKEND_BITS.items():
    if key_set >> bit & 1:
        return PER_BACKEND[functionality].get(backend, DispatchKey.Undefined)
return DispatchKey.Undefined
""",
    )),
    WrongAnswer(HIGHEST_KEY, "gives the functionality, without the backend", ("ordinary", "edge"), """
def highest_key(key_set):
    return DispatchKey(max(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT, 0))
"""),
    WrongAnswer(HIGHEST_KEY, "an empty set, and one without functionalities, make it raise", ("edge",), (
        "functionality = DispatchKey(max(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT, 0))",
        "functionality = DispatchKey(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT)",
        "return PER_BACKEND[functionality].get(backend, K.Undefined)",
        "return PER_BACKEND[functionality].get(backend, DispatchKey.Undefined)",
    )),
    WrongAnswer(HIGHEST_KEY, "a number is no DispatchKey", ("ordinary", "edge"), (
        "functionality = DispatchKey(max(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT, 0))",
        "functionality = max(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT, 0)",
        "return PER_BACKEND[functionality].get(backend, K.Undefined)",
        "return PER_BACKEND[functionality].get(backend, 0)",
    )),
    WrongAnswer(HIGHEST_KEY, "where no key is named for the backend, the next lower backend is taken", ("edge",), (
        """
backend = BACKEND_OF_BIT.get((key_set & BACKEND_MASK).bit_length() - 1, "")
return PER_BACKEND[functionality].get(backend, K.Undefined)
""",
        """
for backend, bit in reversed(BACKEND_BITS.items()):
    if key_set >> bit & 1 and backend in PER_BACKEND[functionality]:
        return PER_BACKEND[functionality][backend]
return DispatchKey.Undefined
""",
    )),
    WrongAnswer(KEY_SET_OF_STACK, "dispatches on the first argument only", ("ordinary", "edge", "thread"), """
def key_set_of_stack(stack):
    key_set = local.state.included
    if stack:
        first = stack[0][0] if isinstance(stack[0], (list, tuple)) and stack[0] else stack[0]
        if isinstance(first, Tensor):
            key_set |= first._key_set
    return key_set & local.state.allowed
"""),
    WrongAnswer(KEY_SET_OF_STACK, "dispatches on the first tensor only", ("ordinary", "edge", "thread"), """
def key_set_of_stack(stack):
    for value in stack:
        for entry in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(entry, Tensor):
                return (entry._key_set | local.state.included) & local.state.allowed
    return local.state.included & local.state.allowed
"""),
    WrongAnswer(KEY_SET_OF_STACK, "lists are not looked into", ("edge",), (
        """
for entry in value if isinstance(value, (list, tuple)) else (value,):
    if isinstance(entry, Tensor):
        key_set |= entry._key_set
""",
        """
if isinstance(value, Tensor):
    key_set |= value._key_set
""",
    )),
    WrongAnswer(KEY_SET_OF_STACK, "a list that begins with None is taken for one without tensors", ("edge",), (
        """
for entry in value if isinstance(value, (list, tuple)) else (value,):
    if isinstance(entry, Tensor):
        key_set |= entry._key_set
""",
        """
if isinstance(value, Tensor):
    key_set |= value._key_set
elif isinstance(value, (list, tuple)) and value and isinstance(value[0], Tensor):
    for entry in value:
        if entry is not None:
            key_set |= entry._key_set
""",
    )),
    WrongAnswer(KEY_SET_OF_STACK, "tuples are not looked into", ("edge",),
        ("for entry in value if isinstance(value, (list, tuple)) else (value,):",
         "for entry in value if isinstance(value, list) else [value]:"),
    ),
    WrongAnswer(KEY_SET_OF_STACK, "what the thread includes comes after what it excludes", ("thread",), (
        "key_set = local.state.included",
        "key_set = 0",
        "return key_set & local.state.allowed",
        "return key_set & local.state.allowed | local.state.included",
    )),
    WrongAnswer(KEY_SET_OF_STACK, "excluding an Autograd key takes the backend away with it", ("thread",),
        ("return key_set & local.state.allowed", "return key_set & ~local.state.excluded"),
    ),
    WrongAnswer(KEY_SET_OF_STACK, "the thread is forgotten", ("ordinary", "edge", "thread"), (
        "key_set = local.state.included",
        "key_set = 0",
        "return key_set & local.state.allowed",
        "return key_set",
    )),
    WrongAnswer(KEY_SET_OF_STACK, "the intersection instead of the union", ("ordinary", "edge", "thread"), """
def key_set_of_stack(stack):
    key_set = ~0
    for value in stack:
        for entry in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(entry, Tensor):
                key_set &= entry._key_set
    return ((0 if key_set == ~0 else key_set) | local.state.included) & local.state.allowed
"""),
)  # fmt: skip

WRONG_ANSWERS += (
    WrongAnswer(
        BITS,
        "the shift is one too many",
        (
            "ordinary",
            "refusals",
        ),
        (
            "key_set |= 1 << (functionality + FUNCTIONALITY_SHIFT)",
            "key_set |= 1 << (functionality + FUNCTIONALITY_SHIFT + 1)",
        ),
    ),
    WrongAnswer(
        BITS,
        "the alias Autograd itself is taken for a runtime key",
        ("refusals",),
        ("if key >= K.Autograd:", "if key > K.Autograd:"),
    ),
    WrongAnswer(
        BITS,
        "gives a DispatchKeySet",
        (
            "ordinary",
            "refusals",
        ),
        ("return key_set", "return DispatchKeySet.from_raw_repr(key_set)"),
    ),
    WrongAnswer(
        BITS,
        "only keys of the aliases' dict that are Composite are refused",
        ("refusals",),
        ("if key >= K.Autograd:", 'if key.name.startswith("Composite"):'),
    ),
    WrongAnswer(
        HIGHEST_KEY,
        "Quantized is always at the CPU",
        ("edge",),
        (
            "return PER_BACKEND[functionality].get(backend, K.Undefined)",
            """
if functionality is K.Quantized and backend:
    return K.QuantizedCPU
return PER_BACKEND[functionality].get(backend, K.Undefined)
""",
        ),
    ),
    WrongAnswer(
        HIGHEST_KEY,
        "a set without a backend is one of the CPU",
        ("edge",),
        (
            'backend = BACKEND_OF_BIT.get((key_set & BACKEND_MASK).bit_length() - 1, "")',
            'backend = BACKEND_OF_BIT.get((key_set & BACKEND_MASK).bit_length() - 1, "CPU")',
        ),
    ),
    WrongAnswer(
        HIGHEST_KEY,
        "a functionality without its key is given as it is",
        ("edge",),
        (
            "return PER_BACKEND[functionality].get(backend, K.Undefined)",
            "return PER_BACKEND[functionality].get(backend, functionality)",
        ),
    ),
    WrongAnswer(
        KEY_SET_OF_STACK,
        "subclasses of Tensor have no keys",
        ("edge",),
        ("if isinstance(entry, Tensor):", "if type(entry) is Tensor:"),
    ),
    WrongAnswer(
        KEY_SET_OF_STACK,
        "subclasses of tuple and list are not looked into",
        ("edge",),
        (
            "for entry in value if isinstance(value, (list, tuple)) else (value,):",
            "for entry in value if type(value) in (list, tuple) else (value,):",
        ),
    ),
    WrongAnswer(
        KEY_SET_OF_STACK,
        "lists inside of lists are looked into",
        ("edge",),
        """
def _keys(value):
    if isinstance(value, Tensor):
        return value._key_set
    if isinstance(value, (list, tuple)):
        key_set = 0
        for entry in value:
            key_set |= _keys(entry)
        return key_set
    return 0


def key_set_of_stack(stack):
    return (_keys(list(stack)) | local.state.included) & local.state.allowed
""",
    ),
    WrongAnswer(
        KEY_SET_OF_STACK,
        "takes the arguments off the stack",
        ("edge",),
        """
def key_set_of_stack(stack):
    key_set = local.state.included
    while stack:
        value = stack.pop()
        for entry in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(entry, Tensor):
                key_set |= entry._key_set
    return key_set & local.state.allowed
""",
    ),
    WrongAnswer(
        KEY_SET_OF_STACK,
        "a dict's values are looked into",
        ("edge",),
        (
            "for entry in value if isinstance(value, (list, tuple)) else (value,):",
            """
value = list(value.values()) if isinstance(value, dict) else value
for entry in value if isinstance(value, (list, tuple)) else (value,):
""",
        ),
    ),
    WrongAnswer(
        KEY_SET_OF_STACK,
        "stops at the first None",
        ("edge",),
        (
            """if isinstance(entry, Tensor):
    key_set |= entry._key_set""",
            """
if entry is None:
    break
if isinstance(entry, Tensor):
    key_set |= entry._key_set
""",
        ),
    ),
    WrongAnswer(
        KEY_SET_OF_STACK,
        "asks for the attribute, not for the class",
        ("edge",),
        ("if isinstance(entry, Tensor):", "if hasattr(entry, '_key_set'):"),
    ),
    WrongAnswer(
        KEY_SET_OF_STACK,
        "looks into all that can be iterated",
        ("edge",),
        (
            "for entry in value if isinstance(value, (list, tuple)) else (value,):",
            "for entry in value if hasattr(value, '__iter__') and not isinstance(value, (str, Tensor)) else (value,):",
        ),
    ),
)
