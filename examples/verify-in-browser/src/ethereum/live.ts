// Questions to live servers, whose URLs the user gives.

import type { Hex, NetworkName } from "prooflight/ethereum";

import type { Question } from "./journey.js";

/** The question of the form. The client refuses what is wrong in it. */
export function readLive(form: FormData): Question {
  const text = (name: string) => (form.get(name) as string).trim();
  return {
    options: {
      network: text("network") as NetworkName,
      checkpoint: text("checkpoint") as Hex,
      beacon: [text("beacon")],
      execution: [text("execution")],
      fetch: (...request) => fetch(...request),
    },
    kind: "receipt",
    hash: text("hash") as Hex,
  };
}
