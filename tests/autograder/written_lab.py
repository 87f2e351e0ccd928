"""A lab of three exercises and one reflection, written for the tests of the weave."""

from pathlib import Path

from autograder.author import lab_text

TEXT = """\
# Three views

A tensor is a view of a storage.

```{code-cell}
import engine
from autograder.notebook import check, progress, replay, resume
from engine.strides import Ints, wrap_dim
```

## Fresh strides

```{code-cell}
:solution: engine.strides:contiguous_strides
```

```{code-cell}
:solution: engine.accessor:TensorAccessor[__getitem__, __setitem__]
```

Text that stands twice.

+++

Text that stands twice.

```{code-cell}
:solution: engine.strides:view_strides
```

What does a stride of 0 mean?

+++ {"reflect": "stride-zero", "points": 80}

The index counts for nothing: every index reads the same element.

+++

## Payoff

```{code-cell}
def payoff():
    x = engine.arange(6).view(2, 3)
    return [engine.zeros(2, 0, 3).stride(), x.accessor()[1][2], x.view(3, 2).stride()]
```

```{code-cell}
check("payoff")
```
"""
EXERCISES = ("strides.contiguous_strides", "accessor.TensorAccessor", "strides.view_strides")


def write_lab(root: Path, text: str = TEXT, name: str = "01-strides") -> lab_text.Lab:
    """The lab `text` as it loads from `root/solutions/<name>/lab.md`."""
    folder = root / "solutions" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lab.md").write_text(text)
    lab_text.load.cache_clear()
    return lab_text.load(name, root)
