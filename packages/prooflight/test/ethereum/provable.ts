/** The heads of all recorded cases, and what is missing. */

import { lackOf } from "./asks.js";
import { type Case, readCases } from "./recorded.js";
import { type Pinned, type Served, serveAll } from "./serve.js";

export interface Head {
  name: string;
  one: Case;
  head: Served | Pinned;
}

/** A head that a recorded committee signed. */
export type SignedHead = Head & { head: Served };

const served = await Promise.all(
  readCases().map(async (one) => ({ one, heads: await serveAll(one) })),
);

/** Every head of every case, the newest of each first. */
export const heads: Head[] = served.flatMap(({ one, heads }) =>
  typeof heads === "string"
    ? []
    : heads.map((head) => ({ name: `${one.name} at slot ${head.slot}`, one, head })),
);

export const signed = heads.filter((given): given is SignedHead => "checkpoint" in given.head);

/** For each case with a question that a head can answer, the newest such head. */
export const answerable: Head[] = served.flatMap(({ one }) => {
  const found = heads.find((given) => given.one === one && lackOf(one, given.head) === undefined);
  return found ? [found] : [];
});

/** Lines for those who read a run's output: what is lacking, and what rests on a hash that is not verified. */
export const remarks: string[] = [
  ...served.flatMap(({ one, heads }) => {
    if (typeof heads === "string") return [`${one.name} lacks: ${lacks(one, heads)}`];
    const lack = heads[0] && lackOf(one, heads[0]);
    const isAnswered = answerable.some((given) => given.one === one);
    return isAnswered || lack === undefined ? [] : [`${one.name} lacks: ${lack}`];
  }),
  ...served.flatMap(({ one }) =>
    one.unread.map((file) => `${one.name} lacks: a form that can be read, of ${file}`),
  ),
  ...heads.flatMap(({ name, head }) =>
    "pinned" in head ? [`${name} is pinned, not verified: ${head.pinned}`] : [],
  ),
];

/** A case without a question may lack more. */
function lacks({ asked, lightClient }: Case, heads: string): string {
  if (asked) return heads;
  const { bootstraps, updates } = lightClient;
  const data = `${bootstraps.length} bootstraps and ${updates.length} updates serve other cases`;
  return `a question (test.json), and ${heads}; ${data}`;
}
