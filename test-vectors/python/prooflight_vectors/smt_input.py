"""The groups SmtProof, SmtHistory and SmtDiff (vectors 15 to 17)."""

from . import carrier
from .carrier import (
    check_names,
    read_array,
    read_bytes,
    read_hash,
    read_member,
    read_quantity,
    write_bytes,
    write_quantity,
)
from .mpt import LIMITS, Limits, read_limits
from .smt import NEVER_WRITTEN, verify_diff, verify_history, verify_keys
from .smt_average import average

# vectors 15: SmtProof


def verify_proof_input(test_input):
    """Verifies the `input` of an SmtProof test."""
    check_names(test_input, ("root", "height", "keys", "proof", "limits"))
    answers = verify_keys(
        read_member(test_input, "root", read_hash),
        read_member(test_input, "height", read_quantity),
        read_member(test_input, "keys", lambda keys: read_array(keys, read_bytes)),
        read_member(test_input, "proof", read_bytes),
        read_member(test_input, "limits", read_limits, Limits()),
    )
    return {"answers": [write_answer(answer) for answer in answers]}


def write_answer(answer):
    if answer == NEVER_WRITTEN:
        return {}
    height = write_quantity(answer.height)
    if answer.value is None:
        return {"deletedAt": height}
    return {"value": write_bytes(answer.value), "since": height}


# vectors 16: SmtHistory


def verify_history_input(test_input):
    """Verifies the `input` of an SmtHistory test."""
    names = ("key", "from", "to", "roots", "proof", "average", "limits")
    check_names(test_input, names)
    key = read_member(test_input, "key", read_bytes)
    first = read_member(test_input, "from", read_quantity)
    last = read_member(test_input, "to", read_quantity)
    roots = read_member(test_input, "roots", lambda roots: read_array(roots, read_root))
    proof = read_member(test_input, "proof", read_bytes)
    of_average = read_member(test_input, "average", read_average, None)
    limits = read_member(test_input, "limits", read_history_limits, Limits())

    history = verify_history(key, first, last, roots, proof, limits)
    answer = write_changes(history)
    answer["blocks"] = [write_quantity(height) for height in history.heights]
    if of_average is not None:
        answer["average"] = write_average(average(history, first, last, *of_average))
    return answer


def write_changes(history):
    return {
        "entering": None if history.entering is None else write_answer(history.entering),
        "changes": [write_answer(change) for change in history.changes],
    }


def read_history_limits(value):
    return carrier.read_limits(value, Limits(), {**LIMITS, "maxChanges": "changes"})


def read_root(value):
    check_names(value, ("height", "root"))
    return read_member(value, "height", read_quantity), read_member(value, "root", read_hash)


def read_average(value):
    check_names(value, ("from", "to", "timestamps"))
    return (
        read_member(value, "from", read_quantity),
        read_member(value, "to", read_quantity),
        read_member(value, "timestamps", lambda them: read_array(them, read_timestamp)),
    )


def read_timestamp(value):
    check_names(value, ("height", "timestampMs"))
    height = read_member(value, "height", read_quantity)
    return height, read_member(value, "timestampMs", read_quantity)


def write_average(found):
    return {
        "sum": write_bytes(found.sum.to_bytes(40, "big")),
        "coveredMs": write_quantity(found.covered_ms),
        "gaps": [
            {"fromMs": write_quantity(start), "toMs": write_quantity(end)}
            for start, end in found.gaps
        ],
    }


# vectors 17: SmtDiff


def verify_diff_input(test_input):
    """Verifies the `input` of an SmtDiff test."""
    check_names(test_input, ("from", "to", "root", "proof", "limits"))
    changes = verify_diff(
        read_member(test_input, "from", read_optional_quantity),
        read_member(test_input, "to", read_quantity),
        read_member(test_input, "root", read_hash),
        read_member(test_input, "proof", read_bytes),
        read_member(test_input, "limits", read_limits, Limits()),
    )
    return write_diff(changes)


def write_diff(changes):
    return {
        "changes": [
            {"key": write_bytes(change.key), **write_answer(change.answer)} for change in changes
        ]
    }


def read_optional_quantity(value):
    return None if value is None else read_quantity(value)
