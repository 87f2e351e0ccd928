"""Wrong answers to autograd.jacobians.directional_derivatives."""

from autograder.proof.model import Equivalent, WrongAnswer

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
after = [result.clone() for result in as_tuple(func(*arguments))]
moved.copy_(here)
""",
        "after = [result.clone() for result in as_tuple(func(*arguments))]",
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
    WrongAnswer(DERIVATIVES, "keeps history", ("ordinary", "edge"),
        ("return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]",
         "return [((b - a) / (2 * eps)).reshape(-1) for a, b in zip(before, after)]"),
    ),
)  # fmt: skip

EQUIVALENT = (
    *(
        Equivalent(DERIVATIVES, f"check_same_kind({GIVEN})", f"check_same_kind({given})", "only the words differ")
        for given in ("after, before, eps, where", "before, after, where, eps")
    ),
)  # fmt: skip
