/** Several servers: who is asked, who is heard of, and that many questions at once stay apart. */

import { describe, expect, test } from "vitest";

import { toBundle, verifyBundle, VerifyError } from "../../src/index.js";
import type { Failure } from "../../src/index.js";
import { alice, NEWEST, stateAt } from "../network/state.js";
import { begin, connect, failures, honest, liar, network, pay, turncoat } from "./network.js";
import { rejection, verdict } from "../refusal.js";

/** Nothing listens there. */
const DEAD = "http://127.0.0.1:9/";

test("a dead server is passed over, and the one that answered is asked first from then on", async () => {
  const { heard, onFailure } = failures();
  const client = await connect({ urls: [DEAD, network.url], onFailure });
  const dead = { url: DEAD, verdict: "unavailable / unreachable" };
  expect(heard).toEqual([dead]);
  const { evidence, kind } = await client.get(alice);
  expect([kind, evidence.server]).toEqual(["present", `${network.url}/`]);
  expect(heard).toEqual([dead]);
});

test("every server that failed is heard of, with its error", async () => {
  const heard: Failure[] = [];
  const urls = [liar("html"), DEAD, liar("no-signatures"), honest];
  const client = await connect({ urls, onFailure: (failure) => heard.push(failure) });
  expect(client.head.height).toBe(NEWEST);
  expect(heard.map(({ url }) => url)).toEqual([
    `${network.liar}/ (server 1)`,
    DEAD,
    `${network.liar}/ (server 3)`,
  ]);
  for (const { error } of heard) expect(error).toBeInstanceOf(VerifyError);
  expect(heard.map(({ error }) => verdict(error))).toEqual([
    "unavailable / invalid_reply",
    "unavailable / unreachable",
    "untrusted / too_few_signatures",
  ]);
});

test("where all fail, the error is that of the first that lied, with all errors as its cause", async () => {
  const urls = [DEAD, liar("no-signatures"), liar("another-chain")];
  const error = await rejection(connect({ urls }));
  expect(verdict(error)).toBe("untrusted / too_few_signatures");
  const { errors } = error.cause as AggregateError;
  expect(errors.map((each: VerifyError) => each.reason)).toEqual([
    "unreachable",
    "too_few_signatures",
    "wrong_chain",
  ]);
});

test("where none can be reached, the error is that of the first", async () => {
  const error = await rejection(connect({ urls: [DEAD, liar("html")] }));
  expect(verdict(error)).toBe("unavailable / unreachable");
});

test("a redirect is not followed, and is said to be one", async () => {
  const redirect = () =>
    Promise.resolve(new Response(null, { status: 307, headers: { location: network.url } }));
  const error = await rejection(connect({ urls: [DEAD], fetch: redirect }));
  expect(verdict(error)).toBe("unavailable / unreachable");
  expect(error.message).toContain("redirect");
});

test("a fetch without streams is said to be one", async () => {
  const response = { ok: true, status: 200, type: "basic", text: () => Promise.resolve("{}") };
  const fetch = () => Promise.resolve(response as Response);
  const error = await rejection(connect({ urls: [network.url], fetch }));
  expect(verdict(error)).toBe("invalid_input / invalid_argument");
  expect(error.message).toContain("fetch to give a Response whose body is a stream");
});

test("a server that starts to lie is left, and asked again when the other one does", async () => {
  const [A, B] = ["http://a.example/", "http://b.example/"];
  const [a, b] = [turncoat(A, honest), turncoat(B, honest)];
  const { heard, onFailure } = failures();
  const client = await connect({
    ...{ urls: [A, B], onFailure },
    fetch: (url, init) => (url instanceof URL && url.href === A ? a : b).fetch(url, init),
  });
  const value = stateAt(NEWEST).get(alice);
  const serverOf = async () => {
    const answer = await client.get(alice);
    expect(answer).toMatchObject({ kind: "present" });
    expect(value).toBeDefined();
    return answer.evidence.server;
  };
  expect(await serverOf()).toBe(A);
  a.to(liar("changed-value"));
  expect(await serverOf()).toBe(B);
  b.to(liar("stale-value"));
  a.to(honest);
  expect(await serverOf()).toBe(A);
  expect(heard).toEqual([
    { url: A, verdict: "mismatch / root_mismatch" },
    { url: B, verdict: "untrusted / head_behind" },
  ]);
});

test("a caller's mistake is not a server's", async () => {
  const { heard, onFailure } = failures();
  const client = await connect({ urls: [honest, network.url], onFailure });
  await rejection(client.get("0xg"));
  await rejection(client.get(alice, { at: -1n }));
  expect(heard).toEqual([]);
});

describe("how old a head may be", () => {
  const at = (milliseconds: bigint) => () => BigInt(Date.now()) + milliseconds;
  const hour = 3_600_000n;

  test("is the application's choice", async () => {
    await connect({ now: at(hour) });
    await connect({ now: at(hour), maxHeadAge: 2 * Number(hour) });
    const error = await rejection(connect({ now: at(hour), maxHeadAge: 1000 }));
    expect(verdict(error)).toBe("untrusted / head_too_old");
  });

  test("is checked again with every answer about the newest block", async () => {
    let now = at(0n);
    const client = await connect({ now: () => now(), maxHeadAge: Number(hour) });
    await client.get(alice);
    now = at(2n * hour);
    for (const ask of [() => client.get(alice), () => client.sync()]) {
      expect(verdict(await rejection(ask()))).toBe("untrusted / head_too_old");
    }
    now = at(0n);
    await client.get(alice);
  });

  test("and a head from the future is refused", async () => {
    const error = await rejection(connect({ now: at(-hour) }));
    expect(verdict(error)).toBe("untrusted / head_in_future");
    await connect({ now: at(-hour), maxClockSkew: 2 * Number(hour) });
  });
});

test("many questions at once, while blocks are made, each get the value of their block", async () => {
  const node = await begin();
  await pay(node, "0");
  const { heard, onFailure } = failures();
  const client = await connect({
    urls: [node.url, `${node.liar}/honest`],
    ...{ checkpoint: node.checkpoint, onFailure, pollInterval: 5 },
  });
  const heads: bigint[] = [];
  client.onHead(({ height }) => heads.push(height));
  const text = new TextDecoder();
  const ask = async () => {
    const answer = await client.get(alice);
    if (answer.kind === "absent") throw new Error("it was there from the first block on");
    const saved = await verifyBundle(toBundle(answer), { checkpoint: node.checkpoint });
    expect(saved.header).toEqual(answer.block);
    return [answer.block.height, BigInt(text.decode(answer.value)) + 1n];
  };
  const asked: Promise<bigint[]>[] = [];
  for (let height = 2n; height <= 20n; height++) {
    const paid = pay(node, `${height - 1n}`);
    asked.push(...Array.from({ length: 10 }, ask));
    await paid;
    asked.push(ask());
  }
  const answers = await Promise.all(asked);
  for (const [height, value] of answers) expect(value).toBe(height);
  expect(new Set(answers.map(([height]) => height)).size).toBeGreaterThan(5);
  expect(heads).toEqual([...heads].sort((a, b) => Number(a - b)));
  expect(heard).toEqual([]);
  expect((await client.sync()).height).toBe(20n);
});
