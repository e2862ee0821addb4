// Lies in the form of replies: JSON of other shapes, invalid hexadecimal, errors that settle nothing.

const to = ["sync", "get", "get at height", "get many", "blocks", "history", "diff"];
const noReply = { code: "unavailable", reason: "invalid_reply", to };
const noResult = { code: "malformed", reason: "invalid_result", to };
const error = { code: "unavailable", reason: "server_error", to };

/** @type {import("./index.mjs").Lie[]} */
export const replies = [
  {
    name: "invalid-utf8",
    title: "Bytes that are not text",
    explanation: "A byte that is invalid in UTF-8 is inserted into the reply.",
    ...noReply,
    text: (text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.of(0xff, 0x7d)]),
  },
  {
    name: "truncated-json",
    title: "Half of a reply",
    explanation: "The second half of the reply is missing.",
    ...noReply,
    text: (text) => text.slice(0, text.length / 2),
  },
  {
    name: "empty-reply",
    title: "An empty reply",
    explanation: "The reply has no bytes.",
    ...noReply,
    text: () => "",
  },
  {
    name: "trailing-text",
    title: "A repeated reply",
    explanation: "The body contains the reply twice.",
    ...noReply,
    text: (text) => text + text,
  },
  {
    name: "two-replies",
    title: "Two replies to one call",
    explanation: "The body is a list of two replies.",
    ...noReply,
    text: (text) => `[${text},${text}]`,
  },
  {
    name: "no-object",
    title: "A reply that is a number",
    explanation: "The reply is the number 42.",
    ...noReply,
    text: () => "42",
  },
  {
    name: "null-reply",
    title: "A reply that is null",
    explanation: "The reply is null.",
    ...noReply,
    text: () => "null",
  },
  {
    name: "another-id",
    title: "The reply to another call",
    explanation: "The reply claims to answer call 7.",
    ...noReply,
    text: withReply((reply) => ({ ...reply, id: 7 })),
  },
  {
    name: "id-in-a-list",
    title: "An id of another type",
    explanation: "The id of the call is in a list.",
    ...noReply,
    text: withReply((reply) => ({ ...reply, id: [reply.id] })),
  },
  {
    name: "another-protocol",
    title: "Another protocol",
    explanation: "The reply claims to be JSON-RPC 1.0.",
    ...noReply,
    text: withReply((reply) => ({ ...reply, jsonrpc: "1.0" })),
  },
  {
    name: "no-result",
    title: "Neither result nor error",
    explanation: "The reply has neither a result nor an error.",
    ...noReply,
    text: withReply(({ jsonrpc, id }) => ({ jsonrpc, id })),
  },
  {
    name: "duplicate-members",
    title: "Two results in one reply",
    explanation:
      "The reply has the member `result` twice: the true one, then one without its members.",
    ...noResult,
    text: (text) => text.replace(/\}$/, ',"result":{}}'),
  },
  {
    name: "null-result",
    title: "A result that is null",
    explanation: "The result is null.",
    ...noResult,
    text: withResult(() => null),
  },
  {
    name: "array-result",
    title: "A result in a list",
    explanation: "The result is a list that contains the true result.",
    ...noResult,
    text: withResult((result) => [result]),
  },
  {
    name: "text-result",
    title: "A result in a string",
    explanation: "The result is a string that contains the JSON of the true result.",
    ...noResult,
    text: withResult((result) => JSON.stringify(result)),
  },
  {
    name: "numbers-for-text",
    title: "Numbers instead of strings",
    explanation: "All bytes are replaced by a number that JavaScript cannot represent, 2^53 + 1.",
    ...noResult,
    text: withBytes(() => 9007199254740993n),
  },
  {
    name: "null-bytes",
    title: "Null instead of bytes",
    explanation: "All bytes are replaced by null.",
    ...noResult,
    text: withBytes(() => null),
  },
  {
    name: "lists-for-text",
    title: "Lists instead of strings",
    explanation: "All bytes are replaced by lists that contain the true string.",
    ...noResult,
    text: withBytes((hex) => [hex]),
  },
  {
    name: "hex-without-0x",
    title: "Hex without 0x",
    explanation: "All bytes lack the prefix 0x.",
    ...noResult,
    text: withBytes((hex) => hex.slice(2)),
  },
  {
    name: "hex-with-0X",
    title: "Hex with 0X",
    explanation: "All bytes start with 0X instead of 0x.",
    ...noResult,
    text: withBytes((hex) => `0X${hex.slice(2)}`),
  },
  {
    name: "odd-hex",
    title: "An extra half byte",
    explanation: "All bytes have one extra digit.",
    ...noResult,
    text: withBytes((hex) => `${hex}0`),
  },
  {
    name: "no-hex",
    title: "Invalid hexadecimal digits",
    explanation: "The last digit of all bytes is the letter g.",
    ...noResult,
    text: withBytes((hex) => `${hex.slice(0, -1)}g`),
  },
  {
    name: "deep-json",
    title: "Very deep JSON",
    explanation: "The result is nested lists, 100,000 deep.",
    ...noReply,
    text: withRaw("[".repeat(100_000) + "]".repeat(100_000)),
  },
  {
    name: "wide-json",
    title: "A list of empty objects",
    explanation:
      "The result is a list of 300,000 empty objects, which take far more memory than their text.",
    ...noReply,
    text: withRaw(`[${"{},".repeat(300_000)}{}]`),
  },
  {
    name: "many-members",
    title: "An object with many members",
    explanation: "The result has 20,000 extra members, all with different names.",
    ...noReply,
    text: withResult((result) => ({
      ...result,
      ...Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, 0])),
    })),
  },
  {
    name: "many-numbers",
    title: "A list of numbers beside the result",
    explanation: "The result has an extra member, a list of 20,000 numbers.",
    ...noReply,
    to: to.filter((question) => question !== "history" && question !== "blocks"),
    text: withResult((result) => ({ ...result, more: Array(20_000).fill(0) })),
  },
  {
    name: "large-remark",
    title: "A remark of a million letters",
    explanation: "The result has an extra member, a string that is longer than any answer.",
    ...noReply,
    to: to.filter((question) => !["history", "diff", "blocks"].includes(question)),
    text: withResult((result) => ({ ...result, more: "a".repeat(1_000_000) })),
  },
  {
    name: "error-as-verdict",
    title: "An error that sounds like a verdict",
    explanation:
      "The reply is an error that says the proof did not verify, which only a client can say.",
    ...error,
    text: withError({ code: "mismatch", reason: "root_mismatch" }),
  },
  {
    name: "error-as-my-fault",
    title: "An error that blames the caller",
    explanation: "The reply is an error that says the question was wrong.",
    ...error,
    text: withError({ code: "invalid_input", reason: "invalid_argument" }),
  },
  {
    name: "error-of-nothing",
    title: "An error that is a list",
    explanation: "The reply has a list where the error should be.",
    ...error,
    text: withReply(({ jsonrpc, id }) => ({ jsonrpc, id, error: [] })),
  },
  {
    name: "error-beside-result",
    title: "A result and an error",
    explanation: "The reply has both an error and a result.",
    ...error,
    text: withReply((reply) => ({ ...reply, error: { code: 1, message: "no" } })),
  },
  {
    name: "unknown-block",
    title: "A block that is said not to exist",
    explanation: "The server says that the chain does not have the block.",
    code: "unavailable",
    reason: "unknown_block",
    to,
    text: withError({ code: "unavailable", reason: "unknown_block" }),
  },
  {
    name: "busy",
    title: "A server that is always busy",
    explanation: "The server says that it has too many requests.",
    code: "unavailable",
    reason: "busy",
    to,
    text: withError({ code: "unavailable", reason: "busy" }),
  },
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
