// The blocks of Ergo's mainnet that can be picked. Each is a file in public/blocks, loaded on demand.

import { NotAProof } from "./not-a-proof.js";

/** A block that can be picked. */
export interface Block {
  height: number;
  operations: number;
}

/** The blocks to pick from. */
export const BLOCKS: readonly Block[] = [
  { height: 1795974, operations: 3 },
  { height: 1795968, operations: 8 },
  { height: 1796136, operations: 18 },
  { height: 1795980, operations: 72 },
];

/** The text of a block's file. Throws `NotAProof` if it cannot be loaded. */
export async function loadBlock(height: number): Promise<string> {
  try {
    const response = await fetch(new URL(`blocks/${height}.json`, document.baseURI));
    if (response.ok) return await response.text();
    throw new Error(`the server answered ${response.status}`);
  } catch (error) {
    throw new NotAProof(`The block could not be loaded: ${(error as Error).message}.`);
  }
}
