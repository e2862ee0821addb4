/** Beacon nodes that are honest, and lack a part of what a client asks for, or write it in another way. */

import { describe, expect, test } from "vitest";

import { VerifyError } from "../../src/error.js";
import { EthereumClient, type EthereumOptions, type Failure } from "../../src/ethereum.js";
import { rejection } from "../refusal.js";
import {
  bytes,
  chunk,
  dataOf,
  entry,
  honest,
  optionsOf,
  serverOf,
  type Style,
  timeOf,
} from "./made-up-chain.js";

/** The part of a path after `light_client`. */
type Part = "bootstrap" | "updates" | "finality_update" | "optimistic_update";

interface Request {
  part: Part;
  accept: string;
  query: URLSearchParams;
}

/** A node's own answer to a request; undefined for the honest one. */
type Habit = (request: Request) => Response | Promise<Response> | undefined;

const FIRST = 256;
const STYLES = [
  ["SSZ", { json: false }],
  ["JSON", { json: true }],
] as const;
const HEADS = ["finality_update", "optimistic_update"] as const;
const PARTS = ["updates", ...HEADS] as const;

const latest = { slot: 305n, beaconRoot: entry("electra.latest") };
const finalized = { slot: 288n, beaconRoot: entry("electra.finalized") };

/** A node of Electra's period as a `fetch`. */
const nodeOf =
  (
    habit: Habit,
    style: Style = {},
    honestly = serverOf("electra", () => honest("electra"), style),
  ) =>
  async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const { pathname, searchParams } = input as URL;
    const [, part] = /light_client\/(\w+)/.exec(pathname) ?? [];
    const accept = new Headers(init?.headers).get("accept") ?? "";
    const own = await habit({ part: part as Part, accept, query: searchParams });
    return own ?? honestly(input, init);
  };

/** Connects to nodes, the first one first. */
async function follow(nodes: (typeof fetch)[], options: Partial<EthereumOptions> = {}) {
  const failures: Failure[] = [];
  const client = await EthereumClient.connect({
    ...optionsOf("electra"),
    beacon: nodes.map((_, index) => `http://beacon-${index}.test`),
    fetch: (input, init) => {
      const [, index] = /^beacon-(\d)/.exec((input as URL).hostname) ?? [];
      const node = nodes[Number(index)];
      if (!node) throw new Error(`no node ${index}`);
      return node(input, init);
    },
    onFailure: (failure) => failures.push(failure),
    ...options,
  });
  return { client, failures };
}

const status = (status: number, body = `{"code":${status},"message":"not now"}`) =>
  new Response(body, { status, headers: { "content-type": "application/json" } });

const octets = (body: Uint8Array<ArrayBuffer>, type = "application/octet-stream") =>
  new Response(body, { headers: type === "" ? {} : { "content-type": type } });

/** A message with another name than the honest one. */
const message = (part: Part, name: string, { json }: Style): Response => {
  const type = part === "finality_update" ? "finality" : "optimistic";
  return json
    ? Response.json({ version: "electra", data: dataOf("electra", type, name) })
    : octets(bytes(name));
};

describe.each(STYLES)("a node that answers in %s", (_, style) => {
  const STATUSES = [400, 404, 429, 500, 501, 503];

  test.each(PARTS.flatMap((part) => STATUSES.map((code) => [part, code] as const)))(
    "and to %s with status %i is used for the rest",
    async (part, code) => {
      const node = nodeOf((asked) => (asked.part === part ? status(code) : undefined), style);
      const { client, failures } = await follow([node]);
      if (part !== "optimistic_update") expect(client.latest).toMatchObject(latest);
      if (part !== "finality_update") expect(client.finalized).toMatchObject(finalized);
      await client.sync();
      expect(failures).toEqual([]);
    },
  );

  test.each([
    ["an error of its gateway", () => new Response("<html>502</html>", { status: 502 })],
    ["a page", () => new Response("<html></html>", { headers: { "content-type": "text/html" } })],
    ["no content", () => new Response(null, { status: 204 })],
    ["an empty body of bytes", () => octets(new Uint8Array())],
    ["no data", () => Response.json({ version: "electra", data: null })],
    ["null", () => Response.json(null)],
    ["an empty object", () => Response.json({})],
    ["an empty list", () => Response.json([])],
    ["an error in JSON", () => Response.json({ code: 404, message: "LC unavailable" })],
    ["a redirect", () => Response.redirect("http://elsewhere.test/", 302)],
    ["text", () => new Response("not found")],
  ])("and in one place with %s is used for the rest", async (_, answer) => {
    for (const part of PARTS) {
      const node = nodeOf((asked) => (asked.part === part ? answer() : undefined), style);
      const { client, failures } = await follow([node]);
      if (part !== "optimistic_update") expect(client.latest, part).toMatchObject(latest);
      if (part !== "finality_update") expect(client.finalized, part).toMatchObject(finalized);
      expect(failures).toEqual([]);
    }
  });

  test("and never to one of the requests is used for the rest", async () => {
    for (const part of ["updates", "optimistic_update"]) {
      const never = new Promise<Response>(() => undefined);
      const node = nodeOf((asked) => (asked.part === part ? never : undefined), style);
      const { client, failures } = await follow([node], { timeout: 100 });
      expect(client.finalized, part).toMatchObject(finalized);
      expect(failures).toEqual([]);
    }
  });

  test("and with few signatures of finality is used for the rest", async () => {
    const node = nodeOf(({ part }) =>
      part === "finality_update" ? message(part, "electra.fewFinality", style) : undefined,
    );
    const { client, failures } = await follow([node]);
    expect(client.latest).toMatchObject(latest);
    // The update of the period finalizes an older block.
    expect(client.finalized.slot).toBe(280n);
    expect(failures).toEqual([]);
  });

  test("and with few signatures of the newest block is used for the rest", async () => {
    const node = nodeOf(({ part }) =>
      part === "optimistic_update" ? message(part, "electra.fewOptimistic", style) : undefined,
    );
    const { client, failures } = await follow([node]);
    expect(client.latest.slot).toBe(304n);
    expect(client.finalized).toMatchObject(finalized);
    expect(failures).toEqual([]);
  });

  test.each([
    ["few signatures", (part: Part) => message(part, few(part), style), "too_few_signatures"],
    ["404", () => status(404), "server_error"],
    ["503", () => status(503), "server_error"],
  ] as const)(
    "and to both kinds of heads with %s leaves a good head as it is",
    async (...given) => {
      const [, answer, reason] = given;
      const world = { lacks: false };
      const node = nodeOf(({ part }) =>
        world.lacks && part.endsWith("_update") ? answer(part) : undefined,
      );
      const { client, failures } = await follow([node]);
      world.lacks = true;
      await client.sync();
      expect(client.latest).toMatchObject(latest);
      expect(failures.map(({ error }) => error.reason)).toEqual([reason]);
      // It is not enough to begin with, nor does it hide that the head is too old.
      expect((await rejection(follow([node]))).reason).toBe(reason);
    },
  );

  test("is left alone as long as nobody answers", async () => {
    const world = { down: false };
    const node = nodeOf(() => {
      if (world.down) throw new TypeError("connection refused");
      return undefined;
    }, style);
    const { client } = await follow([node]);
    world.down = true;
    expect((await rejection(client.sync())).reason).toBe("unreachable");
    expect(client.latest).toMatchObject(latest);
  });

  test("without a checkpoint's committee is not enough, but another one is", async () => {
    const without = nodeOf(({ part }) => (part === "bootstrap" ? status(404) : undefined), style);
    expect((await rejection(follow([without]))).reason).toBe("server_error");
    const only = nodeOf(({ part }) => (part === "bootstrap" ? undefined : status(404)), style);
    const { client } = await follow([without, only]);
    expect(client.latest).toMatchObject(latest);
  });

  test("about no fork leads to its heads", async () => {
    const honestly = nodeOf(() => undefined, style);
    const { client, failures } = await follow([
      async (...request) => {
        const response = await honestly(...request);
        const type = response.headers.get("content-type") ?? "";
        const headers = { "content-type": type };
        if (!style.json) return new Response(response.body, { headers });
        const text = (await response.text()).replaceAll('"version":"electra",', "");
        return new Response(text, { headers });
      },
    ]);
    expect(client.latest).toMatchObject(latest);
    expect(failures).toEqual([]);
  });
});

const few = (part: Part) => `electra.few${part === "finality_update" ? "Finality" : "Optimistic"}`;

describe("a node without SSZ", () => {
  test.each([400, 406, 415])("answers with status %i, and is asked for JSON", async (code) => {
    const accepts: string[] = [];
    const node = nodeOf(
      ({ accept }) => {
        accepts.push(accept);
        return accept.includes("octet-stream") ? status(code) : undefined;
      },
      { json: true },
    );
    const { client, failures } = await follow([node]);
    expect(client.latest).toMatchObject(latest);
    expect(client.finalized).toMatchObject(finalized);
    expect(failures).toEqual([]);
    // It is known from then on.
    expect(accepts.filter((accept) => accept.includes("octet-stream"))).toHaveLength(1);
    await client.sync();
    expect(accepts.filter((accept) => accept.includes("octet-stream"))).toHaveLength(1);
  });

  test("is not asked for JSON because of other errors", async () => {
    const accepts: string[] = [];
    const node = nodeOf(({ part, accept }) => {
      if (part !== "finality_update") return undefined;
      accepts.push(accept);
      return status(404);
    });
    await follow([node]);
    expect(accepts).toHaveLength(1);
  });
});

test.each(["bootstrap", ...PARTS] as const)(
  "a node that writes SSZ of %s in a form of its own is asked for JSON",
  async (part) => {
    // Lighthouse put the whole reply into each chunk of updates.
    const style = (accept: string) => ({ json: !accept.includes("octet-stream") });
    const nodes = [false, true].map((json) => nodeOf(() => undefined, { json }));
    const node: typeof fetch = async (input, init) => {
      const accept = new Headers(init?.headers).get("accept") ?? "";
      const { json } = style(accept);
      const response = await (nodes[Number(json)] as typeof fetch)(input, init);
      if (json || !(input as URL).pathname.includes(part)) return response;
      const body = new Uint8Array(await response.arrayBuffer());
      return octets(Uint8Array.of(...new Uint8Array(16), ...body));
    };
    const { client, failures } = await follow([node]);
    expect(client.latest).toMatchObject(latest);
    expect(client.finalized).toMatchObject(finalized);
    expect(failures).toEqual([]);
  },
);

describe("the type of the content is not what decides", () => {
  const TYPES = ["", "text/plain", "application/json; charset=utf-8", "APPLICATION/OCTET-STREAM"];

  test.each(
    STYLES.flatMap(([name, style]) =>
      [...TYPES, "application/vnd.api+json", "binary/octet-stream"].map(
        (type) => [name, type, style] as const,
      ),
    ),
  )("%s as %j", async (_, type, style) => {
    const honestly = nodeOf(() => undefined, style);
    const { client, failures } = await follow([
      async (...request) => {
        const response = await honestly(...request);
        return octets(new Uint8Array(await response.arrayBuffer()), type);
      },
    ]);
    expect(client.latest).toMatchObject(latest);
    expect(client.finalized).toMatchObject(finalized);
    expect(failures).toEqual([]);
  });
});

describe("updates of several periods", () => {
  /** The updates of the checkpoint's period and the two after it. */
  const PERIODS = [
    { fork: "electra", digest: "electra.digest", update: "electra.update" },
    { fork: "fulu", digest: "electra.nextDigest", update: "electra.nextUpdate" },
    { fork: "gloas", digest: "electra.afterNextDigest", update: "electra.afterNextUpdate" },
  ] as const;
  interface Period {
    fork: "electra" | "fulu" | "gloas";
    digest: string;
    update: string;
  }

  const write = (periods: readonly Period[], { json }: Style): Response =>
    json
      ? Response.json(
          periods.map(({ fork, update }) => ({
            version: fork,
            data: dataOf(fork, "update", update),
          })),
        )
      : octets(
          Uint8Array.of(
            ...periods.flatMap(({ digest, update }) => [...chunk(bytes(digest), bytes(update))]),
          ),
        );

  /** A node of the third period; `choose` says which of the updates that were asked for it has. */
  const later = (
    style: Style,
    choose: (asked: readonly Period[]) => readonly Period[],
    queries: string[] = [],
  ) =>
    nodeOf(({ part, query }) => {
      if (part === "updates") {
        queries.push(String(query));
        const from = Number(query.get("start_period")) - FIRST / 64;
        const asked = PERIODS.slice(from, from + Number(query.get("count")));
        return write(choose(asked), style);
      }
      if (part === "bootstrap") return undefined;
      const type = part === "finality_update" ? "finality" : "optimistic";
      const name = `electra.afterNext${type === "finality" ? "Finality" : "Optimistic"}`;
      const reply = { version: "gloas", data: dataOf("gloas", type, name) };
      return style.json ? Response.json(reply) : octets(bytes(name));
    }, style);

  const NOW = { now: () => timeOf(FIRST + 128 + 50) };
  const head = BigInt(FIRST + 128 + 49);

  describe.each(STYLES)("in %s", (_, style) => {
    test("lead to the newest head", async () => {
      const { client, failures } = await follow([later(style, (asked) => asked)], NOW);
      expect(client.latest.slot).toBe(head);
      expect(failures).toEqual([]);
    });

    test("may be fewer than were asked for", async () => {
      const queries: string[] = [];
      const node = later(style, ([first]) => (first ? [first] : []), queries);
      const { client, failures } = await follow([node], NOW);
      expect(client.latest.slot).toBe(head);
      expect(failures).toEqual([]);
      expect(new Set(queries).size).toBe(queries.length);
    });

    test("may be more than were asked for, and older", async () => {
      const all = later(style, () => PERIODS);
      const { client, failures } = await follow([all], NOW);
      expect(client.latest.slot).toBe(head);
      expect(failures).toEqual([]);
    });

    test("count up to the first that does not verify", async () => {
      const fewNext = { ...PERIODS[1], update: "electra.fewNextUpdate" };
      const world = { few: true };
      // Nothing of the newest period can be verified while the best update of the one before has few signatures.
      const node = later(style, (asked) =>
        asked.map((period) => (world.few && period === PERIODS[1] ? fewNext : period)),
      );
      const error = await rejection(follow([node], NOW));
      expect(error.reason).toBe("too_few_signatures");
      // In the period of the few signatures, all that came before leads to the newest head.
      const next = nodeOf(({ part, query }) => {
        if (part === "updates") {
          const from = Number(query.get("start_period")) - FIRST / 64;
          const asked = [PERIODS[0], fewNext].slice(from, from + Number(query.get("count")));
          return write(asked, style);
        }
        if (part === "bootstrap") return undefined;
        const type = part === "finality_update" ? "finality" : "optimistic";
        const name = `electra.next${type === "finality" ? "Finality" : "Optimistic"}`;
        const reply = { version: "fulu", data: dataOf("fulu", type, name) };
        return style.json ? Response.json(reply) : octets(bytes(name));
      }, style);
      const { client, failures } = await follow([next], { now: () => timeOf(FIRST + 64 + 50) });
      expect(client.latest.slot).toBe(BigInt(FIRST + 64 + 49));
      expect(failures).toEqual([]);
    });

    test("that begin later than the checkpoint are not enough, and no lie", async () => {
      const pruned = later(style, (asked) => asked.filter((period) => period !== PERIODS[0]));
      for (const node of [pruned, later(style, () => [])]) {
        const error = await rejection(follow([node], NOW));
        expect([error.code, error.reason]).toEqual(["unavailable", "unknown_block"]);
      }
    });

    test("of one node help to verify the heads of another", async () => {
      const heads = later(style, () => []);
      const updates = later(style, (asked) => asked);
      const onlyUpdates: typeof fetch = (input, init) =>
        (input as URL).pathname.endsWith("_update")
          ? Promise.resolve(status(501))
          : updates(input, init);
      for (const nodes of [
        [heads, onlyUpdates],
        [onlyUpdates, heads],
      ]) {
        const { client } = await follow(nodes, NOW);
        expect(client.latest.slot).toBe(head);
      }
    });

    test("may stand in a member, as older nodes wrote them", async () => {
      if (!style.json) return;
      const node = nodeOf(({ part }) =>
        part === "updates"
          ? Response.json({ data: [dataOf("electra", "update", "electra.update")] })
          : undefined,
      );
      const { client, failures } = await follow([node]);
      expect(client.latest).toMatchObject(latest);
      expect(failures).toEqual([]);
    });
  });
});

describe.each(STYLES)("a lie in %s is refused", (_, style) => {
  /** A message whose signature, or a block of it, is another one. */
  const lieOf = (part: Part): Response => {
    const [type, name] =
      part === "updates"
        ? (["update", "electra.update"] as const)
        : part === "finality_update"
          ? (["finality", "electra.finality"] as const)
          : (["optimistic", "electra.optimistic"] as const);
    const lie = bytes(name);
    // Within the state root of the attested block.
    const at = new DataView(lie.buffer).getUint32(0, true) + 60;
    lie[at] = (lie[at] ?? 0) ^ 1;
    if (!style.json) return octets(part === "updates" ? chunk(bytes("electra.digest"), lie) : lie);
    const data = dataOf("electra", type, name) as {
      attested_header: { beacon: { state_root: string } };
    };
    data.attested_header.beacon.state_root = `0x${"11".repeat(32)}`;
    const reply = { version: "electra", data };
    return Response.json(part === "updates" ? [reply] : reply);
  };

  test.each(PARTS)("in %s, whatever the rest is", async (lying) => {
    const world = { lies: true };
    for (const others of [undefined, 404, 500]) {
      const node = nodeOf(({ part }) => {
        if (part === "bootstrap" || !world.lies) return undefined;
        if (part === lying) return lieOf(part);
        return others === undefined ? undefined : status(others);
      }, style);
      world.lies = true;
      const error = await rejection(follow([node]));
      expect(["mismatch", "untrusted"], error.reason).toContain(error.code);
      // A client with a good head does not believe it, either.
      world.lies = false;
      const { client, failures } = await follow([node]);
      const heads = [client.latest, client.finalized];
      world.lies = true;
      const asking = client.sync();
      if (lying === "updates") await asking;
      else expect((await rejection(asking)).code).toBe(error.code);
      expect([client.latest, client.finalized]).toEqual(heads);
      expect(failures).toHaveLength(lying === "updates" ? Number(others !== undefined) : 1);
    }
  });

  test("and the next node is asked", async () => {
    for (const lying of PARTS) {
      const liar = nodeOf(({ part }) => (part === lying ? lieOf(part) : undefined), style);
      const { client, failures } = await follow([liar, nodeOf(() => undefined, style)]);
      expect(client.latest).toMatchObject(latest);
      expect(client.finalized).toMatchObject(finalized);
      expect(failures).toHaveLength(1);
    }
  });
});

describe("any recorded message in any place leads to no other head", () => {
  /** Messages that too few signed, that are late, or of another kind. */
  const NAMES = [
    ...["bootstrap", "update", "finality", "optimistic", "older", "olderOptimistic"],
    ...["lateConflict", "strayFinality", "fewFinality", "fewOptimistic"],
    ...["nextUpdate", "fewNextUpdate", "nextFinality", "nextOptimistic", "afterNextOptimistic"],
  ];
  /** Slots of the chain's messages up to now. */
  const SLOTS = [264n, 276n, 277n, 280n, 288n, 296n, 304n, 305n];

  test.each(["bootstrap", ...PARTS] as const)("as %s", async (part) => {
    for (const fork of ["electra", "gloas"]) {
      for (const name of NAMES) {
        const ssz = bytes(`${fork}.${name}`);
        const reply = () => octets(part === "updates" ? chunk(bytes("electra.digest"), ssz) : ssz);
        const node = nodeOf((asked) => (asked.part === part ? reply() : undefined));
        const connected = await follow([node]).catch((error: unknown) => error);
        if (connected instanceof VerifyError) {
          expect(connected.code, `${name}: ${connected.message}`).not.toBe("internal");
          continue;
        }
        const { client } = connected as Awaited<ReturnType<typeof follow>>;
        const heads = [client.latest, client.finalized];
        for (const head of heads) expect(SLOTS, `${fork}.${name}`).toContain(head.slot);
        const known = new Map([
          [latest.slot, latest.beaconRoot],
          [finalized.slot, finalized.beaconRoot],
        ]);
        for (const { slot, beaconRoot } of heads) {
          expect(beaconRoot, `${fork}.${name}`).toBe(known.get(slot) ?? beaconRoot);
        }
      }
    }
  });
});
