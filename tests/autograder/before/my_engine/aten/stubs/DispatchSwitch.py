class DispatchSwitch:
    """A kernel that has a function of single numbers for each dtype: AT_DISPATCH_SWITCH around cpu_kernel, in Python.

        kernel = DispatchSwitch("floor_cpu", [((float32, float64), math.floor), ((int32, int64), same)])
        floor_stub.register("cpu", kernel)      # kernel(iter, *scalars) is then called through the stub

    It calls Python for each element. The kernels of `engine/cpu/` are compiled instead.

    Args:
        name: as messages show it, "floor_cpu".
        cases: (dtypes, function) of each case.

    Source: AT_DISPATCH_SWITCH (aten/src/ATen/Dispatch.h), cpu_kernel (aten/src/ATen/native/cpu/Loops.h).
    """

    __slots__ = ("name", "functions")

    def __init__(self, name: str, cases: Iterable[tuple[tuple[dtype, ...], Kernel]]):
        """Set `name`, and `functions`: a dict from each dtype to its function.

        Raises:
            ValueError: a dtype stands in two cases.
        """
        self.name = name
        self.functions: dict[dtype, Kernel] = {}
        for kinds, function in cases:
            for kind in kinds:
                if kind in self.functions:
                    raise ValueError(f"{name} has two functions for {kind}")
                self.functions[kind] = function

    def function_for(self, kind: dtype) -> Kernel:
        """The function of a dtype.

        Raises:
            NotImplementedError: there is none; '"floor_cpu" not implemented for 'Bool'', with the name of the kernel
                and that of the dtype in `SCALAR_TYPE_NAMES`.
        """
        if kind not in self.functions:
            raise NotImplementedError(f"\"{self.name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        return self.functions[kind]

    def __call__(self, iter: Any, *scalars: Any) -> None:
        """Fill the output, element by element: output = function(element of each input, *scalars).

        Args:
            iter: a TensorIterator. `iter.plan.common_dtype` is the dtype in which the operation computes: it chooses
                the function. `iter.operands` are the output and the inputs. `iter.plan.loop_sizes` and
                `iter.plan.loop_strides` say how to walk them: one tuple of sizes for all, and for each operand one
                of strides, in elements. The cells of an operand are `operand._flat()`, a NumPy array; its first
                element lies at `operand._storage_offset`.
        Raises:
            NotImplementedError: as `function_for`, also if there are no elements.
        """
        function = self.function_for(iter.plan.common_dtype)
        cells = [operand._flat() for operand in iter.operands]
        walks = [
            strided_offsets(iter.plan.loop_sizes, strides, operand._storage_offset)
            for operand, strides in zip(iter.operands, iter.plan.loop_strides, strict=True)
        ]
        for to, *places in zip(*walks, strict=True):
            cells[0][to] = function(*(cells[k + 1][place] for k, place in enumerate(places)), *scalars)
