"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.dispatcher.dispatch_key_set": (
        """
def dispatch_key_set(key_set, table):
    backends = key_set & BACKEND_MASK
    kept = key_set
    for bit in range(key_set.bit_length() - 1, 15, -1):
        functionality = 1 << bit
        if not key_set & functionality:
            continue
        kernel = table[highest_key(functionality | backends)][0]
        if kernel and kernel.is_fallthrough:
            kept ^= functionality
    return kept
""",
        """
def dispatch_key_set(key_set, table):
    if key_set & ~BACKEND_MASK == 0:
        return key_set
    top = highest_bit(key_set)
    kernel, origin = table[highest_key(key_set)]
    below = dispatch_key_set(key_set & ~top, table)
    return below if kernel is not None and kernel.is_fallthrough else below | top
""",
    ),
}
