//! The block in which calls are executed.

use prooflight_core::{Error, Hex, Reason, Result};
use revm::context::{BlockEnv, CfgEnv};
use revm::context_interface::block::BlobExcessGasAndPrice;
use revm::primitives::{B256, U256};

use crate::call::Call;
use crate::fork::Fork;
use crate::overrides::BlockOverrides;
use crate::proven_state::ProvenState;
use crate::view::BlobFee;

/// The most blobs of a transaction since Osaka (EIP-7594).
const MAX_BLOBS: u64 = 6;

/// Whether a transaction that was signed is executed, or a call that nobody signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// No nonce, no limit of gas, no check of the sender's code; gas may cost nothing.
    Call,
    /// All that a block demands.
    Transaction,
}

/// The block and the rules.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub(crate) fork: Fork,
    pub(crate) block: BlockEnv,
    pub(crate) config: CfgEnv,
    /// How far the base fee of blob gas is known.
    pub(crate) blob_fee: BlobFee,
}

impl Environment {
    /// The environment of a state's block, with overrides.
    ///
    /// `unsupported_fork` if an override of the time leads to before the merge; `invalid_header` if the base fee has more
    /// than 64 bits.
    pub(crate) fn new(state: &ProvenState, changes: &BlockOverrides, rules: Rules) -> Result<Self> {
        let (header, network) = (state.header(), state.network());
        let fork = changes.time.map_or(Ok(state.fork()), |time| network.fork_at(time))?;
        let excess_blob_gas = header.excess_blob_gas.unwrap_or_default();
        let params = network.blobs_at(header.timestamp).copied();
        let blob_gasprice = match (changes.blob_base_fee, params) {
            (Some(fee), _) => fee,
            (None, Some(params)) => {
                BlobExcessGasAndPrice::new(excess_blob_gas, params.update_fraction).blob_gasprice
            }
            (None, None) => 0,
        };
        let has_blobs = fork >= Fork::Cancun || changes.blob_base_fee.is_some();
        let blob_fee = if changes.blob_base_fee.is_some() || rules == Rules::Transaction {
            BlobFee::Given
        } else {
            BlobFee::OfHeader(params)
        };
        let base_fee = header.base_fee_per_gas.unwrap_or_default();
        let base_fee = u64::try_from(U256::from_be_bytes(base_fee)).map_err(|_| {
            Error::new(Reason::InvalidHeader, "a base fee of 64 bits", Hex(&base_fee))
        })?;
        let block = BlockEnv {
            number: U256::from(changes.number.unwrap_or(header.number)),
            beneficiary: changes.fee_recipient.unwrap_or(header.beneficiary).into(),
            timestamp: U256::from(changes.time.unwrap_or(header.timestamp)),
            gas_limit: changes.gas_limit.unwrap_or(header.gas_limit),
            basefee: changes.base_fee.unwrap_or(base_fee),
            difficulty: U256::ZERO,
            prevrandao: Some(B256::new(changes.prev_randao.unwrap_or(header.prev_randao))),
            blob_excess_gas_and_price: has_blobs
                .then_some(BlobExcessGasAndPrice { excess_blob_gas, blob_gasprice }),
            slot_num: 0,
        };
        Ok(Self { fork, block, config: config(network.chain_id(), fork, rules), blob_fee })
    }

    /// Gas and blobs cost nothing where the call names no fees for them.
    pub(crate) fn waive_fees(&mut self, call: &Call) {
        if call.fees.are_zero() {
            self.block.basefee = 0;
        }
        let has_blob_cap = call.max_fee_per_blob_gas.is_some_and(|cap| cap > 0);
        if call.blob_hashes.is_some()
            && !has_blob_cap
            && let Some(fee) = &mut self.block.blob_excess_gas_and_price
        {
            fee.blob_gasprice = 0;
            self.blob_fee = BlobFee::Given;
        }
    }
}

fn config(chain_id: u64, fork: Fork, rules: Rules) -> CfgEnv {
    let mut config =
        CfgEnv::new().with_chain_id(chain_id).with_spec_and_mainnet_gas_params(fork.spec());
    if fork >= Fork::Osaka {
        config.max_blobs_per_tx = Some(MAX_BLOBS);
    }
    if rules == Rules::Call {
        config.tx_chain_id_check = false;
        config.disable_nonce_check = true;
        config.disable_block_gas_limit = true;
        config.disable_eip3607 = true;
        config.tx_gas_limit_cap = Some(u64::MAX);
    }
    config
}
