"""Refusals, their reasons and their codes (reasons)."""

# The reasons of each code.
BY_CODE = {
    "internal": """
        bug trapped
    """,
    "invalid_input": """
        account_missing call_rounds call_state call_work dictionary_full digest_length disposed
        invalid_argument invalid_config key_length key_out_of_range not_authorised not_initialised
        request_too_large too_many_deletes too_many_keys too_many_operations value_length value_not_number
    """,
    "malformed": """
        branch_entries count_out_of_range depth_out_of_range empty_value extension_child
        invalid_account invalid_answer invalid_balance invalid_block invalid_child
        invalid_encoding invalid_entry invalid_header invalid_layer_value invalid_node
        invalid_path invalid_point invalid_ptau invalid_receipt invalid_result invalid_scalar
        invalid_setup invalid_slot invalid_slot_value invalid_transaction invalid_update
        missing_child not_one_root opening_length place_twice proof_too_large short_node
        signature_order slot_order too_many_changes too_many_results trailing_bytes truncated
        unknown_kind unknown_scheme unknown_version value_too_large version_range
    """,
    "mismatch": """
        account_mismatch ad_proofs_root_mismatch address_mismatch amt_count branch_mismatch
        claim_count code_mismatch committee_mismatch directions_exhausted directions_left_over
        directions_padding entry_count header_hash_mismatch height_mismatch height_overflow
        index_out_of_range key_absent key_exists key_not_in_leaf label_off_path leaf_index
        leaf_of_key leaf_off_path level_out_of_range no_child node_left_over node_mismatch
        node_missing node_not_expanded node_not_visited opening_mismatch operations_mismatch
        owner_count owner_elsewhere owner_requested owner_version page_end path_length
        receipts_missing root_mismatch setup_mismatch size_count slot_free slot_keys_mismatch
        slot_mismatch slot_taken state_root_mismatch tombstone_in_snapshot too_many_nodes
        transaction_mismatch tree_shape value_negative value_not_long value_overflow
        version_out_of_range wrong_block wrong_fork wrong_roots wrong_version
    """,
    "unavailable": """
        busy call_bytes clock_jumped invalid_reply logs_too_large memory_lost quorum_missing
        request_timeout server_error shard_unavailable store_corrupt store_failed too_many_pages
        unknown_block unknown_transaction unreachable version_unavailable wasm_unavailable
    """,
    "unsupported": """
        insecure_setup read_only setup_too_small simd_missing unknown_setup unknown_statement
        unsupported_fork unverifiable_method
    """,
    "untrusted": """
        already_signed conflicting_finality equivocation head_behind head_in_future head_too_old
        invalid_signature not_an_ancestor not_extending period_unknown too_few_signatures
        update_not_newer wrong_chain wrong_schemes
    """,
}

# The code of each reason.
REASONS = {reason: code for code, reasons in BY_CODE.items() for reason in reasons.split()}


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
