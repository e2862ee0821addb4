//! The answers to submissions, and the blocks in which the submissions are.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use prooflight_core::chain::ChainConfig;
use serde_json::{Value, json};

use super::light::header;
use super::{Client, Node, hex, set, text};

/// The answer to a numbered submission.
#[derive(Clone, Debug)]
pub(crate) enum SubmitAnswer {
    /// The block that includes it.
    Included(Value),
    /// It is in no block: a running node has refused it.
    Refused,
    /// No block came in time: it is in a block, will be in one, or never will.
    Late,
    /// No answer, since the connection broke: handled like a late one.
    Nothing,
}

/// Numbered submissions, and the blocks in which they were found.
///
/// Each sets its own key, and sets the same common keys to its number. So a block shows which submissions it has, and
/// that they are complete.
pub(crate) struct Ledger {
    config: ChainConfig,
    /// By number.
    answers: Vec<SubmitAnswer>,
    /// The hashes of the blocks that were read, by height.
    blocks: Vec<Value>,
    /// The heights of the submissions in them, by number.
    found: BTreeMap<usize, usize>,
}

/// The keys that every submission sets.
const COMMON_KEYS: usize = 20;

/// The time in which a chain with all its authorities must make a block.
const BLOCK_TIMEOUT: Duration = Duration::from_mins(3);

impl Ledger {
    pub(crate) const fn new(config: ChainConfig) -> Self {
        Self { config, answers: Vec::new(), blocks: Vec::new(), found: BTreeMap::new() }
    }

    /// The number of the next submission.
    pub(crate) const fn next(&self) -> usize {
        self.answers.len()
    }

    /// Records the answers to the submissions of the next numbers.
    pub(crate) fn add(&mut self, told: impl IntoIterator<Item = SubmitAnswer>) {
        self.answers.extend(told);
    }

    /// The numbers of acknowledged, refused and other submissions.
    pub(crate) fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for told in &self.answers {
            counts[match told {
                SubmitAnswer::Included(_) => 0,
                SubmitAnswer::Refused => 1,
                SubmitAnswer::Late | SubmitAnswer::Nothing => 2,
            }] += 1;
        }
        counts
    }

    /// The number of submissions in the chain that were not acknowledged.
    pub(crate) fn unknown_but_found(&self) -> usize {
        let is_unknown = |number: &&usize| {
            matches!(self.answers[**number], SubmitAnswer::Late | SubmitAnswer::Nothing)
        };
        self.found.keys().filter(is_unknown).count()
    }

    /// Reads the blocks that are new. Fails if one is not the next one, has a submission that another one has or
    /// that was refused, or has a part of one; or if an acknowledged submission of the last `recent` ones is
    /// not in the block that was named.
    pub(crate) fn check(&mut self, node: &Node, recent: usize) {
        let newest = height_of(&ask(node, "prooflight_head", &json!({}))["height"]);
        for height in self.blocks.len()..=newest {
            self.read(node, height);
        }
        for number in self.answers.len().saturating_sub(recent)..self.answers.len() {
            let SubmitAnswer::Included(included) = &self.answers[number] else { continue };
            let (height, found) = (height_of(&included["height"]), self.found.get(&number));
            assert_eq!(found, Some(&height), "acknowledged submission {number}: {included}");
            assert_eq!(self.blocks[height], included["hash"], "submission {number}");
        }
        for height in self.blocks.len().saturating_sub(recent)..self.blocks.len() {
            let kept = ask(node, "prooflight_header", &json!({ "at": format!("{height:#x}") }));
            assert_eq!(kept["hash"], self.blocks[height], "another block of height {height}");
        }
    }

    /// Like [`check`](Self::check), for all submissions.
    pub(crate) fn check_all(&mut self, node: &Node) {
        self.check(node, usize::MAX);
    }

    fn read(&mut self, node: &Node, height: usize) {
        let block = ask(node, "prooflight_block", &json!({ "at": format!("{height:#x}") }));
        let signed = header(&block["header"]);
        signed.check_signed(&self.config).unwrap();
        assert_eq!(signed.header.height, height as u64);
        if let Some(before) = self.blocks.last() {
            assert_eq!(hex(&signed.header.parent), *before, "the parent of block {height}");
        }
        self.blocks.push(hex(&signed.header.hash()).into());

        let (mut own, mut common) = (Vec::new(), Vec::new());
        for op in block["ops"].as_array().unwrap() {
            let [key, value] = [&op["key"], &op["value"]].map(|part| text(&super::bytes(part)));
            let kept = if key.starts_with("common") { &mut common } else { &mut own };
            kept.push(value.parse::<usize>().unwrap());
        }
        for &number in &own {
            assert!(
                number < self.answers.len(),
                "submission {number} in block {height}: of nobody"
            );
            let told = &self.answers[number];
            assert!(
                !matches!(told, SubmitAnswer::Refused),
                "{number} in block {height}: was refused"
            );
            let before = self.found.insert(number, height);
            assert_eq!(before, None, "submission {number} is in two blocks, also {height}");
        }
        let whole = common.len() == if own.is_empty() { 0 } else { COMMON_KEYS };
        let of_one = common.iter().all(|number| own.contains(number) && *number == common[0]);
        assert!(whole && of_one, "submissions in part in block {height}: {own:?}, {common:?}");
    }

    /// Submits until a block is made, then checks everything; fails if the chain makes no block.
    pub(crate) fn check_goes_on(&mut self, node: &Node, when: &str) {
        let begun = Instant::now();
        loop {
            let (told, why) = submit_numbered(&node.client(), self.next());
            let is_included = matches!(told, SubmitAnswer::Included(_));
            self.add([told]);
            if is_included {
                return self.check(node, 20);
            }
            let ready = || node.admin().get("/ready").1;
            let late = begun.elapsed() > BLOCK_TIMEOUT;
            assert!(!late, "{when}: no block for {BLOCK_TIMEOUT:?}: {why}; ready: {}", ready());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The result of a method that only reads. Like a submission, a call may be late if the machine pauses both processes
/// for long; it is then repeated.
fn ask(node: &Node, method: &str, params: &Value) -> Value {
    let mut tries = 0;
    loop {
        tries += 1;
        let late = match node.client().call(method, params) {
            Ok(Ok(result)) => return result,
            Ok(Err(error)) => {
                let reason = &error["data"]["reason"];
                assert_eq!(reason, "request_timeout", "{method} {params}: {error}");
                error.to_string()
            }
            Err(error) => error.to_string(),
        };
        assert!(tries < 3, "{method} {params}: {late}");
    }
}

/// Submits by number; also returns the answer that was no block.
///
/// Fails on any answer that a leader must not give while it or its authorities are killed.
pub(crate) fn submit_numbered(client: &Client, number: usize) -> (SubmitAnswer, String) {
    let value = number.to_string();
    let common = (0..COMMON_KEYS).map(|key| set(&format!("common {key}"), &value));
    let ops: Vec<_> = common.chain([set(&format!("own {value}"), &value)]).collect();
    match client.call("prooflight_submit", &json!({ "ops": ops })) {
        Ok(Ok(included)) => (SubmitAnswer::Included(included), String::new()),
        Ok(Err(error)) if error["data"]["reason"] == "request_timeout" => {
            (SubmitAnswer::Late, error.to_string())
        }
        Ok(Err(error)) => {
            assert_eq!(error["data"]["reason"], "quorum_missing", "submission {number}: {error}");
            (SubmitAnswer::Refused, error.to_string())
        }
        Err(error) => (SubmitAnswer::Nothing, format!("no answer: {error}")),
    }
}

fn height_of(quantity: &Value) -> usize {
    usize::from_str_radix(quantity.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}
