"""Serve a whole department: several machines, other systems, erasure. `grading/` is complete without it.

cluster.py worker.py  the submissions of a run, judged by the workers of a dask scheduler
exchange.py           nbgrader's exchange, in which students' accounts write: collected, feedback released
exports/              `make export`: grades to an LMS
containers/           `make autograder-zip`: the grader inside Gradescope or PrairieLearn
forget/               `make forget`: a student's traces, found and removed
similarity/           `make similarity`: answers that may have a common source
"""
