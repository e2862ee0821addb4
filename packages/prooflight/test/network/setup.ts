/** Starts, before all tests, real nodes and a liar in front of one of them. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestProject } from "vitest/node";

import type { Checkpoint } from "../../src/chain/checkpoint.js";
import type { Code, Reason } from "../../src/registry.js";
import { lies, startProxy } from "./liar.js";
import { ChainNode } from "./chain-node.js";
import { serveControl } from "./control.js";
import { blocks, ERA_BLOCKS, PINNED } from "./state.js";

/** What the tests know of the network. */
export interface Network {
  /** A node with the chain of `state.ts`, which makes no further blocks. */
  url: string;
  /** A checkpoint of that chain at height {@link PINNED}, and the one at genesis. */
  pinned: Checkpoint;
  genesis: Checkpoint;
  /** A node with another chain. */
  other: { url: string; pinned: Checkpoint };
  /** A node with the same blocks on a chain that keeps `avl` and `lvmt`, of few entries a vector. */
  lvmt: { url: string; pinned: Checkpoint };
  /** A liar in front of the first node. */
  liar: string;
  /** What lies it tells, and how they must be refused. */
  lies: { name: string; code: Code; reason: Reason; to: Question[] }[];
  /** Where nodes are started and stopped; see `control.ts`. */
  control: string;
}

/** What a client can be asked, as the lies name it. */
export type Question =
  | "sync"
  | "get"
  | "get at height"
  | "get at hash"
  | "get many"
  | "get by smt"
  | "get by smt at height"
  | "get by lvmt"
  | "get by lmpt"
  | "get by lmpt at height"
  | "get deleted by lmpt"
  | "blocks"
  | "history"
  | "history to height"
  | "diff"
  | "diff to height"
  | "range"
  | "range reversed"
  | "count";

declare module "vitest" {
  interface ProvidedContext {
    network: Network;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "prooflight-network-"));
  const era = ["--lmpt-era-blocks", String(ERA_BLOCKS)];
  const node = await ChainNode.begin(folder, "example", "avl,lvmt,smt,lmpt,amb", ...era);
  await node.start();
  for (const operations of blocks.slice(0, Number(PINNED))) await node.submit(operations);
  await node.stop();
  const [genesis, pinned] = [await node.checkpoint(0n), await node.checkpoint(PINNED)];
  await node.start();
  // It is not started again: of lmpt, it would then prove only the blocks of the current era.
  for (const operations of blocks.slice(Number(PINNED))) await node.submit(operations);

  const other = await ChainNode.begin(folder, "other");
  const otherPinned = await other.checkpoint();
  await other.start();
  for (const operations of blocks.slice(0, 4)) await other.submit(operations);

  const lvmt = await ChainNode.begin(folder, "lvmt", "avl,lvmt", "--lvmt-log-n", "4");
  const lvmtPinned = await lvmt.checkpoint();
  await lvmt.start();
  for (const operations of blocks) await lvmt.submit(operations);

  const proxy = await startProxy({ target: node.url });
  const control = await serveControl(folder);
  project.provide("network", {
    ...{ url: node.url, genesis, pinned },
    other: { url: other.url, pinned: otherPinned },
    lvmt: { url: lvmt.url, pinned: lvmtPinned },
    liar: proxy.url,
    lies: lies.map(({ name, code, reason, to }) => ({ name, code, reason, to })),
    control: control.url,
  });
  return async () => {
    await Promise.all([proxy.close(), control.close(), node.stop(), other.stop(), lvmt.stop()]);
    await rm(folder, { recursive: true });
  };
}
