// Answers of Ethereum's mainnet, recorded in 2025, and served without a network. The files in public/ethereum are made by
// `npm run samples`; each folder's about.json names their origin and licence.

import type { EthereumOptions } from "prooflight/ethereum";

import type { About, Answers, Block, Receipt, State } from "../../../page/recorded.js";
import { NotAProof } from "../not-a-proof.js";

export * from "../../../page/recorded.js";

/** The folders of recorded answers: each is about a block, and has its receipts, or state. */
export type Recording = "receipt" | "call";

/** How to follow the recorded chain: the clock stands at the time of the recording. */
export const optionsOf = ({ about }: Answers): EthereumOptions => ({
  network: "mainnet",
  checkpoint: about.checkpoint,
  beacon: ["https://beacon.invalid"],
  execution: ["https://execution.invalid"],
  now: () => BigInt(about.now),
});

const loaded = new Map<Recording, Promise<Answers>>();

/** Loads recorded answers, once. Throws `NotAProof` if they cannot be loaded. */
export async function loadAnswers(recording: Recording): Promise<Answers> {
  const answers = loaded.get(recording) ?? load(recording);
  loaded.set(recording, answers);
  try {
    return await answers;
  } catch (error) {
    loaded.delete(recording);
    throw new NotAProof(`The recorded answers could not be loaded: ${(error as Error).message}.`);
  }
}

async function load(recording: Recording): Promise<Answers> {
  const open = async (name: string) => {
    const response = await fetch(new URL(`ethereum/${recording}/${name}`, document.baseURI));
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return response;
  };
  const bytes = async (name: string) => new Uint8Array(await (await open(name)).arrayBuffer());
  const json = async <T>(name: string) => (await (await open(name)).json()) as T;
  const isCall = recording === "call";
  const [about, bootstrap, updates, finality, optimistic, block, receipts, state] =
    await Promise.all([
      json<About>("about.json"),
      bytes("bootstrap.ssz"),
      bytes("updates.ssz"),
      bytes("finality_update.ssz"),
      bytes("optimistic_update.ssz"),
      json<Block>("block.json"),
      isCall ? [] : json<Receipt[]>("receipts.json"),
      isCall ? json<State>("state.json") : undefined,
    ]);
  return { about, bootstrap, updates, finality, optimistic, block, receipts, state };
}
