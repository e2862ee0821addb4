"""Inputs written as edits of another test's (vectors 2)."""

from encoding import BYTES


class EditError(Exception):
    """An edit does not have its form, or does not fit what it edits."""


def apply_edits(base, edits):
    """The input that edits make of another one, which stays as it is."""
    for edit in edits:
        base = apply(base, edit)
    return base


def apply(value, edit):
    require(isinstance(edit, dict) and isinstance(edit.get("at"), list), "an edit is no object")
    at, members = edit["at"], edit.keys() - {"at"}
    if members == {"from", "cut", "put"}:
        return change(value, at, lambda old: splice(old, **{f"{m}_": edit[m] for m in members}))
    require(at, "an edit of a whole input")
    last = at[-1]
    if members == {"set"}:
        return change(value, at[:-1], lambda parent: put(parent, last, edit["set"]))
    require(members == {"remove"} and edit["remove"] is True, "an edit of no kind")
    return change(value, at[:-1], lambda parent: without(parent, last))


def change(value, steps, become):
    """What a value becomes if that at some steps below it becomes another."""
    if not steps:
        return become(value)
    require(has(value, steps[0]), "an edit of what is not there")
    return put(value, steps[0], change(value[steps[0]], steps[1:], become))


def has(value, step):
    if isinstance(value, list):
        return type(step) is int and 0 <= step < len(value)
    return isinstance(value, dict) and isinstance(step, str) and step in value


def put(parent, step, value):
    new_member = isinstance(parent, dict) and isinstance(step, str)
    require(new_member or has(parent, step), "an edit of what is not there")
    parent = parent.copy()
    parent[step] = value
    return parent


def without(parent, name):
    require(isinstance(parent, dict) and has(parent, name), "a member that is not there")
    return {member: value for member, value in parent.items() if member != name}


def splice(value, from_, cut_, put_):
    """Bytes or a list with others in the place of `cut_` of them."""
    for number in (from_, cut_):
        require(type(number) is int and 0 <= number < 2**32, "an index is no number")
    if isinstance(value, list):
        require(isinstance(put_, list) and from_ + cut_ <= len(value), "items that do not fit")
        return value[:from_] + put_ + value[from_ + cut_ :]
    for text in (value, put_):
        require(isinstance(text, str) and BYTES.fullmatch(text), "bytes that are none")
    require(2 + 2 * (from_ + cut_) <= len(value), "bytes that do not fit")
    return value[: 2 + 2 * from_] + put_[2:] + value[2 + 2 * (from_ + cut_) :]


def require(condition, message):
    if not condition:
        raise EditError(message)
