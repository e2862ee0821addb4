/** After two finalized blocks of one slot were seen, no member of a client answers, and no method of a provider. */

import { describe, expect, test, vi } from "vitest";

import { EthereumClient, type EthereumOptions } from "../../src/ethereum.js";
import { VerifyError } from "../../src/index.js";
import { createProvider, FORWARDABLE, ProviderError } from "../../src/provider.js";
import { type Messages, honest, optionsOf, serverOf, timeOf } from "./made-up-chain.js";
import { OFFERED } from "./methods.js";

const EXECUTION = "http://execution.example/";
const HASH = `0x${"11".repeat(32)}` as const;
const ADDRESS = `0x${"22".repeat(20)}` as const;

/** Options with a beacon server that can contradict itself, and an execution node that does not answer until told to. */
function world() {
  let messages: Messages = honest("electra");
  const beacon = serverOf("electra", () => messages);
  let [heard, answer] = [(): void => undefined, (): void => undefined];
  const asked = new Promise<void>((resolve) => (heard = resolve));
  const released = new Promise<void>((resolve) => (answer = resolve));
  const options: EthereumOptions = {
    ...optionsOf("electra"),
    execution: [EXECUTION],
    now: () => timeOf(306),
    refresh: 0,
    fetch: async (input, init) => {
      if ((input as URL).href !== EXECUTION) return beacon(input, init);
      heard();
      await released;
      return Response.json({ jsonrpc: "2.0", id: 1, result: null });
    },
  };
  return {
    options,
    asked,
    answer: () => {
      answer();
    },
    contradict: () => {
      const conflict = { type: "finality", name: "electra.conflict" } as const;
      messages = { ...messages, finality_update: conflict };
    },
  };
}

/** The client's error; the provider's has it as its cause. */
async function refusalOf(use: () => unknown): Promise<VerifyError> {
  const error: unknown = await Promise.resolve()
    .then(use)
    .catch((error: unknown) => error);
  const refused = error instanceof ProviderError ? error.cause : error;
  expect(refused).toBeInstanceOf(VerifyError);
  expect((refused as VerifyError).reason).toBe("conflicting_finality");
  return refused as VerifyError;
}

async function stopped() {
  const given = world();
  const client = await EthereumClient.connect(given.options);
  given.contradict();
  return { client, error: await refusalOf(() => client.sync()) };
}

/** What shows the evidence. */
const FREE = ["conflict"];

const members = Reflect.ownKeys(EthereumClient.prototype).filter((name) => name !== "constructor");

describe("a client that was stopped", () => {
  test("has no inherited members, and shows the evidence", async () => {
    expect(Object.getPrototypeOf(EthereumClient.prototype)).toBe(Object.prototype);
    expect(members).toEqual(expect.arrayContaining(FREE));
    const { client } = await stopped();
    expect(client.conflict?.second.ssz).toBeInstanceOf(Uint8Array);
  });

  test.each(members.filter((name) => !FREE.includes(String(name))))(
    "throws its error from %s, whatever it is given",
    async (name) => {
      const { client, error } = await stopped();
      for (const given of [[], [null], [5], ["latest"]]) {
        const thrown = await refusalOf(() => {
          const member = Reflect.get(client, name) as unknown;
          return typeof member === "function" ? (member.call(client, ...given) as unknown) : member;
        });
        expect(thrown).toBe(error);
      }
    },
  );

  const questions: [string, (client: EthereumClient) => Promise<unknown>][] = [
    ["block", (client) => client.block("latest")],
    ["account", (client) => client.account(ADDRESS)],
    ["code", (client) => client.code(ADDRESS)],
    ["transaction", (client) => client.transaction(HASH)],
    ["receipt", (client) => client.receipt(HASH)],
    ["receipts", (client) => client.receipts("latest")],
    ["logs", (client) => client.logs()],
  ];
  test.each(questions)("throws it where %s was under way", async (_, ask) => {
    const { options, asked, answer, contradict } = world();
    const client = await EthereumClient.connect(options);
    const refused = refusalOf(() => ask(client));
    await asked;
    contradict();
    const error = await refusalOf(() => client.sync());
    answer();
    expect(await refused).toBe(error);
  });
});

describe("a provider that was stopped", () => {
  const providerOf = ({ options }: ReturnType<typeof world>, wallet?: unknown) => {
    const provider = createProvider({ ...options, chainId: 1, wallet: wallet as never });
    const ask = (method: string, params: unknown[] = []) => provider.request({ method, params });
    return { provider, ask };
  };

  test("answers no method, of its own or of the wallet", async () => {
    const given = world();
    const request = vi.fn(() => Promise.resolve("0x1"));
    const { provider, ask } = providerOf(given, { request });
    given.answer();
    // It follows the chain now, though the execution node does not know the block.
    await expect(ask("eth_blockNumber")).rejects.toThrow();
    given.contradict();
    const error = await refusalOf(() => ask("eth_blockNumber"));
    for (const method of new Set([...OFFERED, ...FORWARDABLE, "eth_fillTransaction", "none"])) {
      expect(await refusalOf(() => ask(method)), method).toBe(error);
    }
    expect(request).not.toHaveBeenCalled();
    expect(() => provider.on("message", () => undefined)).toThrow(ProviderError);
    provider.removeListener("message", () => undefined);
  });
});
