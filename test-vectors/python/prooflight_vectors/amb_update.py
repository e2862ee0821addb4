"""The next root of a tree of which only parts are known (amb 8)."""

from bisect import bisect_right
from typing import NamedTuple, Optional

from .amb import HEIGHTS, MAX_KEY, Update, fold, verify
from .amb_tree import Content, Entry, bits_of, tree_of, version_hash, with_zeros
from .errors import check

MAX_PARTS = 256
MAX_BYTES = 64 * 1024 * 1024


class Operation(NamedTuple):
    """`value` is None to delete the key."""

    key: bytes
    value: Optional[bytes]


def verify_update(root, height, operations, parts, limits):
    """Returns the root after block `height + 1`; parts are pairs (keys, proof)."""
    check(len(parts) <= MAX_PARTS, "invalid_argument")
    check(sum(len(proof) for _, proof in parts) <= MAX_BYTES, "proof_too_large")
    opened = [verify(root, height, Update(keys), proof, limits) for keys, proof in parts]
    keys = [operation.key for operation in operations]
    check(all(key < after for key, after in zip(keys, keys[1:])), "invalid_argument")
    check(parts and height + 1 < HEIGHTS, "invalid_argument")
    check(all(len(key) <= MAX_KEY for key in keys), "key_length")
    for operation in operations:
        is_long = operation.value is not None and len(operation.value) > limits.value_bytes
        check(not is_long, "value_length")
    tree = PartialTree(opened)
    for operation in operations:
        tree.execute(operation, height + 1)
    return tree.root()


class PartialTree:
    """Everything that parts of one tree show, and no branch: the others determine them."""

    def __init__(self, parts):
        paths = {path for part in parts for path in part.paths}
        closed = {path: record for part in parts for path, record in part.closed}
        self.closed = {path: closed[path] for path in sorted(closed) if path not in paths}
        # Without the empty tree, which is no node.
        self.closed = {path: it for path, it in self.closed.items() if it.live + it.dead}
        self.paths = list(self.closed)
        self.entries, self.peaks = {}, {}
        for leaf in (leaf for part in parts for leaf in part.leaves):
            self.entries[leaf.key] = leaf.entry
            if leaf.is_asked:
                self.peaks[leaf.key] = leaf.shown

    def execute(self, operation, block):
        key, content = operation.key, Content.of(operation.value)
        check(not self.ends_at_closed(key), "node_not_expanded")
        old = self.entries.get(key)
        check(old is None or key in self.peaks, "node_not_expanded")
        check(content.is_live or old is not None and old.content.is_live, "key_absent")
        if old is None:
            self.entries[key] = Entry(key, 1, block, content)
        else:
            past = fold(self.peaks[key] + [version_hash(old.block, old.content)])
            self.entries[key] = Entry(key, old.versions + 1, block, content, past)

    def ends_at_closed(self, key):
        bits = with_zeros(bits_of(key))
        at = bisect_right(self.paths, bits)
        return at > 0 and bits.startswith(self.paths[at - 1])

    def root(self):
        entries = [(bits_of(key), entry.record()) for key, entry in self.entries.items()]
        return tree_of([*entries, *self.closed.items()]).state_root()
