//! The chain: blocks by slot, and a beacon server's messages about them.

use std::borrow::Cow;

use prooflight_beacon::{
    BeaconHeader, Fork, ForkStart, Network, NetworkParameters, Preset, UpdateKind,
};
use prooflight_core::Hash;

use super::encode::SszContainer;
use super::execution::{ExecutionHeader, block_hash, made_up};
use super::keys::CommitteeKeys;
use super::tree::{PartialTree, leaf, pair};

/// A network that begins with Altair and has a fork every period, up to Gloas.
#[derive(Clone)]
pub struct BeaconChain {
    pub network: Network,
    /// The committee of each period.
    committees: Vec<CommitteeKeys>,
    /// Mixed into every block's parent root, so that chains with the same committees differ.
    pub salt: u64,
}

/// The content of a message; any field may be falsified.
#[derive(Clone)]
pub struct MessageFields {
    pub kind: UpdateKind,
    pub attested: u64,
    /// The finalized block's slot; 0 for genesis.
    pub finalized: Option<u64>,
    pub next_committee: bool,
    pub bits: Vec<bool>,
    pub signature_slot: u64,
    /// The period whose committee signs.
    pub signers: u64,
    pub fork_version: [u8; 4],
    pub genesis_validators_root: Hash,
    pub domain: [u8; 4],
    pub signature: Option<[u8; 96]>,
    pub misplaced: Option<MisplacedObject>,
}

/// An object whose index in its tree is not the one that the fork defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MisplacedObject {
    FinalizedRoot,
    NextCommittee,
    CurrentCommittee,
    Execution,
}

const PRESET: Preset = Preset::MINIMAL;

/// Slots of a period.
const SLOTS_PER_PERIOD: u64 = PRESET.slots_per_epoch * PRESET.epochs_per_period;

impl BeaconChain {
    pub fn new(periods: u64) -> Self {
        let mut forks = [ForkStart { epoch: 0, version: [0; 4] }; 7];
        for (fork, period) in forks.iter_mut().zip(0..) {
            let epoch = period * PRESET.epochs_per_period;
            *fork = ForkStart { epoch, version: [u8::try_from(period).unwrap() + 1, 0, 0, 9] };
        }
        let parameters = NetworkParameters {
            genesis_validators_root: [0x6e; 32],
            genesis_time: 1000,
            seconds_per_slot: 6,
            genesis_version: [0, 0, 0, 9],
            forks,
            blobs: Cow::Owned(Vec::new()),
            preset: PRESET,
        };
        let committees = (0..=periods).map(|seed| CommitteeKeys::new(seed, PRESET.committee_size));
        Self {
            network: Network::new(parameters).unwrap(),
            committees: committees.collect(),
            salt: 0,
        }
    }

    /// Replaces a period's committee.
    pub fn set_committee(&mut self, period: u64, committee: CommitteeKeys) {
        self.committees[usize::try_from(period).unwrap()] = committee;
    }

    pub fn committee(&self, period: u64) -> &CommitteeKeys {
        &self.committees[usize::try_from(period).unwrap()]
    }

    /// An honest message about a block: signed by all one slot later, and finalizing a block of two
    /// epochs earlier.
    pub fn honest_message(&self, kind: UpdateKind, attested: u64) -> MessageFields {
        MessageFields {
            kind,
            attested,
            finalized: (kind != UpdateKind::Optimistic).then(|| attested.saturating_sub(16)),
            next_committee: kind == UpdateKind::Update,
            bits: vec![true; PRESET.committee_size],
            signature_slot: attested + 1,
            signers: (attested + 1) / SLOTS_PER_PERIOD,
            fork_version: self.version(attested),
            genesis_validators_root: self.network.parameters().genesis_validators_root,
            domain: [7, 0, 0, 0],
            signature: None,
            misplaced: None,
        }
    }

    /// The version of a slot's fork.
    pub fn version(&self, slot: u64) -> [u8; 4] {
        let fork = usize::try_from(slot / SLOTS_PER_PERIOD).unwrap().min(6);
        self.network.parameters().forks[fork].version
    }

    /// The root of the block at a slot, without a finalized block in its state, as checkpoints have it.
    pub fn root(&self, slot: u64) -> Hash {
        self.block(slot, None, None).0.root()
    }

    /// The execution block hash at a slot that light clients see.
    pub fn execution_hash(&self, slot: u64) -> Option<Hash> {
        (fork(slot) >= Fork::Capella).then(|| block_hash(slot))
    }

    /// A `LightClientBootstrap` of the block at a slot.
    pub fn bootstrap(&self, slot: u64, lie: Option<MisplacedObject>) -> Vec<u8> {
        let (header, state) = self.block(slot, None, lie);
        let format = fork(slot);
        let [_, current, _] = indices(format);
        let committee = self.committee(slot / SLOTS_PER_PERIOD);
        SszContainer::default()
            .part(is_variable(format), &self.header(&header, format, lie))
            .fixed(committee.keys.as_flattened())
            .fixed(committee.aggregate)
            .fixed(state.branch(current).as_flattened())
            .ssz()
    }

    /// The message of a recipe.
    pub fn message(&self, recipe: &MessageFields) -> Vec<u8> {
        let format = fork(recipe.attested);
        let [finalized, _, next] = indices(format);
        let (header, state) = self.block(recipe.attested, recipe.finalized, recipe.misplaced);
        let variable = is_variable(format);
        let mut message =
            SszContainer::default().part(variable, &self.header(&header, format, recipe.misplaced));
        if recipe.kind == UpdateKind::Update {
            let committee = self.committee(recipe.attested / SLOTS_PER_PERIOD + 1);
            let branch = state.branch(next);
            let parts =
                [committee.keys.as_flattened(), &committee.aggregate, branch.as_flattened()]
                    .concat();
            message =
                message.fixed(if recipe.next_committee { parts } else { vec![0; parts.len()] });
        }
        if recipe.kind != UpdateKind::Optimistic {
            let branch = state.branch(finalized);
            let block = recipe.finalized.filter(|slot| *slot > 0);
            let block =
                block.map(|slot| self.header(&self.block(slot, None, None).0, format, None));
            message = message.part(variable, &block.unwrap_or_else(|| default_header(format)));
            let zeros = vec![0; 32 * branch.len()];
            let branch = recipe.finalized.map_or(zeros, |_| branch.as_flattened().to_vec());
            message = message.fixed(branch);
        }
        let bits: Vec<u8> = recipe
            .bits
            .chunks(8)
            .map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)))
            .collect();
        let signature = recipe.signature.unwrap_or_else(|| {
            let fork_data = pair(&leaf(&recipe.fork_version), &recipe.genesis_validators_root);
            let domain = [&recipe.domain[..], &fork_data[..28]].concat();
            let root = pair(&header.root(), &domain.try_into().unwrap());
            self.committee(recipe.signers).sign(&recipe.bits, &root)
        });
        message.fixed(bits).fixed(signature).fixed(recipe.signature_slot.to_le_bytes()).ssz()
    }

    /// A block's header, and its state; `finalized` is the finalized block in the state.
    fn block(
        &self,
        slot: u64,
        finalized: Option<u64>,
        lie: Option<MisplacedObject>,
    ) -> (BeaconHeader, PartialTree) {
        let [at_finalized, current, next] = indices(fork(slot));
        let elsewhere = |index: u64, what| if lie == Some(what) { index ^ 1 } else { index };
        let period = slot / SLOTS_PER_PERIOD;
        let finalized = finalized.filter(|slot| *slot > 0).map_or([0; 32], |slot| self.root(slot));
        let mut state = PartialTree::default();
        // Before Gloas the committees are adjacent: a lie about one moves it to the index of the other.
        state.0.insert(next, self.committee(period + 1).root());
        state.0.insert(current, self.committee(period).root());
        match lie {
            Some(MisplacedObject::NextCommittee) => {
                let root = state.0.insert(next, [0x11; 32]).unwrap();
                state.0.insert(next ^ 1, root);
            }
            Some(MisplacedObject::CurrentCommittee) => {
                let root = state.0.insert(current, [0x11; 32]).unwrap();
                state.0.insert(current ^ 1, root);
            }
            _ => {}
        }
        state.0.insert(elsewhere(at_finalized, MisplacedObject::FinalizedRoot), finalized);
        let header = BeaconHeader {
            slot,
            proposer_index: slot % 7,
            parent_root: made_up(slot ^ self.salt, "beacon parent"),
            state_root: state.root(),
            body_root: body(slot, lie).root(),
        };
        (header, state)
    }

    /// A light-client header in a fork's encoding.
    fn header(&self, header: &BeaconHeader, format: Fork, lie: Option<MisplacedObject>) -> Vec<u8> {
        let of = fork(header.slot);
        let message = SszContainer::default()
            .fixed(header.slot.to_le_bytes())
            .fixed(header.proposer_index.to_le_bytes())
            .fixed(header.parent_root)
            .fixed(header.state_root)
            .fixed(header.body_root);
        let body = body(header.slot, lie);
        match format {
            Fork::Altair | Fork::Bellatrix => message,
            Fork::Gloas => {
                let hash = self.execution_hash(header.slot).unwrap_or_default();
                let index = match of {
                    Fork::Altair | Fork::Bellatrix => 1,
                    Fork::Capella => 412,
                    Fork::Gloas => 2856,
                    _ => 812,
                };
                let branch = body.branch(index);
                let zeros = vec![[0; 32]; 11 - branch.len()];
                message.fixed(hash).fixed([zeros, branch].concat().as_flattened())
            }
            _ if of < Fork::Capella => {
                let default = default_execution(format);
                message.part(true, &default).fixed([0; 4 * 32])
            }
            _ => {
                let execution = ExecutionHeader::new(header.slot, of).ssz(format);
                message.part(true, &execution).fixed(body.branch(25).as_flattened())
            }
        }
        .ssz()
    }
}

/// The indices in states of the finalized root, and the current and next committees.
const fn indices(fork: Fork) -> [u64; 3] {
    match fork {
        Fork::Gloas => [735, 2945, 2946],
        Fork::Electra | Fork::Fulu => [169, 86, 87],
        _ => [105, 54, 55],
    }
}

fn fork(slot: u64) -> Fork {
    Fork::ALL[usize::try_from(slot / SLOTS_PER_PERIOD).unwrap().min(6)]
}

const fn is_variable(format: Fork) -> bool {
    !matches!(format, Fork::Altair | Fork::Bellatrix | Fork::Gloas)
}

/// The part of a block's body that light clients see.
fn body(slot: u64, lie: Option<MisplacedObject>) -> PartialTree {
    let mut body = PartialTree::default();
    let elsewhere = u64::from(lie == Some(MisplacedObject::Execution));
    match fork(slot) {
        Fork::Altair | Fork::Bellatrix => {}
        Fork::Gloas => {
            body.0.insert(2856 + elsewhere, block_hash(slot));
        }
        of => {
            let leaves = ExecutionHeader::new(slot, of).leaves();
            let first = (25 - elsewhere) * leaves.len() as u64;
            body.0.extend((first..).zip(leaves));
        }
    }
    body
}

fn default_execution(format: Fork) -> Vec<u8> {
    let fixed: u32 = if format >= Fork::Deneb { 584 } else { 568 };
    let mut bytes = vec![0; usize::try_from(fixed).unwrap()];
    bytes[436..440].copy_from_slice(&fixed.to_le_bytes());
    bytes
}

fn default_header(format: Fork) -> Vec<u8> {
    match format {
        Fork::Altair | Fork::Bellatrix => vec![0; 112],
        Fork::Gloas => vec![0; 112 + 32 + 11 * 32],
        _ => {
            let header =
                SszContainer::default().fixed([0; 112]).part(true, &default_execution(format));
            header.fixed([0; 4 * 32]).ssz()
        }
    }
}
