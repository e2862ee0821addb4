"""Which verifier serves which type of test group (vectors 3 to 30).

A verifier takes the `input` of a test, as JSON. It returns what `expected` may name, as JSON, or
raises Refusal. A new scheme is a file of its own and a line here for each of its types.
"""

from . import (
    amb_input,
    amt,
    avl,
    chain_blocks,
    chain_compare,
    chain_key_range,
    chain_range,
    chain_state,
    chain_sync,
    ergo,
    ethereum,
    ethereum_hashes,
    ethereum_sent,
    lmpt,
    lvmt,
    mpt,
    smt_input,
)

VERIFIERS = {
    "AvlBatch": avl.verify_input,
    "ErgoAdProofs": ergo.verify_input,
    "HeaderSync": chain_sync.verify_sync_input,
    "HeaderInclusion": chain_sync.verify_inclusion_input,
    "HeadersInclusion": chain_sync.verify_several_input,
    "StateAnswer": chain_state.verify_answer_input,
    "BlockTransition": chain_state.verify_transition_input,
    "StateBlock": chain_state.verify_block_input,
    "StateHistory": chain_range.verify_history_input,
    "StateDiff": chain_range.verify_diff_input,
    "StateRange": chain_key_range.verify_range_input,
    "StateCount": chain_key_range.verify_count_input,
    "HeaderWanted": chain_compare.verify_wanted_input,
    "HeaderRelation": chain_compare.verify_relation_input,
    "MptProof": mpt.verify_input,
    "EthGetProof": ethereum.verify_answer_input,
    "EthAnswer": ethereum_sent.verify_input,
    "EthHeader": ethereum.verify_header_input,
    "EthCode": ethereum_hashes.verify_code_input,
    "EthTransaction": ethereum_hashes.verify_transaction_input,
    "AmtOpening": amt.verify_input,
    "AmbProof": amb_input.verify_input,
    "LmptProof": lmpt.verify_input,
    "LvmtProof": lvmt.verify_input,
    "SmtProof": smt_input.verify_proof_input,
    "SmtHistory": smt_input.verify_history_input,
    "SmtDiff": smt_input.verify_diff_input,
}

# What only a program that keeps the state can run (vectors 5), and the schemes whose state a model keeps.
UNSUPPORTED = frozenset({"StateRoots"})
MODELS = dict.fromkeys(chain_blocks.STATES, chain_blocks.verify_roots_input)


def verifier_of(group_type, test_input):
    """The verifier for a test, or None for a type that this package does not know."""
    if group_type in UNSUPPORTED:
        return MODELS.get(test_input.get("scheme"))
    return VERIFIERS.get(group_type)
