"""Trees of RFC 9162, paths in them, and several leaves of one (merkle 1 to 3, chain 9)."""

from hashlib import blake2b

from .errors import check


def hash_of(*parts):
    return blake2b(b"".join(parts), digest_size=32).digest()


EMPTY_TREE = hash_of()


def leaf_hash(data):
    return hash_of(b"\x00", data)


def root_of(leaves):
    """The root of the tree over leaves, given by their hashes."""
    if not leaves:
        return EMPTY_TREE
    if len(leaves) == 1:
        return leaves[0]
    left = largest_power_below(len(leaves))
    return hash_of(b"\x01", root_of(leaves[:left]), root_of(leaves[left:]))


def check_path(leaf, index, size, path, root):
    """Checks that the leaf with this hash is at the index in the tree of the size."""
    check(index < size, "index_out_of_range")
    inner = (index ^ (size - 1)).bit_length()
    check(len(path) == inner + bin(index >> inner).count("1"), "path_length")
    check(root_of_path(leaf, index, size, path) == root, "root_mismatch")


def root_of_path(leaf, index, size, path):
    """By the definition of the tree, which splits at the largest power of two below its size.

    Each level takes one hash, so this is no deeper than 64 calls.
    """
    if size == 1:
        return leaf
    left = largest_power_below(size)
    if index < left:
        return hash_of(b"\x01", root_of_path(leaf, index, left, path[:-1]), path[-1])
    return hash_of(b"\x01", path[-1], root_of_path(leaf, index - left, size - left, path[:-1]))


def root_of_known(size, leaves, hashes, hash_of=hash_of):
    """The root of the tree of a size of which some leaves are known, at least one.

    `leaves` are their hashes by index. The roots of parts without any are taken from `hashes`.
    """
    for index in leaves:
        check(index < size, "index_out_of_range")

    def root_of_part(start, size, known):
        if not known:
            return hashes.take()
        if size == 1:
            return leaves[start]
        left = largest_power_below(size)
        middle = start + left
        one = root_of_part(start, left, [index for index in known if index < middle])
        other = root_of_part(middle, size - left, [index for index in known if index >= middle])
        return hash_of(b"\x01", one, other)

    return root_of_part(0, size, list(leaves))


def largest_power_below(size):
    """The largest power of two below a size of at least 2."""
    return 1 << (size - 1).bit_length() - 1
