//! Openings that must be accepted.

use ark_bn254::Fr;
use ark_ff::{FftField, Field};
use prooflight_amt::{INFINITY, VerifyingKey};
use serde_json::json;

use super::{Vector, dev, many};
use crate::amt::AmtOpening;
use crate::carrier::{Hash32, Hex};
use crate::generate::builder::{Builder, UPPER_CASE, expected, upper_case};
use crate::generate::coefficients::{plus, tau};

const FLAGS: &[(&str, &str)] = &[
    ("Batch", "several openings, which may be verified together"),
    ("Infinity", "a commitment or a point is infinity"),
    ("Malleable", "a tree opened by other points than those of its polynomials, as a prover may"),
    ("Setup", "which setup it is"),
    ("Single", "an opening by a single point"),
    ("Tree", "an opening by one point a level"),
    ("Versions", "the value is given by its versions"),
    UPPER_CASE,
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("lvmt", FLAGS);
    file.group("AmtOpening");
    for (log_n, log_arity, indices) in [
        (1, 1, &[0, 1][..]),
        (4, 1, &[0, 1, 15]),
        (4, 2, &[0, 2, 9]),
        (4, 4, &[0, 3, 14]),
        (6, 2, &[1, 33, 63]),
        (6, 3, &[40]),
        (8, 4, &[0, 100, 255]),
    ] {
        alone(&mut file, log_n, log_arity, indices);
    }
    batches(&mut file);
    infinity(&mut file);
    other_points(&mut file);
    setups(&mut file);
    upper(&mut file);
    many::right(&mut file);
    file.finish()
}

pub(super) fn valid(
    file: &mut Builder,
    flags: &[&str],
    comment: impl Into<String>,
    input: &AmtOpening,
) {
    let key = match (&input.setup[..], input.log_n) {
        ("dev", Some(log_n)) => VerifyingKey::dev(u8::try_from(log_n).expect("at most 28")),
        ("ppot", Some(log_n)) => VerifyingKey::ppot(u8::try_from(log_n).expect("at most 28")),
        (bytes, _) => VerifyingKey::decode(&bytes.parse::<Hex>().expect("bytes").0),
    };
    let id = Hash32(key.expect("a key").params_id());
    file.valid(flags, comment, input, expected(json!({ "paramsId": id })));
}

fn alone(file: &mut Builder, log_n: u8, log_arity: u8, indices: &[u32]) {
    let vector = Vector::sample(log_n, log_arity);
    let (n, arity) = (1_u32 << log_n, 1_u32 << log_arity);
    for index in indices {
        let of = format!("entry {index} of {n}");
        let input = dev(usize::from(log_n), vec![vector.tree(*index)]);
        valid(file, &["Tree"], format!("{of}, arity {arity}"), &input);
        if log_arity == 1 || log_n != 4 {
            let input = dev(usize::from(log_n), vec![vector.single(*index)]);
            valid(file, &["Single"], format!("{of}, beside a tree of arity {arity}"), &input);
        }
    }
}

fn batches(file: &mut Builder) {
    let vector = Vector::sample(4, 2);
    let other = Vector::new(4, 1, &[(3, [0, 1, 0, 0, 0, 0]), (9, [5; 6])]);
    valid(file, &["Batch"], "no opening at all", &dev(4, vec![]));
    let all = |vector: &Vector| (0..16).map(|index| vector.tree(index)).collect();
    valid(file, &["Batch", "Tree"], "all entries of a vector", &dev(4, all(&vector)));
    let twice = vec![vector.tree(2), vector.tree(2)];
    valid(file, &["Batch", "Tree"], "one opening twice", &dev(4, twice));
    let both = vec![vector.single(2), vector.tree(2)];
    valid(file, &["Batch", "Single", "Tree"], "one entry by both kinds", &dev(4, both));
    let mixed = vec![
        other.single(9),
        vector.tree(6),
        Vector::sample(4, 4).tree(6),
        other.tree(3),
        other.tree(4),
        vector.single(1),
    ];
    let flags = &["Batch", "Single", "Tree"];
    valid(file, flags, "kinds, arities and commitments mixed", &dev(4, mixed));
    for versions in [[0; 6], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 9], [(1 << 40) - 1; 6]] {
        let vector = Vector::new(4, 2, &[(5, versions), (6, [1; 6])]);
        let opening = vector.single(5).with_versions(versions);
        let comment = format!("the versions {versions:?}");
        valid(file, &["Single", "Versions"], comment, &dev(4, vec![opening]));
    }
}

fn upper(file: &mut Builder) {
    let versions = [0xa, 0xbc, 0xdef, 0xff_ffff_ffff, 0, 0];
    let vector = Vector::new(4, 2, &[(5, versions), (6, [1; 6])]);
    let key = VerifyingKey::dev(4).expect("a key");
    let input = AmtOpening {
        setup: Hex(key.encode().to_vec()).to_string(),
        log_n: None,
        params_id: Some(Hash32(key.params_id())),
        ..dev(4, vec![vector.single(5).with_versions(versions)])
    };
    let expected = expected(json!({ "paramsId": Hash32(key.params_id()) }));
    let comment = "hexadecimal digits in upper case";
    file.valid(&[UPPER_CASE.0], comment, &upper_case(&input), expected);
}

fn infinity(file: &mut Builder) {
    let empty = Vector::new(4, 2, &[]);
    assert_eq!(empty.commitment(), INFINITY);
    let input = dev(4, vec![empty.tree(7), empty.single(8)]);
    valid(file, &["Batch", "Infinity"], "a vector of zeros, whose commitment is infinity", &input);
    // All entries the same: the polynomial is constant, and each quotient 0.
    let constant = Vector::new(2, 1, &[0, 1, 2, 3].map(|index| (index, [4; 6])));
    let input = dev(2, vec![constant.tree(1), constant.single(2)]);
    assert!(input.openings.iter().all(|o| o.points.iter().all(|point| point.0 == INFINITY)));
    valid(
        file,
        &["Batch", "Infinity"],
        "a constant vector, all of whose points are infinity",
        &input,
    );
}

/// Trees whose points are not the quotients of the polynomial: each one may move to the next ones.
fn other_points(file: &mut Builder) {
    for log_arity in [1, 2] {
        let vector = Vector::sample(4, log_arity);
        let mut opening = vector.tree(6);
        let (last, first) = opening.points.split_last_mut().expect("some");
        first.fill(Hash32(INFINITY));
        *last = vector.single(6).points[0];
        let comment = format!("arity {}: the single point last, after infinity", 1 << log_arity);
        valid(file, &["Infinity", "Malleable", "Tree"], comment, &dev(4, vec![opening]));
    }
    // q_1 + [d]_1 and q_2 - [d (tau^4 - x^4) / (tau - x)]_1.
    let mut opening = Vector::sample(4, 2).tree(6);
    let x = Fr::get_root_of_unity(16).expect("a small domain").pow([6]);
    let [first, second] = &mut opening.points[..] else { panic!("two levels") };
    let d = Fr::from(12345);
    first.0 = plus(&first.0, d);
    second.0 = plus(&second.0, -d * (tau().pow([4]) - x.pow([4])) / (tau() - x));
    let comment = "arity 4: the first point larger by another one, and the second one as fits that";
    valid(file, &["Malleable", "Tree"], comment, &dev(4, vec![opening]));
}

fn setups(file: &mut Builder) {
    for log_n in [1, 16, 28] {
        let input = AmtOpening {
            setup: "ppot".to_owned(),
            allow_insecure_setup: None,
            ..dev(log_n, vec![])
        };
        valid(file, &["Setup"], format!("ppot with 2^{log_n} entries"), &input);
    }
    let key = VerifyingKey::ppot(3).expect("a key");
    let bytes = AmtOpening {
        setup: Hex(key.encode().to_vec()).to_string(),
        log_n: None,
        params_id: Some(Hash32(key.params_id())),
        allow_insecure_setup: Some(false),
        openings: vec![],
    };
    valid(file, &["Setup"], "a key given by its bytes", &bytes);
    let key = VerifyingKey::dev(4).expect("a key");
    let dev_bytes = AmtOpening {
        setup: Hex(key.encode().to_vec()).to_string(),
        params_id: Some(Hash32(key.params_id())),
        allow_insecure_setup: Some(true),
        openings: vec![Vector::sample(4, 2).tree(9)],
        ..bytes
    };
    valid(file, &["Setup", "Tree"], "the development key given by its bytes, allowed", &dev_bytes);
}
