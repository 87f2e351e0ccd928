"""From what students hand in to a gradebook, feedback and a report. In the order of the work:

intake.py             what a submission may be; nothing of it is opened before it passes here
markup.py             students' Markdown, harmless to whoever reads it
rebuild.py            a notebook made from the released one and the student's answers
code_digest.py        digests of all that decides a verdict: for everybody, for a lab, for an exercise
judging.py            the verdicts on one submission, a function of JSON data
submission_record.py  one submission's record: read, judged, kept, found again
pipeline.py           the work for one submission, stage by stage
pool.py               many submissions at a time, each verdict kept when it is made
scheduler_address.py  which addresses of a scheduler are safe
up_to_date.py         what a second run need not look at again
nbgrader_hooks.py     nbgrader's autograde and feedback on top of the records, for every door that leads to them
feedback_page.py      the student's page
extra_credit.py       points of optional exercises, beside what a person gave
timestamps.py         times and lengths of time as people write and read them
course_file.py        course.yaml; extensions.py: students who have more time than the class
lateness.py           due dates and penalties, as these files and timestamp.txt say now
rubric.py             model answer, samples and comments beside each written answer, in formgrader alone
comment_bank.py       comments that graders have given at a question
standings.py          points, comments and lateness of a lab in the gradebook, read in a few queries
database.py           which database is the gradebook, and its lock; own_tables.py: the tables in it
gradebook.py          nbgrader's gradebook: entered, exported
database_copy.py      the gradebook copied to another database, or to the backups
lock.py               one run in a folder, one writer to a gradebook
report.py             a student's results as a row, and grades.csv
class_page/           report.html: what an instructor opens each week
printing.py           what a run prints
run.py                `make grade`: all of it
feedback.py           `make feedback`: pages, table and report after grading by hand
formgrader.py         `make formgrader`; formgrader_policy.py: what its page of a submission may load and run
command_line.py       how the next ones run: alone on the course, a known error as one sentence
collect/              `make collect`: from an LMS's download
"""
