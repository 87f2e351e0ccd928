"""`autograder/report.html`, the class page: what an instructor opens each week. One file, which loads nothing.

figures.py      a lab in figures: distribution, hardest exercises, frequent mistakes, time to grade
history.py      each lab's distribution after the last regrades, kept in `autograder/records/history.json`
predictions.py  the guesses of those who share them, counted without names, if the course counts them
students.py     everybody's points and outcomes, as compact data that the page's tables are drawn from
page.py         the page: page.html with page.css and page.js in it
datatables/     the library that sorts and searches the tables, with its license
"""
