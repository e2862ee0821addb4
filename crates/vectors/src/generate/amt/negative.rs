//! Openings that must be refused.

use prooflight_amt::{INFINITY, PointBytes, VerifyingKey};
use prooflight_core::Reason;
use serde_json::{json, to_value};

use super::{Vector, cancelling, changes, dev, indices, many};
use crate::amt::{AmtOpening, KindName, OpeningInput};
use crate::carrier::{Hash32, Hex};
use crate::generate::builder::Builder;

const FLAGS: &[(&str, &str)] = &[
    ("Arity", "another arity or kind than the points are of"),
    ("Cancel", "two wrong openings whose errors cancel where they are just added up"),
    (
        "Coefficients",
        "wrong openings whose errors cancel where the coefficients do not depend on all that is claimed",
    ),
    ("Commitment", "another commitment"),
    ("Encoding", "a point that is not in its one encoding"),
    ("Index", "another index, or one that is not in the vector"),
    ("Input", "the input cannot be read as one of an AmtOpening"),
    ("Key", "a verifying key that is none"),
    ("Mutated", "one byte of an honest opening changed; only the code is pinned"),
    ("Points", "other points, or another number of them"),
    ("Scalar", "a value that is not below the order"),
    ("Setup", "another setup, or one that is not allowed"),
    ("Stale", "a part of the opening is from before the vector changed"),
    ("Value", "another value"),
    ("Versions", "a version that spills into the next one"),
];

/// The modulus of the coordinates, little-endian.
const Q: [u8; 32] = hex("47fd7cd8168c203c8dca7168916a81975d588181b64550b829a031e1724e6430");
/// The order of the groups, little-endian.
const R: [u8; 32] = hex("010000f093f5e1439170b97948e833285d588181b64550b829a031e1724e6430");

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("lvmt", FLAGS);
    file.group("AmtOpening");
    let samples = samples();
    for (name, opening, other) in &samples {
        values(&mut file, name, opening);
        indices(&mut file, name, opening);
        commitments(&mut file, name, opening, other);
        points(&mut file, name, opening, other);
        encodings(&mut file, name, opening);
        arities(&mut file, name, opening);
        among_others(&mut file, name, opening, &samples);
        setups(&mut file, name, opening);
    }
    added_up(&mut file);
    cancelling::add(&mut file);
    indices::add(&mut file);
    changes::add(&mut file);
    many::wrong(&mut file);
    keys(&mut file);
    inputs(&mut file);
    file.finish()
}

/// An opening of each kind and arity, and one of the next entry.
fn samples() -> Vec<(String, OpeningInput, OpeningInput)> {
    let vector = Vector::sample(4, 2);
    let mut samples = vec![("single".to_owned(), vector.single(6), vector.single(7))];
    for log_arity in [1, 2, 4] {
        let vector = Vector::sample(4, log_arity);
        let name = format!("arity {}", 1 << log_arity);
        samples.push((name, vector.tree(6), vector.tree(7)));
    }
    samples
}

fn invalid(file: &mut Builder, flag: &str, comment: String, opening: OpeningInput, reason: Reason) {
    file.invalid(&[flag], comment, &dev(4, vec![opening]), reason);
}

fn values(file: &mut Builder, name: &str, opening: &OpeningInput) {
    let mismatch = Reason::OpeningMismatch;
    let value = opening.value.expect("a value").0;
    for (what, byte) in [("the first version one larger", 0), ("the last version larger", 29)] {
        let mut value = value;
        value[byte] += 1;
        let wrong = OpeningInput { value: Some(Hash32(value)), ..opening.clone() };
        invalid(file, "Value", format!("{name}: {what}"), wrong, mismatch);
    }
    let zero = OpeningInput { value: Some(Hash32([0; 32])), ..opening.clone() };
    invalid(file, "Value", format!("{name}: the value 0"), zero, mismatch);
    let absent = opening.clone().with_versions([0, 42, 0, 0, 0, 0]);
    invalid(file, "Value", format!("{name}: versions of another entry"), absent, mismatch);
    // The value plus the order is the same scalar.
    for (what, value) in [("the order itself", R), ("the value plus the order", add(value, R))] {
        let wrong = OpeningInput { value: Some(Hash32(value)), ..opening.clone() };
        invalid(file, "Scalar", format!("{name}: {what}"), wrong, Reason::InvalidScalar);
    }
    // The sample's entry 6 has the versions 7, 42, 0, ...: 2^40 less of one is 1 more of the next.
    let spilled = opening.clone().with_versions([7 + (1 << 40), 41, 0, (1 << 40) - 7, 0, 3]);
    invalid(file, "Versions", format!("{name}: 2^40 moved down"), spilled, Reason::VersionRange);
    let largest = opening.clone().with_versions([7, 42, 0, (1 << 40) - 7, 0, u64::MAX]);
    invalid(file, "Versions", format!("{name}: 2^64 - 1"), largest, Reason::VersionRange);
}

fn indices(file: &mut Builder, name: &str, opening: &OpeningInput) {
    for index in [0, 5, 7, 14] {
        let wrong = OpeningInput { index, ..opening.clone() };
        invalid(file, "Index", format!("{name}: index {index}"), wrong, Reason::OpeningMismatch);
    }
    for index in [16, 22, u32::MAX] {
        let wrong = OpeningInput { index, ..opening.clone() };
        invalid(
            file,
            "Index",
            format!("{name}: index {index} of 16"),
            wrong,
            Reason::IndexOutOfRange,
        );
    }
}

fn commitments(file: &mut Builder, name: &str, opening: &OpeningInput, other: &OpeningInput) {
    let empty = Vector::new(4, 2, &[(6, [7, 42, 0, (1 << 40) - 7, 0, 3])]).commitment();
    for (what, commitment) in [
        ("infinity", INFINITY),
        ("the generator", generator()),
        ("that of a vector with the same entry", empty),
        ("its negative", negative(opening.commitment.0)),
        ("one of the points", other.points[0].0),
    ] {
        let wrong = OpeningInput { commitment: Hash32(commitment), ..opening.clone() };
        let comment = format!("{name}: the commitment is {what}");
        invalid(file, "Commitment", comment, wrong, Reason::OpeningMismatch);
    }
}

fn points(file: &mut Builder, name: &str, opening: &OpeningInput, other: &OpeningInput) {
    let mismatch = Reason::OpeningMismatch;
    for place in 0..opening.points.len() {
        for (what, point) in [
            ("infinity", INFINITY),
            ("the generator", generator()),
            ("its negative", negative(opening.points[place].0)),
            ("the commitment", opening.commitment.0),
        ] {
            let mut wrong = opening.clone();
            wrong.points[place] = Hash32(point);
            invalid(file, "Points", format!("{name}: point {place} is {what}"), wrong, mismatch);
        }
    }
    let entry = OpeningInput { points: other.points.clone(), ..opening.clone() };
    invalid(file, "Points", format!("{name}: the points of the next entry"), entry, mismatch);
    let entry = OpeningInput { value: opening.value, index: 6, ..other.clone() };
    invalid(
        file,
        "Points",
        format!("{name}: all but the index of the next entry"),
        entry,
        mismatch,
    );
    if opening.points.len() > 1 {
        let mut reversed = opening.clone();
        reversed.points.reverse();
        invalid(file, "Points", format!("{name}: the points reversed"), reversed, mismatch);
    }
    let length = Reason::OpeningLength;
    let mut longer = opening.clone();
    longer.points.push(Hash32(INFINITY));
    invalid(file, "Points", format!("{name}: infinity after the points"), longer, length);
    let mut shorter = opening.clone();
    shorter.points.pop();
    invalid(file, "Points", format!("{name}: without the last point"), shorter, length);
    let none = OpeningInput { points: vec![], ..opening.clone() };
    invalid(file, "Points", format!("{name}: no points at all"), none, length);
}

fn encodings(file: &mut Builder, name: &str, opening: &OpeningInput) {
    let with = |bits: u8| {
        let mut bytes = opening.points[0].0;
        bytes[31] = (bytes[31] & 0x3f) | bits;
        bytes
    };
    let mut negative_infinity = INFINITY;
    negative_infinity[31] = 0xc0;
    let mut infinity_and_one = INFINITY;
    infinity_and_one[0] = 1;
    // No point has x = 0: 3 is not a square. x = 1 has points.
    let mut one = [0; 32];
    one[0] = 1;
    for (what, bytes) in [
        ("infinity with an x", with(0x40)),
        ("both flags", with(0xc0)),
        ("infinity with a sign", negative_infinity),
        ("infinity with x = 1", infinity_and_one),
        ("x = 0, which no point has", [0; 32]),
        ("x = q", Q),
        ("x = q + 1, where 1 is that of a point", add(one, Q)),
        ("all bits set", [0xff; 32]),
    ] {
        let reason = Reason::InvalidPoint;
        let last = opening.points.len() - 1;
        let mut wrong = opening.clone();
        wrong.points[last] = Hash32(bytes);
        invalid(file, "Encoding", format!("{name}: a point is {what}"), wrong, reason);
        let wrong = OpeningInput { commitment: Hash32(bytes), ..opening.clone() };
        invalid(file, "Encoding", format!("{name}: the commitment is {what}"), wrong, reason);
    }
}

fn arities(file: &mut Builder, name: &str, opening: &OpeningInput) {
    let kinds = [(KindName::Single, None, 1)].into_iter().chain(
        [(1, 4), (2, 2), (4, 1)].map(|(log_arity, count)| (KindName::Tree, Some(log_arity), count)),
    );
    for (kind, log_arity, count) in kinds {
        // A tree of one level is the same as a single point.
        if log_arity == opening.log_arity || (count == 1 && opening.points.len() == 1) {
            continue;
        }
        let mut wrong = OpeningInput { kind, log_arity, ..opening.clone() };
        let what = log_arity.map_or("single".to_owned(), |log| format!("arity {}", 1 << log));
        let comment = format!("{name}: taken for {what}");
        invalid(file, "Arity", comment, wrong.clone(), Reason::OpeningLength);
        wrong.points.resize(count, Hash32(INFINITY));
        let comment = format!("{name}: cut or filled up, and taken for {what}");
        invalid(file, "Arity", comment, wrong, Reason::OpeningMismatch);
    }
    for log_arity in [0, 3, 5, 8, 255] {
        let (kind, log_arity) = (KindName::Tree, Some(log_arity));
        let wrong = OpeningInput { kind, log_arity, ..opening.clone() };
        let comment =
            format!("{name}: a tree of arity 2^{} with 16 entries", log_arity.unwrap_or(0));
        invalid(file, "Arity", comment, wrong, Reason::InvalidArgument);
    }
}

/// One wrong opening among true ones, at every place.
fn among_others(
    file: &mut Builder,
    name: &str,
    opening: &OpeningInput,
    samples: &[(String, OpeningInput, OpeningInput)],
) {
    let mut value = opening.value.expect("a value").0;
    value[10] += 1;
    let wrong = OpeningInput { value: Some(Hash32(value)), ..opening.clone() };
    for place in 0..=samples.len() {
        let mut all: Vec<_> = samples.iter().map(|sample| sample.1.clone()).collect();
        all.insert(place, wrong.clone());
        let comment = format!("{name}: another value, after {place} true openings");
        file.invalid(&["Value"], comment, &dev(4, all), Reason::OpeningMismatch);
    }
}

fn setups(file: &mut Builder, name: &str, opening: &OpeningInput) {
    let honest = dev(4, vec![opening.clone()]);
    let ppot = AmtOpening { setup: "ppot".to_owned(), ..honest.clone() };
    file.invalid(&["Setup"], format!("{name}: under ppot"), &ppot, Reason::OpeningMismatch);
    for allow_insecure_setup in [None, Some(false)] {
        let what = allow_insecure_setup.map_or("not allowed", |_| "refused");
        let input = AmtOpening { allow_insecure_setup, ..honest.clone() };
        let comment = format!("{name}: the development setup, {what}");
        file.invalid(&["Setup"], comment, &input, Reason::InsecureSetup);
    }
    let id = VerifyingKey::ppot(4).expect("a key").params_id();
    let input = AmtOpening { params_id: Some(Hash32(id)), ..honest.clone() };
    let comment = format!("{name}: the params_id of another setup");
    file.invalid(&["Setup"], comment, &input, Reason::SetupMismatch);
    let mut larger = dev(8, vec![opening.clone()]);
    if opening.log_arity != Some(4) && opening.log_arity.is_some() {
        let comment = format!("{name}: under a setup for 256 entries");
        file.invalid(&["Setup"], comment, &larger, Reason::OpeningLength);
    }
    let count = opening.log_arity.map_or(1, |log_arity| usize::from(8 / log_arity));
    larger.openings[0].points.resize(count, Hash32(INFINITY));
    let comment = format!("{name}: filled up, under a setup for 256 entries");
    file.invalid(&["Setup"], comment, &larger, Reason::OpeningMismatch);
}

fn added_up(file: &mut Builder) {
    let vector = Vector::sample(4, 2);
    for (name, a, b) in [
        ("two trees", vector.tree(2), vector.tree(3)),
        ("two single points", vector.single(2), vector.single(3)),
        ("a tree and a single point", vector.tree(2), vector.single(5)),
    ] {
        let (mut up, mut down) = (a.clone(), b.clone());
        let mut one = [0; 32];
        one[0] = 1;
        up.value = Some(Hash32(add(a.value.expect("a value").0, one)));
        down.value = Some(Hash32(add(b.value.expect("a value").0, minus_one_below(R))));
        down.value = down.value.map(|value| Hash32(below(value.0, R)));
        let comment = format!("{name}: one value larger by 1, the other smaller by 1");
        file.invalid(&["Cancel"], comment, &dev(4, vec![up, down]), Reason::OpeningMismatch);
        let mut swapped = [a.clone(), b.clone()];
        (swapped[0].value, swapped[1].value) = (b.value, a.value);
        let comment = format!("{name}: the values swapped");
        file.invalid(&["Cancel"], comment, &dev(4, swapped.to_vec()), Reason::OpeningMismatch);
    }
}

fn keys(file: &mut Builder) {
    let key = VerifyingKey::dev(2).expect("a key").encode().to_vec();
    let opening = Vector::sample(2, 1).tree(2);
    let with = |at: usize, bytes: &[u8]| {
        let mut key = key.clone();
        key[at..at + bytes.len()].copy_from_slice(bytes);
        key
    };
    let mut infinity = [0; 64];
    infinity[63] = 0x40;
    // On the curve over the extension field, but not of order r.
    let outside = (1..=255_u8)
        .map(|x| {
            with(65, &{
                let mut point = [0; 64];
                point[0] = x;
                point
            })
        })
        .find(|key| {
            VerifyingKey::decode(key).is_err_and(|error| error.expected().contains("subgroup"))
        });
    for (what, key, reason) in [
        ("no bytes", vec![], Reason::Truncated),
        ("no size but 0", with(0, &[0]), Reason::InvalidSetup),
        ("the size 29", with(0, &[29]), Reason::InvalidSetup),
        ("a size smaller than the points", with(0, &[1]), Reason::TrailingBytes),
        ("a size larger than the points", with(0, &[3]), Reason::Truncated),
        ("a byte missing", key[..key.len() - 1].to_vec(), Reason::Truncated),
        ("a byte more", [&key[..], &[0]].concat(), Reason::TrailingBytes),
        ("another first point", with(1, &key[65..129]), Reason::InvalidSetup),
        ("infinity as a power", with(65, &infinity), Reason::InvalidPoint),
        ("a power that is no point", with(129, &[0xff; 64]), Reason::InvalidPoint),
        ("a power outside the subgroup", outside.expect("such a point"), Reason::InvalidPoint),
    ] {
        let input = AmtOpening {
            setup: Hex(key).to_string(),
            log_n: None,
            ..dev(2, vec![opening.clone()])
        };
        file.invalid(&["Key"], format!("a key with {what}"), &input, reason);
    }
    let swapped = [&key[..65], &key[129..193], &key[65..129]].concat();
    let input = AmtOpening {
        setup: Hex(swapped).to_string(),
        log_n: None,
        ..dev(2, vec![opening.clone()])
    };
    let comment = "a key whose powers are swapped";
    file.invalid(&["Key"], comment, &input, Reason::OpeningMismatch);
    let id = VerifyingKey::dev(2).expect("a key").params_id();
    let input = AmtOpening { params_id: Some(Hash32(id)), ..input };
    let comment = "a key whose powers are swapped, with the params_id of the right one";
    file.invalid(&["Key"], comment, &input, Reason::SetupMismatch);
    for at in (0..key.len()).step_by(16) {
        let flipped = with(at, &[key[at] ^ 0x04]);
        let input = AmtOpening { setup: Hex(flipped).to_string(), ..input.clone() };
        let comment = format!("a key with bit 2 of byte {at} flipped");
        file.refused(&["Key"], comment, &input);
    }
    let insecure = AmtOpening {
        setup: Hex(key).to_string(),
        log_n: None,
        allow_insecure_setup: None,
        ..dev(2, vec![opening])
    };
    let comment = "the development key by its bytes, not allowed";
    file.invalid(&["Setup"], comment, &insecure, Reason::InsecureSetup);
}

fn inputs(file: &mut Builder) {
    let honest = to_value(dev(2, vec![Vector::sample(2, 1).tree(2)])).expect("plain data");
    let argument = Reason::InvalidArgument;
    for (comment, member, value) in [
        ("a setup that does not exist", "setup", json!("prod")),
        ("a logN of 0", "logN", json!(0)),
        ("a logN of 29", "logN", json!(29)),
        ("a logN of 2^32 - 1", "logN", json!(u32::MAX)),
        ("a logN of null", "logN", json!(null)),
        ("a logN beside a key", "setup", json!("0x")),
        ("a paramsId of 31 bytes", "paramsId", json!(format!("0x{}", "00".repeat(31)))),
        ("an allowance that is a number", "allowInsecureSetup", json!(1)),
        ("openings that are none", "openings", json!({})),
        ("a member that is not specified", "curve", json!("bn254")),
    ] {
        let mut input = honest.clone();
        input[member] = value;
        file.invalid(&["Input"], comment, &input, argument);
    }
    for (comment, member, value) in [
        ("an opening of another kind", "kind", json!("batch")),
        ("a single opening with an arity", "kind", json!("single")),
        ("an arity of 256", "logArity", json!(256)),
        ("an arity of null", "logArity", json!(null)),
        ("a commitment of 31 bytes", "commitment", json!(format!("0x{}", "00".repeat(31)))),
        ("an index of -1", "index", json!(-1)),
        ("an index of 2^32", "index", json!(1_u64 << 32)),
        ("a value of 31 bytes", "value", json!(format!("0x{}", "00".repeat(31)))),
        ("a value beside versions", "versions", json!(["0x0", "0x0", "0x0", "0x0", "0x0", "0x0"])),
        ("points that are one string", "points", json!("0x")),
        ("a point of 33 bytes", "points", json!([format!("0x{}", "00".repeat(33))])),
        ("a member of an opening that is not specified", "slot", json!(0)),
    ] {
        let mut input = honest.clone();
        input["openings"][0][member] = value;
        file.invalid(&["Input"], comment, &input, argument);
    }
    for (comment, versions) in [
        ("five versions", json!(["0x0", "0x0", "0x0", "0x0", "0x0"])),
        ("seven versions", json!(["0x0", "0x0", "0x0", "0x0", "0x0", "0x0", "0x0"])),
        ("a version as a number", json!([1, "0x0", "0x0", "0x0", "0x0", "0x0"])),
        (
            "a version above 2^53 as a number",
            json!([9_007_199_254_740_993_u64, "0x0", "0x0", "0x0", "0x0", "0x0"]),
        ),
        ("a version with a leading zero", json!(["0x01", "0x0", "0x0", "0x0", "0x0", "0x0"])),
        ("a version after 0X", json!(["0X1", "0x0", "0x0", "0x0", "0x0", "0x0"])),
        ("a version of 65 bits", json!(["0x0", "0x0", "0x0", "0x0", "0x0", "0x10000000000000000"])),
    ] {
        let mut input = honest.clone();
        let opening = input["openings"][0].as_object_mut().expect("an object");
        opening.remove("value");
        opening.insert("versions".to_owned(), versions);
        file.invalid(&["Input"], comment, &input, argument);
    }
    for member in ["setup", "logN", "openings"] {
        let mut input = honest.clone();
        input.as_object_mut().expect("an object").remove(member);
        file.invalid(&["Input"], format!("no {member}"), &input, argument);
    }
    for member in ["kind", "logArity", "commitment", "index", "value", "points"] {
        let mut input = honest.clone();
        input["openings"][0].as_object_mut().expect("an object").remove(member);
        file.invalid(&["Input"], format!("an opening without {member}"), &input, argument);
    }
}

/// The generator of G1: x = 1, y = 2.
fn generator() -> PointBytes {
    let mut bytes = [0; 32];
    bytes[0] = 1;
    bytes
}

fn negative(mut point: PointBytes) -> PointBytes {
    point[31] ^= 0x80;
    point
}

/// The sum of two numbers, little-endian; it has 256 bits.
fn add(a: [u8; 32], b: [u8; 32]) -> [u8; 32] {
    let mut carry = 0;
    core::array::from_fn(|i| {
        let sum = u16::from(a[i]) + u16::from(b[i]) + carry;
        carry = sum >> 8;
        sum.to_le_bytes()[0]
    })
}

/// The number less `modulus` if it is not below it.
fn below(a: [u8; 32], modulus: [u8; 32]) -> [u8; 32] {
    if a.iter().rev().lt(modulus.iter().rev()) {
        return a;
    }
    let mut borrow = 0;
    core::array::from_fn(|i| {
        let difference = i16::from(a[i]) - i16::from(modulus[i]) - borrow;
        borrow = i16::from(difference < 0);
        difference.to_le_bytes()[0]
    })
}

/// The largest number below an odd one.
fn minus_one_below(mut odd: [u8; 32]) -> [u8; 32] {
    odd[0] -= 1;
    odd
}

/// 32 bytes from hexadecimal digits.
const fn hex(digits: &str) -> [u8; 32] {
    let digits = digits.as_bytes();
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 64 {
        let digit = match digits[i] {
            digit @ b'0'..=b'9' => digit - b'0',
            digit => digit - b'a' + 10,
        };
        bytes[i / 2] = bytes[i / 2] << 4 | digit;
        i += 1;
    }
    bytes
}
