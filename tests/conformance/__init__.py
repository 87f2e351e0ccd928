"""The engine beside PyTorch, over PyTorch's own operator test inputs and random registrations: `make conformance`.

Read `scope.py` (what is judged) first, then `frozen.py` (inputs as plain data), `forms.py` (ways to call an operator),
`calls.py` (one call on both sides), `operators.py` (one operator over all its inputs), `report.py`. The dispatcher
has `dispatch_tables.py`, `dispatch_calls.py` and `threads.py`.
"""
