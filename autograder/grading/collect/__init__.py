"""`make collect ZIP=submissions.zip`: from what a learning management system gives to `autograder/submitted/`.

archive.py    a zip's or folder's files, read within limits; nothing is ever unpacked by the names in it
roster.py     who is in the course, and who a name or number means
claims.py     what the path of a file says: whose it is, as Moodle, Canvas and plain archives spell it
attempts.py   the notebooks and documents of one student, newest first, and which lab they are of
place.py      put where they are graded; what was there before, and what fits nobody, is kept
__main__.py   the command

nbgrader's own `zip_collect` knows no roster, unpacks every file by its name, and stops at the first duplicate.
"""
