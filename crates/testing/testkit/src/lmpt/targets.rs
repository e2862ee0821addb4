//! The fuzz target; a panic is a finding.

use arbitrary::{Result, Unstructured};
use prooflight_core::{Code, Limits, keccak256};
use prooflight_lmpt::{LayerRoots, verify};

use super::draw::{change, change_bytes, keys, layers};
use super::layers::{StateLayers, encode};
use crate::replay::FuzzTarget;

/// The targets, by name.
pub const TARGETS: [(&str, FuzzTarget); 1] = [("lmpt_proof", lmpt_proof)];

/// Verifies proofs of keys: changed ones, those of other layers and keys, and arbitrary bytes.
pub fn lmpt_proof(u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 8)? {
        return any_bytes(u);
    }
    let honest = layers(u)?;
    let (asked, other) = (keys(u)?, keys(u)?);
    let refused = asked.iter().find_map(|key| honest.answer(key).err());
    let judged = honest.judge(&asked, &honest.prove(&asked));
    // With several leaves that no layer has, the first one that a walk ends at is refused.
    assert_eq!(judged.is_err(), refused.is_some(), "{judged:?} {refused:?}");

    let mut lists = if u.ratio(1, 4)? { honest.nodes(&other) } else { honest.nodes(&asked) };
    for _ in 0..u.int_in_range(0..=2)? {
        change(u, &mut lists, &honest.nodes(&other))?;
    }
    let mut proof = encode(&lists);
    for _ in 0..u.int_in_range(0..=2)? {
        change_bytes(u, &mut proof)?;
    }
    let _ = honest.judge(&asked, &proof);

    // The same under roots in another order, as if the layers were exchanged.
    let StateLayers { delta, intermediate, snapshot } = honest;
    let exchanged = if u.arbitrary()? {
        StateLayers { delta: snapshot, intermediate, snapshot: delta }
    } else {
        StateLayers { delta: intermediate, intermediate: delta, snapshot }
    };
    let _ = exchanged.judge(&asked, &proof);
    Ok(())
}

/// Arbitrary bytes, and roots that fit their beginnings.
fn any_bytes(u: &mut Unstructured<'_>) -> Result<()> {
    let length = u.arbitrary_len::<u8>()?;
    let node = u.bytes(length)?;
    let hash = keccak256(&[node]);
    let roots = LayerRoots { snapshot: hash, intermediate: u.arbitrary()?, delta: hash };
    let length = u.arbitrary_len::<u8>()?;
    let proof = if u.arbitrary()? {
        encode(&[vec![node.to_vec()], vec![], vec![u.bytes(length)?.to_vec()]])
    } else {
        [&[1, 5, 1], u.bytes(length)?].concat()
    };
    let asked = [&b""[..], b"a", b"b"];
    if let Err(error) = verify(&roots, &asked, &proof, &Limits::DEFAULT) {
        assert!(matches!(error.code(), Code::Malformed | Code::Mismatch), "{error}");
    }
    Ok(())
}
