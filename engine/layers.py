"""The reading order of the engine: each module imports only modules above it.

`import engine` walks this table; the lab number says where a module is built (0: tools). Nobody has to
read all of them: `python -m engine.layers` lists the core path, the files to open for what each lab builds.
"""

from dataclasses import dataclass
from pathlib import Path

TOOLS = "0"  # instead of a lab: modules that no lab builds


@dataclass(frozen=True)
class Layer:
    """A layer of the engine: its description, its modules below `engine` in reading order, and the lab that builds it.

    `at_first_use`: `import engine` leaves it out; it is imported when what it is for is first used.
    """

    about: str
    lab: str
    modules: tuple[str, ...]
    at_first_use: bool = False


# fmt: off
LAYERS = (
    Layer("kernels that are made again when a function in them is replaced", "0", ("layers", "compiled")),
    Layer("memos of all modules, cleared at once", "0", ("utils.memos",)),
    Layer("public names whose modules are imported when they are first asked for", "0",
          ("utils.lazy_names", "utils.module_aliases")),
    Layer("what takes long says so", "0", ("utils.status_line", "utils.compile_progress")),
    Layer("exceptions between threads, raised and taken back", "0", ("utils.async_exceptions",)),
    Layer("what a lower layer calls and a higher one provides", "0", ("slots",)),
    Layer("where tensors can be", "1", ("backend",)),
    Layer("the values that describe a tensor", "1", ("dtypes",)),
    Layer("geometry: pure functions of integers", "1", ("strides",)),
    Layer("bytes on a device, and how to reach one element", "1", ("storage", "accessor")),
    Layer("the tensor: a view of a storage", "1", ("tensor_impl",)),
    Layer("pictures of memory", "0",
          ("draw.card", "draw.geometry", "draw.memory")),
    Layer("dispatch keys, what a thread adds to them, schemas", "2",
          ("dispatch.keys", "dispatch.local", "dispatch.function_schema", "dispatch.schema")),
    Layer("the dispatcher: from registrations to a table, from a call to a kernel", "2",
          ("dispatch.table", "dispatch.source_location", "dispatch.observers", "dispatch.resolved", "dispatch.registry",
           "dispatch.dumps", "dispatch.refusals", "dispatch.recording", "dispatch.calling", "dispatch.convert",
           "dispatch.boxing", "dispatch.dispatcher", "dispatch.tracer", "dispatch.fallbacks",
           "dispatch.backend_select")),
    Layer("operators by name, and registering from Python", "2", ("dispatch.public_schema", "_ops", "library", "_C")),
    Layer("the picture of a call", "2", ("draw.ladder",)),
    Layer("new memory, and the other operators by name", "3", ("aten.at", "aten.expand_utils", "aten.empty_tensor",
                                                             "aten.generator")),
    Layer("what elementwise operators share: dtypes, the iterator, outputs, stubs", "3",
          ("aten.type_promotion", "aten.halves", "aten.scalar_ops", "aten.memory_overlap", "aten.iterator_geometry",
           "aten.iterator_plan", "aten.structured", "aten.iterator", "aten.reduction", "aten.stubs")),
    Layer("the operators' own functions, named in native_functions.yaml", "3", ("aten.native",)),
    Layer("from native_functions.yaml to registered kernels", "3",
          ("aten.model", "aten.native_function_checks", "aten.native_functions", "aten.device_check",
           "aten.wrapper_memos", "aten.copying_kernels", "aten.codegen", "aten.registration")),
    Layer("tensors from Python's data and back", "3",
          ("aten.tensor_numpy", "aten.tensor_list", "aten.tensor_new")),
    Layer("the names in Python: parsers and bindings made from native_functions.yaml", "3",
          ("aten.type_info", "aten.return_types", "aten.invalid_arguments", "aten.python_variable_indexing",
           "aten.python_arguments", "aten.python_arg_parser",
           "aten.python_signatures", "aten.python_codegen", "aten.python_norm", "aten.legacy_constructors",
           "aten.python_methods",
           "aten.python_functions",
           "aten.python_docs", "aten.python_bindings")),
    Layer("how a tensor prints", "3", ("printing",)),
    Layer("operators of one's own", "3", ("extend",)),
    Layer("the public names", "3", ("functional", "api", "linalg")),
    Layer("the way of an expression through all of it, and the generated source", "3", ("journey",)),
    Layer("autograd: a thread's modes, and the longer formulas", "4", ("autograd.state", "autograd.functions_manual")),
    Layer("autograd: what is kept of a tensor and of an operator that ran", "4",
          ("utils.hooks", "autograd.anomaly_mode", "autograd.node", "autograd.variable", "autograd.saved_variable",
           "autograd.python_hook", "autograd.accumulate_grad", "autograd.copy_slices")),
    Layer("the backward pass", "4", ("autograd.engine", "autograd.inference", "autograd.grad_mode",
                                   "autograd.python_engine", "autograd.python_variable",
                                   "autograd.python_function", "autograd.custom_function",
                                   "autograd.function", "autograd.graph", "autograd.copying",
                                   "autograd.autograd_not_implemented_fallback")),
    Layer("from derivatives.yaml to kernels that record", "4",
          ("autograd.derivatives", "autograd.formulas", "autograd.gen_autograd_functions",
           "autograd.gen_variable_type", "autograd.gen_inplace_or_view_type", "autograd.variable_type_utils",
           "autograd.variable_type_manual", "autograd.registration")),
    Layer("whether a backward is right", "4", ("autograd.jacobians", "autograd.gradcheck")),
    Layer("the names of autograd", "4", ("autograd.python_names",)),
    Layer("the picture of a tensor's history", "4", ("draw.history",)),
    Layer("kernels for the CPU", "5",
          ("cpu.parallel", "cpu.capability", "cpu.vectorized", "cpu.half_bits", "cpu.loops", "cpu.call_recording",
           "cpu.ranges", "cpu.copy", "cpu.fill", "cpu.argument_structs", "cpu.range_factories", "cpu.float_bits",
           "cpu.cephes",
           "cpu.sleef", "cpu.sleef_inverse", "cpu.elementwise_loops", "cpu.ternary_loops", "cpu.half_steps",
           "cpu.half_blocks", "cpu.elementwise",
           "cpu.binary_ops", "cpu.binary_math", "cpu.division", "cpu.power", "cpu.pointwise_ops",
           "cpu.unary_ops", "cpu.angles", "cpu.activation", "cpu.activation_backward", "cpu.tensor_compare",
           "cpu.gemv", "cpu.reduce_functions", "cpu.reduce_walk", "cpu.reduce_loops",
           "cpu.reduce", "cpu.arg_reduce", "cpu.variance", "cpu.scan",
           "cpu.index_rows", "cpu.index", "cpu.masked", "cpu.scatter_gather", "cpu.unfold_backward",
           "cpu.triangular_ops", "cpu.gemm_loops", "cpu.gemm_tile", "cpu.gemm_vectors", "cpu.gemm", "cpu.gemm_small",
           "cpu.matmul",
           "cpu.soft_max", "cpu.soft_max_backward", "cpu.attention", "cpu.attention_backward",
           "cpu.convolution_plan", "cpu.convolution", "cpu.convolution_transpose", "cpu.convolution_weight",
           "cpu.im2col", "cpu.padding", "cpu.upsample", "cpu.padding_backward", "cpu.pooling", "cpu.pooling_backward",
           "cpu.row_sums", "cpu.layer_norm", "cpu.layer_norm_backward", "cpu.batch_norm",
           "cpu.batch_norm_backward", "cpu.group_norm", "cpu.group_norm_backward", "cpu.loss", "cpu.loss_nll",
           "cpu.sort_keys", "cpu.sort",
           "cpu.random", "cpu.distributions")),
    Layer("the kernels that no block serves, on halves", "5", ("cpu.half_kernels",), True),
    Layer("the picture of a loop's walk over memory", "5", ("draw.access_order",)),
    Layer("what a kernel does to memory, recorded and counted", "5", ("memory_trace",), True),
    Layer("CUDA: names, and when it begins", "6", ("cuda.lazy", "cuda.generator", "cuda.queue")),
    Layer("CUDA: the device, its memory, its queues of work", "6",
          ("cuda.driver", "cuda.runtime", "cuda.caching_allocator", "cuda.memory", "cuda.launch"), True),
    Layer("kernels for CUDA", "6", (
        "cuda.libdevice",
        "cuda.vectors",
        "cuda.loops",
        "cuda.xoroshiro",
        "cuda.elementwise",
        "cuda.gemm",
        "cuda.transpose",
        "cuda.half_copy",
        "cuda.copy",
        "cuda.fill",
        "cuda.range_factories",
        "cuda.binary_ops",
        "cuda.binary_math",
        "cuda.division",
        "cuda.power",
        "cuda.pointwise_ops",
        "cuda.unary_ops",
        "cuda.activation",
        "cuda.activation_backward",
        "cuda.tensor_compare",
        "cuda.masked",
        "cuda.triangular_ops",
        "cuda.loss",
        "cuda.index_rows",
        "cuda.index",
        "cuda.nonzero",
        "cuda.scatter_gather",
        "cuda.summary_ops",
        "cuda.unfold_backward",
        "cuda.repeat",
        "cuda.flip",
        "cuda.gemm_tile",
        "cuda.gemv",
        "cuda.matmul",
        "cuda.bias_activation",
        "cuda.im2col",
        "cuda.convolution",
        "cuda.reduce_functions",
        "cuda.reduce_walk",
        "cuda.reduce",
        "cuda.arg_reduce",
        "cuda.variance",
        "cuda.scan",
        "cuda.sort",
        "cuda.soft_max",
        "cuda.soft_max_backward",
        "cuda.distributions",
        "cuda.row_sums",
        "cuda.layer_norm",
        "cuda.layer_norm_backward",
        "cuda.channel_sums",
        "cuda.batch_norm",
        "cuda.group_norm",
        "cuda.pooling",
        "cuda.pooling_backward",
        "cuda.padding",
        "cuda.padding_backward",
        "cuda.loss_nll",
    ), True),
    Layer("the picture of what a kernel touches", "6", ("draw.accesses", "draw.queues")),
    Layer("the profiler: names, and functions that it will look at", "7",
          ("profiler.places", "profiler.experimental", "profiler.public")),
    Layer("what a profile is made of, and what is worked out from it", "7",
          ("profiler.events", "profiler.event_tree", "profiler.flops", "profiler.formats", "profiler.actions"), True),
    Layer("what is written down while a profile is on", "7",
          ("profiler.inputs", "profiler.stacks", "profiler.recorder", "profiler.backward", "profiler.memory",
           "profiler.device"), True),
    Layer("events as programs see them, averages, tables, traces", "7",
          ("profiler.function_event", "profiler.parsing", "profiler.averages", "profiler.table", "profiler.event_list",
           "profiler.chrome_trace", "profiler.autograd_profiler", "profiler.stepwise"), True),
    Layer("how long a statement takes", "7", ("profiler.measurement", "profiler.timer", "profiler.compare"), True),
    Layer("the tools that PyTorch keeps under utils", "7", ("utils",)),
    Layer("pictures of a profile: over time, and by callers", "7", ("draw.bars", "draw.frames"), True),
    Layer("networks, written with the operators", "10", ("nn.functional",)),
    Layer("modules: functions with parameters, and how these begin", "10",
          ("nn.parameter", "nn.init", "nn.modules", "nn.utils")),
    Layer("how parameters follow their gradients", "10", ("optim",)),
    Layer("trees of containers", "0",
          ("transforms.pytree_nodes", "transforms.pytree", "transforms.pytree_text", "transforms.nested"), True),
    Layer("calls that Python answers: modes and classes of tensors", "0",
          ("transforms.python_dispatch", "transforms.wrapper_subclass", "transforms.torch_function",
           "transforms.overridable", "transforms.overrides"), True),
    Layer("modes that count", "0",
          ("transforms.module_tracker", "transforms.flop_counter"), True),
    Layer("tensors without elements", "0",
          ("transforms.fake_errors", "transforms.fake_storage", "transforms.fake_tensor",
           "transforms.fake_utils"), True),
    Layer("operators that choose their dtype, and losses that are scaled for it", "0",
          ("transforms.autocast_policies", "transforms.autocast", "transforms.autocast_mode", "transforms.unscaling",
           "transforms.grad_scaler", "transforms.deprecated_amp", "transforms.cpu_amp", "transforms.cuda_amp"), True),
    Layer("transforms that nest: the stack of layers, and what the layers of grad and vmap see", "0",
          ("transforms.interpreters", "transforms.grad_wrapper", "transforms.batched", "transforms.plumbing",
           "transforms.batched_fallback"), True),
    Layer("vmap: the rules of operators, and the function", "0",
          ("transforms.batch_rules", "transforms.batch_rules_indexing", "transforms.batch_rules_modules",
           "transforms.batch_decompositions", "transforms.batch_rule_table", "transforms.batched_randomness",
           "transforms.front_decompositions", "transforms.vmap"), True),
    Layer("Functions inside transforms", "0", ("transforms.vmapped_function", "transforms.autograd_function"), True),
    Layer("derivatives as functions", "0",
          ("transforms.argnums", "transforms.eager_transforms", "transforms.forward_mode", "transforms.jacobians",
           "transforms.levels"), True),
    Layer("modules as functions of their parameters", "0",
          ("transforms.functional_call", "transforms.stateless"), True),
    Layer("functions without writes", "0", ("transforms.view_inverses", "transforms.functional_tensor",
                                             "transforms.functional_kernels", "transforms.functionalize"), True),
    Layer("the picture of a call under transforms", "0", ("draw.levels",), True),
    Layer("samples of tensor classes", "0",
          ("transforms.samples.wrapper", "transforms.samples.matrices", "transforms.samples.annotated",
           "transforms.samples.eight_bit", "transforms.samples.elsewhere"), True),
    Layer("what editors and type checkers read", "0", ("utils.pyi",)),
    Layer("the work of a kernel, noted once and done again by one native call", "0", ("native",), True),
    Layer("lab 0's tensor library, which nothing else uses", "0", ("tiny_tensor",), True),
)

CORE_PATH: dict[str, tuple[str, ...]] = {
    "1": ("dtypes", "strides", "storage", "accessor", "tensor_impl"),
    "2": ("dispatch.keys", "dispatch.local", "dispatch.table", "dispatch.dispatcher", "dispatch.registry",
        "dispatch.resolved", "dispatch.calling"),
    "3": ("aten.empty_tensor", "aten.type_promotion", "aten.structured", "aten.iterator", "aten.stubs",
        "aten.native.binary_ops", "aten.codegen"),
    "4": ("aten.expand_utils", "autograd.functions_manual.elementary", "autograd.node", "autograd.variable",
        "autograd.saved_variable", "autograd.accumulate_grad", "autograd.engine", "autograd.variable_type_manual"),
    "5": ("cpu.parallel", "cpu.capability", "cpu.loops", "cpu.elementwise_loops", "cpu.elementwise", "cpu.gemm_loops",
        "cpu.gemm_vectors", "cpu.gemm"),
    "6": ("cuda.queue", "cuda.runtime", "cuda.caching_allocator", "cuda.launch", "cuda.loops", "cuda.elementwise",
        "cuda.gemm", "cuda.transpose", "cuda.reduce"),
    "7": ("profiler.events", "profiler.event_tree", "profiler.actions", "profiler.recorder", "profiler.averages",
        "profiler.autograd_profiler", "profiler.timer"),
}
"""Lab -> the files that a reader must open to understand what it builds, in reading order; all others are breadth.

They hold most of the lab's exercises and the paths of `x + y`, `backward()`, a kernel of the CPU, a launch on CUDA and
a profile. Together they have about 10,000 lines.
"""
# fmt: on

MODULES = tuple(module for layer in LAYERS for module in layer.modules)


def has_kernels() -> bool:
    """Return False if this copy of the engine has no compiled kernels, as a copy of the first layers."""
    return any(module.startswith("cpu.") for module in present())


def present() -> tuple[str, ...]:
    """Return the modules of this copy of the engine to import at once; a copy may lack the later layers."""
    return _there([module for layer in LAYERS if not layer.at_first_use for module in layer.modules])


def at_first_use(folder: str) -> tuple[str, ...]:
    """Return the modules below a folder, such as "cuda", that are imported when the folder's code is first used."""
    modules = [module for layer in LAYERS if layer.at_first_use for module in layer.modules]
    return _there([module for module in modules if module.startswith(f"{folder}.")])


def later() -> tuple[str, ...]:
    """Return all modules that are imported on first use."""
    return _there([module for layer in LAYERS if layer.at_first_use for module in layer.modules])


def _there(modules: list[str]) -> tuple[str, ...]:
    paths = {module: Path(__file__).parent / module.replace(".", "/") for module in modules}
    return tuple(module for module, path in paths.items() if path.is_dir() or path.with_suffix(".py").is_file())


def core_path_table() -> str:
    """Return the core path as a text table: each file of this copy with its line count, the sums, the whole engine."""
    folder = Path(__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}
    lines = {path: len(text.splitlines()) for path, text in texts.items()}
    rows, path_lines, path_files = [], 0, 0
    for lab, modules in CORE_PATH.items():
        found = [path for module in modules if (path := folder / f"{module.replace('.', '/')}.py") in texts]
        lab_lines = sum(lines[path] for path in found)
        path_lines, path_files = path_lines + lab_lines, path_files + len(found)
        rows.append(f"{f'lab {lab}':46} {lab_lines:>6,} lines")
        for path in found:
            about = texts[path].removeprefix('"""').partition("\n")[0].removesuffix('"""')
            rows.append(f"  {f'engine/{path.relative_to(folder).as_posix()}':44} {lines[path]:>6,}  {about}")
    whole = sum(lines.values())
    rows.append(f"{f'the core path, {path_files} files':46} {path_lines:>6,} lines")
    rows.append(f"{f'the whole engine, {len(lines)} files of Python':46} {whole:>6,} lines")
    rows.append(f"The path is {path_lines / whole:.0%} of the engine; the rest is breadth.")
    return "\n".join(rows)


if __name__ == "__main__":
    print(core_path_table())
