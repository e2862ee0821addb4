// Lies in the form of replies: JSON of other shapes, invalid hexadecimal, errors that settle nothing.

import { refusedBy } from "./lie.mjs";

const refused = refusedBy("text");
const to = ["sync", "get", "get at height", "get many", "blocks", "history", "diff"];

/** @type {import("./index.mjs").Lie[]} */
export const replies = [
  ...refused("unavailable", "invalid_reply", to, {
    "invalid-utf8": [
      "Bytes that are not text",
      "A byte that is invalid in UTF-8 is inserted into the reply.",
      (text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.of(0xff, 0x7d)]),
    ],
    "truncated-json": [
      "Half of a reply",
      "The second half of the reply is missing.",
      (text) => text.slice(0, text.length / 2),
    ],
    "empty-reply": ["An empty reply", "The reply has no bytes.", () => ""],
    "trailing-text": [
      "A repeated reply",
      "The body contains the reply twice.",
      (text) => text + text,
    ],
    "two-replies": [
      "Two replies to one call",
      "The body is a list of two replies.",
      (text) => `[${text},${text}]`,
    ],
    "no-object": ["A reply that is a number", "The reply is the number 42.", () => "42"],
    "null-reply": ["A reply that is null", "The reply is null.", () => "null"],
    "another-id": [
      "The reply to another call",
      "The reply claims to answer call 7.",
      withReply((reply) => ({ ...reply, id: 7 })),
    ],
    "id-in-a-list": [
      "An id of another type",
      "The id of the call is in a list.",
      withReply((reply) => ({ ...reply, id: [reply.id] })),
    ],
    "another-protocol": [
      "Another protocol",
      "The reply claims to be JSON-RPC 1.0.",
      withReply((reply) => ({ ...reply, jsonrpc: "1.0" })),
    ],
    "no-result": [
      "Neither result nor error",
      "The reply has neither a result nor an error.",
      withReply(({ jsonrpc, id }) => ({ jsonrpc, id })),
    ],
    "deep-json": [
      "Very deep JSON",
      "The result is nested lists, 100,000 deep.",
      withRaw("[".repeat(100_000) + "]".repeat(100_000)),
    ],
    "wide-json": [
      "A list of empty objects",
      "The result is a list of 300,000 empty objects, which take far more memory than their text.",
      withRaw(`[${"{},".repeat(300_000)}{}]`),
    ],
    "many-members": [
      "An object with many members",
      "The result has 20,000 extra members, all with different names.",
      withResult((result) => ({
        ...result,
        ...Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, 0])),
      })),
    ],
  }),
  ...refused("malformed", "invalid_result", to, {
    "duplicate-members": [
      "Two results in one reply",
      "The reply has the member `result` twice: the true one, then one without its members.",
      (text) => text.replace(/\}$/, ',"result":{}}'),
    ],
    "null-result": ["A result that is null", "The result is null.", withResult(() => null)],
    "array-result": [
      "A result in a list",
      "The result is a list that contains the true result.",
      withResult((result) => [result]),
    ],
    "text-result": [
      "A result in a string",
      "The result is a string that contains the JSON of the true result.",
      withResult((result) => JSON.stringify(result)),
    ],
    "numbers-for-text": [
      "Numbers instead of strings",
      "All bytes are replaced by a number that JavaScript cannot represent, 2^53 + 1.",
      withBytes(() => 9007199254740993n),
    ],
    "null-bytes": [
      "Null instead of bytes",
      "All bytes are replaced by null.",
      withBytes(() => null),
    ],
    "lists-for-text": [
      "Lists instead of strings",
      "All bytes are replaced by lists that contain the true string.",
      withBytes((hex) => [hex]),
    ],
    "hex-without-0x": [
      "Hex without 0x",
      "All bytes lack the prefix 0x.",
      withBytes((hex) => hex.slice(2)),
    ],
    "hex-with-0X": [
      "Hex with 0X",
      "All bytes start with 0X instead of 0x.",
      withBytes((hex) => `0X${hex.slice(2)}`),
    ],
    "odd-hex": [
      "An extra half byte",
      "All bytes have one extra digit.",
      withBytes((hex) => `${hex}0`),
    ],
    "no-hex": [
      "Invalid hexadecimal digits",
      "The last digit of all bytes is the letter g.",
      withBytes((hex) => `${hex.slice(0, -1)}g`),
    ],
  }),
  ...refused(
    "unavailable",
    "invalid_reply",
    to.filter((question) => question !== "history" && question !== "blocks"),
    {
      "many-numbers": [
        "A list of numbers beside the result",
        "The result has an extra member, a list of 20,000 numbers.",
        withResult((result) => ({ ...result, more: Array(20_000).fill(0) })),
      ],
    },
  ),
  ...refused(
    "unavailable",
    "invalid_reply",
    to.filter((question) => !["history", "diff", "blocks"].includes(question)),
    {
      "large-remark": [
        "A remark of a million letters",
        "The result has an extra member, a string that is longer than any answer.",
        withResult((result) => ({ ...result, more: "a".repeat(1_000_000) })),
      ],
    },
  ),
  ...refused("unavailable", "server_error", to, {
    "error-as-verdict": [
      "An error that sounds like a verdict",
      "The reply is an error that says the proof did not verify, which only a client can say.",
      withError({ code: "mismatch", reason: "root_mismatch" }),
    ],
    "error-as-my-fault": [
      "An error that blames the caller",
      "The reply is an error that says the question was wrong.",
      withError({ code: "invalid_input", reason: "invalid_argument" }),
    ],
    "error-of-nothing": [
      "An error that is a list",
      "The reply has a list where the error should be.",
      withReply(({ jsonrpc, id }) => ({ jsonrpc, id, error: [] })),
    ],
    "error-beside-result": [
      "A result and an error",
      "The reply has both an error and a result.",
      withReply((reply) => ({ ...reply, error: { code: 1, message: "no" } })),
    ],
  }),
  ...refused("unavailable", "unknown_block", to, {
    "unknown-block": [
      "A block that is said not to exist",
      "The server says that the chain does not have the block.",
      withError({ code: "unavailable", reason: "unknown_block" }),
    ],
  }),
  ...refused("unavailable", "busy", to, {
    busy: [
      "A server that is always busy",
      "The server says that it has too many requests.",
      withError({ code: "unavailable", reason: "busy" }),
    ],
  }),
];

function withReply(change) {
  return (text) => JSON.stringify(change(JSON.parse(text)));
}

function withResult(change) {
  return withReply(({ result, ...reply }) => ({ ...reply, result: change(result) }));
}

/** Replaces the result by JSON text. */
function withRaw(json) {
  return (text) => {
    const { id } = JSON.parse(text);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`;
  };
}

/** Replaces all strings that start with 0x. */
function withBytes(change) {
  const written = (hex) => {
    const value = change(hex);
    return typeof value === "bigint" ? String(value) : JSON.stringify(value);
  };
  return (text) => text.replace(/"0x[0-9a-f]*"/g, (hex) => written(JSON.parse(hex)));
}

function withError(data) {
  const message = "the server says so";
  return withReply(({ jsonrpc, id }) => ({
    ...{ jsonrpc, id },
    error: { code: -32000, message, data: { ...data, expected: "", found: "" } },
  }));
}
