"""From what students hand in to a gradebook, feedback and a report. In the order of the work:

intake.py           what a submission may be; nothing of it is opened before it passes here
markup.py           students' Markdown, harmless to whoever reads it
rebuild.py          a notebook made from the released one and the student's answers
records.py          one submission's verdicts: made, kept, found again
pool.py             many submissions at a time, each verdict kept when it is made
nbgrader_hooks.py   nbgrader's autograde and feedback on top of the records, for every door that leads to them
extra_credit.py     points of optional exercises, beside what a person gave
lateness.py         due dates and penalties, as course.yaml and timestamp.txt say now
rubric.py           the model answer beside each written answer, in formgrader alone
standings.py        points, comments and lateness of a lab in the gradebook, read in a few queries
gradebook.py        nbgrader's gradebook: entered, exported
charts.py report.py the instructor's page
run.py              `make grade`: all of it
feedback.py         `make feedback`: pages, table and report after grading by hand
formgrader.py       `make formgrader`
"""
