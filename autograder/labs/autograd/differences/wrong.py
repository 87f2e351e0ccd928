"""Wrong answers to autograd.jacobians.directional_derivatives."""

from autograder.made_up.wrong_answer import WrongAnswer

DERIVATIVES = "autograd.jacobians.directional_derivatives"
GIVEN = "before, after, eps, where"

WRONG_ANSWERS = (
    WrongAnswer(DERIVATIVES, "one-sided differences", ("ordinary", "edge"), (
        "moved.copy_(here - step)",
        "moved.copy_(here)",
        "return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
        "return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after)]",
    )),
    WrongAnswer(DERIVATIVES, "forgets the factor 2", ("ordinary", "edge"),
        ("return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
         "return [((b - a) / eps).detach().reshape(-1) for a, b in zip(before, after)]"),
    ),
    WrongAnswer(DERIVATIVES, "the argument stays moved", ("ordinary", "edge"), (
        """
finally:
    moved.copy_(here)
""",
        """
finally:
    pass
""",
        "return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
        "return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after)]",
    )),
    WrongAnswer(DERIVATIVES, "a view of the argument moves along", ("edge",), (
        "before = [result.clone() for result in as_tuple(func(*arguments))]",
        "before = list(as_tuple(func(*arguments)))",
        "after = [result.clone() for result in as_tuple(func(*arguments))]",
        "after = list(as_tuple(func(*arguments)))",
        "return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
        "return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after)]",
    )),
    WrongAnswer(DERIVATIVES, "remembers a view instead of a copy", ("ordinary", "edge"), (
        "here = moved.clone()",
        "here = moved.detach()",
        "return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
        "return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after)]",
    )),
    WrongAnswer(DERIVATIVES, "the wrong way round", ("ordinary", "edge"),
        ("return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
         "return [((a - b) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after)]"),
    ),
    WrongAnswer(DERIVATIVES, "keeps the shape of the result", ("edge",),
        ("return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
         "return [((b - a) / (2 * eps)).detach() for a, b in zip(before, after)]"),
    ),
    WrongAnswer(DERIVATIVES, "results of two kinds are subtracted", ("edge",), (
        """
check_same_kind(before, after, eps, where)
return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]
""",
        "return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after)]",
    )),
    WrongAnswer(DERIVATIVES, "put back by arithmetic", ("edge",), """
def directional_derivatives(func, arguments, moved, step, eps, where=""):
    moved.sub_(step)
    try:
        before = [result.clone() for result in as_tuple(func(*arguments))]
        moved.add_(2 * step)
        try:
            after = [result.clone() for result in as_tuple(func(*arguments))]
        finally:
            moved.sub_(2 * step)
    finally:
        moved.add_(step)
    check_same_kind(before, after, eps, where)
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after)]
"""),
    WrongAnswer(DERIVATIVES, "stays moved when func raises", ("edge",), """
def directional_derivatives(func, arguments, moved, step, eps, where=""):
    here = moved.clone()
    moved.copy_(here - step)
    before = [result.clone() for result in as_tuple(func(*arguments))]
    moved.copy_(here + step)
    after = [result.clone() for result in as_tuple(func(*arguments))]
    moved.copy_(here)
    check_same_kind(before, after, eps, where)
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after)]
"""),
    WrongAnswer(DERIVATIVES, "is put back only after an Exception", ("edge",), """
def directional_derivatives(func, arguments, moved, step, eps, where=""):
    here, found = moved.clone(), []
    for way in (-1, 1):
        moved.copy_(here + way * step)
        try:
            found.append([result.clone() for result in as_tuple(func(*arguments))])
        except Exception:
            moved.copy_(here)
            raise
    moved.copy_(here)
    check_same_kind(*found, eps, where)
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(*found)]
"""),
    WrongAnswer(DERIVATIVES, "is put back after the comparison, which raises", ("edge",), """
def directional_derivatives(func, arguments, moved, step, eps, where=""):
    here, found = moved.clone(), []
    for way in (-1, 1):
        moved.copy_(here + way * step)
        try:
            found.append([result.clone() for result in as_tuple(func(*arguments))])
        except BaseException:
            moved.copy_(here)
            raise
    check_same_kind(*found, eps, where)
    moved.copy_(here)
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(*found)]
"""),
    WrongAnswer(DERIVATIVES, "view(-1) of a transposed result", ("edge",),
        ("return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
         "return [((b - a) / (2 * eps)).detach().view(-1) for a, b in zip(before, after)]"),
    ),
    WrongAnswer(DERIVATIVES, "divides in place, which integers refuse", ("edge",),
        ("return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
         "return [(b - a).div_(2 * eps).detach().reshape(-1) for a, b in zip(before, after)]"),
    ),
    WrongAnswer(DERIVATIVES, "only a tuple is several results", ("ordinary", "edge"), (
        "before = [result.clone() for result in as_tuple(func(*arguments))]",
        "before = [result.clone() for result in each(func(*arguments))]",
        "after = [result.clone() for result in as_tuple(func(*arguments))]",
        "after = [result.clone() for result in each(func(*arguments))]",
        "here = moved.clone()",
        "here, each = moved.clone(), lambda got: got if isinstance(got, tuple) else (got,)",
    )),
    WrongAnswer(DERIVATIVES, "keeps history", ("ordinary", "edge"),
        ("return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
         "return [((b - a) / (2 * eps)).reshape(-1) for a, b in zip(before, after)]"),
    ),
    *(
        WrongAnswer(DERIVATIVES, about, ("edge",), (f"check_same_kind({GIVEN})", f"check_same_kind({given})"))
        for about, given in (
            ("the two sides are named in the wrong order", "after, before, eps, where"),
            ("eps and the place are exchanged in the error", "before, after, where, eps"),
            ("the error does not say where", 'before, after, eps, ""'),
        )
    ),
)  # fmt: skip
