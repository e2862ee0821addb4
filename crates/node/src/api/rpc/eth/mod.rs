//! The Ethereum methods that a chain with `mpt` can answer truthfully, for Ethereum libraries.
//!
//! Parameters are an array. Source: `test-vectors/spec/rpc.md`, section 2; EIP-1186; EIP-1898.

mod names;

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::Params;
use prooflight_core::statement::Statement;
use prooflight_core::{Error, Limits, Reason, Result, Scheme, keccak256};
use prooflight_json::{Address, Hash32, HexBytes, Quantity, Word, unique};
use prooflight_mpt::{Account, AccountProof, AccountState, EMPTY_CODE_HASH, EMPTY_ROOT};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use self::names::{BlockName, SlotName};
use super::chain::NoParams;
use super::context::{NodeApi, NodeCall};
use super::cost;
use super::method::method_of;
use crate::chain::view::{BlockId, View};
use crate::chain::wire::{RawJson, to_raw_json};
use crate::chain::{accounts, schemes};

pub(super) fn register(module: &mut RpcModule<NodeApi>) -> Result<(), RegisterMethodError> {
    method_of(module, "eth_chainId", array, chain_id)?;
    method_of(module, "net_version", array, version)?;
    method_of(module, "eth_blockNumber", array, block_number)?;
    method_of(module, "eth_getBlockByNumber", array, block_by_number)?;
    method_of(module, "eth_getBlockByHash", array, block_by_hash)?;
    method_of(module, "eth_getProof", array, proof)?;
    method_of(module, "eth_getBalance", array, balance)?;
    method_of(module, "eth_getTransactionCount", array, transaction_count)?;
    method_of(module, "eth_getCode", array, code)?;
    method_of(module, "eth_getStorageAt", array, storage_at)
}

/// Reads parameters given as an array; missing trailing ones take their defaults.
fn array<P: DeserializeOwned>(params: &Params<'_>) -> Result<P> {
    let wrong = |found: &dyn core::fmt::Display| {
        Error::new(Reason::InvalidArgument, "an array of the method's parameters", found)
    };
    let text = params.as_str().unwrap_or("[]");
    let value = unique::from_str(text).map_err(|error| wrong(&error))?;
    if !value.is_array() {
        return Err(wrong(&"an object"));
    }
    serde_json::from_value(value).map_err(|error| wrong(&error))
}

impl NodeCall {
    /// Answers with a few reads, on a chain with accounts.
    async fn read_accounts<T: Send + 'static>(
        &self,
        run: impl FnOnce(&View) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.check_accounts()?;
        self.context.read(run).await
    }

    fn check_accounts(&self) -> Result<()> {
        if accounts::has_accounts(self.context.views.borrow().config()) {
            return Ok(());
        }
        Err(schemes::unknown_scheme(Scheme::Mpt))
    }

    /// Proves an account and some of its slots in an available state, and builds the answer from
    /// the proofs.
    async fn prove<T: Send + 'static>(
        &self,
        address: Address,
        slots: Vec<Word>,
        at: BlockId,
        answer: impl FnOnce(&AccountProof<'_>, AccountState) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.check_accounts()?;
        let limit = self.context.limits.keys;
        if slots.len() > limit {
            let expected = format_args!("at most {limit} slots");
            return Err(Error::new(Reason::TooManyKeys, expected, slots.len()));
        }
        let ask = self.ask(Some(Scheme::Mpt), cost::of_keys(Scheme::Mpt, 1 + slots.len()));
        let metrics = self.context.metrics.clone();
        let prove = move |view: &View| {
            let slots: Vec<_> = slots.iter().map(|slot| slot.0).collect();
            let header = view.header(at)?.header;
            let (height, address) = (header.height, &address.0);
            let statement = Statement::Account { height, address, slots: &slots };
            let proved = metrics.proving(Scheme::Mpt, || view.prove(Scheme::Mpt, &statement))?;
            // The other fields of the answer are taken from the verified proofs.
            let proof = AccountProof::decode(&proved.proof)?;
            let root = header.root(Scheme::Mpt).and_then(|root| root.try_into().ok());
            let root = root.ok_or_else(|| schemes::unknown_scheme(Scheme::Mpt))?;
            let state = proof.verify(root, address, &slots, &Limits::DEFAULT)?;
            answer(&proof, state)
        };
        self.context.prove(ask, prove).await
    }
}

async fn chain_id(call: NodeCall, _: NoParams) -> Result<Quantity> {
    call.check_accounts()?;
    Ok(Quantity(call.context.eth_chain_id))
}

async fn version(call: NodeCall, _: NoParams) -> Result<String> {
    call.check_accounts()?;
    Ok(call.context.eth_chain_id.to_string())
}

async fn block_number(call: NodeCall, _: NoParams) -> Result<Quantity> {
    call.check_accounts()?;
    Ok(Quantity(call.context.views.borrow().height()))
}

#[derive(Deserialize)]
struct BlockByNumberParams {
    block: BlockName,
    /// Whether full transactions are requested; these blocks have none.
    #[serde(default, rename = "full")]
    _full: bool,
}

#[derive(Deserialize)]
struct BlockByHashParams {
    hash: Hash32,
    #[serde(default, rename = "full")]
    _full: bool,
}

/// The fields of a block that this chain has.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct EthBlock {
    number: Quantity,
    hash: Hash32,
    parent_hash: Hash32,
    timestamp: Quantity,
    state_root: HexBytes,
    #[serde(flatten)]
    empty: EmptyFields,
}

/// The other fields that Ethereum libraries expect: this chain has no transactions, gas, miners or
/// uncles.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct EmptyFields {
    transactions: [(); 0],
    uncles: [(); 0],
    transactions_root: Hash32,
    receipts_root: Hash32,
    sha3_uncles: Hash32,
    difficulty: Quantity,
    gas_limit: Quantity,
    gas_used: Quantity,
    extra_data: &'static str,
    miner: HexBytes,
    mix_hash: Hash32,
    nonce: HexBytes,
    logs_bloom: HexBytes,
}

impl EmptyFields {
    fn new() -> Self {
        Self {
            transactions: [],
            uncles: [],
            transactions_root: Hash32(EMPTY_ROOT),
            receipts_root: Hash32(EMPTY_ROOT),
            // The hash of the RLP encoding of an empty list.
            sha3_uncles: Hash32(keccak256(&[&[0xc0]])),
            difficulty: Quantity(0),
            gas_limit: Quantity(0),
            gas_used: Quantity(0),
            extra_data: "0x",
            miner: HexBytes(vec![0; 20]),
            mix_hash: Hash32([0; 32]),
            nonce: HexBytes(vec![0; 8]),
            logs_bloom: HexBytes(vec![0; 256]),
        }
    }
}

async fn block_by_number(
    call: NodeCall,
    BlockByNumberParams { block, .. }: BlockByNumberParams,
) -> Result<Option<EthBlock>> {
    call.read_accounts(move |view| read_block(view, block.0)).await
}

async fn block_by_hash(
    call: NodeCall,
    BlockByHashParams { hash, .. }: BlockByHashParams,
) -> Result<Option<EthBlock>> {
    call.read_accounts(move |view| read_block(view, BlockId::Hash(hash.0))).await
}

/// Returns a block; null if there is none, as in Ethereum.
fn read_block(view: &View, at: BlockId) -> Result<Option<EthBlock>> {
    let header = match view.header(at) {
        Ok(signed) => signed.header,
        Err(error) if error.reason() == Reason::UnknownBlock => return Ok(None),
        Err(error) => return Err(error),
    };
    let root = header.root(Scheme::Mpt).unwrap_or_default().to_vec();
    Ok(Some(EthBlock {
        number: Quantity(header.height),
        hash: Hash32(header.hash()),
        parent_hash: Hash32(header.parent),
        timestamp: Quantity(header.timestamp_ms / 1000),
        state_root: HexBytes(root),
        empty: EmptyFields::new(),
    }))
}

#[derive(Deserialize)]
struct ProofParams {
    address: Address,
    slots: Vec<SlotName>,
    #[serde(default)]
    block: BlockName,
}

/// An EIP-1186 reply.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccountProofJson {
    address: Address,
    account_proof: Vec<HexBytes>,
    balance: Word,
    code_hash: Hash32,
    nonce: Quantity,
    storage_hash: Hash32,
    storage_proof: Vec<SlotProof>,
}

#[derive(Serialize)]
struct SlotProof {
    /// The slot as geth writes it in replies.
    key: String,
    value: Word,
    proof: Vec<HexBytes>,
}

async fn proof(
    call: NodeCall,
    ProofParams { address, slots, block }: ProofParams,
) -> Result<RawJson> {
    let words = slots.iter().map(|slot| slot.word).collect();
    let answer = move |proof: &AccountProof<'_>, state| {
        to_raw_json(&AccountProofJson::new(address, slots, proof, state))
    };
    call.prove(address, words, block.0, answer).await
}

impl AccountProofJson {
    fn new(
        address: Address,
        slots: Vec<SlotName>,
        proof: &AccountProof<'_>,
        state: AccountState,
    ) -> Self {
        let account = state.account.unwrap_or(EMPTY_ACCOUNT);
        let slots =
            slots.into_iter().zip(state.storage).zip(&proof.slots).map(|((slot, value), proof)| {
                SlotProof { key: slot.text, value: Word(value), proof: nodes(proof) }
            });
        Self {
            address,
            account_proof: nodes(&proof.account),
            balance: Word(account.balance),
            code_hash: Hash32(account.code_hash),
            nonce: Quantity(account.nonce),
            storage_hash: Hash32(account.storage_root),
            storage_proof: slots.collect(),
        }
    }
}

/// The fields of an account that does not exist.
const EMPTY_ACCOUNT: Account =
    Account { nonce: 0, balance: [0; 32], storage_root: EMPTY_ROOT, code_hash: EMPTY_CODE_HASH };

fn nodes(proof: &[&[u8]]) -> Vec<HexBytes> {
    proof.iter().map(|node| HexBytes(node.to_vec())).collect()
}

#[derive(Deserialize)]
struct AccountParams {
    address: Address,
    #[serde(default)]
    block: BlockName,
}

async fn balance(call: NodeCall, params: AccountParams) -> Result<Word> {
    Ok(Word(account(call, params).await?.balance))
}

async fn transaction_count(call: NodeCall, params: AccountParams) -> Result<Quantity> {
    Ok(Quantity(account(call, params).await?.nonce))
}

/// Returns empty code for an account without code, and refuses any other account: the chain stores
/// only hashes of code.
async fn code(call: NodeCall, params: AccountParams) -> Result<&'static str> {
    let hash = account(call, params).await?.code_hash;
    if hash == EMPTY_CODE_HASH {
        return Ok("0x");
    }
    let expected = "an account without code: this chain keeps no code, only its hash";
    Err(Error::new(Reason::UnknownStatement, expected, Hash32(hash)))
}

async fn account(
    call: NodeCall,
    AccountParams { address, block }: AccountParams,
) -> Result<Account> {
    let account =
        |_: &AccountProof<'_>, state: AccountState| Ok(state.account.unwrap_or(EMPTY_ACCOUNT));
    call.prove(address, Vec::new(), block.0, account).await
}

#[derive(Deserialize)]
struct SlotParams {
    address: Address,
    slot: SlotName,
    #[serde(default)]
    block: BlockName,
}

async fn storage_at(
    call: NodeCall,
    SlotParams { address, slot, block }: SlotParams,
) -> Result<Hash32> {
    let value = |_: &AccountProof<'_>, state: AccountState| {
        Ok(Hash32(state.storage.first().copied().unwrap_or_default()))
    };
    call.prove(address, vec![slot.word], block.0, value).await
}
