"""Averages over a history (smt 7)."""

from typing import NamedTuple

from .errors import check


class Average(NamedTuple):
    """`gaps` are pairs of timestamps."""

    sum: int
    covered_ms: int
    gaps: list


def average(history, first, last, a, b, timestamps):
    """The average from block a to b of a history from the first to the last block.

    Timestamps are pairs of a block's height and its time.
    """
    check(first <= a <= b <= last, "invalid_argument")
    for one, other in zip(timestamps, timestamps[1:]):
        check(one[0] < other[0] and one[1] < other[1], "invalid_argument")
    times = dict(timestamps)
    check(a in times and b in times, "invalid_argument")

    answer, start = history.entering, times[a]
    total, covered, gaps = 0, 0, []
    for change in [*history.changes, None]:
        if change is not None and change.height <= a:
            answer = change
            continue
        is_last = change is None or change.height > b
        check(is_last or change.height in times, "invalid_argument")
        end = times[b if is_last else change.height]
        if start < end and answer.value is None:
            gaps.append((start, end))
        elif start < end:
            total += number_of(answer.value) * (end - start)
            covered += end - start
        if is_last:
            return Average(total, covered, gaps)
        answer, start = change, end


def number_of(value):
    check(1 <= len(value) <= 32, "value_not_number")
    return int.from_bytes(value, "big")
