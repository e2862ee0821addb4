/** A provider that continues from a saved state, in programs that have not loaded the WebAssembly. */

import { spawn } from "node:child_process";
import { once } from "node:events";

import { afterAll, describe, expect, test } from "vitest";

import { createProvider } from "../../src/provider.js";
import { signed } from "./provable.js";
import { connect, honest, listen, MAX_AGE } from "./servers.js";

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** Asks a provider for its newest block twice, in a process of its own; gives what it answers, and its refusals. */
async function ask(options: object, state: Uint8Array): Promise<unknown> {
  const program = `
    import { createProvider } from ${JSON.stringify(module)};
    const state = Uint8Array.from(Buffer.from(${JSON.stringify(Buffer.from(state).toString("hex"))}, "hex"));
    const provider = createProvider({ ...${JSON.stringify(options)}, state });
    const answers = [];
    for (let count = 0; count < 2; count++) {
      const asked = provider.request({ method: "eth_blockNumber" });
      answers.push(await asked.catch(({ code, data }) => ({ code, reason: data.reason })));
    }
    console.log(JSON.stringify(answers));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += String(text)));
  child.stderr.on("data", (text) => (stderr += String(text)));
  await once(child, "close");
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** What programs of Node import as `prooflight/provider`. */
const module = new URL("../../dist/inline/provider.js", import.meta.url).href;

const [given] = signed;

describe.runIf(given)("a saved state", () => {
  const setup = async () => {
    if (!given) throw new Error("no signed head");
    const { head } = given;
    const asked: string[] = [];
    const { url, close } = await listen((question) => {
      asked.push("path" in question ? question.path : question.method);
      return honest(head)(question);
    });
    closing.push(close);
    const options = {
      ...{ network: head.network, beacon: [url], execution: [url], maxCheckpointAge: MAX_AGE },
    };
    return { head, asked, options };
  };

  test("is continued from", async () => {
    const { head, options, asked } = await setup();
    const state = (await connect(head, honest(head))).export();
    const number = `0x${head.number.toString(16)}`;
    expect(await ask(options, state)).toEqual([number, number]);
    expect(asked.filter((path) => path.includes("bootstrap"))).toEqual([]);
  });

  test("that is broken, or too old, is refused with each request, and no server is asked", async () => {
    const { head, options, asked } = await setup();
    const state = (await connect(head, honest(head))).export();
    const broken = { code: -32002, reason: "unknown_version" };
    expect(await ask(options, Buffer.from("nothing"))).toEqual([broken, broken]);
    const old = { code: -32002, reason: "head_too_old" };
    expect(await ask({ ...options, maxCheckpointAge: 1000 }, state)).toEqual([old, old]);
    expect(asked).toEqual([]);
  });
});

test("a provider does not know every network", () => {
  const servers = { beacon: ["http://x.test"], execution: ["http://x.test"] };
  const options = { checkpoint: `0x${"11".repeat(32)}`, ...servers } as const;
  for (const more of [{}, { chainId: 1 }]) {
    expect(() => createProvider({ ...options, network: "morden" as never, ...more })).toThrow(
      /network.*mainnet, sepolia, hoodi or parameters.*morden/,
    );
  }
  const heads = { latest: `0x${"11".repeat(32)}` } as const;
  expect(() =>
    createProvider({ execution: servers.execution, heads, network: "morden" as never }),
  ).toThrow(/network.*mainnet, sepolia, hoodi/);
});
