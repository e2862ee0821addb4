//! `amt/data/setups.json`: the points and ids of the setups that the vectors use.

use prooflight_amt::VerifyingKey;
use prooflight_json::{Hash32, HexBytes};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

/// The largest setup: vectors of 2^28 scalars.
const MAX_LOG_N: u8 = 28;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SetupFile {
    about: &'static str,
    setups: [SetupEntry; 2],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SetupEntry {
    name: &'static str,
    origin: &'static str,
    license: &'static str,
    /// Whether tau is public.
    insecure: bool,
    /// `[tau^(2^j)]_2` for j from 0.
    powers: Vec<HexBytes>,
    /// For k from 1.
    params_ids: Vec<Hash32>,
}

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let setups = SetupFile {
        about: "The setups of test-vectors/spec/amt.md, section 3. powers are [tau^(2^j)]_2 for j from 0 to 27, each a point \
                of G2 in 64 bytes as section 1 encodes it; paramsIds are the params_id of the verifying keys \
                for k from 1 to 28.",
        setups: [
            setup(
                "dev",
                "computed from the tau of section 3, which everyone knows",
                "MIT OR Apache-2.0",
                VerifyingKey::dev,
            ),
            setup(
                "ppot",
                "the public ceremony Perpetual Powers of Tau \
                 (github.com/privacy-scaling-explorations/perpetualpowersoftau), as EigenDA publishes its powers in \
                 the file g2.point.powerOf2 (documented there as challenge_0085), whose SHA-256 is \
                 4d5ed827f742e1270f22b4a39129bf1d25445821b15824e2eb3a709a16f64518",
                "numbers that many participants computed, on which we know of no licence",
                VerifyingKey::ppot,
            ),
        ],
    };
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b" ");
    let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
    setups.serialize(&mut serializer).expect("writing to memory does not fail");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

fn setup(
    name: &'static str,
    origin: &'static str,
    license: &'static str,
    key: fn(u8) -> prooflight_core::Result<VerifyingKey>,
) -> SetupEntry {
    let keys: Vec<_> = (1..=MAX_LOG_N).map(|k| key(k).expect("a size that setups have")).collect();
    let largest = keys.last().expect("there are keys");
    // After the size come the generator and the powers.
    let powers = largest.encode()[1..].chunks(64).skip(1);
    SetupEntry {
        name,
        origin,
        license,
        insecure: largest.is_insecure(),
        powers: powers.map(|point| HexBytes(point.to_vec())).collect(),
        params_ids: keys.iter().map(|key| Hash32(key.params_id())).collect(),
    }
}
