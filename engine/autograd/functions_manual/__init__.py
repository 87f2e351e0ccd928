"""Formulas of derivatives that take more than a line: functions that derivatives.yaml names, a file a subject.

They compute with operators of tensors, so they can be differentiated again.
Mirrors torch/csrc/autograd/FunctionsManual.cpp.
"""
