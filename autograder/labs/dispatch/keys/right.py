"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.keys.bits": """
def bits(key):
    if key in ALIASES:
        raise RuntimeError("no set can hold " + key.name)
    for functionality, keys in PER_BACKEND.items():
        for backend, named in keys.items():
            if named is key:
                return 2 ** (int(functionality) + 15) + 2 ** BACKEND_BITS[backend]
    return 2 ** (int(key) + 15) if key else 0
""",
    "dispatch.keys.highest_key": (
        """
def highest_key(key_set):
    functionality = 0
    rest = key_set >> 16
    while rest:
        functionality, rest = functionality + 1, rest >> 1
    names = PER_BACKEND.get(functionality)
    if names is None:
        return DispatchKey(functionality)
    for backend in sorted(BACKEND_BITS, key=BACKEND_BITS.get, reverse=True):
        if key_set & (1 << BACKEND_BITS[backend]):
            return names.get(backend, DispatchKey.Undefined)
    return DispatchKey.Undefined
""",
        """
def highest_key(key_set):
    if not key_set & ~BACKEND_MASK:
        return DispatchKey.Undefined
    functionality = max(f for f in DispatchKey if 0 < f < 49 and key_set & (1 << f + FUNCTIONALITY_SHIFT))
    if functionality in PER_BACKEND:
        bits_there = [bit for bit in BACKEND_OF_BIT if key_set & (1 << bit)]
        if not bits_there or BACKEND_OF_BIT[max(bits_there)] not in PER_BACKEND[functionality]:
            return DispatchKey.Undefined
        return PER_BACKEND[functionality][BACKEND_OF_BIT[max(bits_there)]]
    return functionality
""",
    ),
    "dispatch.boxing.key_set_of_stack": (
        """
def key_set_of_stack(stack):
    tensors = [value for value in stack if isinstance(value, Tensor)]
    for value in stack:
        if isinstance(value, list) or isinstance(value, tuple):
            tensors.extend(entry for entry in value if isinstance(entry, Tensor))
    state = local.state
    total = state.included
    for tensor in tensors:
        total = total | tensor._key_set
    return total - (total & ~state.allowed)
""",
        """
def _keys_of(value):
    return getattr(value, "_key_set", 0) if isinstance(value, Tensor) else 0


def key_set_of_stack(stack):
    found = 0
    for value in stack:
        match value:
            case list() | tuple():
                for entry in value:
                    found |= _keys_of(entry)
            case _:
                found |= _keys_of(value)
    return (local.state.included | found) & local.state.allowed
""",
    ),
}
