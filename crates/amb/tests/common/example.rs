//! The example of the specification: its last root, and the proofs against it, in hexadecimal.

pub(crate) const ROOT: &str = "b5dec939241abb04e4c3c9aeda4a3fa8102a97e14af16cfade596aa6b0b48afe";
/// The root after the block of the update.
pub(crate) const NEXT: &str = "f59275bb26687db74815a94c23ad24570fce24d1c957fa28e804a9942e03de32";

const V3: &str = "8b068ac872713a6fffc282d3acf268154a8b84622af4793b7f8d365426c4ddab";
const V4: &str = "3d4003d5feb6bb9648acc247db7ba00ac26beb5d855874230fe21bfa56ff6ff9";
const P61: &str = "06015a88bf6c04bd7e086b2fbc12490bb0fd85bd989079f23b2857d875a72663";
const E61: &str = "211f25dfaf1922e9a0b663e26734c9b41f6988c053837f2811bbafc2229d60b3";
const E62: &str = "917c0158b9026a46b0d257f1b7178350a72d3659c445e99a0117d0108a89ec4e";
const E63: &str = "4c7de75ce0b58a11909c3a84dcdbf02af5376087b37750aed21c6f78f0de6192";
const N9: &str = "6afe4344332a682264ec57b5f7191745b53cc60f4628417af7df948ab642e5a9";

pub(crate) fn get() -> String {
    spaceless(&format!("010601 0960 010102 0001{V3} 01 02010101 020000{N9}"))
}

pub(crate) fn hist() -> String {
    spaceless(&format!("010602 0960 010102 0001{V3} 0001 02010101 020000{N9}"))
}

pub(crate) fn range() -> String {
    spaceless(&format!(
        "010603 01026200 0960 01016102 00010103{P61} 0362 010001 01010102 010000{E63}"
    ))
}

pub(crate) fn count() -> String {
    spaceless(&format!("010604 0960 010000{E61} 0362 010001{E62} 010000{E63}"))
}

pub(crate) fn update() -> String {
    spaceless(&format!("010606 0960 010102 0001{V3}{P61} 0362 010001{E62} 010001630100 01{V4}"))
}

fn spaceless(text: &str) -> String {
    text.replace(' ', "")
}
