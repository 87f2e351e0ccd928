"""The checks put to the proof: wrong answers, mutants and made-up students must get the points that they deserve.

verify.py             every exercise with its answers and mutants
mutation_operators.py mutants made from the reference            mutant_runner.py  many answers, each in a process
made_up_class.py      a class of any size                        copied_class.py  a graded class made large by copies
"""
