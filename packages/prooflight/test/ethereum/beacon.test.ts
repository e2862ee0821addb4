/** Heads of a made-up beacon chain, which has forks and faults that no network has shown yet. */

import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { refuse } from "../../src/error.js";
import { readNetwork } from "../../src/ethereum/network.js";
import { EthereumClient, type EthereumOptions, type Failure } from "../../src/ethereum.js";
import { rejection } from "../refusal.js";
import {
  entry,
  honest,
  type Messages,
  networkOf,
  optionsOf,
  type Recorded,
  serverOf,
  type Style,
  timeOf,
} from "./made-up-chain.js";

const FORKS = ["electra", "gloas"] as const;
const STYLES = [
  ["SSZ", { json: false }],
  ["JSON", { json: true }],
] as const;

const first = (fork: Recorded) => (fork === "electra" ? 256 : 384);

/** A client whose server's messages and clock can be changed. */
async function follow(
  fork: Recorded,
  options: Partial<EthereumOptions> = {},
  style: Style = {},
  messages: Messages = honest(fork),
) {
  const paths: string[] = [];
  const world = { messages, now: timeOf(first(fork) + 50), asked: 0, paths };
  const failures: Failure[] = [];
  const server = serverOf(fork, () => world.messages, style);
  const client = await EthereumClient.connect({
    ...optionsOf(fork),
    now: () => world.now,
    fetch: (...request) => {
      world.asked += 1;
      paths.push((request[0] as URL).href);
      return server(...request);
    },
    onFailure: (failure) => failures.push(failure),
    ...options,
  });
  return { client, world, failures };
}

describe.each(FORKS)("%s's messages", (fork) => {
  test.each(STYLES)("in %s lead to its heads", async (_, style) => {
    const { client, failures } = await follow(fork, {}, style);
    expect(client.finalized).toEqual({
      slot: BigInt(first(fork) + 32),
      beaconRoot: entry(`${fork}.finalized`),
      executionBlockHash: entry(`${fork}.finalizedExecution`),
      participation: { signed: 32, of: 32 },
    });
    expect(client.latest).toEqual({
      slot: BigInt(first(fork) + 49),
      beaconRoot: entry(`${fork}.latest`),
      executionBlockHash: entry(`${fork}.latestExecution`),
      participation: { signed: 32, of: 32 },
    });
    expect(failures).toEqual([]);
  });
});

describe("finality that contradicts itself", () => {
  test.each(STYLES)("in %s stops the client, which keeps both updates", async (_, style) => {
    const { client, world } = await follow("electra", {}, style);
    expect(client.conflict).toBe(undefined);
    world.messages = {
      ...world.messages,
      finality_update: { type: "finality", name: "electra.conflict" },
    };
    expect((await rejection(client.sync())).reason).toBe("conflicting_finality");
    const { first, second } = client.conflict ?? {};
    expect(first?.form).toBe("finality");
    expect(`0x${Buffer.from(first?.ssz ?? []).toString("hex")}`).toBe(entry("electra.finality"));
    expect(second?.form).toBe("finality");
    expect(`0x${Buffer.from(second?.ssz ?? []).toString("hex")}`).toBe(entry("electra.conflict"));
  });
});

describe.each(FORKS)("%s's finality that contradicts an older block", (fork) => {
  /** A client with two finalized blocks after its checkpoint's period's. */
  async function followed(options: Partial<EthereumOptions> = {}) {
    const followed = await follow(fork, options);
    const { client, world } = followed;
    world.now = timeOf(first(fork) + 60);
    tell(world, `${fork}.laterFinality`);
    await client.sync();
    expect(client.finalized.slot).toBe(BigInt(first(fork) + 40));
    return followed;
  }

  const tell = (world: { messages: Messages }, name: string) => {
    world.messages = { ...world.messages, finality_update: { type: "finality", name } };
  };

  test.each([
    ["about a newer block", "lateConflict"],
    ["about a block that is no newer", "oldConflict"],
  ])("stops the client, signed %s", async (_, name) => {
    const { client, world, failures } = await followed();
    tell(world, `${fork}.${name}`);
    const error = await rejection(client.sync());
    expect(error.reason).toBe("conflicting_finality");
    expect(error.details.expected).toBe(entry(`${fork}.finalized`));
    expect(failures.map(({ error }) => error.reason)).toEqual(["conflicting_finality"]);
    const hex = (ssz: Uint8Array | undefined) => `0x${Buffer.from(ssz ?? []).toString("hex")}`;
    expect(hex(client.conflict?.first?.ssz)).toBe(entry(`${fork}.finality`));
    expect(hex(client.conflict?.second.ssz)).toBe(entry(`${fork}.${name}`));
    expect(error.cause).toEqual(client.conflict);
  });

  test("stops a client that continues from a state", async () => {
    const { client, world } = await followed();
    const state = client.export();
    tell(world, `${fork}.lateConflict`);
    const error = await rejection(
      EthereumClient.connect({
        ...optionsOf(fork),
        checkpoint: undefined,
        state,
        now: () => world.now,
        fetch: serverOf(fork, () => world.messages),
      }),
    );
    expect(error.reason).toBe("conflicting_finality");
    const { first, second } = error.cause as NonNullable<EthereumClient["conflict"]>;
    expect(first).toBe(undefined);
    expect(second.form).toBe("finality");
  });

  test("moves nothing if no block of the slot is known", async () => {
    const { client, world, failures } = await followed();
    const heads = [client.latest, client.finalized];
    tell(world, `${fork}.strayFinality`);
    await client.sync();
    expect([client.latest, client.finalized]).toEqual(heads);
    expect(failures).toEqual([]);
  });
});

describe("a clock", () => {
  const signed = timeOf(256 + 50);

  test("may be behind by maxClockSkew", async () => {
    const late = (ms: bigint, options: Partial<EthereumOptions> = {}) =>
      follow("electra", { ...options, now: () => signed - ms });
    const { client } = await late(30_000n);
    expect(client.latest.slot).toBe(305n);
    await client.sync();
    expect((await rejection(late(30_001n))).reason).toBe("head_in_future");
    expect((await rejection(late(1n, { maxClockSkew: 0 }))).reason).toBe("head_in_future");
    expect((await late(60_000n, { maxClockSkew: 60_000 })).client.latest.slot).toBe(305n);
    const wrong = late(0n, { maxClockSkew: -1 });
    expect((await rejection(wrong)).reason).toBe("invalid_argument");
  });

  test("that is behind finds no head too old, and one that is ahead as old as it seems", async () => {
    const at = (now: bigint) => follow("electra", { maxHeadAge: 6000, now: () => now });
    expect((await at(signed - 30_000n)).client.latest.slot).toBe(305n);
    expect((await at(signed)).client.latest.slot).toBe(305n);
    expect((await rejection(at(signed + 6000n))).reason).toBe("head_too_old");
  });

  test("that is set back makes no head the newest", async () => {
    const { client, world } = await follow("electra", { refresh: 60_000 });
    const asked = async () => {
      const before = world.asked;
      // No execution node answers.
      await client.block("latest").catch(() => undefined);
      return world.asked - before;
    };
    const fresh = await asked();
    world.now -= 1n;
    expect(await asked()).toBeGreaterThan(fresh);
  });

  test("far beyond all others is no error of the client's own", async () => {
    const end = (1n << 64n) - 1n;
    const { client } = await follow("electra", {
      now: () => end,
      maxCheckpointAge: Number.MAX_SAFE_INTEGER,
      maxClockSkew: Number.MAX_SAFE_INTEGER,
    }).catch((error: unknown) => ({ client: error }));
    expect(client).toMatchObject({ reason: "head_too_old" });
  });
});

test.each([1n, 2n, 3n, 20n])(
  "a client that slept for %d periods asks for their committees",
  async (slept) => {
    const { client, world } = await follow("electra");
    const before = world.paths.length;
    // A period has 64 slots. At most 16 updates are asked for at once.
    world.now += timeOf(Number(slept) * 64) - timeOf(0);
    await client.sync();
    const asked = world.paths.slice(before).filter((path) => path.includes("/updates?"));
    const count = slept < 16n ? slept : 16n;
    expect(asked.map((path) => path.replace(/^.*\?/, ""))).toEqual([
      `start_period=5&count=${count}`,
    ]);
  },
);

describe("maxHeadAge", () => {
  const age = { maxHeadAge: 60_000, refresh: 1_000_000 };

  test("is the age of the newest head", async () => {
    const late = { ...age, now: () => timeOf(256 + 49 + 11) };
    expect((await rejection(follow("electra", late))).reason).toBe("head_too_old");
    const { client } = await follow("electra", { ...age, now: () => timeOf(256 + 49 + 10) });
    expect(client.latest.slot).toBe(305n);
  });

  test("holds for heads that need not be asked for again", async () => {
    const { client, world } = await follow("electra", age);
    world.now += 60_000n;
    const { asked } = world;
    expect((await rejection(client.block("latest"))).reason).toBe("head_too_old");
    expect(world.asked).toBeGreaterThan(asked);
    expect((await rejection(() => client.latest)).reason).toBe("head_too_old");
    expect((await rejection(() => client.finalized)).reason).toBe("head_too_old");
  });
});

describe("a fork that this version does not know", () => {
  // Gloas, to a network whose known forks end with Fulu.
  const unaware = { network: networkOf(6) };

  test.each(STYLES)("in %s is unsupported, and no lie", async (_, style) => {
    const error = await rejection(follow("gloas", unaware, style));
    expect([error.code, error.reason]).toEqual(["unsupported", "unsupported_fork"]);
    expect(error.details.found).toMatch(/gloas/);
  });

  test.each(["finality_update", "optimistic_update", "updates"])(
    "stops the heads when it begins, with %s",
    async (part) => {
      for (const [, style] of STYLES) {
        const { client, world, failures } = await follow("electra", unaware, style);
        const { latest } = client;
        // The server's messages are of the next fork from now on.
        const next = serverOf("gloas", () => honest("gloas"), { ...style, version: "heze" });
        const server = serverOf("electra", () => world.messages, style);
        const forked = await EthereumClient.connect({
          ...optionsOf("electra"),
          ...unaware,
          fetch: (input, init) => {
            const isNext = (input as URL).pathname.includes(part);
            return (isNext ? next : server)(input, init);
          },
        }).catch((error: unknown) => error);
        expect(forked).toMatchObject({ reason: "unsupported_fork" });
        expect(client.latest).toEqual(latest);
        expect(failures).toEqual([]);
      }
    },
  );

  test.each([
    ["a known one", "gloas", ["untrusted", "invalid_signature"]],
    ["none", "", ["untrusted", "invalid_signature"]],
    ["an unknown one", "heze", ["unsupported", "unsupported_fork"]],
  ])("is believed only as the reason of a refusal: %s", async (_, version, expected) => {
    // Signed by the same committee under another fork's version.
    const network = networkOf();
    const { gloas } = network.forks;
    const forks = { ...network.forks, gloas: { ...gloas, version: "0x00000001" } };
    const wrong = { network: { ...network, forks } } as Partial<EthereumOptions>;
    for (const [, style] of STYLES) {
      const error = await rejection(follow("gloas", wrong, { ...style, version }));
      expect([error.code, error.reason]).toEqual(
        // The digest of a fork is unknown, too.
        style.json ? expected : ["unsupported", "unsupported_fork"],
      );
      // Whatever it is called, an honest message leads to its heads.
      const { client } = await follow("gloas", {}, { ...style, version });
      expect(client.latest.beaconRoot).toBe(entry("gloas.latest"));
    }
  });
});

describe("a server that is behind", () => {
  const older: Messages = {
    ...honest("electra"),
    finality_update: { type: "finality", name: "electra.older" },
    optimistic_update: { type: "optimistic", name: "electra.olderOptimistic" },
  };

  test("changes nothing, and is no liar", async () => {
    const { client, world, failures } = await follow("electra");
    const { latest, finalized } = client;
    world.messages = older;
    await client.sync();
    expect([client.latest, client.finalized]).toEqual([latest, finalized]);
    expect(failures.map(({ error }) => error.code)).toEqual(["unavailable"]);
  });

  test("is passed over for one that is not", async () => {
    const servers = {
      behind: serverOf("electra", () => older),
      ahead: serverOf("electra", () => honest("electra")),
    };
    const client = await EthereumClient.connect({
      ...optionsOf("electra"),
      beacon: ["http://behind.test", "http://ahead.test"],
      fetch: (input, init) =>
        servers[(input as URL).hostname === "behind.test" ? "behind" : "ahead"](input, init),
    });
    expect(client.latest.beaconRoot).toBe(entry("electra.latest"));
  });

  test("is not enough to begin with", async () => {
    const error = await rejection(follow("electra", {}, {}, older));
    expect([error.code, error.reason]).toEqual(["unavailable", "unknown_block"]);
  });

  test("does not hide that the head is too old", async () => {
    const { client, world } = await follow("electra", { maxHeadAge: 60_000 });
    world.messages = older;
    world.now += 60_000n;
    expect((await rejection(client.sync())).reason).toBe("head_too_old");
  });
});

test("the newest known fork of each network is the binary's", () => {
  const path = new URL("../../../../crates/beacon/src/network/public.rs", import.meta.url);
  const source = readFileSync(path, "utf8");
  const refused = refuse("invalid_signature", "a signature", "another");
  for (const name of ["mainnet", "sepolia", "hoodi"] as const) {
    const [, epochs] =
      new RegExp(`const ${name.toUpperCase()}:[^;]*?starts\\(\\s*\\[([^\\]]*)\\]`).exec(source) ??
      [];
    expect(epochs?.split(","), name).toHaveLength(7);
    const { schedule } = readNetwork(name);
    const explained = (fork: string) => () =>
      schedule.explain(fork, () => {
        throw refused;
      });
    expect(explained("fulu")).toThrow(refused);
    if (epochs?.endsWith("UNSCHEDULED_EPOCH")) expect(explained("gloas")).toThrow(/gloas/);
    else expect(explained("gloas")).toThrow(refused);
  }
});
