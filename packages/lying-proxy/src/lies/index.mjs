// All lies, by family, and their types.

import { amb } from "./amb.mjs";
import { blocks } from "./blocks.mjs";
import { changes } from "./changes.mjs";
import { diffs } from "./diffs.mjs";
import { heads } from "./heads.mjs";
import { history } from "./history.mjs";
import { connections } from "./connections.mjs";
import { lmpt } from "./lmpt.mjs";
import { lvmt } from "./lvmt.mjs";
import { nuisances } from "./nuisances.mjs";
import { proofs } from "./proofs.mjs";
import { ranges } from "./ranges.mjs";
import { replies } from "./replies.mjs";
import { smt } from "./smt.mjs";

/**
 * A lie, told by one of `result`, `text` and `respond`, and how the light client refuses it.
 *
 * @typedef {object} Lie
 * @property {string} name the first segment of the URL's path
 * @property {string} title
 * @property {string} explanation one sentence
 * @property {string} code
 * @property {string} reason
 * @property {Question[]} to the questions whose false answers are refused with this code and reason
 * @property {(call: Call) => Promise<unknown>} [result] the result that replaces that of a call;
 *   undefined if the lie does not apply
 * @property {(text: string) => string} [text] the text that replaces the reply
 * @property {(exchange: Exchange) => void | Promise<void>} [respond] answers the request itself
 *
 * What a client is asked: to synchronise; for the newest value of a key, for its value at an older
 * height, after an older block by its hash, for several values at once, each proved by `avl`, and some of
 * these by another scheme; by `lmpt` also for a key that was deleted; for the blocks; for the history of a key or for what changed, up to the newest
 * block or to that of a height; for all keys in pages, in both directions, and for their number.
 * @typedef {"sync" | "get" | "get at height" | "get at hash" | "get many"
 *   | "get by smt" | "get by smt at height" | "get by lvmt"
 *   | "get by lmpt" | "get by lmpt at height" | "get deleted by lmpt" | "blocks"
 *   | "history" | "history to height" | "diff" | "diff to height"
 *   | "range" | "range reversed" | "count"} Question
 *
 * @typedef {object} Call
 * @property {string} method
 * @property {any} params
 * @property {any} honest the node's result; undefined if it answered with an error
 * @property {(method: string, params: object) => Promise<any>} node calls the node
 *
 * @typedef {object} Exchange
 * @property {import("node:http").IncomingMessage} request
 * @property {import("node:http").ServerResponse} response
 * @property {Record<string, string>} cors headers without which a browser hides the reply from a page
 * @property {() => Promise<{ status: number, text: string }>} honest asks the node
 */

/** @type {readonly Lie[]} */
export const lies = [
  ...[...proofs, ...smt, ...lvmt, ...lmpt, ...amb],
  ...[...changes, ...diffs, ...ranges],
  ...[...heads, ...history, ...blocks],
  ...[...replies, ...connections],
];

export { nuisances };
