import { describe, expect, test } from "vitest";

import { createProvider, httpProvider } from "../../src/provider.js";
import { MAINNET } from "./ethereum-server.js";
import { refusal } from "./provider-refusal.js";

const { contract, miner } = MAINNET;
const block = { number: MAINNET.number, hash: MAINNET.hash, stateRoot: contract.stateRoot };
const KIB = 1024;

/** A server that sends a reply of a size, and how much of it was taken. */
function sending(result: unknown, size: number, filler: string) {
  let sent = 0;
  const begin = `{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(result)}`;
  const end = "}";
  const fetch = () => {
    sent = begin.length;
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(encoder.encode(begin));
      },
      pull: (controller) => {
        const left = size - sent - end.length;
        const part = filler.repeat(64 * KIB).slice(0, Math.min(64 * KIB, left));
        sent += part.length;
        controller.enqueue(encoder.encode(part || end));
        if (!part) controller.close();
      },
    });
    return Promise.resolve(new Response(body));
  };
  const provider = createProvider({
    provider: httpProvider("http://server", { fetch }),
    chainId: 5,
    trust: () => block,
    mode: "if-possible",
    maxFeePerGas: 1n,
  });
  return { provider, sent: () => sent };
}

describe("a reply that is longer than any answer to its method", () => {
  const short = [
    ["eth_estimateGas", [{}], "0x5208"],
    ["eth_gasPrice", [], "0x1"],
  ] as const;

  test.each(short)("is not read to its end: %s", async (method, params, result) => {
    const { provider, sent } = sending(result, 40 * KIB * KIB, " ");
    expect(await refusal(provider.request({ method, params }))).toBe(
      "-32001 unavailable invalid_reply",
    );
    expect(sent()).toBeLessThan(2 * KIB * KIB);
  });

  test("is not read to its end: eth_getProof, by the slots that are asked for", async () => {
    const ask = (slots: number, size: number) => {
      const keys = Array.from({ length: slots }, (_, index) => `0x${index.toString(16)}`);
      const { provider, sent } = sending(miner.response, size, " ");
      const asked = provider.request({ method: "eth_getProof", params: [miner.address, keys] });
      return { asked, sent };
    };
    const right = ask(0, 200 * KIB);
    expect(await right.asked).toMatchObject({ balance: miner.response.balance });
    const long = ask(0, 40 * KIB * KIB);
    expect(await refusal(long.asked)).toBe("-32001 unavailable invalid_reply");
    expect(long.sent()).toBeLessThan(512 * KIB);
    // A slot more may take 160 KiB more: this one is read, and lacks the slots.
    const slots = ask(10, 1500 * KIB);
    expect(await refusal(slots.asked)).toBe("-32002 mismatch slot_keys_mismatch");
  });
});
