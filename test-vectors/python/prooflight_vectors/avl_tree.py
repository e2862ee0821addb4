"""The tree of an AVL+ dictionary, and how operations change it (avl 1, 2, 8 to 10).

Nothing here recurses: a hostile tree is deep, and Python's stack is not.
"""

from hashlib import blake2b

from .errors import Refusal, check

LEFT, RIGHT = 0, 1


class Label:
    """Stands for a whole subtree, of which nothing but the label is known."""

    def __init__(self, label):
        self.label = label


class Leaf:
    def __init__(self, key, value, next_key):
        self.key = key
        self.value = value
        self.next_key = next_key
        self.visited = False


class Internal:
    def __init__(self, balance, left, right):
        self.balance = balance
        self.children = [left, right]
        self.visited = False


def other(side):
    """`s'`"""
    return 1 - side


def tilt(side):
    return -1 if side == LEFT else 1


def higher_on(node, side):
    return node.balance * tilt(side) > 0


def visit(node):
    """Marks an expanded node as visited and returns it."""
    check(not isinstance(node, Label), "node_not_expanded")
    node.visited = True
    return node


def visit_internal(node):
    """The same for a node that must be internal."""
    check(not isinstance(node, Leaf), "tree_shape")
    return visit(node)


# avl 2: Labels


def label(root):
    """Computes the labels of all expanded nodes, children first, and returns the root's."""
    parents_first, stack = [], [root]
    while stack:
        node = stack.pop()
        parents_first.append(node)
        if isinstance(node, Internal):
            stack += node.children
    for node in reversed(parents_first):
        if isinstance(node, Leaf):
            node.label = hash_of(b"\x00", node.key, node.value, node.next_key)
        elif isinstance(node, Internal):
            balance = node.balance.to_bytes(1, "big", signed=True)
            node.label = hash_of(b"\x01", balance, *(child.label for child in node.children))
    return root.label


def hash_of(*parts):
    return blake2b(b"".join(parts), digest_size=32).digest()


# avl 8: Search


def search(root, key, directions):
    """Follows the directions down to a leaf.

    Returns the path, whose elements are a node and the side on which it was left, and the leaf
    and whether the key is present.
    """
    path, node = [], root
    while isinstance(node, Internal):
        side = directions.next()
        path.append((node, side))
        node = node.children[side]
    check(isinstance(node, Leaf), "node_not_expanded")
    if key == node.key:
        return path, node, True
    check(node.key < key < node.next_key, "key_not_in_leaf")
    return path, node, False


# avl 9: Insertion


def insert(path, found, key, value):
    """Inserts a key after the leaf that was found. Returns the new root, and whether it grew."""
    new = Leaf(key, value, found.next_key)
    found.next_key = key
    subtree, grew = Internal(0, found, new), True
    for node, s in reversed(path):
        if grew and higher_on(node, s):
            c = subtree
            if higher_on(c, s):
                subtree = single_rotation(node, s, c)
                node.balance = c.balance = 0
            else:
                subtree = double_rotation(node, s, c)
            grew = False
        else:
            node.children[s] = subtree
            if grew:
                grew = node.balance == 0
                node.balance += tilt(s)
            subtree = node
    return subtree, grew


def single_rotation(node, s, c):
    """Puts `c`, the child of the node on side `s`, in its place. The balances are the caller's."""
    node.children[s] = c.children[other(s)]
    c.children[other(s)] = node
    return c


NEW_BALANCES = {0: (0, 0), -1: (0, 1), 1: (-1, 0)}


def double_rotation(node, s, c):
    """Puts `g`, the `s'` child of `c`, in the place of the node, whose `s` child is `c`."""
    g = c.children[other(s)]
    check(not isinstance(g, Label), "node_not_expanded")
    check(isinstance(g, Internal) and g.balance in NEW_BALANCES, "tree_shape")
    c.children[other(s)] = g.children[s]
    node.children[s] = g.children[other(s)]
    g.children[s] = c
    g.children[other(s)] = node
    left, right = g.children
    left.balance, right.balance = NEW_BALANCES[g.balance]
    g.balance = 0
    return g


# avl 10: Deletion


def delete(path, x):
    """Deletes the leaf to which the path leads. Returns the new root, and whether it shrank."""
    at = last_right(path)
    S = path[at][0]
    L, R = S.children
    if R is x:
        node = visit(L)
        while isinstance(node, Internal):
            node = visit(node.children[RIGHT])
        node.next_key = x.next_key
        subtree, shrank = L, True
    elif isinstance(L, Leaf):
        visit(L)
        x.key, x.value = L.key, L.value
        subtree, shrank = R, True
    else:
        new_L, shrank, y = take_out_last(L)
        x.key, x.value = y.key, y.value
        S.children[LEFT] = new_L
        subtree, shrank = settle(S, LEFT, shrank)
    return rise(path[:at], subtree, shrank)


def last_right(path):
    """Where the path was last left to the right: the place of `S`."""
    for at in reversed(range(len(path))):
        if path[at][1] == RIGHT:
            return at
    raise Refusal("tree_shape")


def take_out_last(L):
    """Takes the last leaf out of `L`. Returns the new `L`, whether it shrank, and the leaf, `y`."""
    node, inner_path = visit_internal(L), []
    while not isinstance(node.children[RIGHT], Leaf):
        inner_path.append((node, RIGHT))
        node = visit_internal(node.children[RIGHT])
    y = visit(node.children[RIGHT])
    new_L, shrank = rise(inner_path, node.children[LEFT], True)
    return new_L, shrank, y


def rise(path, subtree, shrank):
    """Puts a subtree at the end of a path. Returns that at its start, and whether it shrank."""
    for node, s in reversed(path):
        node.children[s] = subtree
        subtree, shrank = settle(node, s, shrank)
    return subtree, shrank


def settle(node, s, shrank):
    """Balances a node whose subtree on side `s` shrank or not.

    Returns the subtree that is now in its place, and whether that shrank.
    """
    if not shrank:
        return node, False
    if not higher_on(node, other(s)):
        node.balance -= tilt(s)
        return node, node.balance == 0
    c = visit_internal(node.children[other(s)])
    if higher_on(c, s):
        visit_internal(c.children[s])
        return double_rotation(node, other(s), c), True
    b = c.balance
    single_rotation(node, other(s), c)
    node.balance = tilt(other(s)) - b
    c.balance = b - tilt(other(s))
    return c, c.balance == 0
