/** `prooflight eth checkpoint`: the finalized block on which several beacon nodes agree. */

import { Arguments } from "../../arguments.js";
import { refuse, VerifyError } from "../../error.js";
import type { NetworkName } from "../../ethereum.js";
import { readNetwork } from "../../ethereum/network.js";
import type { ServerFailure } from "../../transport/failure.js";
import { invalidReply } from "../../transport/http.js";
import { parseJson } from "../../transport/json.js";
import { readTransport } from "../../transport/options.js";
import { type Server, Servers } from "../../transport/servers.js";
import { parseUrl } from "../../url.js";
import { milliseconds, needed, serverText, timeOf } from "../chain.js";
import { EXIT, print, printFailure, printJson, printRows, type Row } from "../output.js";
import { bold, CHECK_MARK, CROSS_MARK, dim, type SafeText, text, yellow } from "../text.js";
import { ageText } from "./show.js";

interface CheckpointOptions {
  network?: string | undefined;
  beacon?: string[] | undefined;
  timeout?: string | undefined;
}

/** The time of slot 0 in seconds. Source: `genesis.json` of the networks, as in `crates/beacon`. */
const GENESIS: Readonly<Record<NetworkName, bigint>> = {
  mainnet: 1_606_824_023n,
  sepolia: 1_655_733_600n,
  hoodi: 1_742_213_400n,
};

/** A beacon block that a server names. */
interface NamedBlock {
  slot: bigint;
  root: string;
}

/** What a server says: the finalized block, and the one at the lowest finalized slot, if it has one there. */
interface Statement {
  server: string;
  finalized: NamedBlock;
  root: string | undefined;
}

/** `prooflight eth checkpoint`: prints the block on which all nodes agree. Returns the exit code. */
export async function checkpoint(options: CheckpointOptions, json: boolean): Promise<number> {
  const { network = "mainnet", beacon = [] } = options;
  const { secondsPerSlot } = readNetwork(network);
  if (new Set(beacon.map(hostnameOf)).size < 2) {
    throw needed("--beacon URL of at least two hosts, whose owners differ");
  }
  const statements = await ask(beacon, milliseconds(options.timeout, "--timeout"));
  const slot = lowestSlot(statements);
  const [root, ...others] = new Set(statements.map((statement) => statement.root));
  const timestamp = GENESIS[network as NetworkName] + slot * secondsPerSlot;
  const agreed = root !== undefined && others.length === 0 ? root : undefined;
  if (json) {
    printJson({
      agreed: agreed !== undefined,
      network,
      checkpoint: agreed ?? null,
      slot: String(slot),
      timestamp: String(timestamp),
      ageSeconds: Math.floor(Date.now() / 1000) - Number(timestamp),
      servers: statements.map(({ server, finalized, root = null }) => ({
        server,
        finalized: { slot: String(finalized.slot), root: finalized.root },
        root,
      })),
    });
  } else if (agreed === undefined) {
    printDisagreement(statements, slot);
  } else {
    printAgreement(statements, { slot, root: agreed }, timestamp);
  }
  return agreed === undefined ? EXIT.refused : EXIT.ok;
}

/** The host of a URL without its port: servers of one machine have one owner. */
const hostnameOf = (url: string) => parseUrl(url)?.hostname.replace(/\.$/, "") ?? url;

const lowestSlot = (statements: readonly Pick<Statement, "finalized">[]): bigint =>
  statements
    .map(({ finalized }) => finalized.slot)
    .reduce((lowest, slot) => (slot < lowest ? slot : lowest));

/** Asks every server for its finalized block, and then for the block at the lowest slot of them. */
async function ask(urls: readonly string[], timeout: number | undefined): Promise<Statement[]> {
  const given = new Arguments(undefined, { timeout }, ["fetch", "timeout", "maxReplyBytes"]);
  const transport = readTransport(given);
  const servers = new Servers(
    urls,
    transport,
    ({ url, error }) => {
      printFailure(serverText(url), error);
    },
    () => undefined,
    () => ({ bytes: MAX_REPLY_BYTES, items: Infinity, members: Infinity, transient: true }),
  );
  const headerOf = async (server: Server, block: string): Promise<NamedBlock> => {
    const reply = await server.get(`/eth/v1/beacon/headers/${block}`, "application/json");
    return readHeader(parseJson(reply.body, transport, server.url), server);
  };
  const rootAt = async (server: Server, slot: bigint): Promise<string | undefined> => {
    try {
      const block = await headerOf(server, String(slot));
      if (block.slot === slot) return block.root;
      throw invalidReply(server.url, `the header of slot ${slot}`, `that of slot ${block.slot}`);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const finalized = await servers.askEach(
    async (server) => ({ server: server.name, finalized: await headerOf(server, "finalized") }),
    undefined,
  );
  const slot = lowestSlot(finalized);
  return servers.askEach(async (server) => {
    const named = finalized.find((one) => one.server === server.name)?.finalized;
    if (!named) throw refuse("bug", "a server that was asked", server.name);
    const root = named.slot === slot ? named.root : await rootAt(server, slot);
    return { server: serverText(server.name), finalized: named, root };
  }, undefined);
}

/** A header is below 2 KiB. */
const MAX_REPLY_BYTES = 64 * 1024;

/** Whether a server has no block at a slot. */
const isNotFound = (error: unknown) =>
  error instanceof VerifyError && (error.cause as ServerFailure | undefined)?.status === 404;

/** What is read of a header. */
interface HeaderReply {
  data?: { root?: unknown; header?: { message?: { slot?: unknown } | null } | null } | null;
}

function readHeader(reply: unknown, { url }: Server): NamedBlock {
  const { root, header } = (reply as HeaderReply | null)?.data ?? {};
  const slot = header?.message?.slot;
  if (typeof root !== "string" || !/^0x[0-9a-f]{64}$/i.test(root)) {
    throw invalidReply(url, "a header with its root, 32 bytes in 0x-hex", "another form");
  }
  if (typeof slot !== "string" || !/^[0-9]{1,18}$/.test(slot)) {
    throw invalidReply(url, "a header with its slot", "another form");
  }
  return { slot: BigInt(slot), root: root.toLowerCase() };
}

function printAgreement(
  statements: readonly Statement[],
  { slot, root }: NamedBlock,
  timestamp: bigint,
): void {
  print(text`${CHECK_MARK} ${bold("agreed")}  ${root}`);
  print();
  printRows([
    ["slot", text`${String(slot)}  ${dim(timeOf(timestamp * 1000n))}  ${ageRemark(timestamp)}`],
    ...statements.map(({ server }, index): Row => [index === 0 ? "by" : "", server]),
  ]);
  print();
  print(
    text`  ${yellow("This is as good as the most honest of these servers")} at this time, and as your connection to them. Compare it with a source that you trust before you use it as --checkpoint.`,
  );
}

/** The age of a block, and whether it is unusual: blocks are final after 13 to 20 minutes. */
function ageRemark(timestamp: bigint): SafeText {
  const seconds = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (seconds < 0) return yellow("in the future, so the servers or --network are wrong");
  return seconds < 3600 ? text`${ageText(seconds)}` : yellow(ageText(seconds));
}

function printDisagreement(statements: readonly Statement[], slot: bigint): void {
  print(text`${CROSS_MARK} ${bold("no agreement")}  about the block at slot ${String(slot)}`);
  print();
  printRows(statements.map(({ server, root }): Row => [server, root ?? dim("no block")]));
}
