"""`make forget STUDENT=ada`: removes every trace of a student from the course's folder, and says what it removed.

tables.py     lines of tables and logs that are a student's, and what names one
books.py      the gradebook and its copies
traces.py     all the places where something of a student's is, each with how it is removed
__main__.py   the command
"""
