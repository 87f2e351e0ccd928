"""native_functions.yaml: entries -> dataclasses -> the same entries, and refusals that name file and line."""

import ast
import re
from pathlib import Path

import pytest
from compare import needs_torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import dtypes, layers
from engine.aten.model import Declaration, Precomputed, UfuncInnerLoop, group_structured
from engine.aten.native_function_checks import CHECKS
from engine.aten.native_functions import load, parse
from engine.aten.registration import NATIVE_FUNCTIONS
from engine.dispatch.function_schema import OperatorName

# Four entries of PyTorch 2.13's file, comments taken off.
ADD_OUT = """\
- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  device_check: NoCheck
  structured: True
  structured_inherits: TensorIteratorBase
  ufunc_inner_loop:
    Generic: add (AllAndComplex, BFloat16, Half, ComplexHalf)
    ScalarOnly: add (Bool)
  dispatch:
    SparseCPU, SparseMeta: add_out_sparse_cpu
    SparseCUDA: add_out_sparse_cuda
    SparseMPS: add_out_sparse_mps
    SparseCsrCPU, SparseCsrMeta: add_out_sparse_compressed_cpu
    SparseCsrCUDA: add_out_sparse_compressed_cuda
    MkldnnCPU: mkldnn_add_out
    MPS: add_out_mps
    MTIA: add_out_mtia
  tags: pointwise"""
NORMAL_ = """\
- func: normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)
  device_check: NoCheck
  tags: nondeterministic_seeded
  variants: method
  dispatch:
    CPU, CUDA, MPS: normal_
    Meta: normal_meta_
    SparseCsrCPU, SparseCsrCUDA, SparseCsrMeta: normal_sparse_csr_
    NestedTensorCPU, NestedTensorHPU, NestedTensorCUDA: normal_nested_
  autogen: normal.out"""
OPTIONS = "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
EMPTY = f"""\
- func: empty.memory_format(SymInt[] size, {OPTIONS}, MemoryFormat? memory_format=None) -> Tensor
  dispatch:
    CPU: empty_cpu
    CUDA: empty_cuda
    MPS: empty_mps
    Meta: empty_meta_symint
    MkldnnCPU: empty_mkldnn
    SparseCPU, SparseCUDA, SparseMPS: empty_sparse
    SparseMeta: empty_sparse_symint
    SparseCsrCPU, SparseCsrCUDA: empty_sparse_compressed
    SparseCsrMeta: empty_sparse_compressed_symint
    QuantizedCPU, QuantizedCUDA, QuantizedMeta: empty_unknown_quantized
  tags: core"""
_SCALED = "Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? offs=None, Tensor? bias=None"
SCALED_GROUPED_MM = f"""\
- func: _scaled_grouped_mm({_SCALED}, Tensor? scale_result=None, ScalarType? out_dtype=None, \
bool use_fast_accum=False) -> Tensor
  variants: function
  dispatch:
    CUDA: _scaled_grouped_mm_cuda
  tags: needs_exact_strides"""
ADD = """\
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  structured_delegate: add.out
"""
FOUR = {"add.out": ADD + ADD_OUT, "normal_": NORMAL_, "empty": EMPTY, "_scaled_grouped_mm": SCALED_GROUPED_MM}


def entry(text):
    return parse(text)[-1]


def pytorch_file():
    import torchgen

    return Path(torchgen.__file__).parent / "packaged" / "ATen" / "native" / "native_functions.yaml"


def without_comments(text):
    return re.sub(r"\s+#.*", "", text)


# ---- what an entry says


@pytest.mark.parametrize("text", FOUR.values(), ids=FOUR)
def test_an_entry_of_pytorch_prints_as_it_is_written(text):
    assert "\n".join(map(str, parse(text))) == without_comments(text)


def test_fields_have_the_values_of_the_entry():
    add = entry(FOUR["add.out"])
    assert (add.device_check, add.structured, add.structured_inherits) == ("NoCheck", True, "TensorIteratorBase")
    assert add.ufunc_inner_loop == (
        UfuncInnerLoop("Generic", "add", ("AllAndComplex", "BFloat16", "Half", "ComplexHalf")),
        UfuncInnerLoop("ScalarOnly", "add", ("Bool",)),
    )
    assert add.dispatch["SparseMeta"] == "add_out_sparse_cpu"
    normal = entry(NORMAL_)
    assert (normal.variants, normal.tags) == (("method",), ("nondeterministic_seeded",))
    assert normal.autogen == (OperatorName("normal", "out"),)
    assert entry(EMPTY).tags == ("core",)
    assert entry(SCALED_GROUPED_MM).dispatch == {"CUDA": "_scaled_grouped_mm_cuda"}


def test_fields_that_are_left_out_have_pytorchs_defaults():
    f = entry("- func: f(Tensor self) -> Tensor")
    assert (f.variants, f.device_check, f.device_guard, f.structured) == (("function",), "ExactSame", True, False)


def test_the_kernels_of_an_entry_are_those_of_the_keys_that_the_engine_has():
    assert entry(NORMAL_).kernels == {"CPU": "normal_", "CUDA": "normal_", "Meta": "normal_meta_"}


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ("- func: f(Tensor self) -> Tensor", {"CompositeImplicitAutograd": "f"}),
        ("- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", {"CompositeImplicitAutograd": "f_out"}),
        ("- func: f(Tensor self) -> Tensor\n  manual_kernel_registration: True", {}),
        (FOUR["add.out"], {"CPU": "ufunc_add_CPU", "CUDA": "ufunc_add_CUDA"}),
        ("- func: f.T(Tensor self) -> Tensor\n  alias_of: g", {"CompositeImplicitAutograd": "f_T"}),
    ],
)
def test_kernels_that_no_line_names_follow_from_the_entry(text, kernels):
    assert entry(text).kernels == kernels


def test_an_operator_that_delegates_has_no_kernels_of_its_own():
    assert parse(FOUR["add.out"])[0].kernels == {}


def test_ufunc_inner_loop_names_dtypes_of_the_engine():
    generic, scalar_only = entry(FOUR["add.out"]).ufunc_inner_loop
    assert generic.supported == {*dtypes.DTYPES.values()} - {dtypes.bool_}
    assert scalar_only.supported == {dtypes.bool_}
    assert entry(FOUR["add.out"]).supported_dtypes == set(dtypes.DTYPES.values())
    assert entry(NORMAL_).supported_dtypes is None


def test_precomputed_values_replace_an_argument_or_none():
    text = """\
- func: f(Tensor self, int[2] kernel_size) -> Tensor
  structured_delegate: f.out
- func: f.out(Tensor self, int[2] kernel_size, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  precomputed:
  - kernel_size -> int kH, int kW
  - int planes
  dispatch:
    CPU: f_out"""
    assert entry(text).precomputed == (
        Precomputed("kernel_size", (Declaration("int", "kH"), Declaration("int", "kW"))),
        Precomputed("", (Declaration("int", "planes"),)),
    )
    assert "\n".join(map(str, parse(text))) == text


def test_tags_given_by_rule_are_added():
    assert entry(NORMAL_).all_tags == {"nondeterministic_seeded", "inplace", "pt2_compliant_tag"}
    assert "out" in entry(FOUR["add.out"]).all_tags


@pytest.mark.parametrize(
    ("signature", "is_factory"),
    [
        (f"zeros(SymInt[] size, {OPTIONS}) -> Tensor", True),
        (f"zeros_like(Tensor self, {OPTIONS}) -> Tensor", True),
        (f"_to_copy(Tensor self, {OPTIONS}) -> Tensor", False),
        ("relu(Tensor self) -> Tensor", False),
    ],
)
def test_a_factory_is_known_by_its_options(signature, is_factory):
    assert entry(f"- func: {signature}\n  dispatch:\n    CompositeExplicitAutograd: f").is_factory == is_factory


# ---- all entries together


def test_a_structured_group_has_the_forms_that_delegate_to_one_out():
    inplace = "- func: add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)\n"
    (group,) = group_structured(parse(ADD + inplace + "  structured_delegate: add.out\n" + ADD_OUT))
    assert [str(f.name) for f in group.functions] == ["add.Tensor", "add_.Tensor", "add.out"]
    assert group.meta_name == "add_Tensor_meta"


def test_the_engines_own_file_is_read():
    functions = load()
    assert {"add.out", "view", "randn", "_local_scalar_dense"} <= {str(f.name) for f in functions}
    assert parse("\n".join(map(str, functions))) == functions


@needs_torch
def test_every_entry_of_pytorch_is_read_and_prints_back():
    functions = load(pytorch_file())
    assert len(functions) > 2000
    assert parse("\n".join(map(str, functions))) == functions


@needs_torch
def test_the_four_entries_are_those_of_pytorchs_file():
    text = without_comments(pytorch_file().read_text(encoding="utf-8"))
    assert [own for own in (ADD_OUT, NORMAL_, EMPTY, SCALED_GROUPED_MM) if own not in text] == []


@needs_torch
def test_the_engines_entries_are_pytorchs_but_for_their_kernels():
    theirs = {f.name: f for f in load(pytorch_file())}
    own = [f for f in load() if f.name in theirs]
    said = ("func", "variants", "structured", "structured_delegate", "structured_inherits", "device_check", "tags")
    assert len(own) > 200
    for f in own:
        assert [getattr(f, name) for name in said] == [getattr(theirs[f.name], name) for name in said]


# ---- refusals

RELU = "- func: relu(Tensor self) -> Tensor\n"
REFUSALS = {
    "unknown field": (RELU + "  dispach:\n    CPU: relu", 2, "unknown field 'dispach'; did you mean dispatch?"),
    "field twice": (RELU + "  tags: core\n  tags: core", 3, "field 'tags' is given twice"),
    "no func": ("- variants: method", 1, "the entry has no func"),
    "bad schema": ("# first\n- func: relu(Tensr self) -> Tensor", 2, "func: unknown type specifier"),
    "unknown variant": (RELU + "  variants: function, metod", 2, "unknown variant 'metod'; did you mean method?"),
    "unknown tag": (RELU + "  tags: [core, pointwize]", 2, "unknown tag 'pointwize'; did you mean pointwise?"),
    "unknown key": (RELU + "  dispatch:\n    CPU, GPU: relu", 2, "unknown dispatch key 'GPU'"),
    "key twice": (RELU + "  dispatch:\n    CPU, Meta: a\n    CPU: b", 2, "CPU has two kernels: a and b"),
    "dispatch is a text": (RELU + "  dispatch: relu", 2, "lines `keys: function` is expected, got 'relu'"),
    "flag": (RELU + "  device_guard: maybe", 2, "True or False is expected, got 'maybe'"),
    "device check": (RELU + "  device_check: Never", 2, "unknown device check 'Never'"),
    "structured without out": (RELU + "  structured: True\n  dispatch:\n    CPU: r", 2, "belongs to the out= overload"),
    "structured without functional": (ADD_OUT, 1, "add.out is structured, but no functional overload delegates"),
    "structured without impl": (
        "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True",
        2,
        "needs a dispatch with its impl functions",
    ),
    "delegate to nothing": (RELU + "  structured_delegate: relu.out", 1, "relu delegates to relu.out, which is no"),
    "delegate misspelt": (
        ADD + ADD.replace("add.Tensor", "add.S").replace("add.out", "add.outt") + ADD_OUT,
        3,
        "did you mean add.out?",
    ),
    "delegate has other arguments": (
        ADD.replace(", *, Scalar alpha=1", "") + ADD_OUT,
        1,
        "add.Tensor delegates to add.out, which takes other arguments",
    ),
    "delegate with kernels": (
        ADD + "  dispatch:\n    CPU: add\n" + ADD_OUT,
        3,
        "the kernels of CPU and CUDA are those of the operator that it delegates to",
    ),
    "defined twice": (RELU + RELU, 2, "relu is defined twice, first at <string>:1"),
    "structured_inherits": (RELU + "  structured_inherits: X", 2, "structured_inherits needs structured: True"),
    "ufunc": (RELU + "  ufunc_inner_loop: relu (All)", 2, "ufunc_inner_loop needs structured: True"),
    "ufunc dtype": (RELU + "  ufunc_inner_loop: relu (Al)", 2, "unknown dtype 'Al'; did you mean All?"),
    "ufunc form": (RELU + "  ufunc_inner_loop: relu", 2, "`function (dtypes)` is expected"),
    "out as a method": (
        "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  variants: function, method",
        2,
        "an out= overload has `variants: function` only",
    ),
    "in place without write": ("- func: relu_(Tensor self) -> Tensor", 1, "the first argument has to be written"),
    "same argument": ("- func: f(int x, int x) -> ()", 1, "two arguments have the same name"),
    "two composites": (
        RELU + "  dispatch:\n    CompositeExplicitAutograd: a\n    CompositeImplicitAutograd: b",
        2,
        "only one of CompositeExplicitAutograd",
    ),
    "needless dispatch": (RELU + "  dispatch:\n    CompositeImplicitAutograd: relu", 2, "delete it"),
    "implicit factory": (f"- func: ones(SymInt[] size, {OPTIONS}) -> Tensor", 1, "a factory needs a dispatch"),
    "random without tag": ("- func: f(Generator? g) -> Tensor", 1, "nondeterministic_seeded"),
    "module method": (RELU + "  python_module: nn\n  variants: method", 2, "a function in a module can't be a method"),
    "default": (RELU + "  cpp_no_default_args: ['self']", 2, "names an argument that has no default"),
    "out delegates": (
        "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured_delegate: f.other",
        2,
        "an out= overload doesn't delegate; did you mean structured?",
    ),
    "unguarded": (ADD + "  device_guard: False\n" + ADD_OUT, 3, "device_guard: False has no effect"),
    "structured composite": (
        ADD + ADD_OUT.partition("  ufunc")[0] + "  dispatch:\n    CompositeImplicitAutograd: add_out",
        7,
        "a structured operator has no CompositeImplicitAutograd kernel",
    ),
    "precomputed": (RELU + "  precomputed:\n  - int n", 2, "precomputed needs structured: True"),
    "precomputed order": (ADD + ADD_OUT + "\n  precomputed:\n  - int n\n  - int m", 20, "only the last item may"),
    "precomputed form": (ADD + ADD_OUT + "\n  precomputed:\n  - n", 20, "`type name` is expected, got 'n'"),
    "manual kernels": (
        RELU + "  dispatch:\n    CPU: relu\n  manual_kernel_registration: True",
        2,
        "with manual_kernel_registration a dispatch has no effect",
    ),
    "alias and number": (
        RELU + "  alias_of: abs\n  scalar_of: abs",
        3,
        "only one of alias_of and scalar_of can be given",
    ),
    "alias with two kernels": (
        RELU + "  alias_of: abs\n  dispatch:\n    CPU: a\n    CUDA: b",
        2,
        "alias_of generates the one kernel of all keys",
    ),
    "copy and alias": (RELU + "  alias_of: abs\n  copy_of: alias", 3, "copy_of generates another kernel"),
    "copy with two kernels": (
        RELU + "  copy_of: alias\n  dispatch:\n    CPU: a\n    CUDA: b",
        2,
        "copy_of generates the one kernel of all keys",
    ),
    "calls of no replay": (RELU + "  replay_calls: abs", 2, "replay_calls needs the tag replay"),
    "unknown fact": (RELU + "  engine_tags: replays", 2, "unknown tag of the engine 'replays'; did you mean replay?"),
    "structured number": (ADD + "  scalar_of: mul.Tensor\n" + ADD_OUT, 3, "scalar_of generates the one kernel"),
    "no list": ("func: relu(Tensor self) -> Tensor", 1, "a list of entries `- func: ...` is expected"),
    "no entry": ("- relu", 1, "an entry `func: ...` with its fields is expected"),
    "no YAML": (RELU + "   variants: method", 2, "no YAML: "),
    "anchor to nothing": (RELU + "  tags: *core", 2, "no YAML: "),
}


@pytest.mark.parametrize(("text", "line", "message"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_names_file_and_line(text, line, message):
    with pytest.raises(ValueError) as caught:
        parse(text, "mine.yaml" if "<string>" not in message else "<string>")
    place, _, said = str(caught.value).partition(": ")
    assert place.removeprefix("mine.yaml").removeprefix("<string>") == f":{line}"
    assert message in said


def test_every_row_of_the_checks_refuses_something():
    said = []
    for text, _, _ in REFUSALS.values():
        with pytest.raises(ValueError) as caught:
            parse(text)
        said.append(str(caught.value))
    assert [reason for _, _, reason in CHECKS if not any(reason in one for one in said)] == []


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "[]"])
def test_a_file_without_entries_has_none(text):
    assert parse(text) == ()


# ---- any entry

LINES = st.sampled_from(
    [
        "  variants: function, method",
        "  variants: method",
        "  device_check: NoCheck",
        "  device_guard: False",
        "  tags: [core, pointwise]",
        "  tags: reduction",
        "  autogen: f.out, f_",
        "  category_override: factory",
        "  cpp_no_default_args: ['p']",
        "  manual_cpp_binding: True",
        "  use_const_ref_for_mutable_tensors: True",
        "  dispatch:\n    CPU, Meta: f_cpu\n    CUDA: f_cuda",
        "  dispatch:\n    CompositeExplicitAutograd: f_all",
        "  python_module: nn",
        "  structured_delegate: f.out",
        "  - 3",
        "\t",
        "  tags: {a: b}",
        "  variants: [[]]",
        "  dispatch: [CPU]",
        "  ? [a]\n  : b",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, max_size=6))
def test_an_entry_is_refused_with_its_place_or_prints_back_as_written(lines):
    text = "\n".join(["- func: f(Tensor self, float p=0.5) -> Tensor", *lines])
    try:
        functions = parse(text, "any.yaml")
    except ValueError as error:
        assert re.match(r"any\.yaml:\d+: ", str(error))
    else:
        assert "\n".join(map(str, functions)) == text.rstrip()


# ---- facts about an operator are in its entry

NO_FACTS = {
    "aten/native/repeat.py": "functions of the file, by the name of the stack",
    "aten/native/scatter_gather.py": "values of the argument reduce",
    "aten/python_functions.py": "functions of the file, by the name that they are bound to",
    "aten/python_methods.py": "functions of the file, by the name that they are bound to",
    "autograd/functions_manual/indexing.py": "values of the argument reduce",
    "autograd/variable_type_manual.py": "functions of the file, by the operator that they are registered for",
    "cpu/scatter_gather.py": "values of the argument reduce",
    "cuda/libdevice.py": "functions of libdevice",
    "cuda/scatter_gather.py": "values of the argument reduce",
    "dispatch/convert.py": "as should_allow_numbers_as_tensors of PyTorch's python_arg_parser.cpp",
    "memory_trace/compilable.py": "functions of NumPy",
    "memory_trace/kernel_cuda.py": "functions of numba.cuda.atomic",
    "nn/functional/__init__.py": "the public names",
    "nn/functional/activation.py": "the public names",
    "nn/init.py": "the argument nonlinearity of calculate_gain",
    "transforms/batch_rule_table.py": "batching rules, one for each operator, as in PyTorch's BatchRules*.cpp",
    "transforms/batch_rules.py": "functional forms of the operators that change the geometry of a view",
    "transforms/fake_tensor.py": "operators of tensors on several devices, as in PyTorch's fake_impls.py",
    "transforms/front_decompositions.py": "operators that PyTorch takes apart before a transform sees them",
    "transforms/view_inverses.py": "inverses: what a write to a view does to its base, one for each view",
    **{
        f"transforms/samples/{name}.py": "rules: what a class of tensors does for an operator"
        for name in ("annotated", "elsewhere", "matrices", "wrapper")
    },
    "tiny_tensor.py": "lab 0's operators, which have no entries",
}
"""Files with a list of four or more operators' names, and what it is instead of facts about operators."""


def test_no_code_lists_operators_by_name():
    root = Path(layers.__file__).parent
    names = {name for f in NATIVE_FUNCTIONS for name in (str(f.name), f.name.base, f"aten::{f.name}")}
    found = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            entries = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
            if sum(isinstance(each, ast.Constant) and each.value in names for each in entries) >= 4:
                found.add(path.relative_to(root).as_posix())
    assert found == NO_FACTS.keys()
