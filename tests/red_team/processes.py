"""Attacks on processes: to outlive the exercise, to be many, to end another."""

from red_team.attack import Attack

ATTACKS = [
    Attack(
        "a child that outlives its exercise writes what the next one reads",
        {
            "strides.permute": """
def permute(sizes, strides, dims):
    import os, time
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
    return sizes, strides
""",
        },
        inspected=False,
    ),
]
