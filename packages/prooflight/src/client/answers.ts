/** Values of keys at one block: asks servers, authenticates the block, verifies the proofs. */

import { type Bytes, toHex } from "../bytes.js";
import type { ChainConfig } from "../chain/checkpoint.js";
import { copyHeader, type Header } from "../chain/header.js";
import type { StateScheme } from "../chain/schemes.js";
import { type SetupTrust, verifyState } from "../chain/state.js";
import { refuse } from "../error.js";
import { lvmtConfig } from "../lvmt/config.js";
import type { Absent, Present } from "../result.js";
import type { Authentication } from "./authentication.js";
import { keepBundle, writeAnswerBundle } from "./bundle.js";
import type { Wanted } from "./questions.js";
import { readStateProof } from "./replies.js";
import type { Server, Servers } from "./servers.js";
import { askShards, place } from "./shards.js";
import type { Trust } from "./trust.js";

/** A verified answer about one key. */
export type Answer = (Present | Absent) & {
  /** The raw key. */
  key: Bytes;
  /** The header of the block that the answer is about. */
  block: Header;
  /** How the answer was verified. */
  evidence: {
    /** The scheme that proved it. */
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
export interface Question {
  scheme: StateScheme;
  config: ChainConfig;
  setup: SetupTrust;
  /** Raw keys. */
  keys: readonly Bytes[];
  /** The block, in the form of the JSON-RPC parameter. */
  at: string;
}

/** The parts of a client that questions use. */
export interface AskingClient {
  servers: Servers;
  trust: Trust;
  authentication: Authentication;
}

/** Asks for the keys and verifies the answers, all about one block. */
export async function answers(
  client: AskingClient,
  question: Question,
  signal: AbortSignal | undefined,
): Promise<Answer[]> {
  const { servers } = client;
  const { scheme, config, keys } = question;
  const lvmt = lvmtConfig(config);
  if (scheme !== "lvmt" || !lvmt || !servers.sharded) {
    return servers.ask((server) => answersOf(client, server, question), signal);
  }
  const placed = keys.map((key) => place(key, lvmt));
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
  { trust, authentication }: AskingClient,
  server: Server,
  { scheme, config, setup, keys, at }: Question,
): Promise<Answer[]> {
  const wanted: Wanted = at === "latest" ? { at, newest: trust.height } : { at };
  const params = { scheme, keys: keys.map(toHex), at };
  const reply = readStateProof(await server.call("prooflight_prove", params));
  const { block, accepted, older } = await authentication.block(server, reply.header, wanted);
  const started = performance.now();
  const { proof } = reply;
  const results = verifyState({ scheme, config, header: block.encoded, keys, proof, ...setup });
  const milliseconds = performance.now() - started;
  const evidence = () => ({
    scheme,
    head: copyHeader(accepted.header),
    proofBytes: proof.length,
    milliseconds,
    server: server.url.href,
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

function resultAt(results: readonly (Present | Absent)[], index: number): Present | Absent {
  const result = results[index];
  if (!result) throw refuse("bug", "a result for each key", `${results.length} of them`);
  return result;
}
