"""Ergo's block proofs (avl 14), and the group ErgoAdProofs (vectors 4)."""

from hashlib import blake2b

from . import avl
from .carrier import check_names, read_bytes, read_member
from .errors import check

LIMITS = avl.Limits(operations=65536, deletes=65536, value_bytes=4 * 1024 * 1024)
PARAMS = avl.Params(key_length=32, value_length=None, mode=avl.COMPAT, limits=LIMITS)


def verify_ad_proofs(parent_state_root, state_root, ad_proofs_root, operations, proof):
    """Verifies a block's proof against its header and its parent's. Returns an avl.Answer."""
    check(len(parent_state_root) == 33 and len(state_root) == 33, "digest_length")
    check(len(ad_proofs_root) == 32, "invalid_argument")
    check(len(proof) <= LIMITS.proof_bytes, "proof_too_large")
    hash_of_proof = blake2b(proof, digest_size=32).digest()
    check(hash_of_proof == ad_proofs_root, "ad_proofs_root_mismatch")
    answer = avl.verify_batch(parent_state_root, operations, proof, PARAMS)
    check(answer.digest == state_root, "state_root_mismatch")
    return answer


# vectors 4: ErgoAdProofs


def verify_input(test_input):
    """Verifies the `input` of a test."""
    check_names(test_input, ("parentStateRoot", "stateRoot", "adProofsRoot", "ops", "proof"))
    answer = verify_ad_proofs(
        read_member(test_input, "parentStateRoot", read_bytes),
        read_member(test_input, "stateRoot", read_bytes),
        read_member(test_input, "adProofsRoot", read_bytes),
        read_member(test_input, "ops", avl.read_operations),
        read_member(test_input, "proof", read_bytes),
    )
    return avl.write_answer(answer, PARAMS.key_length)
