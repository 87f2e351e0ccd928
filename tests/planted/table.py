"""The faults: what a user would suffer, where the text changes, and the tests that must find it."""

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Fault(NamedTuple):
    """A change of one text, which is once in its file, and the tests of which one must fail.

    `tests` are files or test functions without parameters, for the fast tier; with `slow`, for `make test-all`.
    """

    name: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]
    slow: bool = False


# fmt: off
DEFINITION = "tests/engine/test_by_definition.py"  # of what else only a comparison with PyTorch finds
SANDBOX, RECORDS = "tests/autograder/test_sandbox.py", "tests/autograder/test_records.py"

FAULTS = (
    # ---- engine
    Fault(
        "a sum along the first dimension loses rows",
        "engine/cpu/reduce_loops.py",
        "for _ in range(left & 3):",
        "for _ in range(left & 1):",
        (f"{DEFINITION}::test_sums_along_the_first_dimension_have_every_row",),
    ),
    Fault(
        "a write beside another view of the storage is refused",
        "engine/strides.py",
        "return a_first < b_end and b_first < a_end",
        "return a_first <= b_end and b_first <= a_end",
        (f"{DEFINITION}::test_views_that_only_touch_do_not_overlap",),
    ),
    Fault(
        "a view over two dimensions that are not adjacent shows foreign elements",
        "engine/strides.py",
        "(sizes[d - 1] != 1 and strides[d - 1] != group * base_stride)",
        "(sizes[d - 1] != 1 and strides[d - 1] < group * base_stride)",
        (f"{DEFINITION}::test_a_view_reads_the_same_cells_in_the_same_order",),
    ),
    Fault(
        "a Python float counts as float32 whatever the default dtype is",
        "engine/aten/type_promotion.py",
        "kind = default_dtype or get_default_dtype()",
        "kind = default_dtype or float32",
        (f"{DEFINITION}::test_a_python_float_has_the_default_dtype",),
    ),
    Fault(
        "destroying an older kernel takes the newest one away",
        "engine/dispatch/registry.py",
        "kernels.remove(kernel)",
        "kernels.pop(0)",
        (f"{DEFINITION}::test_destroying_a_kernel_takes_away_that_one_and_the_next_call_knows",),
    ),
    Fault(
        "a fallback that was destroyed is called again",
        "engine/dispatch/registry.py",
        "        del fallbacks[key]\n        forget_all()",
        "        del fallbacks[key]",
        (f"{DEFINITION}::test_a_fallback_that_was_destroyed_is_not_called_again",),
    ),
    Fault(
        "a redispatch meets a key that falls through",
        "engine/dispatch/dispatcher.py",
        "        rest &= ~bit\n    return kept",
        "        elif kernel is not None:\n            break\n        rest &= ~bit\n    return kept",
        ("tests/engine/test_dispatch_table.py",),
    ),
    Fault(
        "a gradient that a hook has kept changes later",
        "engine/autograd/engine.py",
        "        and getrefcount(present) <= HELD_BY_BUFFER\n",
        "",
        (f"{DEFINITION}::test_a_gradient_that_a_hook_has_kept_stays_as_it_was",),
    ),
    Fault(
        "backward computes with a saved tensor that was overwritten",
        "engine/autograd/saved_variable.py",
        "if self.data._version != self.version:",
        "if self.data._version < self.version:",
        (f"{DEFINITION}::test_backward_refuses_a_saved_tensor_that_was_overwritten",),
    ),
    Fault(
        "the gradient of a variance without correction is too large",
        "engine/autograd/functions_manual/reduce.py",
        "- (1 if correction is None else correction)\n    everything",
        "- (correction or 1)\n    everything",
        (f"{DEFINITION}::test_the_gradient_of_a_variance",),
    ),
    Fault(
        "an error in the first piece of a parallel loop is lost",
        "engine/cpu/parallel.py",
        "store(pool, FAILED, first + 1)",
        "store(pool, FAILED, first)",
        ("tests/engine/test_cpu_parallel.py",),
    ),
    Fault(
        "a matrix product leaves out the last steps of the last rows",
        "engine/cpu/gemm.py",
        "for t in range(blocks if i < quads else 0, k):",
        "for t in range(blocks, k):",
        (f"{DEFINITION}::test_products_have_every_step_at_their_edges",),
    ),
    Fault(
        "log_softmax of a row with a masked element is NaN",
        "engine/cpu/soft_max.py",
        "largest[:] = np.finfo(largest.dtype).min  #",
        "largest[:] = -np.inf  #",
        (f"{DEFINITION}::test_a_masked_element_leaves_the_others_their_logarithms",),
    ),
    Fault(
        "layer_norm's gradient is wrong in long rows",
        "engine/cpu/layer_norm_backward.py",
        "        products += product\n    return total, products\n\n\n@register_jitable\ndef input_row",
        "        products = product\n    return total, products\n\n\n@register_jitable\ndef input_row",
        (f"{DEFINITION}::test_layer_norm_has_its_gradient_also_in_rows_of_several_runs",),
    ),
    Fault(
        "a convolution's weight gradient reads before a row if the stride is 2",
        "engine/cpu/convolution_weight.py",
        "low = max(0, (stride_x - 1 - shift) // stride_x)",
        "low = max(0, -shift // stride_x)",
        (f"{DEFINITION}::test_a_stepping_convolution_has_the_gradient_of_the_plain_loop",),
    ),
    Fault(
        "an index of -size is refused",
        "engine/cpu/index.py",
        "walk = Walk(-size, size,",
        "walk = Walk(1 - size, size,",
        (f"{DEFINITION}::test_an_index_counts_from_the_end_as_far_as_the_beginning",),
    ),
    Fault(
        "the transposing kernel has a race on a GPU",
        "engine/cuda/transpose.py",
        "            cuda.syncthreads()  # nobody reads it any more\n",
        "",
        ("tests/engine/test_cuda_transpose.py",),
    ),
    Fault(
        "freed memory of the device stays in pieces",
        "engine/cuda/caching_allocator.py",
        "for first in (at, at - 1):",
        "for first in (at - 1, at):",
        ("tests/engine/test_cuda_allocator.py",),
    ),
    Fault(
        "an event that was waited for has not happened",
        "engine/cuda/runtime.py",
        "return self.order <= _waited_for[0]",
        "return self.order < _waited_for[0]",
        ("tests/engine/test_cuda_runtime.py",),
    ),
    Fault(
        "self time of nested ranges of one name is lost",
        "engine/profiler/parsing.py",
        "            parent.self_cpu_time_total += event.self_cpu_time_total\n",
        "",
        ("tests/engine/test_profiler_results.py",),
    ),
    Fault(
        "the timeline draws two arrows from one operator",
        "engine/profiler/chrome_trace.py",
        "operator = forward.pop((fwd_thread, event.sequence_nr))",
        "operator = forward[fwd_thread, event.sequence_nr]",
        (f"{DEFINITION}::test_an_operator_has_one_arrow_though_two_nodes_have_its_number",),
    ),
    Fault(
        "barriers at two different places pass for one",
        "engine/memory_trace/ordering.py",
        "if missing or len(arrived) > 1:",
        "if missing:",
        ("tests/engine/test_cuda_trace.py",),
    ),
    Fault(
        "a replayed call reads a view from where its storage begins",
        "engine/native/call.py",
        "store(words, to, data + py.value_of_int(load(x, at.OFFSET)) * number)",
        "store(words, to, data)",
        ("tests/engine/test_native_replay.py::test_calls_two_three_and_four_give_what_python_gives",),
    ),
    Fault(
        "numbers from 1 to 1,000 print in scientific notation",
        "engine/printing.py",
        "largest / smallest > 1000.0",
        "largest / smallest >= 1000.0",
        (f"{DEFINITION}::test_a_tensor_is_scientific_if_its_largest_is_more_than_a_thousand_times_its_smallest",),
    ),
    Fault(
        "AdamW's weight decay does not follow the learning rate",
        "engine/optim/adam.py",
        "parameter.mul_(1 - lr * weight_decay)",
        "parameter.mul_(1 - weight_decay)",
        (f"{DEFINITION}::test_a_step_of_adamw",),
    ),
    Fault(
        "a convolution's weights begin too large for fan_out",
        "engine/nn/init.py",
        "return inputs * field, outputs * field",
        "return inputs * field, outputs",
        (f"{DEFINITION}::test_the_fans_of_a_convolution_count_its_kernel",),
    ),
    Fault(
        "the last normal numbers repeat others",
        "engine/cpu/random.py",
        "_normal_sixteens(words[n:], out[n - 16 :], mean, std)",
        "_normal_sixteens(words[n - 16 : n], out[n - 16 :], mean, std)",
        (f"{DEFINITION}::test_normal_numbers_are_made_of_the_generator_s_words_sixteen_at_a_time",),
    ),
    Fault(
        "the picture of a view whose elements share a cell draws a walk",
        "engine/draw/memory.py",
        "max(view.uses().values(), default=0) <= 1",
        "max(view.uses().values(), default=0) <= 2",
        ("tests/engine/test_draw.py",),
    ),
    # ---- autograder
    Fault(
        "an aspect earns points though the one that it needs has failed",
        "autograder/examine/verdict.py",
        "result if not aspect.needs or aspect.needs in passed else",
        "result if not aspect.needs or aspect.needs else",
        ("tests/autograder/test_verdict.py",),
    ),
    Fault(
        "optional exercises count twice",
        "autograder/grading/submission_record.py",
        '"points": sum(earned.values()) - extra,',
        '"points": sum(earned.values()),',
        ("tests/autograder/test_optional.py::test_table_and_report_show_extra_points_apart",),
    ),
    Fault(
        "a student's program starts another one",
        "autograder/sandbox/seccomp.py",
        " exit:60:93 ",
        " exit:60:93 execve:59:221 ",
        ("tests/autograder/test_seccomp.py::test_what_no_worker_may_call_is_refused_on_every_machine",),
    ),
    Fault(
        "a student's program sees the grader's environment",
        "autograder/sandbox/guest_process.py",
        'environment = isolation.environment() | {"HOME"',
        'environment = os.environ | isolation.environment() | {"HOME"',
        (f"{SANDBOX}::test_a_program_sees_no_variable_of_the_grader_s_environment",),
        slow=True,  # under Landlock, which is the fast tier's only where bubblewrap is missing
    ),
    Fault(
        "a check's time limit removes the program's own alarm",
        "autograder/examine/timelimit.py",
        "signal.setitimer(signal.ITIMER_REAL, left, interval)\n        signal.signal",
        "signal.setitimer(signal.ITIMER_REAL, 0)\n        signal.signal",
        ("tests/autograder/test_timelimit.py",),
    ),
    Fault(
        "a link hands in another student's folder",
        "autograder/grading/intake.py",
        "(os.O_NOFOLLOW if parent is not None else 0)",
        "0",
        ("tests/autograder/test_intake.py",),
    ),
    Fault(
        "points that were written into a record by hand count",
        "autograder/grading/signature.py",
        "if name != FIELD}",
        'if name not in (FIELD, "points")}',
        (f"{RECORDS}::test_a_record_that_the_grader_did_not_write_counts_as_none",),
    ),
    Fault(
        "the last second of the grace period is late",
        "autograder/grading/course_file.py",
        "if seconds_late <= self.grace_minutes * 60:",
        "if seconds_late < self.grace_minutes * 60:",
        ("tests/autograder/test_course_file.py",),
    ),
    Fault(
        "a late penalty spares extra credit",
        "autograder/grading/extra_credit.py",
        "round(extra * share, 2)",
        "round(extra, 2)",
        ("tests/autograder/test_optional.py::test_a_penalty_takes_the_same_share_of_both",),
    ),
    Fault(
        "an export fills in a column that Canvas computes",
        "autograder/department/exports/sheet.py",
        'if "read only" not in "".join(row[at : at + 1])}',
        "}",
        ("tests/autograder/test_exports.py::test_a_column_that_canvas_computes_is_not_filled_in",),
    ),
    Fault(
        "a copy with renamed functions is nobody's copy",
        "autograder/department/similarity/fragments.py",
        "(is_own or not is_named)",
        "not is_named",
        ("tests/autograder/test_similarity.py::test_names_comments_docstrings_and_line_breaks_do_not_count",),
    ),
    Fault(
        "a student's code runs in the reader's browser",
        "autograder/grading/markup.py",
        "<pre>{escape(source)}</pre>",
        "<pre>{source}</pre>",
        ("tests/autograder/test_rebuild.py::test_code_is_text_with_colors_and_without",),
    ),
    Fault(
        "a student's heading takes the place of a grader's box",
        "autograder/grading/nbgrader_hooks.py",
        '"autograder.grading.markup.markdown2html"',
        '"nbconvert.filters.markdown2html"',
        ("tests/autograder/test_markup.py::test_both_pages_render_with_this_filter",),
    ),
    Fault(
        "an optional exercise counts in the maximum",
        "autograder/author/weave.py",
        "points=part.points - extra)",
        "points=part.points)",
        ("tests/autograder/test_optional.py::test_the_check_cell_is_worth_nothing_and_says_its_extra_points",),
    ),
    Fault(
        "students get the wrong answers and what is said of them",
        "autograder/author/bundle.py",
        '"*/*/probe.py", "*/documents.py")',
        '"*/*/probe.py", "*/*/wrong.py", "*/documents.py")',
        ("tests/autograder/test_bundle.py::test_no_answer_and_no_part_of_the_grader_is_in_the_wheel",),
    ),
    Fault(
        "a check asks too few cases about tensors without elements",
        "autograder/labs/strides/order/check.py",
        "for ndim in (2, 3, 4) * 12:",
        "for ndim in (2, 3, 4):",
        ("tests/autograder/test_checks.py::test_a_seed_draws_cases_of_its_own_and_enough_of_them",),
    ),
    Fault(
        "a 0 given by hand is lost when a lab is corrected",
        "autograder/grading/migration.py",
        "for name in BY_HAND[kind] if getattr(row, name) is not None}",
        "for name in BY_HAND[kind] if getattr(row, name)}",
        ("tests/autograder/test_migration.py::test_an_exercise_that_comes_back_has_what_was_given_by_hand",),
    ),
    Fault(
        "two runs grade one course at a time",
        "autograder/grading/lock.py",
        "fcntl.LOCK_EX | fcntl.LOCK_NB",
        "fcntl.LOCK_SH | fcntl.LOCK_NB",
        ("tests/autograder/test_one_run.py::test_a_second_run_is_told_who_holds_the_course",),
    ),
    Fault(
        "what the grader failed to judge is never judged again",
        "autograder/grading/submission_record.py",
        'return kept["status"] != OUR_FAULT and TIERS',
        "return TIERS",
        (f"{RECORDS}::test_what_we_failed_to_judge_is_judged_by_the_next_run",),
    ),
    Fault(
        "grading begins on a machine that can shut nothing in",
        "autograder/sandbox/isolation.sh",
        "make grade ARGS=--accept-no-isolation\"\nexit 2",
        "make grade ARGS=--accept-no-isolation\"\nexit 0",
        ("tests/autograder/test_isolation_script.py",),
    ),
    Fault(
        "a changed due date is passed over by the next run",
        "autograder/grading/up_to_date.py",
        "        root / course_file.FILE,\n",
        "",
        ("tests/autograder/test_up_to_date.py::test_a_change_for_all_takes_the_long_way",),
        slow=True,
    ),
    Fault(
        "each process compiles its kernels again",
        "engine/compiled/numba_cache.py",
        "made = hashlib.sha256()",
        "made = hashlib.sha256(os.urandom(1))",
        ("tests/engine/test_numba_cache.py::test_a_second_process_finds_the_kernel_compiled",),
        slow=True,
    ),
    Fault(
        "a skip without a reason passes for a run",
        "tests/conftest.py",
        "if hidden and session.exitstatus == pytest.ExitCode.OK:",
        "if not reporter and session.exitstatus == pytest.ExitCode.OK:",
        ("tests/test_tiers.py",),
    ),
)
