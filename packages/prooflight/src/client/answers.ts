/** Values of keys at one block: asks servers, authenticates the block, verifies the proofs. */

import { type Bytes, toHex } from "../bytes.js";
import { rootOf } from "../chain/answer.js";
import type { ChainConfig } from "../chain/checkpoint.js";
import { copyHeader, type Header } from "../chain/header.js";
import { provesThePast, type StateScheme } from "../chain/schemes.js";
import { type SetupTrust, verifyState } from "../chain/state.js";
import { refuse } from "../error.js";
import { lvmtConfig } from "../scheme-params.js";
import type { Absent, Present } from "../state.js";
import type { Server } from "../transport/servers.js";
import type { AuthenticBlock, ClientContext } from "./authentication.js";
import { keepBundle, writeAnswerBundle } from "./bundle.js";
import { askHead, blockAt } from "./past.js";
import type { RequestedBlock } from "./questions.js";
import { readStateProof } from "./replies.js";
import { askShards, withIndex } from "./shards.js";

/** A verified answer about one key. */
export type Answer = (Present | Absent) & {
  /** The raw key. */
  key: Bytes;
  /** The header of the block that the answer is about. */
  block: Header;
  /** How the answer was verified. */
  evidence: {
    /** The scheme of the proof. */
    scheme: StateScheme;
    /** The accepted head, of which the block is an ancestor unless it is the head itself. */
    head: Header;
    /** Bytes of the proof; the keys of one request share it. */
    proofBytes: number;
    /** How long the verification took, in milliseconds. */
    milliseconds: number;
    /** The server that answered. */
    server: string;
  };
};

/** A question about keys, with its arguments checked. */
export interface KeysQuestion {
  scheme: StateScheme;
  config: ChainConfig;
  setup: SetupTrust;
  /** Raw keys. */
  keys: readonly Bytes[];
  /** The block, in the form of the JSON-RPC parameter. */
  at: string;
}

/** Asks for the keys and verifies the answers, all about one block. */
export async function answers(
  client: ClientContext,
  question: KeysQuestion,
  signal: AbortSignal | undefined,
): Promise<Answer[]> {
  const { servers } = client;
  const { scheme, config, keys } = question;
  const lvmt = lvmtConfig(config);
  if (scheme !== "lvmt" || !lvmt || !servers.sharded) {
    return servers.ask((server) => answersOf(client, server, question), signal);
  }
  const placed = keys.map((key) => withIndex(key, lvmt));
  let { at } = question;
  const ask = async (server: Server, keys: readonly Bytes[]) => {
    const answers = await answersOf(client, server, { ...question, at, keys });
    // The first reply fixes which block is the newest. The others must be about the same block.
    if (answers[0]) at = toHex(answers[0].block.hash);
    return answers;
  };
  return askShards(servers, placed, ask, signal);
}

/** The answers of one server. */
async function answersOf(
  client: ClientContext,
  server: Server,
  question: KeysQuestion,
): Promise<Answer[]> {
  const { scheme, config, setup, keys } = question;
  const ask = provesThePast(scheme) ? askPast : askAt;
  const { block, accepted, older, proof } = await ask(client, server, question);
  const started = performance.now();
  const root = rootOf(scheme, accepted.header, block);
  const results = verifyState({ scheme, config, ...root, keys, proof, ...setup });
  const milliseconds = performance.now() - started;
  const evidence = () => ({
    scheme,
    head: copyHeader(accepted.header),
    proofBytes: proof.length,
    milliseconds,
    server: server.name,
  });
  const { signed: head, inclusion } = accepted;
  const parts = { scheme, head, inclusion, older, keys, proof };
  return keys.map((key, index) => {
    const result = resultAt(results, index);
    const answer = { ...result, key: key.slice(), block: copyHeader(block), evidence: evidence() };
    keepBundle(answer, () => writeAnswerBundle(parts));
    return answer;
  });
}

/** A proof, and the block that it is about. */
interface StateProofAt extends AuthenticBlock {
  proof: Bytes;
}

/** Asks for a proof against the root of the block itself. */
async function askAt(
  { trust, authentication }: ClientContext,
  server: Server,
  { scheme, keys, at }: KeysQuestion,
): Promise<StateProofAt> {
  const wanted: RequestedBlock =
    at === "latest" ? { at, newest: trust.height } : { at, newest: undefined };
  const params = { scheme, keys: keys.map(toHex), at };
  const { header, proof } = readStateProof(await server.call("prooflight_prove", params));
  return { ...(await authentication.block(server, header, wanted)), proof };
}

/** Asks for a proof against the root of the newest head. */
async function askPast(
  client: ClientContext,
  server: Server,
  { scheme, keys, at }: KeysQuestion,
): Promise<StateProofAt> {
  const params = { scheme, keys: keys.map(toHex), at };
  const call = { method: "prooflight_prove", params } as const;
  const { head: accepted, proof } = await askHead(client, server, call);
  return { ...(await blockAt(client, server, accepted.header, at)), accepted, proof };
}

function resultAt(results: readonly (Present | Absent)[], index: number): Present | Absent {
  const result = results[index];
  if (!result) throw refuse("bug", "a result for each key", `${results.length} of them`);
  return result;
}
