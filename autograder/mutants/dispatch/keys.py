"""Wrong answers to the exercises on keys as bits and on the key set of a call."""

from autograder.mutants.model import Equivalent, WrongAnswer

BITS, HIGHEST, STACK = "dispatch.keys.bits", "dispatch.keys.highest_key", "dispatch.boxing.key_set_of_stack"

WRONG_ANSWERS = (
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
    WrongAnswer(HIGHEST, "the last key of the set, whatever is missing", ("edge",), """
def highest_key(key_set):
    keys = list(keys_of(key_set))
    return keys[-1] if keys else DispatchKey.Undefined
"""),
    WrongAnswer(HIGHEST, "the lowest backend in place of the highest", ("ordinary", "edge"), """
def highest_key(key_set):
    functionality = DispatchKey(max(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT, 0))
    if functionality not in PER_BACKEND:
        return functionality
    for backend, bit in BACKEND_BITS.items():
        if key_set >> bit & 1:
            return PER_BACKEND[functionality].get(backend, DispatchKey.Undefined)
    return DispatchKey.Undefined
"""),
    WrongAnswer(HIGHEST, "gives the functionality, without the backend", ("ordinary", "edge"), """
def highest_key(key_set):
    return DispatchKey(max(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT, 0))
"""),
    WrongAnswer(HIGHEST, "an empty set, and one without functionalities, make it raise", ("edge",), """
def highest_key(key_set):
    functionality = DispatchKey(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT)
    if functionality not in PER_BACKEND:
        return functionality
    backend = BACKEND_OF_BIT.get((key_set & BACKEND_MASK).bit_length() - 1, "")
    return PER_BACKEND[functionality].get(backend, DispatchKey.Undefined)
"""),
    WrongAnswer(HIGHEST, "a number is no DispatchKey", ("ordinary", "edge"), """
def highest_key(key_set):
    functionality = max(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT, 0)
    if functionality not in PER_BACKEND:
        return functionality
    backend = BACKEND_OF_BIT.get((key_set & BACKEND_MASK).bit_length() - 1, "")
    return PER_BACKEND[functionality].get(backend, 0)
"""),
    WrongAnswer(HIGHEST, "where no key is named for the backend, the next lower backend is taken", ("edge",), """
def highest_key(key_set):
    functionality = DispatchKey(max(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT, 0))
    if functionality not in PER_BACKEND:
        return functionality
    for backend, bit in reversed(BACKEND_BITS.items()):
        if key_set >> bit & 1 and backend in PER_BACKEND[functionality]:
            return PER_BACKEND[functionality][backend]
    return DispatchKey.Undefined
"""),
    WrongAnswer(STACK, "dispatches on the first argument only", ("ordinary", "edge", "thread"), """
def key_set_of_stack(stack):
    key_set = local.state.included
    if stack:
        first = stack[0][0] if isinstance(stack[0], (list, tuple)) and stack[0] else stack[0]
        if isinstance(first, Tensor):
            key_set |= first._key_set
    return key_set & local.state.allowed
"""),
    WrongAnswer(STACK, "dispatches on the first tensor only", ("ordinary", "edge", "thread"), """
def key_set_of_stack(stack):
    for value in stack:
        for entry in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(entry, Tensor):
                return (entry._key_set | local.state.included) & local.state.allowed
    return local.state.included & local.state.allowed
"""),
    WrongAnswer(STACK, "lists are not looked into", ("edge",), """
def key_set_of_stack(stack):
    key_set = local.state.included
    for value in stack:
        if isinstance(value, Tensor):
            key_set |= value._key_set
    return key_set & local.state.allowed
"""),
    WrongAnswer(STACK, "a list that begins with None is taken for one without tensors", ("edge",), """
def key_set_of_stack(stack):
    key_set = local.state.included
    for value in stack:
        if isinstance(value, Tensor):
            key_set |= value._key_set
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], Tensor):
            for entry in value:
                if entry is not None:
                    key_set |= entry._key_set
    return key_set & local.state.allowed
"""),
    WrongAnswer(STACK, "tuples are not looked into", ("edge",), """
def key_set_of_stack(stack):
    key_set = local.state.included
    for value in stack:
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, Tensor):
                key_set |= entry._key_set
    return key_set & local.state.allowed
"""),
    WrongAnswer(STACK, "what the thread includes comes after what it excludes", ("thread",), """
def key_set_of_stack(stack):
    key_set = 0
    for value in stack:
        for entry in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(entry, Tensor):
                key_set |= entry._key_set
    return key_set & local.state.allowed | local.state.included
"""),
    WrongAnswer(STACK, "excluding an Autograd key takes the backend away with it", ("thread",), """
def key_set_of_stack(stack):
    key_set = local.state.included
    for value in stack:
        for entry in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(entry, Tensor):
                key_set |= entry._key_set
    return key_set & ~local.state.excluded
"""),
    WrongAnswer(STACK, "the thread is forgotten", ("ordinary", "edge", "thread"), """
def key_set_of_stack(stack):
    key_set = 0
    for value in stack:
        for entry in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(entry, Tensor):
                key_set |= entry._key_set
    return key_set
"""),
    WrongAnswer(STACK, "the intersection in place of the union", ("ordinary", "edge", "thread"), """
def key_set_of_stack(stack):
    key_set = ~0
    for value in stack:
        for entry in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(entry, Tensor):
                key_set &= entry._key_set
    return ((0 if key_set == ~0 else key_set) | local.state.included) & local.state.allowed
"""),
)  # fmt: skip

EQUIVALENT: tuple[Equivalent, ...] = ()
