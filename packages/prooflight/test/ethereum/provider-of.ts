/** Providers of the executed chain, with servers that answer as a test wants. */

import { createProvider, type NetworkProviderOptions, ProviderError } from "../../src/provider.js";
import { answerEach } from "./batches.js";
import type { ExecutionChain } from "./execution-chain.js";

type Hex = `0x${string}`;

/** A question to a server. */
export interface Question {
  method: string;
  params: readonly unknown[];
}

/** Answers a question; `undefined` for an error. */
export type Answer = (question: Question, url: string) => unknown;

/**
 * A provider whose head is a block of the chain, by default the last; `asked` are the questions to its server, and
 * `unproven` the requests whose answers it marked as unproven.
 */
export function providerOf(
  chain: ExecutionChain,
  options: Partial<NetworkProviderOptions> = {},
  answer: Answer = ({ method, params }) => chain.execution(method, params),
) {
  const asked: Question[] = [];
  const unproven: unknown[] = [];
  const provider = createProvider({
    ...chain.options,
    execution: ["http://execution.test"],
    fetch: serverOf((question, url) => {
      asked.push(question);
      return answer(question, url);
    }),
    onUnproven: (request) => unproven.push(request),
    ...options,
  });
  const ask = (method: string, ...params: unknown[]) => provider.request({ method, params });
  return { provider, ask, asked, unproven };
}

/** Servers without a network. */
export const serverOf =
  (answer: Answer): typeof fetch =>
  async (input, init) => {
    const { href } = input as URL;
    const replies = await answerEach(init?.body as string, async ({ id, method, params }) => {
      const result = await answer({ method, params }, href);
      const error = { code: -32000, message: "not known" };
      return { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
    });
    return Response.json(replies);
  };

/** The hash of a block of the chain. */
export function hashOf({ blocks }: ExecutionChain, number: number): Hex {
  const block = blocks.find((block) => block.number === BigInt(number));
  if (!block) throw new Error(`no block ${number}`);
  return block.hash;
}

/** The error with which a provider refuses. */
export async function refusalOf(asking: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await asking.catch((error: unknown) => error);
  if (error instanceof ProviderError) return error;
  throw new Error(`not refused: ${JSON.stringify(error)}`);
}

/** The data of that error. */
export const refusalDataOf = async (asking: Promise<unknown>) => (await refusalOf(asking)).data;
