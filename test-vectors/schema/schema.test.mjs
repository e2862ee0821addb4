// Every vector file follows the schema, and the schema refuses what is not a vector file.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Ajv2020 from "ajv/dist/2020.js";

import { withInputs } from "./whole.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const root = dirname(folder);
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false });
const validate = ajv.compile(readJson(join(folder, "vectors_v1.json")));

const vectorFiles = readdirSync(root, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".json") && !/^schema\b|\bdata\b/.test(path))
  .sort();

test("there are vector files", () => {
  assert.ok(vectorFiles.length >= 2, vectorFiles.join());
});

for (const path of vectorFiles) {
  test(`${path} follows the schema`, () => {
    const file = readJson(join(root, path));
    assert.ok(validate(file), `${path}: ${ajv.errorsText(validate.errors)}`);
    assert.ok(
      validate(withInputs(file)),
      `${path}, edits applied: ${ajv.errorsText(validate.errors)}`,
    );
    const tests = file.testGroups.flatMap((group) => group.tests);
    assert.equal(file.numberOfTests, tests.length);
    assert.equal(new Set(tests.map((t) => t.tcId)).size, tests.length, "tcIds are unique");
    const flags = new Set(tests.flatMap((t) => t.flags));
    assert.deepEqual([...flags].sort(), Object.keys(file.notes).sort(), "each flag has its note");
  });
}

const hash = `0x${"11".repeat(32)}`;
const checkpoint = {
  config: {
    version: 2,
    chainId: "test",
    schemes: [{ id: 1, params: "0x" }],
    authorities: [hash],
    quorum: 1,
    limits: { maxKey: 256, maxValue: 65536, maxOps: 200000 },
    genesisTimestampMs: "0x18bcfe56800",
  },
  height: "0x0",
  headerHash: hash,
};
const headers = {
  type: "HeaderSync",
  tests: [
    {
      tcId: 3,
      comment: "c",
      flags: [],
      input: { checkpoint, head: "0x00", inclusion: [hash], now: "0x18bcfe56800" },
      result: "valid",
      expected: { height: "0x9", headerHash: hash },
    },
  ],
};

const stateAnswer = {
  type: "StateAnswer",
  input: { scheme: "avl", ...headers.tests[0].input, keys: ["0x61", "0x"], proof: "0x04" },
  expected: { height: "0x9", headerHash: hash, values: ["0x31", null] },
};
const blockTransition = {
  type: "BlockTransition",
  input: {
    digest: `0x${"00".repeat(33)}`,
    header: "0x00",
    limits: checkpoint.config.limits,
    ops: [
      { op: "Delete", key: "0x61" },
      { op: "Set", key: "0x62", value: "0x" },
    ],
    proof: "0x04",
  },
  expected: { digest: `0x${"00".repeat(33)}` },
};
const stateBlock = { ...blockTransition, type: "StateBlock" };
const proof = {
  type: "MptProof",
  input: { root: hash, key: "0x", proof: ["0x80"], limits: { maxProofBytes: 1 } },
  expected: { value: null },
};
const smtProof = {
  type: "SmtProof",
  input: { root: hash, height: "0x8", keys: ["0x", "0x61"], proof: "0x010301" },
  expected: { answers: [{ value: "0x", since: "0x0" }, { deletedAt: "0x7" }] },
};
const smtHistory = {
  type: "SmtHistory",
  input: {
    key: "0x61",
    from: "0x0",
    to: "0x9",
    roots: [{ height: "0x9", root: hash }],
    proof: "0x010302",
    average: { from: "0x1", to: "0x2", timestamps: [{ height: "0x1", timestampMs: "0x3e8" }] },
  },
  expected: {
    blocks: ["0x9"],
    entering: {},
    changes: [],
    average: {
      sum: `0x${"00".repeat(40)}`,
      coveredMs: "0x0",
      gaps: [{ fromMs: "0x1", toMs: "0x2" }],
    },
  },
};
const ambProof = {
  type: "AmbProof",
  input: { root: hash, block: "0x8", kind: "get", keys: ["0x"], at: "0x7", proof: "0x010601" },
  expected: { answers: [{}] },
};
const ambRange = {
  type: "AmbProof",
  input: {
    ...{ root: hash, block: "0x8", kind: "range", lo: "0x", hi: null },
    ...{ at: "0x0", reverse: false, proof: "0x010603", limits: { maxEntries: 1 } },
  },
  expected: { entries: [{ key: "0x", value: "0x", since: "0x0" }], next: "0x00" },
};
const ambUpdate = {
  type: "AmbProof",
  input: {
    ...{ root: hash, block: "0x8", kind: "update", operations: [{ op: "Delete", key: "0x" }] },
    parts: [{ keys: ["0x"], proof: "0x010606" }],
  },
  expected: { root: hash },
};
const smtDiff = {
  type: "SmtDiff",
  input: { from: null, to: "0x0", root: hash, proof: "0x010303" },
  expected: { changes: [{ key: "0x", deletedAt: "0x0" }] },
};
const amtOpening = {
  type: "AmtOpening",
  input: {
    setup: "dev",
    logN: 4,
    allowInsecureSetup: true,
    openings: [
      { kind: "tree", logArity: 4, commitment: hash, index: 3, value: hash, points: [hash] },
      {
        kind: "single",
        commitment: hash,
        index: 0,
        versions: ["0x0", "0x1", "0x0", "0x0", "0x0", "0x0"],
        points: [hash],
      },
    ],
  },
  expected: { paramsId: hash },
};
const response = {
  address: `0x${"Aa".repeat(20)}`,
  accountProof: [],
  balance: "0x00",
  codeHash: hash,
  nonce: "0x0",
  storageHash: hash,
  storageProof: [{ key: "0x0001", value: "0x0", proof: [], extra: 1 }],
  extra: null,
};
const answer = {
  type: "EthGetProof",
  input: { stateRoot: hash, address: response.address, slots: ["0x1"], response },
  expected: {
    account: { nonce: "0x0", balance: `0x${"f".repeat(64)}`, storageHash: hash, codeHash: hash },
    storage: ["0x0"],
  },
};
const sentAnswer = { ...answer, type: "EthAnswer" };
const header = {
  type: "EthHeader",
  input: { hash, headerRlp: "0xc0" },
  expected: { number: "0x0", stateRoot: hash },
};

const ofRange = {
  ...headers.tests[0].input,
  ...{ scheme: "smt", headers: ["0x00"], hashes: [hash], from: "0x0", to: "0x1", proof: "0x" },
};
const stateHistory = {
  type: "StateHistory",
  input: { ...ofRange, key: "0x61", average: true },
  expected: {
    entering: {},
    changes: [{ value: "0x01", since: "0x0" }],
    average: { sum: `0x${"00".repeat(40)}`, coveredMs: "0x0", gaps: [] },
  },
};
const stateDiff = {
  type: "StateDiff",
  input: { ...ofRange, from: null },
  expected: { changes: [{ key: "0x61", value: "0x01", since: "0x0" }] },
};
const ofKeys = { ...headers.tests[0].input, scheme: "amb", lo: "0x", hi: null, proof: "0x" };
const stateRange = {
  type: "StateRange",
  input: { ...ofKeys, at: "0x0", reverse: false },
  expected: {
    ...{ height: "0x9", headerHash: hash, next: null },
    entries: [{ key: "0x61", value: "0x01", since: "0x0" }],
  },
};
const stateCount = {
  type: "StateCount",
  input: ofKeys,
  expected: { height: "0x9", headerHash: hash, count: "0x0" },
};
const wanted = {
  type: "HeaderWanted",
  input: { header: "0x00", newest: "0x0" },
  expected: { height: "0x9", headerHash: hash },
};
const knownHeader = { height: "0x0", headerHash: hash };
const relation = {
  type: "HeaderRelation",
  input: { one: knownHeader, other: knownHeader },
  expected: { relation: "same" },
};
const code = { type: "EthCode", input: { codeHash: hash, code: "0x" }, expected: {} };
const transaction = { type: "EthTransaction", input: { raw: "0x", hash }, expected: { hash } };

const input = {
  keyLength: 1,
  valueLength: null,
  digest: `0x${"00".repeat(33)}`,
  ops: [{ op: "Lookup", key: "0x01" }],
  proof: "0x04",
  mode: "strict",
};

/** A correct file with tests of two types, changed by `change`. */
function fileWith(change = () => {}) {
  const file = {
    schema: "schema/vectors_v1.json",
    scheme: "avl",
    origin: "this test",
    license: "MIT OR Apache-2.0",
    numberOfTests: 3,
    notes: {},
    testGroups: [
      {
        type: "AvlBatch",
        tests: [
          { tcId: 1, comment: "a", flags: [], input: { ...input }, result: "valid", expected: {} },
          { tcId: 2, comment: "b", flags: [], input: { ...input }, result: "invalid" },
        ],
      },
      structuredClone(headers),
    ],
  };
  const [group, headerGroup] = file.testGroups;
  const [valid, invalid] = group.tests;
  const [header] = headerGroup.tests;
  change({ file, group, headerGroup, valid, invalid, header, sync: header.input });
  return file;
}

/** Makes the last group that of an example, whose test is changed by `change`. */
function ofType({ type, ...test }, change = () => {}) {
  return ({ headerGroup, header }) => {
    headerGroup.type = type;
    Object.assign(header, structuredClone(test));
    change(header);
  };
}

/** A change by a row: the example, unless it is the file's own test, then a path, and its value, or none to delete it. */
function byRow(row) {
  const [example, path, ...value] = typeof row[0] === "string" ? [undefined, ...row] : row;
  const set = (parts) => {
    if (path === undefined) return;
    const names = path.split(".");
    const last = names.pop();
    const place = names.reduce((part, name) => part[name], parts);
    assert.ok(place && (value.length > 0 || last in place), path);
    if (value.length > 0) place[last] = value[0];
    else delete place[last];
  };
  return example ? ofType(example, set) : set;
}

test("the example that the cases below change is correct", () => {
  assert.ok(validate(fileWith()), ajv.errorsText(validate.errors));
});

const accepted = {
  "an invalid test whose input is malformed": ["invalid.input", { keyLength: "32", ops: null }],
  "an invalid test with code and reason": ({ invalid }) => {
    Object.assign(invalid, { expectedError: "mismatch", expectedReason: "root_mismatch" });
  },
  "limits in a valid input": ["valid.input.limits", { maxOperations: 1 }],
  "a file of no scheme but the chain": ["file.scheme", "chain"],
  "a skew and an age": ({ sync }) => {
    Object.assign(sync, { maxClockSkew: "0x0", maxHeadAge: "0xffffffffffffffff" });
  },
  "a setup of LVMT": ({ sync }) => {
    sync.checkpoint.config.schemes.push({ id: 2, params: `${hash}1004` });
  },
  "edits of an earlier input": ({ invalid }) => {
    delete invalid.input;
    invalid.base = 1;
    invalid.edits = [
      { at: ["proof"], from: 0, cut: 1, put: "0x" },
      { at: ["ops"], from: 0, cut: 0, put: [null] },
      { at: ["ops", 1, "key"], set: "" },
      { at: ["mode"], remove: true },
    ];
  },
  "a long array by its parts": [
    "valid.input.ops",
    { joined: [{ repeat: input.ops, times: 4096 }, input.ops] },
  ],
  "an expected value by its parts": [
    stateAnswer,
    "expected.values.0",
    { joined: [{ repeat: "0x00", times: 70_000 }] },
  ],
  "long bytes by their parts": ({ valid, sync }) => {
    valid.input.proof = { joined: ["0x01", { repeat: "0x00", times: 3 }] };
    sync.head = { joined: [] };
  },
  "an inclusion": ({ headerGroup, header }) => {
    headerGroup.type = "HeaderInclusion";
    header.input = { head: "0x00", header: "0x00", inclusion: [] };
  },
  "an inclusion of several headers": ({ headerGroup, header }) => {
    headerGroup.type = "HeadersInclusion";
    header.input = { head: "0x00", headers: ["0x00", "0x01"], hashes: [hash] };
    header.expected = { headerHashes: [hash, hash] };
  },
  "an answer about the head": [stateAnswer],
  "an answer about an older block": ofType(stateAnswer, ({ input }) => {
    Object.assign(input, { header: "0x00", path: [hash] });
  }),
  "a block's transition": [blockTransition],
  "a proof of a trie": [proof],
  "a proof of keys at a block": [smtProof],
  "a history with an average": [smtHistory],
  "a history that hides what was before": [smtHistory, "expected.entering", null],
  "a diff": [smtDiff],
  "a proof of ordered keys": [ambProof],
  "a range of keys": [ambRange],
  "an update of ordered keys": [ambUpdate],
  "openings of both kinds": [amtOpening],
  "a setup by its bytes": ofType(amtOpening, ({ input }) => {
    input.setup = "0x";
    delete input.logN;
  }),
  "an answer to eth_getProof": [answer],
  "an absent account": [answer, "expected.account", null],
  "an answer to eth_getProof as it was sent": ofType(sentAnswer, ({ input, expected }) => {
    expected.canonical = { ...response };
    input.response = { ...response, nonce: "0x", codeHash: null, storageHash: null };
    input.response.storageProof = [{ key: "0x1", value: null, proof: null }];
  }),
  "a sent answer without slots": ofType(sentAnswer, ({ input }) => {
    const { storageProof: _, ...others } = response;
    input.response = { ...others, accountProof: null, balance: null };
  }),
  "a header of Ethereum": [header],
  "a header asked for by its height": ({ headerGroup, header }) => {
    headerGroup.type = "HeaderInclusion";
    header.input = { head: "0x00", header: "0x00", height: "0x0", inclusion: [] };
  },
  "an answer by a verifying key, and since when": ofType(stateAnswer, (test) => {
    test.input.verifyingKey = "0x04";
    test.expected.states = [{ value: "0x31", since: "0x1", version: "0x1" }, { deletedAt: "0x2" }];
  }),
  "a block after its parent": ofType(stateBlock, ({ input }) => {
    delete input.digest;
    input.parent = "0x00";
  }),
  "a history from a checkpoint on": [stateHistory],
  "a diff from a checkpoint on": [stateDiff],
  "all keys from a checkpoint on": [stateRange],
  "a page by an older header": ofType(stateRange, ({ input, expected }) => {
    Object.assign(input, { header: "0x00", path: [hash], hi: "0x62" });
    expected.next = "0x6161";
  }),
  "a number of keys from a checkpoint on": [stateCount],
  "the newest header": [wanted],
  "two headers": [relation],
  "code of an account": [code],
  "a transaction": [transaction],
};

const refused = {
  "a group type that is not specified": ["group.type", "VerkleProof"],
  "an unknown scheme": ["file.scheme", "verkle"],
  "a missing licence": ["file.license"],
  "an unknown member of the file": ["file.header", ""],
  "an unknown member of a group": ["group.source", ""],
  "an unknown member of a test": ["invalid.acceptable", true],
  "a third kind of result": ["invalid.result", "acceptable"],
  "an input that is not an object": ["invalid.input", "0x"],
  "a valid test that expects an error": ["valid.expectedError", "mismatch"],
  "an invalid test that expects results": ["invalid.expected", {}],
  "a reason without its code": ["invalid.expectedReason", "root_mismatch"],
  "an unknown code": ["invalid.expectedError", "forged"],
  "a valid test whose input lacks a member": ["valid.input.mode"],
  "a valid test with bytes of odd length": ["valid.input.proof", "0x0"],
  "a valid test with bytes without 0x": ["valid.input.proof", "04"],
  "a valid test with bytes after 0X": ["valid.input.proof", "0X04"],
  "joined bytes beside another member": ["valid.input.proof", { joined: ["0x01"], times: 1 }],
  "a part without the number of times": ["valid.input.proof", { joined: [{ repeat: "0x00" }] }],
  "a part that comes more often than an input is long": [
    "valid.input.proof",
    { joined: [{ repeat: "0x00", times: 2 ** 24 + 1 }] },
  ],
  "a base beside an input": ({ invalid }) => {
    Object.assign(invalid, { base: 1, edits: [] });
  },
  "edits without a base": ({ invalid }) => {
    delete invalid.input;
    invalid.edits = [];
  },
  "an edit without a place": ({ invalid }) => {
    delete invalid.input;
    Object.assign(invalid, { base: 1, edits: [{ set: 1 }] });
  },
  "an edit of two kinds": ({ invalid }) => {
    delete invalid.input;
    Object.assign(invalid, { base: 1, edits: [{ at: ["mode"], set: 1, remove: true }] });
  },
  "an edit of the whole input": ({ invalid }) => {
    delete invalid.input;
    Object.assign(invalid, { base: 1, edits: [{ at: [], set: {} }] });
  },
  "a valid test with an unknown member in its input": ["valid.input.Limits", {}],
  "a valid test with limits of null": ["valid.input.limits", null],
  "a limit of 2^32": ["valid.input.limits", { maxOperations: 2 ** 32 }],
  "a value for an operation that takes none": [
    "valid.input.ops",
    [{ op: "Lookup", key: "0x01", value: "0x" }],
  ],
  "an operation without its value": ["valid.input.ops", [{ op: "Insert", key: "0x01" }]],
  "a delta as a JSON number": ["valid.input.ops", [{ op: "UpdateLongBy", key: "0x01", delta: 1 }]],
  "a time as a JSON number": ["sync.now", 1_700_000_000_000],
  "a quantity with leading zeros": ["sync.checkpoint.height", "0x00"],
  "a quantity of more than 64 bits": ["sync.now", "0x10000000000000000"],
  "a scheme without its parameters": ["sync.checkpoint.config.schemes.0.params"],
  "a checkpoint with an unknown member": ["sync.checkpoint.config.genesis", hash],
  "a hash of 31 bytes in a path": ["sync.inclusion", [hash.slice(0, -2)]],
  "a quorum of more than 16 bits": ["sync.checkpoint.config.quorum", 65536],
  "an authority twice": ["sync.checkpoint.config.authorities", [hash, hash]],
  "a sync that expects a digest": ["header.expected", { digest: hash }],
  "the input of one type in a group of another": ["headerGroup.type", "HeaderInclusion"],
  "an older block without its path": [stateAnswer, "input.header", "0x00"],
  "a path without a header": [stateAnswer, "input.path", []],
  "an answer of another scheme": [stateAnswer, "input.scheme", "mpt"],
  "an answer whose key is text": [stateAnswer, "input.keys", ["alice"]],
  "an answer whose value is text": [stateAnswer, "expected.values", ["100"]],
  "a Delete with a value": [blockTransition, "input.ops.0.value", "0x"],
  "a transition that lacks a limit": [blockTransition, "input.limits.maxOps"],
  "a digest of 32 bytes": [blockTransition, "expected.digest", hash],
  "a proof without a key": [proof, "input.key"],
  "a proof of one string": [proof, "input.proof", "0x80"],
  "a proof of no key": [smtProof, "input.keys", []],
  "a value without its block": [smtProof, "expected.answers.0.since"],
  "a history with a bare root": [smtHistory, "input.roots", [hash]],
  "a sum of 39 bytes": [smtHistory, "expected.average.sum", `0x${"00".repeat(39)}`],
  "a diff without its first block": [smtDiff, "input.from"],
  "a change of a diff without its block": [smtDiff, "expected.changes.0.deletedAt"],
  "a get with the bounds of a range": [ambProof, "input.lo", "0x"],
  "a range without its upper bound": [ambRange, "input.hi"],
  "a range whose next page is not said": [ambRange, "expected.next"],
  "a value of a range without its block": [ambRange, "expected.entries.0.since"],
  "an update with one proof for all parts": [ambUpdate, "input.proof", "0x010606"],
  "an update without parts": [ambUpdate, "input.parts", []],
  "a kind that is not specified": [ambProof, "input.kind", "list"],
  "a setup without its size": [amtOpening, "input.logN"],
  "a tree without its arity": [amtOpening, "input.openings.0.logArity"],
  "a single opening with an arity": [amtOpening, "input.openings.1.logArity", 1],
  "a value beside versions": [amtOpening, "input.openings.1.value", hash],
  "five versions": ofType(amtOpening, ({ input }) => {
    input.openings[1].versions.pop();
  }),
  "a slot of more than 256 bits": [answer, "input.slots", [`0x1${"0".repeat(64)}`]],
  "an answer without its balance": [answer, "input.response.balance"],
  "an answer with a balance in decimal": [answer, "input.response.balance", "12"],
  "a sent answer about no account": [sentAnswer, "input.response.address"],
  "a sent slot of null": [
    sentAnswer,
    "input.response.storageProof",
    [{ key: null, value: "0x0", proof: [] }],
  ],
  "a sent balance as a number": [sentAnswer, "input.response.balance", 1],
  "a sent answer without a nonce": [sentAnswer, "input.response.nonce"],
  "a canonical answer without its balance": [
    sentAnswer,
    "expected.canonical",
    { ...response, balance: undefined },
  ],
  "an expected value with leading zeros": [answer, "expected.storage", ["0x00"]],
  "a state that was set and deleted": [
    stateAnswer,
    "expected.states",
    [{ value: "0x31", deletedAt: "0x2" }],
  ],
  "a block whose parent is an object": [stateBlock, "input.parent", {}],
  "a history of a scheme that has none": [stateHistory, "input.scheme", "avl"],
  "a history that expects its blocks": [stateHistory, "expected.blocks", ["0x1"]],
  "a diff of a key": [stateDiff, "input.key", "0x61"],
  "a range of keys of a scheme without order": [stateRange, "input.scheme", "smt"],
  "a range of keys without its upper bound": [stateRange, "input.hi"],
  "a range of keys without its block": [stateRange, "input.at"],
  "a key of a range without its block": [stateRange, "expected.entries.0.since"],
  "a number of keys after an older block": [stateCount, "input.at", "0x0"],
  "a number of keys by a header without its path": [stateCount, "input.header", "0x00"],
  "a number of keys as a number": [stateCount, "expected.count", 0],
  "a header that was asked for in two ways": [wanted, "input.height", "0x0"],
  "a relation without a name": [relation, "expected.relation", "equal"],
  "an account's code that expects something": [code, "expected.code", "0x"],
  "a transaction without a hash": [transaction, "input.hash"],
  "a header whose hash has 31 bytes": [header, "input.hash", hash.slice(0, -2)],
};

const changedBy = (change) => fileWith(typeof change === "function" ? change : byRow(change));

for (const [name, change] of Object.entries(accepted)) {
  test(`accepts ${name}`, () => {
    assert.ok(validate(changedBy(change)), ajv.errorsText(validate.errors));
  });
}

for (const [name, change] of Object.entries(refused)) {
  test(`refuses ${name}`, () => {
    assert.equal(validate(changedBy(change)), false);
  });
}
