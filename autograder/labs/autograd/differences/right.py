"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "autograd.jacobians.directional_derivatives": """
def directional_derivatives(func, arguments, moved, step, eps, where=""):
    here, found = moved.clone(), []
    for sign in (1, -1):
        moved.copy_(here + sign * step)
        try:
            found.append([result.detach().clone() for result in as_tuple(func(*arguments))])
        finally:
            moved.copy_(here)
    after, before = found
    check_same_kind(before, after, eps, where)
    return [(after[i] - before[i]).reshape(-1) / (2 * eps) for i in range(len(after))]
""",
}
