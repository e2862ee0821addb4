"""The group AmbProof (vectors 26)."""

from . import amb, carrier
from .amb_update import Operation, verify_update
from .carrier import (
    check_names,
    read_array,
    read_boolean,
    read_bytes,
    read_member,
    read_name,
    read_quantity,
    write_bytes,
    write_quantity,
)
from .errors import check
from .mpt import LIMITS


def verify_input(test_input):
    """Verifies the `input` of a test."""
    check(isinstance(test_input, dict), "invalid_argument")
    kind = read_member(test_input, "kind", lambda name: read_name(name, KINDS))
    names, verify = KINDS[kind]
    check_names(test_input, ("root", "block", "kind", "limits", *names))
    root = read_member(test_input, "root", read_bytes)
    height = read_member(test_input, "block", read_quantity)
    return verify(root, height, test_input)


def verify_with(read, write):
    """A verifier that reads a question and writes what it answers."""

    def verify(root, height, test_input):
        question = read(test_input)
        proof = read_member(test_input, "proof", read_bytes)
        limits = read_member(test_input, "limits", read_limits, amb.Limits())
        return write(question, amb.verify(root, height, question, proof, limits))

    return verify


def read_keys(test_input):
    return read_member(test_input, "keys", lambda keys: read_array(keys, read_bytes))


def read_get(test_input):
    return amb.Get(read_keys(test_input), read_member(test_input, "at", read_quantity))


def write_get(question, opened):
    return {"answers": [write_answer(answer) for answer in question.answers(opened)]}


def write_answer(answer):
    if answer == amb.NEVER_WRITTEN:
        return {}
    block = write_quantity(answer.block)
    if answer.value is None:
        return {"deletedAt": block}
    return {"value": write_bytes(answer.value), "since": block}


def read_hist(test_input):
    first = read_member(test_input, "from", read_quantity)
    last = read_member(test_input, "to", read_quantity)
    return amb.Hist(read_keys(test_input), first, last)


def write_hist(question, opened):
    return {"histories": [write_history(history) for history in question.answers(opened)]}


def write_history(history):
    return {
        "entering": write_answer(history.entering),
        "changes": [write_answer(change) for change in history.changes],
    }


def read_bounds(test_input):
    hi = read_member(test_input, "hi", lambda value: read_optional(value, read_bytes))
    return read_member(test_input, "lo", read_bytes), hi


def read_optional(value, read):
    return None if value is None else read(value)


def read_range(test_input):
    at = read_member(test_input, "at", read_quantity)
    is_reverse = read_member(test_input, "reverse", read_boolean)
    return amb.Range(*read_bounds(test_input), at, is_reverse)


def write_range(question, opened):
    entries = [
        {"key": write_bytes(key), **write_answer(answer)}
        for key, answer in question.answers(opened)
    ]
    return {"entries": entries, "next": write_optional(question.next)}


def write_optional(value):
    return None if value is None else write_bytes(value)


def read_count(test_input):
    return amb.Count(*read_bounds(test_input))


def write_count(question, opened):
    return {"count": write_quantity(question.answers(opened))}


def read_transfer(test_input):
    after = read_member(test_input, "after", lambda value: read_optional(value, read_quantity))
    return amb.Transfer(*read_bounds(test_input), after)


def write_transfer(question, opened):
    entries = [
        {
            "key": write_bytes(leaf.key),
            "versions": write_quantity(leaf.entry.versions),
            "block": write_quantity(leaf.entry.block),
            "value": write_optional(leaf.content.value),
            "peaks": [write_bytes(peak) for peak in leaf.shown],
        }
        for leaf in question.answers(opened)
    ]
    return {"entries": entries, "next": write_optional(question.next)}


def verify_update_input(root, height, test_input):
    operations = read_member(test_input, "operations", lambda it: read_array(it, read_operation))
    parts = read_member(test_input, "parts", lambda parts: read_array(parts, read_part))
    limits = amb.Limits(keys=amb.UPDATE_KEYS)
    limits = read_member(test_input, "limits", lambda it: read_limits(it, limits), limits)
    return {"root": write_bytes(verify_update(root, height, operations, parts, limits))}


def read_operation(value):
    op = read_member(value, "op", lambda name: read_name(name, ("Set", "Delete")))
    check_names(value, ("op", "key", "value") if op == "Set" else ("op", "key"))
    key = read_member(value, "key", read_bytes)
    return Operation(key, read_member(value, "value", read_bytes) if op == "Set" else None)


def read_part(value):
    check_names(value, ("keys", "proof"))
    return read_keys(value), read_member(value, "proof", read_bytes)


def read_limits(value, default=amb.Limits()):
    fields = {**LIMITS, "maxEntries": "entries", "maxChanges": "changes"}
    return carrier.read_limits(value, default, fields)


KINDS = {
    "get": (("keys", "at", "proof"), verify_with(read_get, write_get)),
    "hist": (("keys", "from", "to", "proof"), verify_with(read_hist, write_hist)),
    "range": (("lo", "hi", "at", "reverse", "proof"), verify_with(read_range, write_range)),
    "count": (("lo", "hi", "proof"), verify_with(read_count, write_count)),
    "transfer": (("lo", "hi", "after", "proof"), verify_with(read_transfer, write_transfer)),
    "update": (("operations", "parts"), verify_update_input),
}
