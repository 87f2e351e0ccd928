"""The program of lab 7 on the whole engine: counts and structure that can be worked out by hand."""

import engine
from autograder.labs.profiler.program import probe

BY_HAND = {
    "gradient": [2.0, 2.0, 2.0],
    # `w * w` once, and its formula twice
    "calls": [("aten::mul", 3), ("aten::sum", 1), ("forward", 1), ("step", 1)],
    "forward is in": "step",
    "sum is in": "forward",
    "own times add up": True,
    "lines of the table": 3 + 2 + 1 + 1,  # headers between rules, two rows, a rule, the total
    "above nothing": True,
    # reading the clock is 2**-20 s, a run 2**-14: 1,000 runs are the first block 10,000 times as long
    "runs of a block": 1000,
    "median, us": 61.036,
}


def test_the_profile_and_the_timer_say_what_is_worked_out_by_hand():
    assert probe.run(engine) == BY_HAND
