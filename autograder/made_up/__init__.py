"""Answers, wrong or right in other words, and made-up students who hand in some of them.

answers.py    the wrong and the right answers of all labs    wrong_answer.py  a wrong answer; an equivalent mutant
student.py    a student, from labs/*/cohort/*.yaml           tamper.py        what a student does to the notebook
cohort.py     the class: hand in, compare with what is deserved. `make grade` grades a sample of it
"""
