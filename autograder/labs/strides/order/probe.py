"""Probes of the exercises about order in memory: only where the returned value is not plain data already."""


def has_internal_overlap(engine, sizes, strides):
    """Name of the MemOverlap member; anything else is returned in a dict, so that the text "NO" is not NO."""
    answer = engine.strides.has_internal_overlap(sizes, strides)
    return answer.name if type(answer) is engine.strides.MemOverlap else {"not a MemOverlap": answer}
