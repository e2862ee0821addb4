//! Single transactions: their senders and fees.

use alloc::vec::Vec;

use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use prooflight_core::{ByteReader, Error, Hash, Hex, Reason, Result, keccak256};
use prooflight_mpt::rlp::{self, RlpItem};
use prooflight_mpt::{Address, Word, encode, signed_part};

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Its type; 0 for legacy transactions.
    pub kind: u8,
    /// Its hash.
    pub hash: Hash,
    /// The chain that it is for; `None` before EIP-155.
    pub chain_id: Option<u64>,
    /// The signer.
    pub from: Address,
    /// The number of transactions that the sender had sent before.
    pub nonce: u64,
    /// The recipient; `None` if it creates a contract.
    pub to: Option<Address>,
    /// The largest amount of gas that it may use.
    pub gas_limit: u64,
    /// The amount that it transfers, in wei.
    pub value: Word,
    /// The data of the call, or the code that creates the contract.
    pub input: Vec<u8>,
    /// The highest price that it pays for a unit of gas, in wei.
    pub max_fee_per_gas: Word,
    /// The largest part of that price for the beneficiary; `None` if it always pays `max_fee_per_gas`.
    pub max_priority_fee_per_gas: Option<Word>,
}

/// The positions of the fields in a type of transaction, and the number of signed ones.
struct FieldPositions {
    nonce: usize,
    fee: usize,
    priority_fee: Option<usize>,
    to: usize,
    signed: usize,
}

impl FieldPositions {
    /// Source: EIP-155, 2930, 1559, 4844, 7702.
    fn of(kind: u8) -> Result<Self> {
        let dynamic = |signed| Self { nonce: 1, priority_fee: Some(2), fee: 3, to: 5, signed };
        Ok(match kind {
            0 => Self { nonce: 0, fee: 1, priority_fee: None, to: 3, signed: 6 },
            1 => Self { nonce: 1, fee: 2, priority_fee: None, to: 4, signed: 8 },
            2 => dynamic(9),
            3 => dynamic(11),
            4 => dynamic(10),
            _ => {
                let found = format_args!("type {kind}");
                return Err(Error::new(Reason::UnsupportedFork, "a type from 0 to 4", found));
            }
        })
    }
}

/// The largest number of fields of a transaction, with its signature.
const MAX_FIELDS: usize = 14;

impl Transaction {
    /// Decodes a transaction in its signed form, and recovers its sender.
    ///
    /// Only the fields of this type are decoded strictly; the rest, such as access lists, is covered by the
    /// hash. `unsupported_fork` for an unknown type, `invalid_transaction` for another form,
    /// `invalid_signature` if the signature has no signer.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (kind, rest) = match bytes.split_first() {
            Some((&kind @ 0..=0x7f, rest)) => (kind, rest),
            _ => (0, bytes),
        };
        if rest.len() < bytes.len() && kind == 0 {
            return Err(invalid("a transaction without a type", bytes));
        }
        let form = FieldPositions::of(kind)?;
        let RlpItem::List(payload) = rlp::decode(rest)? else {
            return Err(invalid("a list", bytes));
        };
        let mut reader = ByteReader::new(payload);
        let (mut fields, mut signed) = ([RlpItem::String(&[]); MAX_FIELDS], 0);
        let expected = form.signed + 3;
        for (at, field) in fields.iter_mut().enumerate().take(expected) {
            *field = rlp::item(&mut reader)?;
            if at + 1 == form.signed {
                signed = reader.offset();
            }
        }
        reader.finish()?;
        let field = |at: usize| fields.get(at).copied().unwrap_or(RlpItem::List(&[]));
        let number = |at| rlp::integer(field(at)).map(u64::from_be_bytes);
        let word = |at| rlp::integer::<32>(field(at)).ok_or_else(|| invalid("an integer", bytes));

        let (chain_id, is_odd) = match (kind, number(form.signed)) {
            (0, Some(v @ (27 | 28))) => (None, v == 28),
            (0, Some(v @ 35..)) => (Some((v - 35) / 2), v % 2 == 0),
            (1.., Some(parity @ (0 | 1))) => (number(0), parity == 1),
            _ => return Err(invalid("a signature's parity", bytes)),
        };
        if kind > 0 && chain_id.is_none() {
            return Err(invalid("a chain of 64 bits", bytes));
        }
        let signed = payload.get(..signed).unwrap_or_default().to_vec();
        let message = match (kind, chain_id) {
            (0, None) => keccak256(&[&encode::list(&[signed])]),
            (0, Some(chain)) => {
                let chain = encode::integer(&chain.to_be_bytes());
                let empty = encode::string(&[]);
                keccak256(&[&encode::list(&[signed, chain, empty.clone(), empty])])
            }
            _ => keccak256(&[&[kind], &encode::list(&[signed])]),
        };
        let (r, s) = (word(form.signed + 1)?, word(form.signed + 2)?);
        Ok(Self {
            kind,
            hash: keccak256(&[bytes]),
            chain_id,
            from: sender(&message, r, s, is_odd)?,
            nonce: number(form.nonce).ok_or_else(|| invalid("a nonce of 64 bits", bytes))?,
            to: match field(form.to) {
                RlpItem::String([]) => None,
                to => Some(rlp::array(to).ok_or_else(|| invalid("an address", bytes))?),
            },
            // In every type, the gas is before the recipient, the value and the data after it.
            gas_limit: number(form.to - 1).ok_or_else(|| invalid("gas of 64 bits", bytes))?,
            value: word(form.to + 1)?,
            input: match field(form.to + 2) {
                RlpItem::String(input) => input.to_vec(),
                RlpItem::List(_) => return Err(invalid("data", bytes)),
            },
            max_fee_per_gas: word(form.fee)?,
            max_priority_fee_per_gas: form.priority_fee.map(word).transpose()?,
        })
    }

    /// Decodes a transaction as it is sent to a node: a transaction with blobs has the blobs and their proofs next to
    /// its signed form. Errors are those of [`Transaction::decode`].
    pub fn decode_sent(bytes: &[u8]) -> Result<Self> {
        signed_part(bytes).map_or_else(|| Self::decode(bytes), |signed| Self::decode(&signed))
    }

    /// The price of a unit of gas in a block with this base fee.
    pub fn effective_gas_price(&self, base_fee: &Word) -> Word {
        let Some(priority) = self.max_priority_fee_per_gas else { return self.max_fee_per_gas };
        add(base_fee, &priority).min(self.max_fee_per_gas)
    }

    /// The address of the contract that it creates.
    pub fn contract_address(&self) -> Option<Address> {
        if self.to.is_some() {
            return None;
        }
        let nonce = encode::integer(&self.nonce.to_be_bytes());
        let hash = keccak256(&[&encode::list(&[encode::string(&self.from), nonce])]);
        hash.last_chunk().copied()
    }
}

/// Recovers the address whose key signed a hash.
fn sender(message: &Hash, r: Word, s: Word, is_odd: bool) -> Result<Address> {
    let recovered = Signature::from_scalars(r, s).and_then(|signature| {
        // Before Homestead, s may be in the upper half: normalising it flips the parity.
        let (signature, is_odd) = match signature.normalize_s() {
            Some(lower) => (lower, !is_odd),
            None => (signature, is_odd),
        };
        VerifyingKey::recover_from_prehash(message, &signature, RecoveryId::new(is_odd, false))
    });
    let key = recovered.map_err(|_| {
        Error::new(
            Reason::InvalidSignature,
            format_args!("a signature of {}", Hex(message)),
            Hex(&r),
        )
    })?;
    let point = key.to_encoded_point(false);
    let hash = keccak256(&[point.as_bytes().get(1..).unwrap_or_default()]);
    Ok(hash.last_chunk().copied().unwrap_or_default())
}

/// The sum, saturating at the largest word.
fn add(one: &Word, other: &Word) -> Word {
    let mut sum = *one;
    let mut carry = 0;
    for (byte, more) in sum.iter_mut().zip(other).rev() {
        let [low, high] = (u16::from(*byte) + u16::from(*more) + carry).to_le_bytes();
        (*byte, carry) = (low, high.into());
    }
    if carry == 0 { sum } else { [0xff; 32] }
}

#[cold]
fn invalid(expected: &str, found: &[u8]) -> Error {
    Error::new(Reason::InvalidTransaction, expected, Hex(found))
}
