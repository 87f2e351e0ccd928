"""Probes of the exercises about order in memory: only where the returned value is not plain data already."""


def has_internal_overlap(engine, sizes, strides):
    """Return the name of the MemOverlap member, or anything else in a dict, so that a str "NO" does not pass as NO."""
    answer = engine.strides.has_internal_overlap(sizes, strides)
    return answer.name if type(answer) is engine.strides.MemOverlap else {"not a MemOverlap": answer}
