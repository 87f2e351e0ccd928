"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.table.computed_kernel": """
def computed_kernel(kernels, fallbacks, key):
    def usable(alias):
        return alias in kernels and serves(alias, key)

    exact = kernels.get(key)
    if exact is not None:
        return exact, "kernel"
    if usable(K.CompositeExplicitAutogradNonFunctional):
        return kernels[K.CompositeExplicitAutogradNonFunctional], "default"
    if usable(K.CompositeExplicitAutograd):
        return kernels[K.CompositeExplicitAutograd], "default"
    if usable(K.CompositeImplicitAutograd):
        below = set(backend_of_autograd(key)) & set(kernels)
        if not below:
            if K.CompositeExplicitAutograd not in kernels:
                return kernels[K.CompositeImplicitAutograd], "math"
        elif key == K.AutogradOther:
            return None, "ambiguous"
    for alias, origin in {K.Autograd: "autograd", K.FuncTorchBatchedDecomposition: "batched"}.items():
        if usable(alias):
            return kernels[alias], origin
    fallback = fallbacks.get(key)
    return (fallback, "fallback") if fallback else (None, "missing")
""",
}
