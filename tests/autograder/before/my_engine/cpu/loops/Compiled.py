class Compiled(dict[dtypes.dtype, Entry]):
    """dtype -> a function compiled for it, as AT_DISPATCH chooses one; compiled when first asked for.

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

        `njit(**self.options)` of `self.function(kind)` is a dispatcher, which is kept in `self.dispatchers`; its
        `compile(self.signature(kind))` gives the entry, which is kept in this dict.

        Raises:
            NotImplementedError: the dtype is not in `self.kinds`: `"floor_cpu" not implemented for 'Bool'`, with the
                name of the kernel and that of the dtype in `SCALAR_TYPE_NAMES`. Nothing was compiled or kept then.

        Source: AT_DISPATCH_SWITCH (aten/src/ATen/Dispatch.h).
        """
        if kind not in self.kinds:
            raise NotImplementedError(f"\"{self.name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        dispatcher = njit(**self.options)(self.function(kind))
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        self.dispatchers[kind] = dispatcher
        return entry

    def on_threads(self, kind: dtypes.dtype, count: int, grain_size: int, args: tuple) -> None:
        """Call a function (begin, end, *args) for pieces that make up 0..count.

        Args:
            grain_size: a piece has at least so many indices.
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
        """Let the kernels go that have a part's code in them; they are made again when asked for."""
        for kind in tuple(self):
            if is_concerned(self.function, self.dispatchers[kind]):
                del self[kind]
        for kind in tuple(self.launchers):
            if kind not in self or is_concerned(launch):
                del self.launchers[kind]
