// The page's settings from `npm start`: servers, the accounts to show, and the checkpoint to trust.

import { type Checkpoint, parseCheckpoint, VerifyError } from "prooflight";

/** The settings that the page needs to start. */
export interface Demo {
  /** The node, and the proxy that can lie about its answers. */
  servers: { node: URL; proxy: URL };
  /** The trusted checkpoint. It comes with the page, from the node's data folder, not over RPC. */
  checkpoint: Checkpoint;
  /** Names of accounts. */
  accounts: string[];
  /** Whether the chain has a development setup, under which anyone can forge proofs of `lvmt`. */
  insecureSetup: boolean;
}

/** Why there is no demo, in a readable sentence. */
export class NoDemo extends Error {}

/** Loads `demo.json` from the page's server. Throws `NoDemo`. */
export async function loadDemo(): Promise<Demo> {
  const json = await load(new URL("demo.json", document.baseURI));
  try {
    const { servers, checkpoint, accounts, insecureSetup } = json as Record<keyof Demo, unknown>;
    const { node, proxy } = servers as Record<string, string>;
    return {
      servers: { node: new URL(node ?? ""), proxy: new URL(proxy ?? "") },
      checkpoint: parseCheckpoint(JSON.stringify(checkpoint)),
      accounts: (accounts as unknown[]).map(String),
      insecureSetup: insecureSetup === true,
    };
  } catch (error) {
    const why = error instanceof VerifyError ? error.message : "members are missing or wrong";
    throw new NoDemo(`demo.json does not have the right form: ${why}.`);
  }
}

async function load(url: URL): Promise<unknown> {
  try {
    const response = await fetch(url, { cache: "no-store" });
    if (response.ok) return await response.json();
  } catch {
    throw new NoDemo("The server of this page does not answer.");
  }
  throw new NoDemo("There is no demo.json, so this page has no node and no checkpoint.");
}
