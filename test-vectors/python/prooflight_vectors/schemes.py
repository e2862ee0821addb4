"""Generated from crates/core/src/scheme.rs by `npm run vectors`."""

IDS = {
    "avl": 1,
    "lvmt": 2,
    "smt": 3,
    "mpt": 4,
    "lmpt": 5,
    "amb": 6,
}

ROOT_LENGTHS = {
    1: 33,
    2: 64,
    3: 32,
    4: 32,
    5: 96,
    6: 32,
}

WITH_PARAMETERS = frozenset({2, 5})

# The schemes that prove values of keys.
STATE_SCHEMES = ("avl", "lvmt", "smt", "lmpt", "amb")
