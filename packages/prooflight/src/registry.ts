// Generated from crates/core/src/error.rs by `npm run vectors`.

/** The version of this package and of its WebAssembly. */
export const VERSION = "0.1.0";

/** The default limit on the size of a proof, in bytes. */
export const MAX_PROOF_BYTES = 8388608;

/**
 * The kind of a refusal.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
 */
export type Code =
  | "malformed"
  | "mismatch"
  | "unsupported"
  | "untrusted"
  | "unavailable"
  | "invalid_input"
  | "internal";

/**
 * The exact cause of a refusal; each reason belongs to one code.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
 */
export type Reason =
  | "account_mismatch"
  | "account_missing"
  | "ad_proofs_root_mismatch"
  | "address_mismatch"
  | "already_signed"
  | "amt_count"
  | "branch_entries"
  | "branch_mismatch"
  | "bug"
  | "busy"
  | "call_bytes"
  | "call_rounds"
  | "call_state"
  | "call_work"
  | "claim_count"
  | "clock_jumped"
  | "code_mismatch"
  | "committee_mismatch"
  | "conflicting_finality"
  | "count_out_of_range"
  | "depth_out_of_range"
  | "dictionary_full"
  | "digest_length"
  | "directions_exhausted"
  | "directions_left_over"
  | "directions_padding"
  | "disposed"
  | "empty_value"
  | "entry_count"
  | "equivocation"
  | "extension_child"
  | "head_behind"
  | "head_in_future"
  | "head_too_old"
  | "header_hash_mismatch"
  | "height_mismatch"
  | "height_overflow"
  | "index_out_of_range"
  | "insecure_setup"
  | "invalid_account"
  | "invalid_answer"
  | "invalid_argument"
  | "invalid_balance"
  | "invalid_block"
  | "invalid_child"
  | "invalid_config"
  | "invalid_encoding"
  | "invalid_entry"
  | "invalid_header"
  | "invalid_layer_value"
  | "invalid_node"
  | "invalid_path"
  | "invalid_point"
  | "invalid_ptau"
  | "invalid_receipt"
  | "invalid_reply"
  | "invalid_result"
  | "invalid_scalar"
  | "invalid_setup"
  | "invalid_signature"
  | "invalid_slot"
  | "invalid_slot_value"
  | "invalid_transaction"
  | "invalid_update"
  | "key_absent"
  | "key_exists"
  | "key_length"
  | "key_not_in_leaf"
  | "key_out_of_range"
  | "label_off_path"
  | "leaf_index"
  | "leaf_of_key"
  | "leaf_off_path"
  | "level_out_of_range"
  | "logs_too_large"
  | "memory_lost"
  | "missing_child"
  | "no_child"
  | "node_left_over"
  | "node_mismatch"
  | "node_missing"
  | "node_not_expanded"
  | "node_not_visited"
  | "not_an_ancestor"
  | "not_authorised"
  | "not_extending"
  | "not_initialised"
  | "not_one_root"
  | "opening_length"
  | "opening_mismatch"
  | "operations_mismatch"
  | "owner_count"
  | "owner_elsewhere"
  | "owner_requested"
  | "owner_version"
  | "page_end"
  | "path_length"
  | "period_unknown"
  | "place_twice"
  | "proof_too_large"
  | "quorum_missing"
  | "read_only"
  | "receipts_missing"
  | "request_timeout"
  | "request_too_large"
  | "root_mismatch"
  | "server_error"
  | "setup_mismatch"
  | "setup_too_small"
  | "shard_unavailable"
  | "short_node"
  | "signature_order"
  | "simd_missing"
  | "size_count"
  | "slot_free"
  | "slot_keys_mismatch"
  | "slot_mismatch"
  | "slot_order"
  | "slot_taken"
  | "state_root_mismatch"
  | "store_corrupt"
  | "store_failed"
  | "tombstone_in_snapshot"
  | "too_few_signatures"
  | "too_many_changes"
  | "too_many_deletes"
  | "too_many_keys"
  | "too_many_nodes"
  | "too_many_operations"
  | "too_many_pages"
  | "too_many_results"
  | "trailing_bytes"
  | "transaction_mismatch"
  | "trapped"
  | "tree_shape"
  | "truncated"
  | "unknown_block"
  | "unknown_kind"
  | "unknown_scheme"
  | "unknown_setup"
  | "unknown_statement"
  | "unknown_transaction"
  | "unknown_version"
  | "unreachable"
  | "unsupported_fork"
  | "unverifiable_method"
  | "update_not_newer"
  | "value_length"
  | "value_negative"
  | "value_not_long"
  | "value_not_number"
  | "value_overflow"
  | "value_too_large"
  | "version_out_of_range"
  | "version_range"
  | "version_unavailable"
  | "wasm_unavailable"
  | "wrong_block"
  | "wrong_chain"
  | "wrong_fork"
  | "wrong_roots"
  | "wrong_schemes"
  | "wrong_version";

/**
 * The code and the meaning of every reason.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
 */
export const REASONS: Readonly<Record<Reason, { readonly code: Code; readonly meaning: string }>> = {
  account_mismatch: { code: "mismatch", meaning: "the answer's account is not the one that its proof shows" },
  account_missing: { code: "invalid_input", meaning: "a slot is set of an account that does not exist" },
  ad_proofs_root_mismatch: { code: "mismatch", meaning: "the proof's hash is not the header's adProofsRoot" },
  address_mismatch: { code: "mismatch", meaning: "the answer is about another address than asked for" },
  already_signed: { code: "untrusted", meaning: "the authority has signed another block of that height, or a later one" },
  amt_count: { code: "mismatch", meaning: "the proof does not have exactly the commitments that the keys' walks pass" },
  branch_entries: { code: "malformed", meaning: "a branch has fewer than two entries" },
  branch_mismatch: { code: "mismatch", meaning: "a Merkle branch does not lead to the root that it must lead to" },
  bug: { code: "internal", meaning: "a bug in Prooflight" },
  busy: { code: "unavailable", meaning: "too many requests at once" },
  call_bytes: { code: "unavailable", meaning: "the replies about the call take more bytes than the limit" },
  call_rounds: { code: "invalid_input", meaning: "the call needs more rounds of proofs than the limit" },
  call_state: { code: "invalid_input", meaning: "the call reads more accounts and slots than the limit" },
  call_work: { code: "invalid_input", meaning: "the call computes more than the limit" },
  claim_count: { code: "mismatch", meaning: "the proof does not have one claim for each distinct key" },
  clock_jumped: { code: "unavailable", meaning: "the node's clock was set, and it makes no blocks until that is taken back or confirmed" },
  code_mismatch: { code: "mismatch", meaning: "the code does not have the hash that the account commits to" },
  committee_mismatch: { code: "mismatch", meaning: "the update has another next sync committee than the one that is known" },
  conflicting_finality: { code: "untrusted", meaning: "two finalized blocks of one slot were signed" },
  count_out_of_range: { code: "malformed", meaning: "a node counts 2^56 entries or more" },
  depth_out_of_range: { code: "malformed", meaning: "a branch is deeper than the last bit of a key, or of its hash" },
  dictionary_full: { code: "invalid_input", meaning: "the dictionary cannot hold more nodes" },
  digest_length: { code: "invalid_input", meaning: "the digest is not 33 bytes" },
  directions_exhausted: { code: "mismatch", meaning: "the directions end before the operations do" },
  directions_left_over: { code: "mismatch", meaning: "direction bytes are left over after the last operation" },
  directions_padding: { code: "mismatch", meaning: "the unused bits of the last direction byte are not zero" },
  disposed: { code: "invalid_input", meaning: "an object was used after it had been disposed of" },
  empty_value: { code: "malformed", meaning: "a leaf has an empty value" },
  entry_count: { code: "mismatch", meaning: "the proof does not have exactly the entries that the keys' walks pass" },
  equivocation: { code: "untrusted", meaning: "the authorities signed two headers of one height" },
  extension_child: { code: "malformed", meaning: "an extension leads to a node that is no branch" },
  head_behind: { code: "untrusted", meaning: "the head is older than the checkpoint" },
  head_in_future: { code: "untrusted", meaning: "the head is further ahead of the clock than allowed" },
  head_too_old: { code: "untrusted", meaning: "the head is older than allowed" },
  header_hash_mismatch: { code: "mismatch", meaning: "the header does not have the trusted hash" },
  height_mismatch: { code: "mismatch", meaning: "the proof's tree does not have the height that the digest and the balances demand" },
  height_overflow: { code: "mismatch", meaning: "the tree's height leaves the range of the digest's height byte" },
  index_out_of_range: { code: "mismatch", meaning: "the index is not in a tree of that size" },
  insecure_setup: { code: "unsupported", meaning: "the secret of the setup is public, and the caller did not allow that" },
  invalid_account: { code: "malformed", meaning: "a value is not the encoding of an account" },
  invalid_answer: { code: "malformed", meaning: "a server's answer does not have the form that was asked for" },
  invalid_argument: { code: "invalid_input", meaning: "an argument has the wrong type or is out of range" },
  invalid_balance: { code: "malformed", meaning: "a balance is not -1, 0 or 1" },
  invalid_block: { code: "malformed", meaning: "the operations cannot be those of a block of this chain" },
  invalid_child: { code: "malformed", meaning: "a child is neither empty, a hash nor a node of less than 32 bytes" },
  invalid_config: { code: "invalid_input", meaning: "the chain's configuration is not one that a chain can have" },
  invalid_encoding: { code: "malformed", meaning: "the bytes are not the canonical encoding of anything" },
  invalid_entry: { code: "malformed", meaning: "an entry's occupied slots are not the lowest ones, or it has a child and a free slot" },
  invalid_header: { code: "malformed", meaning: "the header cannot be that of any chain" },
  invalid_layer_value: { code: "malformed", meaning: "a leaf of a layer is neither a tagged value nor a tombstone" },
  invalid_node: { code: "malformed", meaning: "a node is neither a branch, an extension nor a leaf" },
  invalid_path: { code: "malformed", meaning: "a node's path is not in hex-prefix form, or is that of an extension and empty" },
  invalid_point: { code: "malformed", meaning: "the bytes are not the encoding of a point of the group" },
  invalid_ptau: { code: "malformed", meaning: "the file is not a .ptau file of this curve" },
  invalid_receipt: { code: "malformed", meaning: "the bytes are not the encoding of a receipt" },
  invalid_reply: { code: "unavailable", meaning: "the server's message is no reply to the request" },
  invalid_result: { code: "malformed", meaning: "the server's result does not have the form of the method's results" },
  invalid_scalar: { code: "malformed", meaning: "a scalar is not below the order of the group" },
  invalid_setup: { code: "malformed", meaning: "the points of a setup are not the powers of one number" },
  invalid_signature: { code: "untrusted", meaning: "a signature is not by those who should have signed" },
  invalid_slot: { code: "malformed", meaning: "a slot of a key is not one of 1 to 5" },
  invalid_slot_value: { code: "malformed", meaning: "a value is not the shortest encoding of an integer from 1 to 2^256 - 1" },
  invalid_transaction: { code: "malformed", meaning: "the bytes are not the encoding of a transaction" },
  invalid_update: { code: "malformed", meaning: "the parts of light-client data do not belong together" },
  key_absent: { code: "mismatch", meaning: "an operation that needs a present key meets an absent one" },
  key_exists: { code: "mismatch", meaning: "an insert meets a key that is present" },
  key_length: { code: "invalid_input", meaning: "the key does not have the dictionary's key length" },
  key_not_in_leaf: { code: "mismatch", meaning: "the directions lead to a leaf that does not cover the key" },
  key_out_of_range: { code: "invalid_input", meaning: "the key is a sentinel, all 00 or all ff" },
  label_off_path: { code: "mismatch", meaning: "a branch does not continue the path that leads to it" },
  leaf_index: { code: "mismatch", meaning: "a leaf's index is that of none of the keys that lead to it" },
  leaf_of_key: { code: "mismatch", meaning: "a leaf given as another key's is that of a key asked for" },
  leaf_off_path: { code: "mismatch", meaning: "a leaf is not on the path of its key" },
  level_out_of_range: { code: "mismatch", meaning: "a key's walk goes below the last level" },
  logs_too_large: { code: "unavailable", meaning: "the logs of a range take more bytes than the limit" },
  memory_lost: { code: "unavailable", meaning: "the authority does not know for sure what it has signed" },
  missing_child: { code: "malformed", meaning: "an internal node comes before its two children" },
  no_child: { code: "mismatch", meaning: "a key's walk goes below an entry that has no child" },
  node_left_over: { code: "mismatch", meaning: "nodes are left over after the end of the key's path" },
  node_mismatch: { code: "mismatch", meaning: "a node is not the one that its parent commits to" },
  node_missing: { code: "mismatch", meaning: "the nodes end before the key's path does" },
  node_not_expanded: { code: "mismatch", meaning: "the question needs a node that the proof gives only as a hash" },
  node_not_visited: { code: "mismatch", meaning: "the proof expands a node that the question does not need" },
  not_an_ancestor: { code: "untrusted", meaning: "the head does not have the header in its history" },
  not_authorised: { code: "invalid_input", meaning: "the request lacks the token that this method needs" },
  not_extending: { code: "untrusted", meaning: "the head does not have the checkpoint in its history" },
  not_initialised: { code: "invalid_input", meaning: "a function was called before its WebAssembly was initialised" },
  not_one_root: { code: "malformed", meaning: "the proof's nodes do not form exactly one tree" },
  opening_length: { code: "malformed", meaning: "an opening does not have the number of points that its kind and the vector's size demand" },
  opening_mismatch: { code: "mismatch", meaning: "the points do not prove the openings against their commitments" },
  operations_mismatch: { code: "mismatch", meaning: "the operations are not those that the header commits to" },
  owner_count: { code: "mismatch", meaning: "the proof does not show exactly the occupied slots that absent keys meet" },
  owner_elsewhere: { code: "mismatch", meaning: "the walk of a slot's owner does not pass the slot's entry" },
  owner_requested: { code: "mismatch", meaning: "the owner that is shown of a slot is a key that was asked for" },
  owner_version: { code: "mismatch", meaning: "the leaf of a slot's owner has version 0, or a later version than the slot" },
  page_end: { code: "mismatch", meaning: "the page does not end within the range asked for" },
  path_length: { code: "mismatch", meaning: "the path is not as long as the index and the size demand" },
  period_unknown: { code: "untrusted", meaning: "the update is signed by a sync committee that is not known yet" },
  place_twice: { code: "malformed", meaning: "two leaves of the proof are at the same place" },
  proof_too_large: { code: "malformed", meaning: "the proof is larger than the limit" },
  quorum_missing: { code: "unavailable", meaning: "fewer authorities than the quorum sign the next block" },
  read_only: { code: "unsupported", meaning: "the node follows another one and takes no operations itself" },
  receipts_missing: { code: "mismatch", meaning: "the receipts of a block that may have logs asked for are missing" },
  request_timeout: { code: "unavailable", meaning: "the request took longer than the limit" },
  request_too_large: { code: "invalid_input", meaning: "the request is larger than the limit" },
  root_mismatch: { code: "mismatch", meaning: "the proof's tree does not have the trusted root" },
  server_error: { code: "unavailable", meaning: "the server answered with an error" },
  setup_mismatch: { code: "mismatch", meaning: "the setup is not the one that was asked for" },
  setup_too_small: { code: "unsupported", meaning: "the setup has fewer powers than the vectors need" },
  shard_unavailable: { code: "unavailable", meaning: "the store keeps no proof state for the class of the key" },
  short_node: { code: "malformed", meaning: "a node of less than 32 bytes is not inside its parent" },
  signature_order: { code: "malformed", meaning: "the authority indices of signatures are not ascending, or name no authority" },
  simd_missing: { code: "unsupported", meaning: "this engine has no WebAssembly with simd128" },
  size_count: { code: "mismatch", meaning: "the proof does not have one size for each block that a leaf is in" },
  slot_free: { code: "mismatch", meaning: "the slot that a key is said to have was never written" },
  slot_keys_mismatch: { code: "mismatch", meaning: "the slots of the answer are not those asked for, in their order" },
  slot_mismatch: { code: "mismatch", meaning: "the answer's value of a slot is not the one that its proof shows" },
  slot_order: { code: "malformed", meaning: "the slots of light-client data are not in their order" },
  slot_taken: { code: "mismatch", meaning: "two keys are said to have the same slot" },
  state_root_mismatch: { code: "mismatch", meaning: "the operations lead to another digest than the header's stateRoot" },
  store_corrupt: { code: "unavailable", meaning: "the store's bytes do not have the hash that they should" },
  store_failed: { code: "unavailable", meaning: "the store could not be read or written" },
  tombstone_in_snapshot: { code: "mismatch", meaning: "the snapshot has a tombstone" },
  too_few_signatures: { code: "untrusted", meaning: "fewer authorities signed the header than the quorum" },
  too_many_changes: { code: "malformed", meaning: "the history has more changes than the limit" },
  too_many_deletes: { code: "invalid_input", meaning: "more deletes than the limit" },
  too_many_keys: { code: "invalid_input", meaning: "more keys than the limit" },
  too_many_nodes: { code: "mismatch", meaning: "the proof has more nodes than the key or these operations can need" },
  too_many_operations: { code: "invalid_input", meaning: "more operations than the limit" },
  too_many_pages: { code: "unavailable", meaning: "a range takes more pages than it may for its entries" },
  too_many_results: { code: "malformed", meaning: "a page has more entries than the limit" },
  trailing_bytes: { code: "malformed", meaning: "bytes are left over after the format ended" },
  transaction_mismatch: { code: "mismatch", meaning: "the server answered with another hash than that of the transaction" },
  trapped: { code: "internal", meaning: "WebAssembly stopped in the middle of a call; its memory is lost" },
  tree_shape: { code: "mismatch", meaning: "an operation meets a tree that is not a balanced search tree" },
  truncated: { code: "malformed", meaning: "the bytes end before the format does" },
  unknown_block: { code: "unavailable", meaning: "the chain does not have that block" },
  unknown_kind: { code: "malformed", meaning: "the envelope names a kind that does not exist, or another than asked for" },
  unknown_scheme: { code: "malformed", meaning: "the envelope names a scheme that does not exist, or another than asked for" },
  unknown_setup: { code: "unsupported", meaning: "this build does not have the setup, and its verifying key was not given" },
  unknown_statement: { code: "unsupported", meaning: "this build does not know statements of that scheme and kind" },
  unknown_transaction: { code: "unavailable", meaning: "the server knows no block with that transaction" },
  unknown_version: { code: "malformed", meaning: "the envelope has a version that does not exist" },
  unreachable: { code: "unavailable", meaning: "the server could not be reached" },
  unsupported_fork: { code: "unsupported", meaning: "this build does not know that fork of the network" },
  unverifiable_method: { code: "unsupported", meaning: "the method's answer cannot be verified" },
  update_not_newer: { code: "untrusted", meaning: "the update attests nothing that is newer than the finalized head" },
  value_length: { code: "invalid_input", meaning: "the value does not have the dictionary's value length, or is larger than the limit" },
  value_negative: { code: "mismatch", meaning: "an addition makes a value negative" },
  value_not_long: { code: "mismatch", meaning: "an addition meets a value that is not a 64-bit integer" },
  value_not_number: { code: "invalid_input", meaning: "a value to average is not an unsigned integer of 1 to 32 bytes" },
  value_overflow: { code: "mismatch", meaning: "an addition overflows 64 bits" },
  value_too_large: { code: "malformed", meaning: "a value is larger than the limit" },
  version_out_of_range: { code: "mismatch", meaning: "a node's height is below that of block 0" },
  version_range: { code: "malformed", meaning: "a version is 2^40 or more" },
  version_unavailable: { code: "unavailable", meaning: "the store does not keep that version" },
  wasm_unavailable: { code: "unavailable", meaning: "the WebAssembly file could not be loaded" },
  wrong_block: { code: "mismatch", meaning: "the server answered about another block than asked for" },
  wrong_chain: { code: "untrusted", meaning: "the header is of another chain, or the server is on one" },
  wrong_fork: { code: "mismatch", meaning: "the fork digest is not that of the slot" },
  wrong_roots: { code: "mismatch", meaning: "the roots given are not those of the blocks that the history needs" },
  wrong_schemes: { code: "untrusted", meaning: "the header does not have exactly the roots of the chain's schemes" },
  wrong_version: { code: "mismatch", meaning: "a version shown is not one that the question needs" },
};
