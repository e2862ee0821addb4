/** `prooflight eth serve`: how it follows the newest head, and what it prints of failures. */

import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, test, vi } from "vitest";

import { FailureLog, followHeads } from "../../src/cli/ethereum/serve.js";
import { HeadWatch } from "../../src/cli/ethereum/serve/heads.js";
import { StartGate } from "../../src/cli/ethereum/serve/queue.js";
import { VerifyError } from "../../src/index.js";
import { ProviderError } from "../../src/provider.js";
import type { Reason } from "../../src/registry.js";

test("a failure is printed once a minute for each server and reason", () => {
  const printed: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    return printed.push(String(text)) > 0;
  });
  try {
    const log = new FailureLog();
    const report = (host: string, reason: Reason) => {
      log.report({ url: `https://${host}/`, error: refusal("unavailable", reason) });
    };
    report("a.example", "unreachable");
    report("a.example", "unreachable");
    report("b.example", "unreachable");
    report("a.example", "server_error");
    report("b.example", "unreachable");
  } finally {
    stderr.mockRestore();
  }
  expect(printed.map((text) => text.split("\n")[0])).toEqual([
    "prooflight: a.example: unavailable / unreachable",
    "prooflight: b.example: unavailable / unreachable",
    "prooflight: a.example: unavailable / server_error",
  ]);
});

/** Follows a provider for some milliseconds after its first head, with what was printed. */
async function following(request: () => Promise<unknown>) {
  const printed: string[] = [];
  const [stdout, stderr] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation((text) => printed.push(String(text)) > 0),
  );
  const [watch, gate, end] = [new HeadWatch({ request }), new StartGate(), new AbortController()];
  const service = { watch, gate, beacon: undefined, kept: undefined, json: true, network: "x" };
  const done = followHeads(service, end.signal, 1).finally(() => {
    stdout?.mockRestore();
    stderr?.mockRestore();
  });
  await Promise.race([done, delay(100)]).finally(() => {
    end.abort();
  });
  await done;
  return { watch, printed };
}

const refusal = (code: "untrusted" | "unavailable", reason: Reason) =>
  new VerifyError({ code, reason, message: "m", expected: "e", found: "f" });

const failure = (...of: Parameters<typeof refusal>) => new ProviderError(refusal(...of));

describe("the newest head", () => {
  const block = { number: "0x10", hash: "0xab", timestamp: "0x20" };

  test("stays known while servers fail, and grows old", async () => {
    let count = 0;
    const { watch, printed } = await following(async () => {
      await Promise.resolve();
      if (++count > 1) throw failure("unavailable", "unreachable");
      return block;
    });
    expect(count).toBeGreaterThan(2);
    expect(watch.health("x")).toMatchObject({ ok: true, head: { number: 16, hash: "0xab" } });
    expect(printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        event: "head",
        network: "x",
        block: { number: "16", hash: "0xab", timestamp: "32" },
      },
    ]);
  });

  test("is forgotten for good if finalized blocks contradict each other", async () => {
    let count = 0;
    const { watch, printed } = await following(async () => {
      await Promise.resolve();
      if (++count > 1) throw failure("untrusted", "conflicting_finality");
      return block;
    });
    expect(count).toBe(2);
    expect(watch.health("x")).toEqual({ ok: false, network: "x" });
    expect(JSON.parse(printed[1] ?? "")).toMatchObject({
      event: "stopped",
      error: { reason: "conflicting_finality" },
    });
  });

  test("is not waited for if there can be none", async () => {
    for (const reason of ["conflicting_finality", "head_too_old"] as const) {
      const asking = following(() => Promise.reject(failure("untrusted", reason)));
      await expect(asking).rejects.toMatchObject({ reason });
    }
  });
});
