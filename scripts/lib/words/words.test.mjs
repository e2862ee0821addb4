// The rules for the names of Rust's types.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  MAX_SHARE,
  counted,
  fault,
  faults,
  isOneWord,
  ofOneWord,
  typesIn,
  wordsOf,
  workspaceTypes,
} from "./words.mjs";

test("types are found wherever they are declared, but for associated ones", () => {
  const text = `
use a::B;
#[derive(Clone)] // struct InComment
pub struct Whole<T>(T) where T: Fn();
/* enum InComment {} */
pub(in crate::x) enum Two { A = b'{' as isize, B(char) }
pub unsafe trait Three { type Associated; fn f(&self) -> impl Four { struct InFunction; } }
impl<'a> Three for Whole<'a> { type Associated = u8; const A: char = '"'; fn g() { type InMethod = u8; } }
const TEXT: &str = r#"struct "InText" {"#;
fn f(it: impl Five) { enum InBody {} }
type Alias = [u8; 32];
mod m { #[derive(Copy)] #[cfg(feature = "x")] pub(super) type InModule = u8; union Pair { a: u8 } }
#[cfg(not(feature = "x"))]
mod m { pub struct InAlternative; }
`;
  const found = typesIn("crates/a/src/b.rs", text);
  assert.deepEqual(
    found.map(({ name, line }) => `${line} ${name}`),
    [
      ...["4 Whole", "6 Two", "7 Three", "7 InFunction", "8 InMethod", "10 InBody", "11 Alias"],
      ...["12 InModule", "12 Pair", "14 InAlternative"],
    ],
  );
  const names = (types) => types.map(({ name }) => name);
  const isPublic = names(found.filter(({ isPublic }) => isPublic));
  assert.deepEqual(isPublic, ["Whole", "Two", "Three", "InModule", "InAlternative"]);
  const conditional = names(found.filter(({ isConditional }) => isConditional));
  assert.deepEqual(conditional, ["InModule", "InAlternative"]);
});

test("the words of a name are counted without those that say nothing", () => {
  assert.deepEqual(wordsOf("ProofNode"), ["Proof", "Node"]);
  assert.deepEqual(wordsOf("RLPNode2"), ["RLP", "Node2"]);
  for (const name of ["Proof", "H256", "Sha256", "RLP", "BlockInfo", "InnerNode"]) {
    assert.ok(isOneWord(name), name);
  }
  for (const name of ["ProofNode", "KeyRangeItem", "SplitMix64"]) assert.ok(!isOneWord(name), name);
});

test("participles and pronouns are no names, but some nouns end like them", () => {
  for (const name of ["Asked", "Taken", "Kept", "Told", "Ours", "Which", "At", "Growing"]) {
    assert.ok(fault(name), name);
  }
  for (const name of ["Verified", "Prepared", "Seed", "Token", "OpenedNode", "Opening", "Proof"]) {
    assert.equal(fault(name), undefined, name);
  }
});

test("what breaks a rule is named with its place", () => {
  const sources = {
    "crates/a/src/lib.rs": "pub struct Header;\nstruct Node;\nstruct Kept;\n",
    "crates/a/src/x.rs": "pub(crate) struct Header;\nstruct Node;\n",
    "crates/a/src/y.rs": "#[cfg(unix)]\npub struct Header;\nstruct Header;\n",
    "crates/b/src/lib.rs": "pub struct Header;\npub struct Node;\npub struct ProofNode;\n",
  };
  const all = Object.entries(sources).flatMap(([path, text]) => typesIn(path, text));
  assert.deepEqual(faults(all), [
    "crates/a/src/lib.rs:3 Kept: not a noun",
    "crates/a/src/x.rs:1 Header: public a second time, after crates/a/src/lib.rs:1",
  ]);
  assert.deepEqual(
    ofOneWord(all).map(({ name }) => name),
    ["Header", "Kept", "Header", "Header", "Header", "Header", "Node"],
  );
});

test("the names of the workspace's types follow the rules", () => {
  const types = workspaceTypes();
  assert.ok(types.length > 1000, `${types.length} types`);
  assert.deepEqual(faults(types), []);
  const share = ofOneWord(types).length / counted(types).length;
  assert.ok(share <= MAX_SHARE, `${share}`);
});
