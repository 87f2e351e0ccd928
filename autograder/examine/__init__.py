"""The model of a check, and how an answer is asked and judged; the notebook, the grader and `verify` all use it.

model.py      a check: its aspects, cases and hints      counting.py, trace_reachability.py: checks of traces
observe.py    one question, as plain data                error_data.py  errors, and where in the cell they came up
examiner.py   grafts an answer, asks the cases, judges     verdict.py  from answers to points; rendering.py shows it
questions.py  cases, and their right answers             needed_files.py  what a program imports, as files
cell_rules.py what a solution cell may say                 answer_text.py  which text of a notebook is the answer
plain_text.py what a cell may say to have its accesses counted
"""
