"""The states to which blocks lead (chain 5), and the group StateRoots (vectors 5) for some schemes.

Simple and slow: a state is a dictionary, and its root is computed anew after each block.
"""

from . import amb_tree, lmpt_state
from .carrier import check_names, read_array, read_member, read_name, write_bytes
from .chain import ChainLimits
from .chain_state import read_operation
from .checkpoint import read_limits
from .errors import Refusal, check
from .keccak import keccak256
from .lmpt_state import encode_list, encode_string, trie_root
from .rlp import Payload, decode, is_integer

LIMITS = ChainLimits(max_key=256, max_value=65536, max_ops=200_000)
ADDRESS, SLOT = 20, 52


def normalise(operations, values, limits, of_accounts):
    """The operations of a block as every scheme sees them: None deletes a key.

    `values` has what each raw key has before the block; `of_accounts`, whether the chain has mpt.
    """
    last = {}
    for key, value in operations:
        check(len(key) <= limits.max_key, "key_length")
        check(value is None or len(value) <= limits.max_value, "value_length")
        if of_accounts:
            value = read_entry(key, value)
        last[key] = value
    if of_accounts:
        deleted = [key for key, value in last.items() if len(key) == ADDRESS and value is None]
        for slot in values:
            if len(slot) == SLOT and slot[:ADDRESS] in deleted:
                last.setdefault(slot, None)
    block = {k: last[k] for k in sorted(last) if last[k] is not None or k in values}
    check(len(block) <= limits.max_ops, "too_many_operations")
    return block


def read_entry(key, value):
    """Checks that an operation is about an account or a slot. Returns None if it deletes it."""
    check(len(key) in (ADDRESS, SLOT), "key_length")
    if value is None:
        return None
    if len(key) == ADDRESS:
        check(account_of(value) is not None, "invalid_argument")
        return value
    if not any(value):
        return None
    check(is_integer(value, 32), "invalid_argument")
    return value


def account_of(value):
    """The nonce, the balance and the code hash, as they are encoded; None if it has another form."""
    try:
        item = decode(value)
        items = list(item.items()) if isinstance(item, Payload) else []
    except Refusal:
        return None
    if len(items) != 3 or not (is_integer(items[0], 8) and is_integer(items[1], 32)):
        return None
    return items if isinstance(items[2], bytes) and len(items[2]) == 32 else None


class Accounts:
    """Accounts and slots as in Ethereum (mpt 5), by their raw keys."""

    def __init__(self):
        self.values = {}

    def apply(self, block):
        for length in (ADDRESS, SLOT):
            for key, value in block.items():
                if len(key) != length:
                    continue
                if value is None:
                    del self.values[key]
                else:
                    check(length == ADDRESS or key[:ADDRESS] in self.values, "account_missing")
                    self.values[key] = value

    def root(self):
        accounts = {key: value for key, value in self.values.items() if len(key) == ADDRESS}
        return trie_root({keccak256(key): self.account(key, value) for key, value in accounts.items()})

    def account(self, address, value):
        slots = {k[ADDRESS:]: v for k, v in self.values.items() if k[:ADDRESS] == address and k != address}
        storage = trie_root({keccak256(slot): encode_string(v) for slot, v in slots.items()})
        nonce, balance, code_hash = account_of(value)
        return encode_list(encode_string(it) for it in (nonce, balance, storage, code_hash))


class Ordered(amb_tree.State):
    def apply(self, block):
        super().apply(block.items())


# vectors 5: StateRoots

STATES = {
    "amb": lambda params: check_names(params, ()) or Ordered(),
    "lmpt": lmpt_state.read_state,
    "mpt": lambda params: check_names(params, ()) or Accounts(),
}


def verify_roots_input(test_input):
    """Applies the blocks of a test's `input`. Returns the root after each."""
    check_names(test_input, ("scheme", "params", "limits", "blocks"))
    scheme = read_member(test_input, "scheme", lambda scheme: read_name(scheme, STATES))
    state = read_member(test_input, "params", STATES[scheme])
    limits = read_member(test_input, "limits", read_limits, LIMITS)
    blocks = read_member(test_input, "blocks", lambda blocks: read_array(blocks, read_block))
    values, roots = {}, []
    for operations in blocks:
        block = normalise(operations, values, limits, scheme == "mpt")
        state.apply(block)
        values.update(block)
        values = {key: value for key, value in values.items() if value is not None}
        roots.append(write_bytes(state.root()))
    return {"roots": roots}


def read_block(value):
    return read_array(value, read_operation)
