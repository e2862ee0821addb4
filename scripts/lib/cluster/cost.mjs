// What the cluster costs in requests to the log.

import { requests } from "./nodes.mjs";

/** Dollars for a thousand requests, about what S3 takes for its standard class. */
const PRICES = { read: 0.0004, create: 0.005 };

/** Adds up the requests of nodes, also of those that are killed. */
export class Cost {
  #gone = {};

  /** Records the requests of a node that is about to be killed. */
  async leaves(node, role) {
    add((this.#gone[role] ??= {}), await requests(node));
  }

  /** The requests by role: of nodes that run, as [role, node], and of those that are gone. */
  async byRole(running) {
    const sums = structuredClone(this.#gone);
    for (const [role, node] of running) add((sums[role] ??= {}), await requests(node));
    return Object.entries(sums).map(([role, { read = 0, create = 0 }]) => ({ role, read, create }));
  }
}

/** The dollars of requests. */
export const dollars = ({ read, create }) => (read * PRICES.read + create * PRICES.create) / 1000;

function add(sums, found) {
  for (const [kind, count] of Object.entries(found)) sums[kind] = (sums[kind] ?? 0) + count;
}
