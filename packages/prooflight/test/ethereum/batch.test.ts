/** Calls of the same time to servers with batches, to servers without, and to servers that answer batches wrongly. */

import { describe, expect, test } from "vitest";

import { Servers } from "../../src/transport/servers.js";

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

/** What a server receives: one call, or a batch. */
type Body = Call | Call[];

const result = ({ id, method, params }: Call) => ({ jsonrpc: "2.0", id, result: [method, params] });

const answered = (count: number) => Array.from({ length: count }, (_, index) => ["get", [index]]);

/** Servers that answer with `reply`, of which a thrown Response is the whole reply; `bodies` is what they receive. */
function serversOf(
  reply: (body: Body, url: string) => unknown,
  { urls = ["http://one.test"], timeout = 1000, replyBytes = 100, maxReplyBytes = 100_000 } = {},
) {
  const bodies: Body[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const body = JSON.parse(init?.body as string) as Body;
    bodies.push(body);
    const answer = await reply(body, (input as URL).host);
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const servers = new Servers(
    urls,
    { fetch, timeout, maxReplyBytes },
    () => undefined,
    () => undefined,
    () => ({ bytes: replyBytes, items: 100, members: 100, transient: true }),
  );
  /** Calls a method so many times at once; what each gives, or why it fails. */
  const ask = (count: number) =>
    servers.ask(
      ({ batching }) =>
        Promise.all(
          Array.from({ length: count }, (_, index) =>
            batching.call("get", [index]).catch((error: unknown) => error),
          ),
        ),
      undefined,
    );
  /** The number of calls of each request. */
  const sizes = () => bodies.map((body) => (Array.isArray(body) ? body.length : 1));
  return { servers, ask, sizes, bodies };
}

const honest = (body: Body) => (Array.isArray(body) ? body.map(result) : result(body));

describe("calls of the same time", () => {
  test("are one request, and one alone is no batch", async () => {
    const { ask, sizes } = serversOf(honest);
    expect(await ask(7)).toEqual(answered(7));
    expect(await ask(1)).toEqual(answered(1));
    expect(sizes()).toEqual([7, 1]);
  });

  test("are sent in batches of at most 100", async () => {
    const { ask, sizes } = serversOf(honest);
    expect(await ask(1050)).toEqual(answered(1050));
    expect(sizes()).toEqual([...Array.from({ length: 10 }, () => 100), 50]);
  });

  test("are sent in batches whose replies are within the bound of one reply", async () => {
    const { ask, sizes } = serversOf(honest, { replyBytes: 100, maxReplyBytes: 350 });
    expect(await ask(7)).toEqual(answered(7));
    expect(sizes()).toEqual([3, 3, 1]);
    const alone = serversOf(honest, { replyBytes: 400, maxReplyBytes: 350 });
    expect(await alone.ask(2)).toEqual(answered(2));
    expect(alone.sizes()).toEqual([1, 1]);
  });

  test("may be replied to in any order, with ids as strings", async () => {
    const { ask, sizes } = serversOf((body) =>
      [honest(body)]
        .flat()
        .reverse()
        .map((reply) => ({ ...reply, id: String(reply.id) })),
    );
    expect(await ask(5)).toEqual(answered(5));
    expect(sizes()).toEqual([5]);
  });

  test("fail each for itself", async () => {
    const { ask, sizes } = serversOf((body) =>
      [honest(body)].flat().map((reply, index) => {
        if (index === 1) return { jsonrpc: "2.0", id: reply.id, error: { code: -32000 } };
        return index === 2 ? { jsonrpc: "2.0", id: reply.id } : reply;
      }),
    );
    const [first, second, third, fourth] = await ask(4);
    expect([first, fourth]).toEqual([
      ["get", [0]],
      ["get", [3]],
    ]);
    expect(second).toMatchObject({ reason: "server_error", cause: { code: -32000 } });
    expect(third).toMatchObject({ reason: "invalid_reply" });
    expect(sizes()).toEqual([4]);
  });

  test("are sent by more batches only as earlier ones are answered", async () => {
    const waiting: (() => void)[] = [];
    const { ask, sizes } = serversOf(async (body) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return honest(body);
    });
    const asked = ask(1000);
    await expect.poll(() => waiting.length).toBe(4);
    expect(sizes()).toHaveLength(4);
    for (let count = 0; count < 10; count++) {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.();
    }
    expect(await asked).toEqual(answered(1000));
  });
});

describe("a server without batches is asked one by one from then on, if it", () => {
  const error = { code: -32600, message: "batches are not supported" };
  test.each<[string, (replies: ReturnType<typeof result>[]) => unknown]>([
    ["replies with an error", () => ({ jsonrpc: "2.0", id: null, error })],
    ["replies to the first call", ([first]) => first],
    ["replies with a status", () => new Response("no", { status: 400 })],
    ["replies with the status of a failure", () => new Response("no", { status: 500 })],
    ["replies with no JSON", () => new Response("<html>")],
    ["drops the connection", () => Promise.reject(new TypeError("reset"))],
    ["replies to a part", (replies) => replies.slice(1)],
    ["replies with nothing", () => []],
    ["replies to one twice", (replies) => [...replies.slice(1), replies.at(-1)]],
    ["replies to all, and to one twice", (replies) => [...replies, replies[0]]],
    ["replies to a call of nobody", ([, ...rest]) => [{ ...rest[0], id: 99 }, ...rest]],
    ["replies without an id", (replies) => replies.map((reply) => ({ ...reply, id: undefined }))],
    [
      "replies with lists as ids",
      (replies) => replies.map((reply) => ({ ...reply, id: [reply.id] })),
    ],
    ["replies with other values", (replies) => replies.map(() => 7)],
    [
      "replies with more than the bound",
      (replies) => replies.map((reply) => ({ ...reply, x: "x".repeat(9999) })),
    ],
  ])("%s", async (_, wrong) => {
    const { ask, sizes } = serversOf((body) =>
      Array.isArray(body) ? wrong(body.map(result)) : result(body),
    );
    expect(await ask(5)).toEqual(answered(5));
    expect(sizes()).toEqual([5, 1, 1, 1, 1, 1]);
    expect(await ask(2)).toEqual(answered(2));
    expect(sizes()).toEqual([5, 1, 1, 1, 1, 1, 1, 1]);
  });

  test("answers no batch in time", async () => {
    const { ask, sizes } = serversOf(
      (body) => (Array.isArray(body) ? new Promise(() => undefined) : result(body)),
      { timeout: 50 },
    );
    expect(await ask(3)).toEqual(answered(3));
    expect(await ask(2)).toEqual(answered(2));
    expect(sizes()).toEqual([3, 1, 1, 1, 1, 1]);
  });

  test("answers single calls with errors of their own", async () => {
    const { ask, sizes } = serversOf((body) => {
      if (Array.isArray(body)) return new Response("no", { status: 405 });
      return body.params[0] === 0 ? { jsonrpc: "2.0", id: body.id, error } : result(body);
    });
    const [first, ...rest] = await ask(3);
    expect(first).toMatchObject({ reason: "server_error" });
    expect(rest).toEqual(answered(3).slice(1));
    expect(sizes()).toEqual([3, 1, 1, 1]);
  });

  test("at most 32 at once", async () => {
    const most = { now: 0, ever: 0 };
    const { ask } = serversOf(async (body) => {
      if (Array.isArray(body)) return {};
      most.ever = Math.max(most.ever, ++most.now);
      await new Promise((resolve) => setTimeout(resolve));
      most.now -= 1;
      return result(body);
    });
    expect(await ask(100)).toEqual(answered(100));
    expect(most.ever).toBe(32);
  });
});

describe("a server that fails", () => {
  test.each<[string, () => unknown, string]>([
    [
      "is asked twice, if it drops connections",
      () => Promise.reject(new TypeError("reset")),
      "unreachable",
    ],
    [
      "is asked twice, if it limits the rate",
      () => new Response("", { status: 429 }),
      "server_error",
    ],
    ["is asked twice, if it fails", () => new Response("", { status: 503 }), "server_error"],
  ])("%s, and takes batches once it is back", async (_, failure, reason) => {
    let isFailing = true;
    const { ask, sizes } = serversOf((body) => (isFailing ? failure() : honest(body)));
    for (const error of await ask(9)) expect(error).toMatchObject({ reason });
    expect(sizes()).toEqual([9, 1]);
    isFailing = false;
    expect(await ask(9)).toEqual(answered(9));
    expect(sizes()).toEqual([9, 1, 9]);
  });

  test("is followed by the next, and sends nothing more", async () => {
    const urls = ["http://one.test", "http://two.test"];
    const asked: string[] = [];
    const { servers } = serversOf(
      (body, host) => {
        asked.push(host);
        return host === "one.test" ? new Response("", { status: 503 }) : honest(body);
      },
      { urls },
    );
    const answer = await servers.ask(
      ({ batching }) =>
        Promise.all(Array.from({ length: 1000 }, (_, index) => batching.call("get", [index]))),
      undefined,
    );
    expect(answer).toEqual(answered(1000));
    // Four batches were on their way, each with its first call alone.
    expect(asked.filter((host) => host === "one.test").length).toBeLessThanOrEqual(8);
    expect(asked.filter((host) => host === "two.test")).toHaveLength(10);
  });

  test("is left when the caller aborts", async () => {
    const abort = new AbortController();
    const { servers, sizes } = serversOf(() => new Promise(() => undefined));
    const asked = servers.ask(
      ({ batching }) =>
        Promise.all(Array.from({ length: 1000 }, (_, index) => batching.call("get", [index]))),
      abort.signal,
    );
    await expect.poll(sizes).toHaveLength(4);
    abort.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sizes()).toHaveLength(4);
  });
});
