/** TypeScript carries bytes: it hashes nothing, and compares no hash, root, or limit of a chain. */

import { readFile, readdir } from "node:fs/promises";

import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url);

/** What the binaries give to TypeScript: each verifies something, and none is a hash function alone. */
const EXPORTS = {
  hash: [
    "ambVerify",
    ...["avlProverApply", "avlProverDigest", "avlProverFree", "avlProverGet", "avlProverNew"],
    ...["avlProverProve", "avlVerifyBatch", "avlVerifyErgoAdProofs"],
    ...["chainCheckKeys", "chainCheckWanted", "chainDecodeHeader", "chainRelation"],
    ...["chainVerifyAncestor", "chainVerifyAncestors", "chainVerifyHead"],
    "lmptVerify",
    ...["mptCanonicalProofs", "mptVerifyAnswers", "mptVerifyCode", "mptVerifyHeader"],
    ...["mptVerifyProof", "mptVerifyTransaction"],
    ...["smtHistoryBlocks", "smtTwap", "smtVerify", "smtVerifyDiff", "smtVerifyHistory"],
    ...["verifyState", "version"],
  ],
  ethereum: [
    ...["beaconCheckHead", "beaconForkVersion", "beaconProcess", "beaconResume", "beaconStart"],
    ...["ethCheckCanonical", "ethDecodeSent", "ethFees", "ethMayMatch", "ethSelector"],
    ...["ethVerifyAncestor"],
    ...["ethVerifyBody", "ethVerifyHeader", "ethVerifyLogs", "ethVerifyPending"],
    ...["ethVerifyReceipt", "ethVerifyReceipts", "ethVerifyTransaction", "ethVerifyTransactions"],
    ...["mptCanonicalProofs", "mptVerifyAnswers", "mptVerifyCode", "mptVerifyHeader"],
    ...["mptVerifyProof", "mptVerifyTransaction", "version"],
  ],
  // A code's hash says whose code it is; the codes of a state are found by it.
  evm: [
    ...["evmAccessList", "evmAddAncestor", "evmAddCode", "evmAddProof", "evmCall", "evmEstimate"],
    ...["evmFree", "evmSimulate", "evmState", "version"],
  ],
  // The index of a key says only which server proves it.
  lvmt: ["amtVerifyOpenings", "lvmtIndexOf", "lvmtVerifyProof", "verifyState", "version"],
};

test.each(Object.entries(EXPORTS))(
  "the %s binary exports no hash function",
  async (name, known) => {
    const glue = await readFile(new URL(`dist/wasm/prooflight_${name}_bg.js`, root), "utf8");
    const exported = [...glue.matchAll(/^export function (\w+)\(/gm)].map(([, name]) => name ?? "");
    expect(exported.filter((name) => !name.startsWith("__wb")).sort()).toEqual(known);
  },
);

/** The first topics of logs about tokens. */
const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const APPROVAL = "8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
const APPROVAL_FOR_ALL = "17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31";
const TOPIC = "which questions a token is asked; what it says then is executed";

/** Where a comparison that looks like a verifier's decides nothing that is believed. */
const ALLOWED: Readonly<Record<string, string>> = {
  "client/heads.ts: subscriber.heard === hash": "whether a listener has heard of this head already",
  "ethereum/blocks.ts: header.parentHash === hash":
    "A block that a verified header names exists, so a server without it gives no answer.",
  "ethereum/beacon.ts: beaconRoot !== finalized.beaconRoot":
    "whether the update that was just verified finalized a block, which makes it evidence",
  [`ethereum/execution/simulate.ts: 0x${TRANSFER}`]: TOPIC,
  [`ethereum/execution/simulate.ts: 0x${APPROVAL}`]: TOPIC,
  [`ethereum/execution/simulate.ts: 0x${APPROVAL_FOR_ALL}`]: TOPIC,
  "ethereum/receipts.ts: toHex(bytes) !== hash":
    "A server's own word says whether it has another block: then it has no answer. What it gives is proven.",
  "ethereum/signed-updates.ts: oldest === root": "which evidence is dropped first",
  "ethereum/states.ts: toHex(found) === hash":
    "A server's own word says whether it is on another branch: only the blame for its refused proof.",
  "ethereum/view.ts: toHex(hash) === header.hash":
    "A server's own word, as for states: only the blame for its refused transaction.",
  "provider/ethereum/chain.ts: cause.hash === hash":
    "whether a null is about what was asked, by the hash that we put into the error",
};

/** Names whose values are compared in Rust. */
const COMPARED = /hash|root|digest|parent$|commitment|timestampMs|maxKey$|maxValue$/i;
/** Of these, what is compared is something else: a name, a kind, a count. */
const NOT_BYTES = /^(undefined|null|"[^"]*"|'[^']*'|HASH_DIGITS|HASH|NO_HASH|\d+n?)$/;

const OPERATORS = new Set([
  ...[ts.SyntaxKind.EqualsEqualsToken, ts.SyntaxKind.EqualsEqualsEqualsToken],
  ...[ts.SyntaxKind.ExclamationEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken],
  ...[ts.SyntaxKind.LessThanToken, ts.SyntaxKind.LessThanEqualsToken],
  ...[ts.SyntaxKind.GreaterThanToken, ts.SyntaxKind.GreaterThanEqualsToken],
]);

/** The value that is compared: `a.b.hash` and `toHex(hash)` are hashes, `hash.length` is not. */
function isCompared(operand: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(operand) || ts.isNonNullExpression(operand)) {
    return isCompared(operand.expression);
  }
  if (ts.isCallExpression(operand)) {
    return /^(toHex|fromHex)$/.test(operand.expression.getText()) || COMPARED.test(nameOf(operand));
  }
  return COMPARED.test(nameOf(operand));
}

function nameOf(node: ts.Expression): string {
  if (ts.isCallExpression(node)) return nameOf(node.expression);
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isIdentifier(node) ? node.text : "";
}

/** What a file does that only Rust should do. */
function findings(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node) && OPERATORS.has(node.operatorToken.kind)) {
      const { left, right } = node;
      const bytes = ![left, right].some((side) => NOT_BYTES.test(side.getText()));
      if (bytes && (isCompared(left) || isCompared(right))) found.push(node.getText());
    }
    if (ts.isIdentifier(node) && /^(keccak|sha\d|blake2|createHash|subtle$)/i.test(node.text)) {
      found.push(node.text);
    }
    if (ts.isStringLiteral(node) && /^(node:)?crypto$|noble|^0x[0-9a-f]{64,}$/.test(node.text)) {
      found.push(node.text);
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found.map((text) => `${name}: ${text.replace(/\s+/g, " ")}`);
}

async function sources(): Promise<[string, string][]> {
  const src = new URL("src/", root);
  const names = await readdir(src, { recursive: true });
  // `vectors` compares what verifiers said with what a vector file expects; its texts are no roots.
  const read = names.filter((name) => name.endsWith(".ts") && !name.startsWith("vectors"));
  return Promise.all(
    read.map(async (name) => [name, await readFile(new URL(name, src), "utf8")] as const),
  ).then((files) => files.map(([name, text]) => [name.replaceAll("\\", "/"), text]));
}

test("nothing in src hashes, or compares hashes, roots, or the limits of a chain", async () => {
  const files = await sources();
  expect(files.length).toBeGreaterThan(80);
  const found = files.flatMap(([name, text]) => findings(name, text));
  expect(found.sort()).toEqual(Object.keys(ALLOWED).sort());
});

describe("the test would find", () => {
  test.each([
    "toHex(a) === toHex(b)",
    "header.hash !== other",
    "if (header.roots.avl == root) {}",
    "const same = parent.hash === block.parent;",
    "if (block.timestampMs <= before) {}",
    "if (key.length > limits.maxKey) {}",
    'import { createHash } from "./x.js";',
    'import x from "node:crypto";',
    "const hashed = wasm.keccak256(bytes);",
    `const EMPTY = "0x${"4e".repeat(33)}";`,
  ])("%s", (line) => {
    expect(findings("a.ts", line)).not.toEqual([]);
  });

  test.each(["hash.length !== 32", "from === undefined", 'reason === "root_mismatch"'])(
    "but not %s",
    (line) => {
      expect(findings("a.ts", line)).toEqual([]);
    },
  );
});
