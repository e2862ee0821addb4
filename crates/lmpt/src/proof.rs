//! The wire format of a proof: for each layer, the nodes on the paths of the keys that are looked up in it.
//!
//! ```text
//! Proof { delta: Vec<Node>, intermediate: Vec<Node>, snapshot: Vec<Node> }
//! ```
//!
//! in borsh; a node is a byte string, its RLP. Specified in `test-vectors/spec/lmpt.md`, section 4.

use prooflight_core::{ByteReader, Envelope, Error, Limits, Reason, Result, Scheme};
use prooflight_mpt::ProofNodes;

/// The envelope of a proof.
pub const PROOF_ENVELOPE: Envelope = Envelope { scheme: Scheme::Lmpt, kind: 1 };

/// Decodes a proof: the nodes of each layer, in the order of [`Layer::ALL`](crate::Layer::ALL).
///
/// They are well-formed, but not yet known to be those of a layer.
pub(crate) fn decode<'a>(proof: &'a [u8], limits: &Limits) -> Result<[ProofNodes<'a>; 3]> {
    let mut body = ByteReader::new(PROOF_ENVELOPE.open(proof, limits)?);
    let delta = NodeList::read(&mut body)?;
    let intermediate = NodeList::read(&mut body)?;
    let snapshot = NodeList::read(&mut body)?;
    body.finish()?;
    // A leaf has a tag in front of its value.
    let max_value_bytes = limits.max_value_bytes.saturating_add(1);
    let limits = Limits { max_value_bytes, ..*limits };
    Ok([
        ProofNodes::decode(delta, &limits)?,
        ProofNodes::decode(intermediate, &limits)?,
        ProofNodes::decode(snapshot, &limits)?,
    ])
}

/// A list of byte strings that was read to its end.
struct NodeList<'a> {
    strings: ByteReader<'a>,
    left: u32,
}

impl<'a> NodeList<'a> {
    fn read(body: &mut ByteReader<'a>) -> Result<Self> {
        let list = Self { left: length(body)?, strings: body.clone() };
        for _ in 0..list.left {
            string(body)?;
        }
        Ok(list)
    }
}

impl<'a> Iterator for NodeList<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.left = self.left.checked_sub(1)?;
        string(&mut self.strings).ok()
    }
}

fn string<'a>(body: &mut ByteReader<'a>) -> Result<&'a [u8]> {
    let length = usize::try_from(length(body)?).unwrap_or(usize::MAX);
    body.take(length).map_err(|error| not_borsh(&error))
}

fn length(body: &mut ByteReader<'_>) -> Result<u32> {
    body.array().map(u32::from_le_bytes).map_err(|error| not_borsh(&error))
}

#[cold]
fn not_borsh(error: &Error) -> Error {
    Error::new(Reason::InvalidEncoding, error.expected(), error.found())
}
