//! Errors: a coarse [`Code`], a fine [`Reason`], what was expected and what was found.

use alloc::string::{String, ToString};
use core::fmt;

/// The result of a fallible operation of Prooflight.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The kind of an error; the string form is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The bytes are not a well-formed proof, header or parameter file, or exceed a limit.
    Malformed,
    /// Well-formed, but does not prove the statement against the given root.
    Mismatch,
    /// A scheme, version, curve or setup that this build or caller does not accept.
    Unsupported,
    /// A header that is not signed by enough authorities, or does not extend the checkpoint.
    Untrusted,
    /// The server could not be reached, answered an error, or does not have that block.
    Unavailable,
    /// The caller's own argument is wrong.
    InvalidInput,
    /// A bug in Prooflight; never caused by bad input.
    Internal,
}

impl Code {
    /// Every code, in the order of the specification.
    pub const ALL: [Self; 7] = [
        Self::Malformed,
        Self::Mismatch,
        Self::Unsupported,
        Self::Untrusted,
        Self::Unavailable,
        Self::InvalidInput,
        Self::Internal,
    ];

    /// The stable string form, for example `invalid_input`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Mismatch => "mismatch",
            Self::Unsupported => "unsupported",
            Self::Untrusted => "untrusted",
            Self::Unavailable => "unavailable",
            Self::InvalidInput => "invalid_input",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! reasons {
    ($($name:ident $text:literal $code:ident $meaning:literal)*) => {
        /// The exact reason of an error; each reason belongs to one [`Code`].
        ///
        /// The string forms are stable and listed in `test-vectors/spec/reasons.md`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Reason {
            $(#[doc = $meaning] $name,)*
        }

        impl Reason {
            /// Every reason, in the order of the specification's registry.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable string form, for example `root_mismatch`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The code that this reason belongs to.
            pub const fn code(self) -> Code {
                match self { $(Self::$name => Code::$code,)* }
            }

            /// One plain sentence, for display.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)* }
            }
        }
    };
}

reasons! {
    AccountMismatch "account_mismatch" Mismatch "the answer's account is not the one that its proof shows"
    AccountMissing "account_missing" InvalidInput "a slot is set of an account that does not exist"
    AdProofsRootMismatch "ad_proofs_root_mismatch" Mismatch "the proof's hash is not the header's adProofsRoot"
    AddressMismatch "address_mismatch" Mismatch "the answer is about another address than asked for"
    AlreadySigned "already_signed" Untrusted "the authority has signed another block of that height, or a later one"
    AmtCount "amt_count" Mismatch "the proof does not have exactly the commitments that the keys' walks pass"
    BranchEntries "branch_entries" Malformed "a branch has fewer than two entries"
    BranchMismatch "branch_mismatch" Mismatch "a Merkle branch does not lead to the root that it must lead to"
    Bug "bug" Internal "a bug in Prooflight"
    Busy "busy" Unavailable "too many requests at once"
    CallBytes "call_bytes" Unavailable "the replies about the call take more bytes than the limit"
    CallRounds "call_rounds" InvalidInput "the call needs more rounds of proofs than the limit"
    CallState "call_state" InvalidInput "the call reads more accounts and slots than the limit"
    CallWork "call_work" InvalidInput "the call computes more than the limit"
    ClaimCount "claim_count" Mismatch "the proof does not have one claim for each distinct key"
    ClockJumped "clock_jumped" Unavailable "the node's clock was set, and it makes no blocks until that is taken back or confirmed"
    CodeMismatch "code_mismatch" Mismatch "the code does not have the hash that the account commits to"
    CommitteeMismatch "committee_mismatch" Mismatch "the update has another next sync committee than the one that is known"
    ConflictingFinality "conflicting_finality" Untrusted "two finalized blocks of one slot were signed"
    CountOutOfRange "count_out_of_range" Malformed "a node counts 2^56 entries or more"
    DepthOutOfRange "depth_out_of_range" Malformed "a branch is deeper than the last bit of a key, or of its hash"
    DictionaryFull "dictionary_full" InvalidInput "the dictionary cannot hold more nodes"
    DigestLength "digest_length" InvalidInput "the digest is not 33 bytes"
    DirectionsExhausted "directions_exhausted" Mismatch "the directions end before the operations do"
    DirectionsLeftOver "directions_left_over" Mismatch "direction bytes are left over after the last operation"
    DirectionsPadding "directions_padding" Mismatch "the unused bits of the last direction byte are not zero"
    Disposed "disposed" InvalidInput "an object was used after it had been disposed of"
    EmptyValue "empty_value" Malformed "a leaf has an empty value"
    EntryCount "entry_count" Mismatch "the proof does not have exactly the entries that the keys' walks pass"
    Equivocation "equivocation" Untrusted "the authorities signed two headers of one height"
    ExtensionChild "extension_child" Malformed "an extension leads to a node that is no branch"
    HeadBehind "head_behind" Untrusted "the head is older than the checkpoint"
    HeadInFuture "head_in_future" Untrusted "the head is further ahead of the clock than allowed"
    HeadTooOld "head_too_old" Untrusted "the head is older than allowed"
    HeaderHashMismatch "header_hash_mismatch" Mismatch "the header does not have the trusted hash"
    HeightMismatch "height_mismatch" Mismatch "the proof's tree does not have the height that the digest and the balances demand"
    HeightOverflow "height_overflow" Mismatch "the tree's height leaves the range of the digest's height byte"
    IndexOutOfRange "index_out_of_range" Mismatch "the index is not in a tree of that size"
    InsecureSetup "insecure_setup" Unsupported "the secret of the setup is public, and the caller did not allow that"
    InvalidAccount "invalid_account" Malformed "a value is not the encoding of an account"
    InvalidAnswer "invalid_answer" Malformed "a server's answer does not have the form that was asked for"
    InvalidArgument "invalid_argument" InvalidInput "an argument has the wrong type or is out of range"
    InvalidBalance "invalid_balance" Malformed "a balance is not -1, 0 or 1"
    InvalidBlock "invalid_block" Malformed "the operations cannot be those of a block of this chain"
    InvalidChild "invalid_child" Malformed "a child is neither empty, a hash nor a node of less than 32 bytes"
    InvalidConfig "invalid_config" InvalidInput "the chain's configuration is not one that a chain can have"
    InvalidEncoding "invalid_encoding" Malformed "the bytes are not the canonical encoding of anything"
    InvalidEntry "invalid_entry" Malformed "an entry's occupied slots are not the lowest ones, or it has a child and a free slot"
    InvalidHeader "invalid_header" Malformed "the header cannot be that of any chain"
    InvalidLayerValue "invalid_layer_value" Malformed "a leaf of a layer is neither a tagged value nor a tombstone"
    InvalidNode "invalid_node" Malformed "a node is neither a branch, an extension nor a leaf"
    InvalidPath "invalid_path" Malformed "a node's path is not in hex-prefix form, or is that of an extension and empty"
    InvalidPoint "invalid_point" Malformed "the bytes are not the encoding of a point of the group"
    InvalidPtau "invalid_ptau" Malformed "the file is not a .ptau file of this curve"
    InvalidReceipt "invalid_receipt" Malformed "the bytes are not the encoding of a receipt"
    InvalidReply "invalid_reply" Unavailable "the server's message is no reply to the request"
    InvalidResult "invalid_result" Malformed "the server's result does not have the form of the method's results"
    InvalidScalar "invalid_scalar" Malformed "a scalar is not below the order of the group"
    InvalidSetup "invalid_setup" Malformed "the points of a setup are not the powers of one number"
    InvalidSignature "invalid_signature" Untrusted "a signature is not by those who should have signed"
    InvalidSlot "invalid_slot" Malformed "a slot of a key is not one of 1 to 5"
    InvalidSlotValue "invalid_slot_value" Malformed "a value is not the shortest encoding of an integer from 1 to 2^256 - 1"
    InvalidTransaction "invalid_transaction" Malformed "the bytes are not the encoding of a transaction"
    InvalidUpdate "invalid_update" Malformed "the parts of light-client data do not belong together"
    KeyAbsent "key_absent" Mismatch "an operation that needs a present key meets an absent one"
    KeyExists "key_exists" Mismatch "an insert meets a key that is present"
    KeyLength "key_length" InvalidInput "the key does not have the dictionary's key length"
    KeyNotInLeaf "key_not_in_leaf" Mismatch "the directions lead to a leaf that does not cover the key"
    KeyOutOfRange "key_out_of_range" InvalidInput "the key is a sentinel, all 00 or all ff"
    LabelOffPath "label_off_path" Mismatch "a branch does not continue the path that leads to it"
    LeafIndex "leaf_index" Mismatch "a leaf's index is that of none of the keys that lead to it"
    LeafOfKey "leaf_of_key" Mismatch "a leaf given as another key's is that of a key asked for"
    LeafOffPath "leaf_off_path" Mismatch "a leaf is not on the path of its key"
    LevelOutOfRange "level_out_of_range" Mismatch "a key's walk goes below the last level"
    LogsTooLarge "logs_too_large" Unavailable "the logs of a range take more bytes than the limit"
    MemoryLost "memory_lost" Unavailable "the authority does not know for sure what it has signed"
    MissingChild "missing_child" Malformed "an internal node comes before its two children"
    NoChild "no_child" Mismatch "a key's walk goes below an entry that has no child"
    NodeLeftOver "node_left_over" Mismatch "nodes are left over after the end of the key's path"
    NodeMismatch "node_mismatch" Mismatch "a node is not the one that its parent commits to"
    NodeMissing "node_missing" Mismatch "the nodes end before the key's path does"
    NodeNotExpanded "node_not_expanded" Mismatch "the question needs a node that the proof gives only as a hash"
    NodeNotVisited "node_not_visited" Mismatch "the proof expands a node that the question does not need"
    NotAnAncestor "not_an_ancestor" Untrusted "the head does not have the header in its history"
    NotAuthorised "not_authorised" InvalidInput "the request lacks the token that this method needs"
    NotExtending "not_extending" Untrusted "the head does not have the checkpoint in its history"
    NotInitialised "not_initialised" InvalidInput "a function was called before its WebAssembly was initialised"
    NotOneRoot "not_one_root" Malformed "the proof's nodes do not form exactly one tree"
    OpeningLength "opening_length" Malformed "an opening does not have the number of points that its kind and the vector's size demand"
    OpeningMismatch "opening_mismatch" Mismatch "the points do not prove the openings against their commitments"
    OperationsMismatch "operations_mismatch" Mismatch "the operations are not those that the header commits to"
    OwnerCount "owner_count" Mismatch "the proof does not show exactly the occupied slots that absent keys meet"
    OwnerElsewhere "owner_elsewhere" Mismatch "the walk of a slot's owner does not pass the slot's entry"
    OwnerRequested "owner_requested" Mismatch "the owner that is shown of a slot is a key that was asked for"
    OwnerVersion "owner_version" Mismatch "the leaf of a slot's owner has version 0, or a later version than the slot"
    PageEnd "page_end" Mismatch "the page does not end within the range asked for"
    PathLength "path_length" Mismatch "the path is not as long as the index and the size demand"
    PeriodUnknown "period_unknown" Untrusted "the update is signed by a sync committee that is not known yet"
    PlaceTwice "place_twice" Malformed "two leaves of the proof are at the same place"
    ProofTooLarge "proof_too_large" Malformed "the proof is larger than the limit"
    QuorumMissing "quorum_missing" Unavailable "fewer authorities than the quorum sign the next block"
    ReadOnly "read_only" Unsupported "the node follows another one and takes no operations itself"
    ReceiptsMissing "receipts_missing" Mismatch "the receipts of a block that may have logs asked for are missing"
    RequestTimeout "request_timeout" Unavailable "the request took longer than the limit"
    RequestTooLarge "request_too_large" InvalidInput "the request is larger than the limit"
    RootMismatch "root_mismatch" Mismatch "the proof's tree does not have the trusted root"
    ServerError "server_error" Unavailable "the server answered with an error"
    SetupMismatch "setup_mismatch" Mismatch "the setup is not the one that was asked for"
    SetupTooSmall "setup_too_small" Unsupported "the setup has fewer powers than the vectors need"
    ShardUnavailable "shard_unavailable" Unavailable "the store keeps no proof state for the class of the key"
    ShortNode "short_node" Malformed "a node of less than 32 bytes is not inside its parent"
    SignatureOrder "signature_order" Malformed "the authority indices of signatures are not ascending, or name no authority"
    SimdMissing "simd_missing" Unsupported "this engine has no WebAssembly with simd128"
    SizeCount "size_count" Mismatch "the proof does not have one size for each block that a leaf is in"
    SlotFree "slot_free" Mismatch "the slot that a key is said to have was never written"
    SlotKeysMismatch "slot_keys_mismatch" Mismatch "the slots of the answer are not those asked for, in their order"
    SlotMismatch "slot_mismatch" Mismatch "the answer's value of a slot is not the one that its proof shows"
    SlotOrder "slot_order" Malformed "the slots of light-client data are not in their order"
    SlotTaken "slot_taken" Mismatch "two keys are said to have the same slot"
    StateRootMismatch "state_root_mismatch" Mismatch "the operations lead to another digest than the header's stateRoot"
    StoreCorrupt "store_corrupt" Unavailable "the store's bytes do not have the hash that they should"
    StoreFailed "store_failed" Unavailable "the store could not be read or written"
    TombstoneInSnapshot "tombstone_in_snapshot" Mismatch "the snapshot has a tombstone"
    TooFewSignatures "too_few_signatures" Untrusted "fewer authorities signed the header than the quorum"
    TooManyChanges "too_many_changes" Malformed "the history has more changes than the limit"
    TooManyDeletes "too_many_deletes" InvalidInput "more deletes than the limit"
    TooManyKeys "too_many_keys" InvalidInput "more keys than the limit"
    TooManyNodes "too_many_nodes" Mismatch "the proof has more nodes than the key or these operations can need"
    TooManyOperations "too_many_operations" InvalidInput "more operations than the limit"
    TooManyPages "too_many_pages" Unavailable "a range takes more pages than it may for its entries"
    TooManyResults "too_many_results" Malformed "a page has more entries than the limit"
    TrailingBytes "trailing_bytes" Malformed "bytes are left over after the format ended"
    TransactionMismatch "transaction_mismatch" Mismatch "the server answered with another hash than that of the transaction"
    Trapped "trapped" Internal "WebAssembly stopped in the middle of a call; its memory is lost"
    TreeShape "tree_shape" Mismatch "an operation meets a tree that is not a balanced search tree"
    Truncated "truncated" Malformed "the bytes end before the format does"
    UnknownBlock "unknown_block" Unavailable "the chain does not have that block"
    UnknownKind "unknown_kind" Malformed "the envelope names a kind that does not exist, or another than asked for"
    UnknownScheme "unknown_scheme" Malformed "the envelope names a scheme that does not exist, or another than asked for"
    UnknownSetup "unknown_setup" Unsupported "this build does not have the setup, and its verifying key was not given"
    UnknownStatement "unknown_statement" Unsupported "this build does not know statements of that scheme and kind"
    UnknownTransaction "unknown_transaction" Unavailable "the server knows no block with that transaction"
    UnknownVersion "unknown_version" Malformed "the envelope has a version that does not exist"
    Unreachable "unreachable" Unavailable "the server could not be reached"
    UnsupportedFork "unsupported_fork" Unsupported "this build does not know that fork of the network"
    UnverifiableMethod "unverifiable_method" Unsupported "the method's answer cannot be verified"
    UpdateNotNewer "update_not_newer" Untrusted "the update attests nothing that is newer than the finalized head"
    ValueLength "value_length" InvalidInput "the value does not have the dictionary's value length, or is larger than the limit"
    ValueNegative "value_negative" Mismatch "an addition makes a value negative"
    ValueNotLong "value_not_long" Mismatch "an addition meets a value that is not a 64-bit integer"
    ValueNotNumber "value_not_number" InvalidInput "a value to average is not an unsigned integer of 1 to 32 bytes"
    ValueOverflow "value_overflow" Mismatch "an addition overflows 64 bits"
    ValueTooLarge "value_too_large" Malformed "a value is larger than the limit"
    VersionOutOfRange "version_out_of_range" Mismatch "a node's height is below that of block 0"
    VersionRange "version_range" Malformed "a version is 2^40 or more"
    VersionUnavailable "version_unavailable" Unavailable "the store does not keep that version"
    WasmUnavailable "wasm_unavailable" Unavailable "the WebAssembly file could not be loaded"
    WrongBlock "wrong_block" Mismatch "the server answered about another block than asked for"
    WrongChain "wrong_chain" Untrusted "the header is of another chain, or the server is on one"
    WrongFork "wrong_fork" Mismatch "the fork digest is not that of the slot"
    WrongRoots "wrong_roots" Mismatch "the roots given are not those of the blocks that the history needs"
    WrongSchemes "wrong_schemes" Untrusted "the header does not have exactly the roots of the chain's schemes"
    WrongVersion "wrong_version" Mismatch "a version shown is not one that the question needs"
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal: its reason, what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    reason: Reason,
    expected: String,
    found: String,
}

impl Error {
    /// An error with its reason and, for display, what was expected and what was found.
    #[cold]
    pub fn new(reason: Reason, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self { reason, expected: expected.to_string(), found: found.to_string() }
    }

    /// The coarse kind of refusal.
    pub const fn code(&self) -> Code {
        self.reason.code()
    }

    /// The exact reason.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// A description of what would have been accepted.
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// A description of what was found instead.
    pub fn found(&self) -> &str {
        &self.found
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.reason.meaning(), self.expected, self.found)
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn reasons_are_unique_snake_case() {
        let names: BTreeSet<_> = Reason::ALL.iter().map(|r| r.as_str()).collect();
        assert_eq!(names.len(), Reason::ALL.len());
        for name in names {
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        }
    }

    #[test]
    fn an_error_says_what_was_expected_and_found() {
        let error = Error::new(Reason::Truncated, "32 bytes", "7");
        assert_eq!(error.code(), Code::Malformed);
        assert_eq!(
            error.to_string(),
            "the bytes end before the format does: expected 32 bytes, found 7"
        );
    }
}
