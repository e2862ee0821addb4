"""Refusals, their reasons and their codes (section 7)."""

REASONS = {
    "truncated": "malformed",
    "trailing_bytes": "malformed",
    "proof_too_large": "malformed",
    "value_too_large": "malformed",
    "invalid_encoding": "malformed",
    "unknown_version": "malformed",
    "unknown_scheme": "malformed",
    "unknown_kind": "malformed",
    "index_out_of_range": "mismatch",
    "path_length": "mismatch",
    "invalid_header": "malformed",
    "signature_order": "malformed",
    "wrong_chain": "untrusted",
    "wrong_schemes": "untrusted",
    "too_few_signatures": "untrusted",
    "head_behind": "untrusted",
    "equivocation": "untrusted",
    "not_extending": "untrusted",
    "not_an_ancestor": "untrusted",
    "head_in_future": "untrusted",
    "head_too_old": "untrusted",
    "invalid_block": "malformed",
    "operations_mismatch": "mismatch",
    "invalid_config": "invalid_input",
    "missing_child": "malformed",
    "not_one_root": "malformed",
    "invalid_balance": "malformed",
    "root_mismatch": "mismatch",
    "height_mismatch": "mismatch",
    "too_many_nodes": "mismatch",
    "directions_exhausted": "mismatch",
    "directions_left_over": "mismatch",
    "directions_padding": "mismatch",
    "node_not_expanded": "mismatch",
    "node_not_visited": "mismatch",
    "key_not_in_leaf": "mismatch",
    "tree_shape": "mismatch",
    "key_exists": "mismatch",
    "key_absent": "mismatch",
    "value_not_long": "mismatch",
    "value_negative": "mismatch",
    "value_overflow": "mismatch",
    "height_overflow": "mismatch",
    "ad_proofs_root_mismatch": "mismatch",
    "state_root_mismatch": "mismatch",
    "invalid_argument": "invalid_input",
    "digest_length": "invalid_input",
    "key_length": "invalid_input",
    "key_out_of_range": "invalid_input",
    "value_length": "invalid_input",
    "too_many_operations": "invalid_input",
    "too_many_deletes": "invalid_input",
    "dictionary_full": "invalid_input",
    "version_unavailable": "unavailable",
    "store_corrupt": "unavailable",
    "store_failed": "unavailable",
    "unknown_block": "unavailable",
    "busy": "unavailable",
    "request_timeout": "unavailable",
    "request_too_large": "invalid_input",
    "not_authorised": "invalid_input",
    "read_only": "unsupported",
    "unreachable": "unavailable",
    "server_error": "unavailable",
    "invalid_reply": "unavailable",
    "invalid_result": "malformed",
    "wrong_block": "mismatch",
    "not_initialised": "invalid_input",
    "disposed": "invalid_input",
    "unknown_statement": "unsupported",
    "simd_missing": "unsupported",
    "wasm_unavailable": "unavailable",
    "trapped": "internal",
    "bug": "internal",
}


class Refusal(Exception):
    """A verifier's refusal. Any other exception that leaves a verifier is a bug in it."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason
        self.code = REASONS[reason]


def check(condition, reason):
    """Refuses with the reason unless the condition holds: "condition, else `reason`"."""
    if not condition:
        raise Refusal(reason)
