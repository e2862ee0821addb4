/** Calls that are executed after a block which the caller trusts, over state that the untrusted provider proves. */

import { toHex } from "../bytes.js";
import { refuse, VerifyError } from "../error.js";
import { type Block, Blocks } from "../ethereum/blocks.js";
import { CHAINS } from "../ethereum/chains.js";
import { CallContext } from "../ethereum/execution/context.js";
import {
  type ExecutionFork,
  type ExecutionRules,
  knownRules,
  rulesOfFork,
} from "../ethereum/execution/rules.js";
import type { NetworkName } from "../ethereum/network.js";
import { BatchingCaller } from "../transport/batch.js";
import type { Server } from "../transport/servers.js";
import { init } from "../wasm/ethereum.js";
import {
  type CallChain,
  callMethod,
  createAccessList,
  estimateGas,
  type NamingView,
} from "./ethereum/calls.js";
import { copyOf, wrong, wrongAnswer } from "./request.js";
import type { WalletServer } from "./server.js";
import { anchorOf, type Trust } from "./trust.js";

/** The methods that are executed, each with the most parameters. */
const METHODS = new Map([
  ["eth_call", { maxParams: 4, method: callMethod }],
  ["eth_estimateGas", { maxParams: 4, method: estimateGas }],
  ["eth_createAccessList", { maxParams: 3, method: createAccessList }],
]);

/** Milliseconds for the state that a call reads. */
const CALL_TIMEOUT = 30_000;

/** The most blocks to walk back, by their parents. */
const MAX_WALK = 256n;

/** The calls of a provider. */
export class TrustedCalls {
  readonly #server: WalletServer;
  readonly #trust: Trust;
  readonly #context: CallContext;
  readonly #hasRules: boolean;
  readonly #blocks = new Blocks(MAX_WALK);
  /** Stands for the provider, of which no URL is known. */
  readonly #url = new URL("http://provider");

  constructor(server: WalletServer, trust: Trust, rules: ExecutionRules | undefined) {
    this.#server = server;
    this.#trust = trust;
    this.#hasRules = rules !== undefined;
    // Nothing is known of the beacon chain.
    const heads = { forkVersion: () => undefined };
    this.#context = new CallContext({ rules, callTimeout: CALL_TIMEOUT }, heads);
  }

  /** Whether a method is executed, in blocks whose rules are known. */
  has(method: string): boolean {
    return this.#hasRules && METHODS.has(method);
  }

  /** Executes a request; throws `unsupported_fork` if it is not known by which rules. */
  async answer(name: string, params: readonly unknown[]): Promise<unknown> {
    const found = METHODS.get(name);
    if (!found) throw refuse("bug", "a method that is executed", name);
    if (params.length > found.maxParams) {
      throw wrong(name, `at most ${found.maxParams} parameters`, params.length);
    }
    await init();
    const chain: CallChain = {
      follows: false,
      ask: async (question) => {
        const { server, batching } = this.#openServer();
        try {
          return await question(this.#viewOf(server));
        } finally {
          // What is not sent yet is for nobody.
          batching.close();
        }
      },
    };
    return found.method(chain, params, name);
  }

  #viewOf(server: Server): NamingView {
    return {
      server,
      calls: this.#context,
      range: (from, last) =>
        withoutClaims(() => this.#blocks.range(server, from, last, () => undefined)),
      block: async (name): Promise<Block> => {
        const { hash } = await anchorOf(this.#trust, name);
        return withoutClaims(() => this.#blocks.byHash(server, toHex(hash) as `0x${string}`));
      },
    };
  }

  #openServer(): { server: Server; batching: BatchingCaller } {
    const url = this.#url;
    let received = 0;
    const call: Server["call"] = async (method, params) => {
      const answer = await this.#server.request(method, params as unknown[]);
      try {
        // A copy, whose members do not change while they are read.
        const copy = copyOf(answer ?? null);
        received += JSON.stringify(copy).length;
        return copy;
      } catch {
        throw wrongAnswer(method, "JSON", "something else");
      }
    };
    const batching = new BatchingCaller({
      url,
      call,
      // A provider takes requests alone. They are sent in groups, so that few are at work at once.
      callBatch: (calls) =>
        Promise.all(
          calls.map(async ({ method, params }) => {
            try {
              return { result: await call(method, params) };
            } catch (error) {
              if (error instanceof VerifyError) return { error };
              throw error;
            }
          }),
        ),
      mostBytes: () => 1,
      maxReplyBytes: MAX_GROUP,
    });
    const server: Server = {
      ...{ url, name: "the provider", call, batching },
      get received() {
        return received;
      },
      get: () => Promise.reject(refuse("bug", "a provider without resources", "a request for one")),
      forget: () => undefined,
      others: () => [],
    };
    return { server, batching };
  }
}

/**
 * Reads blocks. A header that has another hash is refused as one, also if its members look like those of a later fork:
 * calls under unknown forks may be forwarded, and a server must not choose what is forwarded.
 */
async function withoutClaims<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isClaim = error instanceof VerifyError && error.reason === "unsupported_fork";
    throw isClaim && error.cause instanceof VerifyError ? error.cause : error;
  }
}

/** The most requests of a group. */
const MAX_GROUP = 8;

/** The rules of a chain by its id, or by the fork that the caller names; undefined if neither is known. */
export function rulesOfChain(
  chainId: bigint,
  fork: ExecutionFork | undefined,
): ExecutionRules | undefined {
  const names = Object.keys(CHAINS) as NetworkName[];
  const known = names.find((name) => CHAINS[name].chainId === chainId);
  if (known) return knownRules(known, fork);
  return fork && rulesOfFork(chainId, fork, []);
}
