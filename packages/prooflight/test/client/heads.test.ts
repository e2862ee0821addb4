/** Following heads, with and without a WebSocket, past restarts and nuisances. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { Header, LightClient, Options } from "../../src/index.js";
import type { Controlled } from "../network/control.js";
import { alice } from "../network/state.js";
import { begin, connect, Events, liar, network, pay, start, stop, turncoat } from "./network.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Follows a client's heads; `reach` waits until one of a height, or a later one, was heard of. */
function follow(client: LightClient) {
  const events = new Events<Header>();
  const unsubscribe = client.onHead(events.add);
  const reach = (height: bigint) => events.first((head) => head.height >= height);
  return { heard: events.all, reach, unsubscribe };
}

const connectTo = ({ url, checkpoint }: Controlled, options: Partial<Options> = {}) =>
  connect({ urls: [url], checkpoint, pollInterval: 20, webSocket: true, ...options });

/** Every WebSocket that is opened from now on, and every one that ended. */
function socketsFromNow() {
  const [opened, ended] = [new Events<WebSocket>(), new Events<WebSocket>()];
  const Original = WebSocket;
  vi.stubGlobal(
    "WebSocket",
    class extends Original {
      constructor(url: string | URL) {
        super(url);
        opened.add(this);
        // Of one that never opened, Node says only that it failed.
        for (const type of ["close", "error"]) {
          this.addEventListener(type, () => {
            ended.add(this);
          });
        }
      }
    },
  );
  const closed = (socket: WebSocket) => ended.first((one) => one === socket);
  return { opened, closed };
}

describe.each<[string, Partial<Options>, boolean]>([
  // Polling alone would take longer than the test may.
  ["told of by a WebSocket", { pollInterval: 1_000_000 }, true],
  ["asked for again and again", {}, false],
])("heads that are %s", (_, options, sockets) => {
  beforeEach(() => {
    if (!sockets) vi.stubGlobal("WebSocket", undefined);
  });

  test("are heard of in order, the present one first, each once", async () => {
    const node = await begin();
    await pay(node, "0.00");
    const client = await connectTo(node, options);
    const { heard, reach } = follow(client);
    for (let height = 1n; height <= 6n; height++) {
      await reach(height);
      await pay(node, `${height}.00`);
    }
    await reach(7n);
    expect(heard.map(({ height }) => height)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n]);
    expect(client.head).toEqual(heard.at(-1));
    expect(await client.get(alice)).toMatchObject({ value: new TextEncoder().encode("6.00") });
  });

  test("end where one unsubscribes, and not for the others", async () => {
    const node = await begin();
    const client = await connectTo(node, options);
    const [first, second] = [follow(client), follow(client)];
    await Promise.all([first.reach(0n), second.reach(0n)]);
    first.unsubscribe();
    await pay(node, "1.00");
    await second.reach(1n);
    expect(first.heard).toHaveLength(1);

    // A later subscriber starts with the present head, and hears of it only after it has subscribed.
    const third = follow(client);
    expect(third.heard).toHaveLength(0);
    await third.reach(1n);
    client.close();
    await pay(node, "2.00");
    await client.sync();
    expect(third.heard).toHaveLength(1);
    expect(second.heard).toHaveLength(2);

    // And it starts again.
    await follow(client).reach(2n);
  });
});

test.each([
  ["never", 2 ** 31 - 1],
  ["always", 0],
])("asking for heads %s is no endless loop", async (_, pollInterval) => {
  const node = await begin();
  const delays = vi.spyOn(globalThis, "setTimeout");
  const client = await connectTo(node, { pollInterval, timeout: 10_000 });
  const { reach } = follow(client);
  await reach(0n);
  for (let height = 1n; height <= 2n; height++) {
    await pay(node, `${height}.00`);
    await reach(height);
  }
  const waited = delays.mock.calls.map(([, delay = 0]) => delay);
  expect(waited).not.toHaveLength(0);
  expect(Math.max(...waited)).toBeLessThan(2 ** 31);
  expect(Math.min(...waited)).toBeGreaterThanOrEqual(50);
});

describe.each([true, false])("where there are WebSockets: %s", (sockets) => {
  test("heads go on after the node was away", async () => {
    if (!sockets) vi.stubGlobal("WebSocket", undefined);
    const node = await begin();
    const failed = new Events<string>();
    const client = await connectTo(node, {
      onFailure: ({ error }) => {
        failed.add(error.reason);
      },
    });
    const { reach } = follow(client);
    const errors = new Events<unknown>();
    client.onHead(() => undefined, errors.add);
    await reach(0n);
    for (let round = 1n; round <= 2n; round++) {
      await stop(node);
      failed.all.length = 0;
      await failed.first((reason) => reason === "unreachable");
      await start(node);
      await pay(node, `${round}.00`);
      await reach(round);
    }
    await errors.first();
  });
});

describe("a server that does with its WebSocket what it likes does not keep heads from the client:", () => {
  test.each([
    ["socket-flood", "closed"],
    ["socket-huge", "closed"],
    ["socket-closing", "closed"],
    ["socket-refused", "closed"],
    ["socket-silent", "left open"],
    ["socket-deaf", "left open"],
    ["socket-pending", "left open"],
  ])("%s, which is %s", async (name, end) => {
    const node = await begin();
    const { opened, closed } = socketsFromNow();
    const fetched = vi.fn(fetch);
    const client = await connectTo(node, { urls: [`${node.liar}/${name}`], fetch: fetched });
    const { heard, reach } = follow(client);
    for (let height = 0n; height < 4n; height++) {
      await reach(height);
      await pay(node, `${height}.00`);
    }
    await reach(4n);
    expect(heard.map(({ height }) => height)).toEqual([0n, 1n, 2n, 3n, 4n]);
    const first = await opened.first();
    if (end === "closed") await closed(first);
    else expect(first.readyState).toBeLessThan(WebSocket.CLOSING);
    // One that floods is not opened again, one that is closed not oftener than heads are asked for.
    if (name === "socket-flood" || name === "socket-huge") expect(opened.all).toHaveLength(1);
    expect(opened.all.length).toBeLessThanOrEqual(fetched.mock.calls.length);
  });

  test("and where another server answers in its place, its WebSocket takes over", async () => {
    const node = await begin();
    const { opened, closed } = socketsFromNow();
    const silent = `${node.liar}/socket-silent`;
    const server = turncoat(silent, silent);
    const client = await connectTo(node, { urls: [silent, node.url], fetch: server.fetch });
    await follow(client).reach(0n);
    const first = await opened.first();
    expect(first.url).toBe(silent.replace("http", "ws"));
    server.to(`${node.liar}/reset`);
    await opened.first(({ url }) => url === `${node.url}/`.replace("http", "ws"));
    await closed(first);
  });
});

describe("a callback that throws", () => {
  /** Catches what is thrown for the platform to report. */
  function reported(): Events<unknown> {
    const errors = new Events<unknown>();
    vi.stubGlobal("queueMicrotask", (task: () => void) => {
      void Promise.resolve().then(task).catch(errors.add);
    });
    return errors;
  }

  const mine = new Error("of the application");
  const fail = () => {
    throw mine;
  };

  test("does not keep other listeners from hearing of heads", async () => {
    const errors = reported();
    const node = await begin();
    const client = await connectTo(node);
    client.onHead(fail);
    const { reach } = follow(client);
    for (let height = 0n; height < 3n; height++) {
      await reach(height);
      await pay(node, `${height}.00`);
    }
    await reach(3n);
    expect(errors.all).toEqual([mine, mine, mine, mine]);
  });

  test("does not end following where it is told of errors", async () => {
    const errors = reported();
    const node = await begin();
    const client = await connectTo(node);
    const { reach } = follow(client);
    client.onHead(() => undefined, fail);
    await reach(0n);
    await stop(node);
    expect(await errors.first()).toBe(mine);
    await start(node);
    await pay(node, "1.00");
    await reach(1n);
  });

  test("does not keep the next server from being asked", async () => {
    const errors = reported();
    const client = await connect({ urls: [liar("html"), network.url], onFailure: fail });
    expect((await client.get(alice)).kind).toBe("present");
    expect(await errors.first()).toBe(mine);
  });
});

test("a listener may end another one, which then hears nothing more", async () => {
  const client = await connectTo(await begin());
  const [told, never] = [new Events<Header>(), vi.fn()];
  const unsubscribe: (() => void)[] = [];
  client.onHead((head) => {
    unsubscribe.forEach((end) => {
      end();
    });
    told.add(head);
  });
  unsubscribe.push(client.onHead(never));
  await told.first();
  await client.sync();
  expect(never).not.toHaveBeenCalled();
});

test("a client that asks all the time still hears of heads", async () => {
  // Each time the newest head is asked for, another question is asked and answered meanwhile.
  const others: LightClient[] = [];
  const busy: typeof fetch = async (...call) => {
    const response = await fetch(...call);
    const body = call[1]?.body;
    if (typeof body === "string" && body.includes('"head":"latest"')) {
      await Promise.all(others.map((client) => client.get(alice)));
    }
    return response;
  };
  const client = await connect({ fetch: busy });
  others.push(client);
  expect(await client.sync()).toEqual(client.head);
});

test("in Node no WebSocket is opened unless that is asked for, in browsers one is", async () => {
  const node = await begin();
  const { opened } = socketsFromNow();
  const client = await connectTo(node, { webSocket: undefined });
  const { reach } = follow(client);
  await reach(0n);
  await pay(node, "1.00");
  await reach(1n);
  expect(opened.all.length > 0).toBe("document" in globalThis);
});
