// What `npm start` tells the page: servers, the accounts to show, and the checkpoint to trust.

import { type Checkpoint, parseCheckpoint, VerifyError } from "prooflight";

/** What the page needs to begin. */
export interface Demo {
  /** The node, and the proxy that can lie about what it says. */
  servers: { node: URL; proxy: URL };
  /** What the page trusts. It comes with the page, from the node's data folder, not over RPC. */
  checkpoint: Checkpoint;
  /** Names of accounts. */
  accounts: string[];
  /** Whether the chain's setup is one for development, under which anybody can forge proofs of `lvmt`. */
  insecureSetup: boolean;
}

/** Why there is no demo, in a sentence for people. */
export class NoDemo extends Error {}

/** Loads `demo.json` from where the page is. Throws `NoDemo`. */
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
    throw new NoDemo(`demo.json is not what this page needs: ${why}.`);
  }
}

async function load(url: URL): Promise<unknown> {
  try {
    const response = await fetch(url, { cache: "no-store" });
    if (response.ok) return await response.json();
  } catch {
    throw new NoDemo("The server of this page does not answer.");
  }
  throw new NoDemo("There is no demo.json, so this page knows no node and no checkpoint.");
}
