"""The bytes of an AVL+ batch proof (avl 3 and 7)."""

from .avl_tree import LEFT, RIGHT, Internal, Label, Leaf
from .errors import check
from .reader import Reader


def read_tree(proof, h, n, m, params):
    """Reads a proof for `n` operations, of which `m` may delete, of a tree of height `h`.

    Returns the tree, its expanded nodes, and the directions.
    """
    k, V = params.key_length, params.value_length
    most_nodes, most_depth = max_nodes(h, n, m), h if params.strict() else 255
    reader = Reader(proof)
    stack, expanded, count, previous_next_key = [], [], 0, None

    while True:
        byte = reader.u8()
        if byte == 0x04:
            break
        count += 1
        check(count <= most_nodes, "too_many_nodes")

        if byte == 0x03:
            stack.append((Label(reader.take(32)), 0))
            previous_next_key = None
            continue
        if byte == 0x02:
            key = reader.take(k) if previous_next_key is None else previous_next_key
            next_key = reader.take(k)
            length = reader.u32_be() if V is None else V
            check(V is not None or length <= params.limits.value_bytes, "value_too_large")
            node, depth = Leaf(key, reader.take(length), next_key), 0
            previous_next_key = next_key
        else:
            check(len(stack) >= 2, "missing_child")
            right, right_depth = stack.pop()
            left, left_depth = stack.pop()
            balance = int.from_bytes([byte], "big", signed=True)
            check(not params.strict() or balance in (-1, 0, 1), "invalid_balance")
            node, depth = Internal(balance, left, right), 1 + max(left_depth, right_depth)
            check(depth <= most_depth, "height_mismatch")
        stack.append((node, depth))
        expanded.append(node)

    check(len(stack) == 1, "not_one_root")
    return stack[0][0], expanded, Directions(reader.rest())


def max_nodes(h, n, m):
    t = 1 + max(h, ceil_log2(n))
    return (n + m) * (2 * h + 1) + m * (t + t // 2) + 1


def ceil_log2(n):
    return (n - 1).bit_length() if n > 0 else 0


class Directions:
    """The bits that say which way the operations go."""

    def __init__(self, data):
        self.data = data
        self.position = 0

    def next(self):
        """The side that the next bit names."""
        p = self.position
        check(p // 8 < len(self.data), "directions_exhausted")
        self.position += 1
        return LEFT if self.data[p // 8] >> p % 8 & 1 else RIGHT

    def bytes_read(self):
        """How many bytes the bits that were read need."""
        return (self.position + 7) // 8

    def padding(self):
        """The unused bits of the last byte."""
        used = self.position % 8
        return self.data[-1] >> used if used else 0
