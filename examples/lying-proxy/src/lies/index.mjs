// All lies, by family, and the names that a liar goes by.

import { blocks } from "./blocks.mjs";
import { heads } from "./heads.mjs";
import { history } from "./history.mjs";
import { connections } from "./connections.mjs";
import { nuisances } from "./nuisances.mjs";
import { proofs } from "./proofs.mjs";
import { replies } from "./replies.mjs";

/**
 * A lie, told by one of `result`, `text` and `respond`, and how the light client refuses it.
 *
 * @typedef {object} Lie
 * @property {string} name the first segment of the URL's path
 * @property {string} title
 * @property {string} explanation one sentence
 * @property {string} code
 * @property {string} reason
 * @property {Question[]} to the questions that are refused with this code and reason when it is told
 * @property {(call: Call) => Promise<unknown>} [result] what is told in place of a call's result;
 *   undefined where there is no lie to tell
 * @property {(text: string) => string} [text] what is told in place of the reply
 * @property {(exchange: Exchange) => void | Promise<void>} [respond] answers in its own way
 *
 * What a client is asked: to synchronise, for the newest value of a key, for its value at an older
 * height, after an older block by its hash, for several values at once, for the blocks.
 * @typedef {"sync" | "get" | "get at height" | "get at hash" | "get many" | "blocks"} Question
 *
 * @typedef {object} Call
 * @property {string} method
 * @property {any} params
 * @property {any} honest the node's result; undefined where it answered with an error
 * @property {(method: string, params: object) => Promise<any>} node calls the node
 *
 * @typedef {object} Exchange
 * @property {import("node:http").IncomingMessage} request
 * @property {import("node:http").ServerResponse} response
 * @property {Record<string, string>} cors headers without which a browser shows a page nothing
 * @property {() => Promise<{ status: number, text: string }>} honest asks the node
 */

/** @type {readonly Lie[]} */
export const lies = [...proofs, ...heads, ...history, ...blocks, ...replies, ...connections];

export { nuisances };
