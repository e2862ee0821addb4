//! Checkpoints that are none: refused, and never taken for a default.

use prooflight_core::chain::{ChainConfig, LvmtConfig, SchemeConfig};
use prooflight_core::{Reason, Scheme};
use serde_json::{Value, json, to_value};

use crate::carrier::{Hash32, Hex};
use crate::generate::builder::Builder;
use crate::generate::chain::made::{Chain, config, config_of_all_schemes, key};

pub(super) fn add(file: &mut Builder) {
    configs(file);
    members(file);
    quantities(file);
    bytes(file);
    numbers(file);
    others(file);
}

/// Well-formed checkpoints, whose chain cannot be; the head names the configuration's hash.
fn configs(file: &mut Builder) {
    let all = config_of_all_schemes;
    let lvmt = || all().lvmt().expect("it keeps lvmt");
    let mut refuse = |comment: &str, config: ChainConfig| {
        let chain = Chain::new(config, 2);
        file.invalid(&["Config"], comment, &chain.sync(0, 1), Reason::InvalidConfig);
    };
    refuse("a configuration of version 0", ChainConfig { version: 0, ..config(1, 1) });
    refuse("a configuration of version 1", ChainConfig { version: 1, ..config(1, 1) });
    refuse("a configuration of version 3", ChainConfig { version: 3, ..config(1, 1) });
    refuse("a quorum of 0, and no signature", config(3, 0));
    refuse("a quorum larger than the number of authorities", config(2, 3));
    refuse("no authority and a quorum of 0", config(0, 0));
    refuse("no authority", config(0, 1));
    let mut twice = config(2, 2);
    twice.authorities[1] = twice.authorities[0];
    refuse("an authority twice, which could sign twice", twice);
    let mut apart = config(3, 2);
    apart.authorities[2] = apart.authorities[0];
    refuse("the first authority is the last one, too", apart);
    let schemes = |schemes: &[(u8, &[u8])]| {
        let scheme = |&(id, params): &(u8, &[u8])| SchemeConfig { id, params: params.to_vec() };
        ChainConfig { schemes: schemes.iter().map(scheme).collect(), ..config(1, 1) }
    };
    refuse("schemes in descending order", schemes(&[(3, &[]), (1, &[])]));
    refuse("a scheme twice", schemes(&[(1, &[]), (1, &[])]));
    for id in [0, 7, 255] {
        let comment = format!("scheme {id}, which does not exist");
        refuse(&comment, schemes(&[(id, &[])]));
    }
    let setup = SchemeConfig::lvmt(&lvmt()).params;
    refuse("scheme 2 without its parameters", schemes(&[(1, &[]), (2, &[])]));
    refuse("scheme 2 with a byte of its parameters missing", schemes(&[(2, &setup[..33])]));
    refuse("scheme 2 with a byte after its parameters", {
        schemes(&[(2, &[&setup[..], &[0]].concat())])
    });
    for scheme in Scheme::ALL.into_iter().filter(|&scheme| scheme != Scheme::Lvmt) {
        let comment = format!("parameters of {}, which has none", scheme.as_str());
        refuse(&comment, schemes(&[(scheme.id(), &[0])]));
    }
    refuse("the parameters of scheme 2 with scheme 3", schemes(&[(1, &[]), (3, &setup)]));
    for (log_n, log_arity, comment) in [
        (0, 1, "vectors of no length"),
        (17, 1, "vectors too long for a level"),
        (255, 1, "vectors longer than any setup"),
        (16, 0, "an arity of 1"),
        (16, 3, "an arity that does not fit"),
        (8, 16, "an arity above the length"),
        (0, 0, "vectors of no length, and an arity of 1"),
    ] {
        let params = SchemeConfig::lvmt(&LvmtConfig { log_n, log_arity, ..lvmt() }).params;
        let comment = format!("{comment}: log_n {log_n}, log_arity {log_arity}");
        refuse(&comment, schemes(&[(1, &[]), (2, &params), (3, &[])]));
    }
}

/// An honest input as JSON, with a checkpoint that has every member there is.
fn honest() -> Value {
    to_value(Chain::new(config_of_all_schemes(), 2).sync(0, 1)).expect("plain data")
}

/// Every member of a checkpoint, by its place.
const MEMBERS: [&str; 15] = [
    "config",
    "height",
    "headerHash",
    "config/version",
    "config/chainId",
    "config/schemes",
    "config/schemes/1/id",
    "config/schemes/1/params",
    "config/authorities",
    "config/quorum",
    "config/limits",
    "config/limits/maxKey",
    "config/limits/maxValue",
    "config/limits/maxOps",
    "config/genesisTimestampMs",
];

fn refuse(file: &mut Builder, comment: &str, input: &Value) {
    file.invalid(&["Checkpoint"], comment, input, Reason::InvalidArgument);
}

/// The honest input with another value at a place in the checkpoint.
fn with(place: &str, value: Value) -> Value {
    let mut input = honest();
    *input.pointer_mut(&format!("/checkpoint/{place}")).expect("there is such a member") = value;
    input
}

fn members(file: &mut Builder) {
    for place in MEMBERS {
        let (parent, name) =
            place.rsplit_once('/').map_or(("", place), |(parent, name)| (parent, name));
        let mut input = honest();
        let path = format!("/checkpoint/{parent}");
        let parent = input.pointer_mut(path.trim_end_matches('/')).expect("there is a parent");
        parent.as_object_mut().expect("an object").shift_remove(name);
        refuse(file, &format!("{place} is missing"), &input);
        refuse(file, &format!("{place} is null"), &with(place, Value::Null));
        refuse(file, &format!("{place} is true"), &with(place, json!(true)));
    }
    for place in ["", "/config", "/config/schemes/1", "/config/limits"] {
        let mut input = honest();
        let object = input.pointer_mut(&format!("/checkpoint{place}")).expect("it is there");
        object["Version"] = json!(1);
        refuse(file, &format!("an unknown member in checkpoint{place}"), &input);
    }
}

fn quantities(file: &mut Builder) {
    let wrong = [
        json!(0),
        json!(9_007_199_254_740_993_u64),
        json!("0"),
        json!("0x"),
        json!("0x00"),
        json!("0x01"),
        json!("0X1"),
        json!("-0x1"),
        json!("0x+1"),
        json!("0x1g"),
        json!(" 0x1"),
        json!("0x1.0"),
        json!("0x10000000000000000"),
        json!(["0x0"]),
    ];
    for place in ["height", "config/genesisTimestampMs"] {
        for value in &wrong {
            refuse(file, &format!("{place} is {value}"), &with(place, value.clone()));
        }
    }
}

fn bytes(file: &mut Builder) {
    for (what, value) in [
        ("no 0x", json!("")),
        ("an odd number of digits", json!("0x0")),
        ("with 0X", json!("0X00")),
        ("a character that is no digit", json!("0x0g")),
        ("an array of bytes", json!([0])),
    ] {
        let place = "config/schemes/1/params";
        refuse(file, &format!("{place}: {what}"), &with(place, value));
    }
    for place in ["headerHash", "config/authorities/0"] {
        let hash = honest().pointer(&format!("/checkpoint/{place}")).cloned();
        let hash = hash.as_ref().and_then(Value::as_str).expect("a hash").to_owned();
        let cases = [
            ("empty", "0x".to_owned()),
            ("31 bytes", hash[..64].to_owned()),
            ("33 bytes", format!("{hash}00")),
            ("an odd number of digits", hash[..65].to_owned()),
            ("without 0x", hash[2..].to_owned()),
            ("with 0X", hash.replacen("0x", "0X", 1)),
            ("with a character that is no digit", hash.replacen("0x", "0xg", 1)[..66].to_owned()),
        ];
        for (what, value) in cases {
            refuse(file, &format!("{place}: {what}"), &with(place, json!(value)));
        }
    }
}

fn numbers(file: &mut Builder) {
    let cases: [(&str, u64); 5] = [
        ("config/version", 256),
        ("config/schemes/0/id", 257),
        ("config/quorum", 65_537),
        ("config/limits/maxKey", 65_536),
        ("config/limits/maxOps", 1 << 32),
    ];
    for (place, too_large) in cases {
        for value in [json!(too_large), json!(-1), json!(1.5), json!("1"), json!("0x1")] {
            refuse(file, &format!("{place} is {value}"), &with(place, value.clone()));
        }
    }
    let value = json!(1u64 << 32);
    refuse(file, "config/limits/maxValue is 4294967296", &with("config/limits/maxValue", value));
}

fn others(file: &mut Builder) {
    let public = json!(Hex(key(0).verifying_key().to_bytes().to_vec()));
    let cases = [
        ("config/authorities is one key", "config/authorities", public.clone()),
        ("config/authorities is an object", "config/authorities", json!({ "0": public })),
        ("config/schemes is bytes", "config/schemes", json!("0x010203040506")),
        ("config/schemes are names", "config/schemes", json!(["avl"])),
        ("config/schemes are ids", "config/schemes", json!([1, 3])),
        ("config/schemes is an object", "config/schemes", json!({ "1": "0x" })),
        ("config/chainId is a number", "config/chainId", json!(1)),
        ("a scheme is empty", "config/schemes/0", json!({})),
        ("a scheme is null", "config/schemes/0", Value::Null),
        ("config is its hash", "config", json!(Hash32([7; 32]))),
    ];
    for (comment, place, value) in cases {
        refuse(file, comment, &with(place, value));
    }
    for place in ["config", "config/schemes/1", "config/limits"] {
        let values = values(&honest()["checkpoint"], place);
        refuse(file, &format!("{place} is an array of its values"), &with(place, values));
    }
    for (comment, value) in [
        ("the checkpoint is null", Value::Null),
        ("the checkpoint is empty", json!({})),
        ("the checkpoint is a hash", json!(Hash32([7; 32]))),
        ("the checkpoint is a string of JSON", json!(honest()["checkpoint"].to_string())),
        ("the checkpoint is in an array", json!([honest()["checkpoint"]])),
        ("the checkpoint is an array of its values", values(&honest(), "checkpoint")),
    ] {
        let mut input = honest();
        input["checkpoint"] = value;
        refuse(file, comment, &input);
    }
}

/// The values of an object's members, without their names.
fn values(within: &Value, place: &str) -> Value {
    let object = within.pointer(&format!("/{place}")).and_then(Value::as_object);
    object.expect("an object").values().cloned().collect()
}
