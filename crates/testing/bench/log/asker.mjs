// A client that asks a node over one connection, one question after another, and takes the time.

import { Agent, request } from "node:http";

/** Longer than the time limit of the node. */
const LIMIT_MILLISECONDS = 60_000;

/** One client of a node, with a connection of its own. */
export class Asker {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #url;

  constructor({ url }) {
    this.#url = url;
  }

  /**
   * Calls a method; returns the reply as text and how many milliseconds it took. Throws if the node does not
   * answer.
   */
  ask(method, params) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const began = performance.now();
      const options = { method: "POST", headers, agent: this.#agent, timeout: LIMIT_MILLISECONDS };
      const sent = request(this.#url, options, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.once("error", reject);
        response.once("end", () => {
          const milliseconds = performance.now() - began;
          resolve({ milliseconds, text: Buffer.concat(parts).toString() });
        });
      });
      sent.once("timeout", () => sent.destroy(new Error(`no answer to ${method}`)));
      sent.once("error", reject).end(body);
    });
  }

  /** Like `ask`, with the result of the reply; throws the refusal if it is one. */
  async call(method, params) {
    const { milliseconds, text } = await this.ask(method, params);
    const { result, error } = JSON.parse(text);
    if (error) {
      const reason = error.data?.reason ?? error.message;
      throw Object.assign(new Error(`${method}: ${error.message}`), { reason });
    }
    return { milliseconds, result };
  }

  /** Submits operations; returns their block and how many milliseconds that took. */
  async submit(ops) {
    const { milliseconds, result } = await this.call("prooflight_submit", { ops });
    return { milliseconds, ...result };
  }

  close() {
    this.#agent.destroy();
  }
}
