"""engine.linalg: functions of vectors and matrices, by the names of torch.linalg."""

from . import _C

vector_norm = _C._linalg.linalg_vector_norm
"""sum(|x| ** ord) ** (1 / ord) along `dim`."""
