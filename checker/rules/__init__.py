"""The catalogue of rules: one file a rule, one constant a rule, all of them in `CATALOGUE`."""

from __future__ import annotations

from kcheck.checker.rules import (
    k101_syntax,
    k102_not_utf8,
    k103_nested_too_deeply,
    k104_not_closed,
    k105_comparison_chain,
    k106_file_too_large,
    k201_unknown_name,
    k202_unknown_type,
    k203_type_mismatch,
    k204_wrong_arguments,
    k205_not_exhaustive,
    k206_missing_return,
    k207_unreachable,
    k208_unused,
    k209_shadowed,
    k210_recursion,
    k211_const_cycle,
    k212_recursive_type,
    k213_duplicate,
    k214_literal_out_of_range,
    k215_not_assignable,
    k216_no_such_member,
    k217_not_constant,
    k218_value_not_used,
    k219_bad_param,
    k220_bad_example,
    k221_unknown_package,
    k222_use_cycle,
    k223_bad_operands,
    k224_unused_input,
    k225_unreachable_arm,
    k226_not_a_value,
    k227_bad_array,
    k228_ambiguous_variant,
    k229_shadows_acting_word,
    k230_no_value,
    k231_bad_pattern,
    k232_bad_allow,
    k233_unused_allow,
    k240_division_by_zero,
    k241_index_outside,
    k242_shift_out_of_range,
    k243_condition_decided,
    k244_loop_never_entered,
    k301_missing_permission,
    k302_unneeded_permission,
    k303_unknown_permission,
    k304_no_body,
    k305_second_body,
    k306_missing_merge,
    k307_stray_merge,
    k308_output_shape,
    k309_output_count,
    k310_not_an_input,
    k311_bad_pair,
    k312_bad_combine,
    k313_float_prefix_sum,
    k314_emit_not_allowed,
    k315_put_not_allowed,
    k316_memory_outside_scan,
    k317_group_only,
    k318_bad_group_size,
    k319_sample_rank,
    k320_memory_read,
    k321_merge_reads,
    k322_wrong_result,
    k323_bad_record,
    k324_bad_address,
    k325_not_filterable,
    k326_memory_never_written,
    k401_law_refuted,
    k402_law_unknown,
    k403_undefined_step,
    k404_special_values,
    k405_scan_could_be_prefix,
    k501_uneven_exchange,
    k600_scenes_not_checked,
    k701_unknown_port,
    k702_missing_value,
    k703_value_does_not_fit,
    k704_shape_mismatch,
    k705_out_of_range,
    k706_empty_fold,
    k707_empty_read,
    k708_no_domain,
    k709_unreadable_file,
    k710_cannot_write,
    k711_backend_missing,
    k712_divergent_exchange,
    k713_field_too_large,
    k714_domain_not_allowed,
    k715_scene_not_run,
    k716_expectation_failed,
    k717_device_failed,
    k718_backends_differ,
    k719_run_ended,
)
from kcheck.checker.rules.rule import Rule

SYNTAX = k101_syntax.RULE
NOT_UTF8 = k102_not_utf8.RULE
NESTED_TOO_DEEPLY = k103_nested_too_deeply.RULE
NOT_CLOSED = k104_not_closed.RULE
COMPARISON_CHAIN = k105_comparison_chain.RULE
FILE_TOO_LARGE = k106_file_too_large.RULE
UNKNOWN_NAME = k201_unknown_name.RULE
UNKNOWN_TYPE = k202_unknown_type.RULE
TYPE_MISMATCH = k203_type_mismatch.RULE
WRONG_ARGUMENTS = k204_wrong_arguments.RULE
NOT_EXHAUSTIVE = k205_not_exhaustive.RULE
MISSING_RETURN = k206_missing_return.RULE
UNREACHABLE = k207_unreachable.RULE
UNUSED = k208_unused.RULE
SHADOWED = k209_shadowed.RULE
RECURSION = k210_recursion.RULE
CONST_CYCLE = k211_const_cycle.RULE
RECURSIVE_TYPE = k212_recursive_type.RULE
DUPLICATE = k213_duplicate.RULE
LITERAL_OUT_OF_RANGE = k214_literal_out_of_range.RULE
NOT_ASSIGNABLE = k215_not_assignable.RULE
NO_SUCH_MEMBER = k216_no_such_member.RULE
NOT_CONSTANT = k217_not_constant.RULE
VALUE_NOT_USED = k218_value_not_used.RULE
BAD_PARAM = k219_bad_param.RULE
BAD_EXAMPLE = k220_bad_example.RULE
UNKNOWN_PACKAGE = k221_unknown_package.RULE
USE_CYCLE = k222_use_cycle.RULE
BAD_OPERANDS = k223_bad_operands.RULE
UNUSED_INPUT = k224_unused_input.RULE
UNREACHABLE_ARM = k225_unreachable_arm.RULE
NOT_A_VALUE = k226_not_a_value.RULE
BAD_ARRAY = k227_bad_array.RULE
AMBIGUOUS_VARIANT = k228_ambiguous_variant.RULE
SHADOWS_ACTING_WORD = k229_shadows_acting_word.RULE
NO_VALUE = k230_no_value.RULE
BAD_PATTERN = k231_bad_pattern.RULE
BAD_ALLOW = k232_bad_allow.RULE
UNUSED_ALLOW = k233_unused_allow.RULE
DIVISION_BY_ZERO = k240_division_by_zero.RULE
INDEX_OUTSIDE = k241_index_outside.RULE
SHIFT_OUT_OF_RANGE = k242_shift_out_of_range.RULE
CONDITION_DECIDED = k243_condition_decided.RULE
LOOP_NEVER_ENTERED = k244_loop_never_entered.RULE
MISSING_PERMISSION = k301_missing_permission.RULE
UNNEEDED_PERMISSION = k302_unneeded_permission.RULE
UNKNOWN_PERMISSION = k303_unknown_permission.RULE
NO_BODY = k304_no_body.RULE
SECOND_BODY = k305_second_body.RULE
MISSING_MERGE = k306_missing_merge.RULE
STRAY_MERGE = k307_stray_merge.RULE
OUTPUT_SHAPE = k308_output_shape.RULE
OUTPUT_COUNT = k309_output_count.RULE
NOT_AN_INPUT = k310_not_an_input.RULE
BAD_PAIR = k311_bad_pair.RULE
BAD_COMBINE = k312_bad_combine.RULE
FLOAT_PREFIX_SUM = k313_float_prefix_sum.RULE
EMIT_NOT_ALLOWED = k314_emit_not_allowed.RULE
PUT_NOT_ALLOWED = k315_put_not_allowed.RULE
MEMORY_OUTSIDE_SCAN = k316_memory_outside_scan.RULE
GROUP_ONLY = k317_group_only.RULE
BAD_GROUP_SIZE = k318_bad_group_size.RULE
SAMPLE_RANK = k319_sample_rank.RULE
MEMORY_READ = k320_memory_read.RULE
MERGE_READS = k321_merge_reads.RULE
WRONG_RESULT = k322_wrong_result.RULE
BAD_RECORD = k323_bad_record.RULE
BAD_ADDRESS = k324_bad_address.RULE
NOT_FILTERABLE = k325_not_filterable.RULE
MEMORY_NEVER_WRITTEN = k326_memory_never_written.RULE
LAW_REFUTED = k401_law_refuted.RULE
LAW_UNKNOWN = k402_law_unknown.RULE
UNDEFINED_STEP = k403_undefined_step.RULE
SPECIAL_VALUES = k404_special_values.RULE
SCAN_COULD_BE_PREFIX = k405_scan_could_be_prefix.RULE
UNEVEN_EXCHANGE = k501_uneven_exchange.RULE
SCENES_NOT_CHECKED = k600_scenes_not_checked.RULE
UNKNOWN_PORT = k701_unknown_port.RULE
MISSING_VALUE = k702_missing_value.RULE
VALUE_DOES_NOT_FIT = k703_value_does_not_fit.RULE
SHAPE_MISMATCH = k704_shape_mismatch.RULE
OUT_OF_RANGE = k705_out_of_range.RULE
EMPTY_FOLD = k706_empty_fold.RULE
EMPTY_READ = k707_empty_read.RULE
NO_DOMAIN = k708_no_domain.RULE
UNREADABLE_FILE = k709_unreadable_file.RULE
CANNOT_WRITE = k710_cannot_write.RULE
BACKEND_MISSING = k711_backend_missing.RULE
DIVERGENT_EXCHANGE = k712_divergent_exchange.RULE
FIELD_TOO_LARGE = k713_field_too_large.RULE
DOMAIN_NOT_ALLOWED = k714_domain_not_allowed.RULE
SCENE_NOT_RUN = k715_scene_not_run.RULE
EXPECTATION_FAILED = k716_expectation_failed.RULE
DEVICE_FAILED = k717_device_failed.RULE
BACKENDS_DIFFER = k718_backends_differ.RULE
RUN_ENDED = k719_run_ended.RULE

CATALOGUE: dict[str, Rule] = {
    rule.code: rule
    for rule in (
        SYNTAX,
        NOT_UTF8,
        NESTED_TOO_DEEPLY,
        NOT_CLOSED,
        COMPARISON_CHAIN,
        FILE_TOO_LARGE,
        UNKNOWN_NAME,
        UNKNOWN_TYPE,
        TYPE_MISMATCH,
        WRONG_ARGUMENTS,
        NOT_EXHAUSTIVE,
        MISSING_RETURN,
        UNREACHABLE,
        UNUSED,
        SHADOWED,
        RECURSION,
        CONST_CYCLE,
        RECURSIVE_TYPE,
        DUPLICATE,
        LITERAL_OUT_OF_RANGE,
        NOT_ASSIGNABLE,
        NO_SUCH_MEMBER,
        NOT_CONSTANT,
        VALUE_NOT_USED,
        BAD_PARAM,
        BAD_EXAMPLE,
        UNKNOWN_PACKAGE,
        USE_CYCLE,
        BAD_OPERANDS,
        UNUSED_INPUT,
        UNREACHABLE_ARM,
        NOT_A_VALUE,
        BAD_ARRAY,
        AMBIGUOUS_VARIANT,
        SHADOWS_ACTING_WORD,
        NO_VALUE,
        BAD_PATTERN,
        BAD_ALLOW,
        UNUSED_ALLOW,
        DIVISION_BY_ZERO,
        INDEX_OUTSIDE,
        SHIFT_OUT_OF_RANGE,
        CONDITION_DECIDED,
        LOOP_NEVER_ENTERED,
        MISSING_PERMISSION,
        UNNEEDED_PERMISSION,
        UNKNOWN_PERMISSION,
        NO_BODY,
        SECOND_BODY,
        MISSING_MERGE,
        STRAY_MERGE,
        OUTPUT_SHAPE,
        OUTPUT_COUNT,
        NOT_AN_INPUT,
        BAD_PAIR,
        BAD_COMBINE,
        FLOAT_PREFIX_SUM,
        EMIT_NOT_ALLOWED,
        PUT_NOT_ALLOWED,
        MEMORY_OUTSIDE_SCAN,
        GROUP_ONLY,
        BAD_GROUP_SIZE,
        SAMPLE_RANK,
        MEMORY_READ,
        MERGE_READS,
        WRONG_RESULT,
        BAD_RECORD,
        BAD_ADDRESS,
        NOT_FILTERABLE,
        MEMORY_NEVER_WRITTEN,
        LAW_REFUTED,
        LAW_UNKNOWN,
        UNDEFINED_STEP,
        SPECIAL_VALUES,
        SCAN_COULD_BE_PREFIX,
        UNEVEN_EXCHANGE,
        SCENES_NOT_CHECKED,
        UNKNOWN_PORT,
        MISSING_VALUE,
        VALUE_DOES_NOT_FIT,
        SHAPE_MISMATCH,
        OUT_OF_RANGE,
        EMPTY_FOLD,
        EMPTY_READ,
        NO_DOMAIN,
        UNREADABLE_FILE,
        CANNOT_WRITE,
        BACKEND_MISSING,
        DIVERGENT_EXCHANGE,
        FIELD_TOO_LARGE,
        DOMAIN_NOT_ALLOWED,
        SCENE_NOT_RUN,
        EXPECTATION_FAILED,
        DEVICE_FAILED,
        BACKENDS_DIFFER,
        RUN_ENDED,
    )
}
"""Every rule by its code, in the order of the codes."""

BY_NAME: dict[str, Rule] = {rule.name: rule for rule in CATALOGUE.values()}
