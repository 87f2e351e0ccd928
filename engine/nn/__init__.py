"""Networks: functions and modules written with the operators. Mirrors torch/nn."""
