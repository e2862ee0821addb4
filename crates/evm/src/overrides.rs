//! What a caller wants to be different from the state and the block.

use alloc::vec::Vec;

use prooflight_core::Hash;
use prooflight_mpt::{Address, Word};

use crate::sorted::SortedMap;

/// Changes of the view that an execution has; the proven state itself never changes.
///
/// What is not overridden still needs its proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Changes of accounts.
    pub accounts: SortedMap<Address, AccountOverride>,
    /// Changes of the block.
    pub block: BlockOverrides,
}

/// Changes of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountOverride {
    /// Its nonce.
    pub nonce: Option<u64>,
    /// Its balance, in wei.
    pub balance: Option<Word>,
    /// Its code.
    pub code: Option<Vec<u8>>,
    /// Its slots.
    pub storage: StorageOverride,
    /// The address to which its precompile moves.
    pub move_precompile_to: Option<Address>,
}

/// Changes of an account's slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StorageOverride {
    /// None.
    #[default]
    None,
    /// `state`: these are all slots that are not zero.
    All(SortedMap<Word, Word>),
    /// `stateDiff`: these slots have these values; the others keep theirs.
    Some(SortedMap<Word, Word>),
}

/// Changes of the block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockOverrides {
    /// Its number.
    pub number: Option<u64>,
    /// Its timestamp, which decides the fork.
    pub time: Option<u64>,
    /// Its gas limit, as the instruction `GASLIMIT` gives it.
    pub gas_limit: Option<u64>,
    /// The recipient of the fees.
    pub fee_recipient: Option<Address>,
    /// The beacon chain's randomness.
    pub prev_randao: Option<Hash>,
    /// The base fee of gas, in wei.
    pub base_fee: Option<u64>,
    /// The base fee of blob gas, in wei.
    pub blob_base_fee: Option<u128>,
}
