//! Proofs and digests made by JVM scrypto and the Ergo mainnet; origin and licence in `data/`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use prooflight_avl::{AvlProver, Operation, Params, ergo, verify_batch};
use serde_json::Value;

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a hex string")).expect("hex")
}

fn data(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// An operation that owns its bytes.
struct Owned {
    tag: String,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Owned {
    fn as_operation(&self) -> Operation<'_> {
        let (key, value) = (&self.key[..], &self.value[..]);
        match self.tag.as_str() {
            "Lookup" => Operation::Lookup { key },
            "Insert" => Operation::Insert { key, value },
            "Remove" => Operation::Remove { key },
            other => panic!("unknown tag {other}"),
        }
    }
}

#[test]
fn jvm_scrypto_proofs_byte_for_byte() {
    let data = data(include_str!("data/prover_known_answers.json"));
    let mut compared = 0;
    for vector in data["vectors"].as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        let length = |name: &str| vector[name].as_u64().map(|n| usize::try_from(n).unwrap());
        let params = Params::new(length("key_length").unwrap(), length("value_length"));
        let mut prover = AvlProver::new(params).unwrap();
        for batch in vector["batches"].as_array().unwrap() {
            let owned: Vec<Owned> = batch["ops"]
                .as_array()
                .unwrap()
                .iter()
                .map(|op| Owned {
                    tag: op["tag"].as_str().unwrap().into(),
                    key: bytes(&op["key"]),
                    value: op.get("value").map(bytes).unwrap_or_default(),
                })
                .collect();
            let ops: Vec<_> = owned.iter().map(Owned::as_operation).collect();
            let before = prover.digest();
            let only_proved = prover.prove_batch(&ops).unwrap();
            assert_eq!(prover.digest(), before, "{name}: prove_batch changed the dictionary");
            let proved = prover.apply_batch(&ops).unwrap();
            assert_eq!(proved, only_proved, "{name}");
            if !batch["proof"].is_null() {
                assert_eq!(hex::encode(&proved.proof), batch["proof"].as_str().unwrap(), "{name}");
                compared += 1;
            }
            if !batch["digest"].is_null() {
                assert_eq!(proved.digest.0[..], bytes(&batch["digest"]), "{name}");
            }
            let verified = verify_batch(&before, &ops, &proved.proof, &params).unwrap();
            assert_eq!(verified.digest, proved.digest, "{name}");
        }
    }
    assert_eq!(compared, 6);
}

#[test]
fn ergo_mainnet_blocks_1_to_5_from_the_genesis_boxes() {
    let data = data(include_str!("data/ergo_genesis_blocks_1_5.json"));
    let boxes = |list: &Value| -> Vec<(Vec<u8>, Vec<u8>)> {
        let list = list.as_array().unwrap();
        list.iter().map(|entry| (bytes(&entry["box_id"]), bytes(&entry["bytes"]))).collect()
    };
    let ids =
        |list: &Value| -> Vec<Vec<u8>> { list.as_array().unwrap().iter().map(bytes).collect() };

    let mut prover = AvlProver::new(ergo::ERGO_PARAMS).unwrap();
    let genesis = boxes(&data["genesis_boxes"]);
    let ops: Vec<_> = genesis.iter().map(|(key, value)| Operation::Insert { key, value }).collect();
    let digest = prover.apply_batch(&ops).unwrap().digest;
    assert_eq!(digest.0[..], bytes(&data["genesis_digest"]));

    let blocks = data["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 5);
    for block in blocks {
        let looked_up = ids(&block["to_lookup"]);
        let removed = ids(&block["to_remove"]);
        let inserted = boxes(&block["to_insert"]);
        let mut ops: Vec<_> = looked_up.iter().map(|key| Operation::Lookup { key }).collect();
        ops.extend(removed.iter().map(|key| Operation::Remove { key }));
        ops.extend(inserted.iter().map(|(key, value)| Operation::Insert { key, value }));
        let header = ergo::AdProofsHeader {
            parent_state_root: prover.digest(),
            state_root: bytes(&block["state_root"])[..].try_into().unwrap(),
            ad_proofs_root: bytes(&block["ad_proofs_root"]).try_into().unwrap(),
        };
        assert_eq!(header.parent_state_root.0[..], bytes(&block["parent_state_root"]));
        let proved = prover.apply_batch(&ops).unwrap();
        assert_eq!(hex::encode(&proved.proof), block["proof_bytes"].as_str().unwrap());
        assert_eq!(proved.digest, header.state_root);
        let verified = ergo::verify_ad_proofs(&header, &ops, &proved.proof).unwrap();
        assert_eq!(verified.digest, header.state_root);
    }
}
