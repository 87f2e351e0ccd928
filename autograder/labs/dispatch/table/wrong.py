"""Wrong answers to dispatch.table.computed_kernel."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

TABLE = "dispatch.table.computed_kernel"
ALL = ("direct", "composite", "autograd", "rare")
MISSING = """
    return None, "missing"
"""
ALIASES = """
    for alias, origin in ((K.Autograd, "autograd"), (K.FuncTorchBatchedDecomposition, "batched")):
        if alias in kernels and serves(alias, key):
            return kernels[alias], origin
"""
IMPLICIT = """
    if K.CompositeImplicitAutograd in kernels and serves(K.CompositeImplicitAutograd, key):
        if below and key is K.AutogradOther:
            return None, "ambiguous"
        if not below and K.CompositeExplicitAutograd not in kernels:
            return kernels[K.CompositeImplicitAutograd], "math"
"""
EXPLICIT = """
    for alias in (K.CompositeExplicitAutogradNonFunctional, K.CompositeExplicitAutograd):
        if alias in kernels and serves(alias, key):
            return kernels[alias], "default"
"""
DIRECT = """
    if key in kernels:
        return kernels[key], "kernel"
"""
HEAD = """
def computed_kernel(kernels, fallbacks, key):
    below = any(backend in kernels for backend in backend_of_autograd(key))
"""
FALLBACK = """
    if key in fallbacks:
        return fallbacks[key], "fallback"
"""

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(TABLE, "a fallback overrides a direct kernel", ALL,
                HEAD + FALLBACK + DIRECT + EXPLICIT + IMPLICIT + ALIASES + MISSING),
    WrongAnswer(TABLE, "a fallback overrides the composite kernels", ("composite", "autograd", "rare"),
                HEAD + DIRECT + FALLBACK + EXPLICIT + IMPLICIT + ALIASES + MISSING),
    WrongAnswer(TABLE, "a fallback overrides the Autograd alias", ("autograd", "rare"),
                HEAD + DIRECT + EXPLICIT + IMPLICIT + FALLBACK + ALIASES + MISSING),
    WrongAnswer(TABLE, "CompositeImplicitAutograd goes before CompositeExplicitAutograd", ("composite",),
                HEAD + DIRECT + IMPLICIT.replace(" and K.CompositeExplicitAutograd not in kernels", """ and (
            K.CompositeExplicitAutograd not in kernels or not backend_of_autograd(key))""")
                + EXPLICIT + ALIASES + FALLBACK + MISSING),
    WrongAnswer(TABLE, "the Autograd alias goes before CompositeImplicitAutograd", ("autograd", "rare"),
                HEAD + DIRECT + EXPLICIT + ALIASES + IMPLICIT + FALLBACK + MISSING),
    WrongAnswer(TABLE, "a composite hides the kernel of a backend below autograd", ("autograd", "rare"), (
        "if key in kernels:",
        """
below = any(backend in kernels for backend in backend_of_autograd(key))
if key in kernels:
""",
        """
backend_has_kernel = any(backend in kernels for backend in backend_of_autograd(key))
if backend_has_kernel and key is K.AutogradOther:
    return None, "ambiguous"
if not backend_has_kernel and K.CompositeExplicitAutograd not in kernels:
    return kernels[K.CompositeImplicitAutograd], "math"
""",
        'return kernels[K.CompositeImplicitAutograd], "math"',
    )),
    WrongAnswer(TABLE, "any kernel of any backend makes the composite step back", ("composite", "autograd", "rare"),
                HEAD + DIRECT + EXPLICIT + IMPLICIT.replace("not below", "not any(b in kernels for b in BACKENDS)")
                .replace("if not", "if not", 1) + ALIASES + FALLBACK + MISSING + """

BACKENDS = (K.CPU, K.CUDA, K.PrivateUse1, K.Meta, K.QuantizedCPU)
"""),
    WrongAnswer(TABLE, "CompositeExplicitAutograd does not make the composite step back", ("autograd",), (
        "if key in kernels:",
        """
below = any(backend in kernels for backend in backend_of_autograd(key))
if key in kernels:
""",
        """
backend_has_kernel = any(backend in kernels for backend in backend_of_autograd(key))
if backend_has_kernel and key is K.AutogradOther:
""",
        "if below and key is K.AutogradOther:",
        "if not backend_has_kernel and K.CompositeExplicitAutograd not in kernels:",
        "if not below:",
    )),
    WrongAnswer(TABLE, "Undefined is not served", ("composite",),
                HEAD + DIRECT + (EXPLICIT + IMPLICIT).replace("serves(alias, key)", "is_in_alias(key, alias)")
                .replace("serves(K.CompositeImplicitAutograd, key)", "is_in_alias(key, K.CompositeImplicitAutograd)")
                + ALIASES + FALLBACK + MISSING),
    WrongAnswer(TABLE, "no key is ambiguous", ("rare",), (
        "if key in kernels:",
        """
below = any(backend in kernels for backend in backend_of_autograd(key))
if key in kernels:
""",
        """
backend_has_kernel = any(backend in kernels for backend in backend_of_autograd(key))
if backend_has_kernel and key is K.AutogradOther:
    return None, "ambiguous"
if not backend_has_kernel and K.CompositeExplicitAutograd not in kernels:
""",
        "if not below and K.CompositeExplicitAutograd not in kernels:",
    )),
    WrongAnswer(TABLE, "an alias serves every key", ("composite", "autograd", "rare"),
                HEAD + DIRECT + (EXPLICIT + IMPLICIT + ALIASES).replace("and serves(alias, key)", "")
                .replace("and serves(K.CompositeImplicitAutograd, key)", "") + FALLBACK + MISSING),
    WrongAnswer(TABLE, "a kernel that falls through is skipped here", ("direct", "composite", "autograd", "rare"), (
        "if key in kernels:",
        """
below = any(backend in kernels for backend in backend_of_autograd(key))
if key in kernels and not kernels[key].is_fallthrough:
""",
        """
backend_has_kernel = any(backend in kernels for backend in backend_of_autograd(key))
if backend_has_kernel and key is K.AutogradOther:
""",
        "if below and key is K.AutogradOther:",
        "if not backend_has_kernel and K.CompositeExplicitAutograd not in kernels:",
        "if not below and K.CompositeExplicitAutograd not in kernels:",
    )),
    WrongAnswer(TABLE, "the fallback of any key serves", ALL,
                HEAD + DIRECT + EXPLICIT + IMPLICIT + ALIASES + """
    for fallback in fallbacks.values():
        return fallback, "fallback"
""" + MISSING),
)  # fmt: skip

WRONG_ANSWERS += (
    WrongAnswer(
        TABLE,
        "a list comes back",
        (
            "direct",
            "composite",
            "autograd",
            "rare",
        ),
        ('return kernels[key], "kernel"', 'return [kernels[key], "kernel"]'),
    ),
    WrongAnswer(
        TABLE,
        "ambiguous only after the explicit alias was asked",
        ("rare",),
        (
            "if backend_has_kernel and key is K.AutogradOther:",
            "if backend_has_kernel and key is K.AutogradOther and K.CompositeExplicitAutograd not in kernels:",
        ),
    ),
    WrongAnswer(
        TABLE,
        "a fallthrough below does not make the composite step back",
        (
            "autograd",
            "rare",
        ),
        (
            "backend_has_kernel = any(backend in kernels for backend in backend_of_autograd(key))",
            """
backend_has_kernel = any(
    backend in kernels and not kernels[backend].is_fallthrough for backend in backend_of_autograd(key)
)
""",
        ),
    ),
    WrongAnswer(
        TABLE,
        "the nonfunctional alias makes the composite step back too",
        ("autograd",),
        (
            "if not backend_has_kernel and K.CompositeExplicitAutograd not in kernels:",
            "if not backend_has_kernel and not any(a.name.startswith('CompositeExplicit') for a in kernels):",
        ),
    ),
    WrongAnswer(
        TABLE,
        "explicit before nonfunctional",
        ("composite",),
        (
            "for alias in (K.CompositeExplicitAutogradNonFunctional, K.CompositeExplicitAutograd):",
            "for alias in (K.CompositeExplicitAutograd, K.CompositeExplicitAutogradNonFunctional):",
        ),
    ),
    WrongAnswer(
        TABLE,
        "a copy of the kernel comes back",
        (
            "direct",
            "composite",
            "autograd",
            "rare",
        ),
        (
            'return kernels[key], "kernel"',
            """
one = kernels[key]
copy = Kernel(one.function, one.registered, one.wants_key_set, one.wants_operator, one.debug, one.below)
return copy, "kernel"
""",
        ),
    ),
    WrongAnswer(
        TABLE,
        "keeps what it has found in the dict",
        ("rare",),
        (
            "if key in kernels:",
            """
if key not in kernels and key not in fallbacks:
    fallbacks.pop(K.CPU, None)
if key in kernels:
""",
        ),
    ),
    WrongAnswer(
        TABLE,
        "batched before autograd for every key that batched names",
        ("rare",),
        (
            'for alias, origin in ((K.Autograd, "autograd"), (K.FuncTorchBatchedDecomposition, "batched")):',
            'for alias, origin in ((K.Autograd, "autograd"), (K.FuncTorchBatchedDecomposition, "autograd")):',
        ),
    ),
    WrongAnswer(
        TABLE,
        "takes the fallback out of the dict",
        ("rare",),
        ('return fallbacks[key], "fallback"', 'return fallbacks.pop(key), "fallback"'),
    ),
)

EQUIVALENT = (
    Equivalent(TABLE, "if backend_has_kernel and key is K.AutogradOther:",
               "if backend_has_kernel and key == K.AutogradOther:", "a DispatchKey is equal to itself and to no other"),
    Equivalent(TABLE, "if backend_has_kernel and key is K.AutogradOther:",
               "if backend_has_kernel and key <= K.AutogradOther:",
               "of the keys up to AutogradOther no other is an Autograd key: none of them has a backend below"),
)  # fmt: skip
