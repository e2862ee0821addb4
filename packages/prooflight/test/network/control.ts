/**
 * Starts and stops nodes for tests, which may run in a browser and cannot do it themselves.
 *
 * `POST /begin`, `/fork`, `/start`, `/stop`, `/submit` with what each takes in JSON; the reply is what it gives.
 */

import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import type { Checkpoint } from "../../src/chain/checkpoint.js";
import { listen } from "../listen.js";
import { submit } from "./chain-client.js";
import { ChainNode } from "./chain-node.js";
import { startProxy } from "./liar.js";
import type { Operation } from "./state.js";

/** A node that a test may stop and start. */
export interface Controlled {
  id: number;
  url: string;
  /** A liar in front of it. */
  liar: string;
  /** The newest block when it was made. */
  checkpoint: Checkpoint;
}

/** What an action takes: which node, or the schemes and the name of a new one. */
interface Given {
  id: number;
  schemes?: string;
  chainId?: string;
  url?: string;
  ops?: Operation[];
}

export async function serveControl(
  folder: string,
): Promise<{ url: string; close: () => Promise<void> }> {
  const nodes: ChainNode[] = [];
  const proxies: Awaited<ReturnType<typeof startProxy>>[] = [];

  const started = async (node: ChainNode): Promise<Controlled> => {
    const checkpoint = await node.checkpoint();
    await node.start();
    const proxy = await startProxy({ target: node.url });
    proxies.push(proxy);
    return { id: nodes.push(node) - 1, url: node.url, liar: proxy.url, checkpoint };
  };
  const named = ({ id }: Given) => nodes[id] ?? fail("no such node");
  const actions: Record<string, (given: Given) => Promise<unknown>> = {
    /** Begins a chain of its own. */
    "/begin": async ({ schemes, chainId = `chain-${crypto.randomUUID()}` }) =>
      started(await ChainNode.begin(folder, chainId, schemes)),
    /** A second node that goes on from the same chain by itself, with the same key. */
    "/fork": async (given) => {
      const node = named(given);
      await node.stop();
      const fork = await node.fork(`fork-${nodes.length}`);
      await node.start();
      return started(fork);
    },
    "/start": (given) => named(given).start(),
    "/stop": (given) => named(given).stop(),
    /** Makes a block, since a node takes none from a page of another origin. */
    "/submit": ({ url = "", ops = [] }) => submit(url, ops),
  };

  const server = createServer((request, response) => {
    const cors = { "access-control-allow-origin": "*" };
    const reply = async () => {
      const action = actions[request.url ?? ""] ?? fail("no such action");
      const result = await action(JSON.parse(await text(request)) as Given);
      response.writeHead(200, cors).end(JSON.stringify(result ?? null));
    };
    reply().catch((error: unknown) => {
      response.writeHead(500, cors).end(String(error));
    });
  });
  const { url, close } = await listen(server);
  return {
    url,
    close: async () => {
      close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

function fail(message: string): never {
  throw new Error(message);
}
