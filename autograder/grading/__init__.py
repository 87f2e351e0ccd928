"""From what students hand in to a gradebook, feedback and a report. In the order of the work:

intake.py           what a submission may be; nothing of it is opened before it passes here
markup.py           students' Markdown, harmless to whoever reads it
rebuild.py          a notebook made from the released one and the student's answers
deciding.py         digests of all that decides a verdict: for everybody, for a lab, for an exercise
judging.py          the verdicts on one submission, a function of JSON data
records.py          one submission's record: read, judged, kept, found again
stages.py           the work for one submission, stage by stage
pool.py             many submissions at a time, each verdict kept when it is made
cluster.py worker.py  the same, judged by the workers of a dask scheduler
settled.py          what a second run need not look at again
nbgrader_hooks.py   nbgrader's autograde and feedback on top of the records, for every door that leads to them
extra_credit.py     points of optional exercises, beside what a person gave
lateness.py         due dates and penalties, as course.yaml and timestamp.txt say now
rubric.py           the model answer beside each written answer, in formgrader alone
standings.py        points, comments and lateness of a lab in the gradebook, read in a few queries
gradebook.py        nbgrader's gradebook: entered, exported
charts.py report.py the instructor's page
printing.py         what a run prints
run.py              `make grade`: all of it
feedback.py         `make feedback`: pages, table and report after grading by hand
formgrader.py       `make formgrader`
collect/ exports/   `make collect`, `make export`: from an LMS's download, and grades to it
forget/             `make forget`: a student's traces, found and removed
"""
