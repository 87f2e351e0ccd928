"""engine.utils: the tools that PyTorch keeps under torch.utils. Each is imported on first use."""

import sys
from typing import Any

from .lazy_names import lazy_names
from .module_aliases import names_in

NAMES = {"benchmark": "", "training": ""} | names_in("utils")
__getattr__, __dir__ = lazy_names(__name__, NAMES)
PUBLIC: dict[str, Any] = {"utils": sys.modules[__name__]}
