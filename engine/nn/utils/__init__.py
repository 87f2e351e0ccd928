"""Tools for the gradients and parameters of a network. Mirrors torch/nn/utils."""

from ...utils.lazy_names import lazy_names
from ...utils.module_aliases import names_in
from .clip_grad import clip_grad_norm_, clip_grad_value_, get_total_norm
from .convert_parameters import parameters_to_vector, vector_to_parameters

__getattr__, __dir__ = lazy_names(__name__, names_in("nn.utils"))

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "get_total_norm",
    "parameters_to_vector",
    "vector_to_parameters",
]
