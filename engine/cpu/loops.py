"""Tools that kernels share: the table of a function compiled for each dtype, and the walk through a geometry.

Neither is compiled before it is asked for; what was compiled stays in numba's disk cache.
Mirrors aten/src/ATen/Dispatch.h and DimCounter of aten/src/ATen/TensorIterator.h.
"""

from collections.abc import Callable, Collection
from typing import Any

from numba import from_dtype, types
from numba.extending import register_jitable

from .. import dtypes
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..compiled import hold, njit
from .parallel import POOL, launch, pool

Entry = Callable[..., Any]

INDEX = types.int64
GEOMETRY = types.int64[:, ::1]
noters: list[Any] = []  # in it while calls are noted (`noting`): compiled kernels also do what NumPy does faster then
NUMBA = {kind: from_dtype(kind.storage) for kind in (*dtypes.DTYPES.values(), *dtypes.BESIDE.values())}


class Compiled(dict[dtypes.dtype, Entry]):
    """A dict of dtype -> kernel, which dispatches as AT_DISPATCH does; each kernel is compiled on first access.

    The entry is called directly: the signature is known, so numba's own dispatch by argument types is not needed.

    Args:
        name: of the kernel, in messages.
        kinds: the dtypes that are supported.
        function: dtype -> what numba compiles for it.
        signature: dtype -> numba's types of the arguments.
        fastmath: what LLVM may do with floats besides: "contract" fuses a product and a sum.
    Raises:
        NotImplementedError: on asking for a dtype that is not supported.
    """

    def __init__(
        self,
        name: str,
        kinds: Collection[dtypes.dtype],
        function: Callable[[dtypes.dtype], Callable],
        signature: Callable[[dtypes.dtype], tuple],
        fastmath: Collection[str] = (),
    ):
        self.name, self.kinds, self.function, self.signature = name, kinds, function, signature
        self.dispatchers: dict[dtypes.dtype, Any] = {}
        self.launchers: dict[dtypes.dtype, tuple[int, Entry]] = {}
        self.options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": set(fastmath)}
        hold(self)

    def __missing__(self, kind: dtypes.dtype) -> Entry:
        """Compile the function of a dtype that is asked for the first time, keep it and return it.

        The function is `self.function(kind)`. numba (`njit`, which this file imports) compiles it with `self.options`,
        for arguments of the types `self.signature(kind)` only. What can be called is kept in this dict, and numba's
        dispatcher, of which it is the only version, in `self.dispatchers`.

        Raises:
            NotImplementedError: the dtype is not in `self.kinds`: `"floor_cpu" not implemented for 'Bool'`, with the
                name of the kernel and the name of the dtype in `SCALAR_TYPE_NAMES`. Nothing was compiled or kept then.
            Whatever `compile` raises, as it is: nothing is kept then, here or in `self.dispatchers`.

        Source: AT_DISPATCH_SWITCH (aten/src/ATen/Dispatch.h).
        """
        if kind not in self.kinds:
            raise NotImplementedError(f"\"{self.name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        dispatcher = njit(**self.options)(self.function(kind))
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        self.dispatchers[kind] = dispatcher
        return entry

    def on_threads(self, kind: dtypes.dtype, count: int, grain_size: int, args: tuple) -> None:
        """Call the kernel of a dtype as f(begin, end, *args) on pieces of 0..count, on several threads.

        Args:
            grain_size: minimum number of indices of a piece.
        """
        if kind not in self.launchers:
            self[kind]  # compiles it
            (compiled,) = self.dispatchers[kind].overloads.values()
            address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
            kinds = types.Tuple(self.signature(kind)[2:])
            self.launchers[kind] = address, launch.compile((POOL, INDEX, INDEX, INDEX, kinds))
        address, entry = self.launchers[kind]
        entry(pool(count, grain_size), address, count, grain_size, args)

    def forget(self, is_concerned: Callable[..., bool]) -> None:
        """Drop the kernels that contain code for which `is_concerned` is true; they are recompiled on next access."""
        for kind in tuple(self):
            if is_concerned(self.function, self.dispatchers[kind]):
                del self[kind]
        for kind in tuple(self.launchers):
            if kind not in self or is_concerned(launch):
                del self.launchers[kind]


def named(function: Callable, *scalars: Callable) -> Callable:
    """Return `function`, renamed after its parts: numba keeps one index file per name, and names must not collide."""
    function.__qualname__ = ".".join(part.__name__ for part in (*scalars, function))
    return function


@register_jitable(error_model="numpy")
def rows_of(geometry):
    """Return the number of inner loops: the product of all sizes except the last."""
    rows = 1
    for d in range(geometry.shape[1] - 1):
        rows *= geometry[0, d]
    return rows


@register_jitable(error_model="numpy")
def advance(index, cells, geometry):
    """Advance the odometer by one inner loop: `cells` becomes the first cell of each operand in that loop.

    Args:
        index: (ndim - 1,) the place in the outer dimensions.
        cells: (operands,) changed in place.
        geometry: (1 + operands, ndim) sizes, then the strides of each operand.
    """
    for d in range(index.size - 1, -1, -1):
        index[d] += 1
        for k in range(cells.size):
            cells[k] += geometry[k + 1, d]
        if index[d] < geometry[0, d]:
            return
        for k in range(cells.size):
            cells[k] -= geometry[0, d] * geometry[k + 1, d]
        index[d] = 0


@register_jitable(error_model="numpy")
def enter(index, cells, geometry, row):
    """Move the odometer from the first inner loop to number `row`; arguments as in `advance`."""
    for d in range(index.size - 1, -1, -1):
        index[d] = row % geometry[0, d]
        row //= geometry[0, d]
        for k in range(cells.size):
            cells[k] += index[d] * geometry[k + 1, d]
