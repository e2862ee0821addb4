/** `prooflight eth serve`: a JSON-RPC endpoint for any program, which answers only what was verified. */

import { once } from "node:events";
import type { Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import type { VerifyError } from "../../error.js";
import type { Beacon } from "../../ethereum/beacon.js";
import { refusalIn } from "../../provider/error.js";
import { followEthereum } from "../../provider/provider.js";
import { VERSION } from "../../registry.js";
import type { Failure } from "../../transport/servers.js";
import { withOrigins } from "../../url.js";
import { init } from "../../wasm/ethereum.js";
import { printVerdict, serverText } from "../chain.js";
import { EXIT, print, printError, printFailure, printJsonLine, printRows } from "../output.js";
import { bold, dim, text, yellow } from "../text.js";
import { connectionOf, type FollowOptions, saveState } from "./follow.js";
import { isLoopback, listen, listenAddress } from "./serve/address.js";
import { Endpoint } from "./serve/endpoint.js";
import { Guard } from "./serve/guard.js";
import { HeadWatch, type ServedHead } from "./serve/heads.js";
import { createEndpointServer } from "./serve/http.js";
import { StartGate } from "./serve/queue.js";
import { acceptSockets, loadSockets } from "./serve/socket.js";
import { SubscriptionTable } from "./serve/subscriptions.js";
import { blockName } from "./show.js";

interface ServeOptions extends FollowOptions {
  listen?: string | undefined;
  origin?: string[] | undefined;
  host?: string[] | undefined;
}

/** Milliseconds between two questions for the newest head: a slot, and less before the first head. */
const HEAD_INTERVAL = 12_000;
const FIRST_HEAD_INTERVAL = 3000;

/** Milliseconds between two times at which the state is written. */
const SAVE_INTERVAL = 5 * 60_000;

const WITHOUT_SOCKETS = "Over HTTP only. For WebSocket, install the package ws (npm install ws).";

/** Milliseconds that requests at work have when the command ends. */
const END_TIME = 2000;

/** `prooflight eth serve`: serves until Ctrl-C. Returns the exit code. */
export async function serve(options: ServeOptions, json: boolean): Promise<number> {
  const { network = "mainnet", state: file } = options;
  const address = listenAddress(options.listen);
  const guard = new Guard({ hosts: options.host, origins: options.origin });
  const connection = await connectionOf(options);
  const failures = new FailureLog();
  const { provider, beacon } = followEthereum({ ...connection, onFailure: failures.report });
  // A state that is broken or too old ends the command before it listens.
  await init();
  beacon?.resume();
  const [watch, gate] = [new HeadWatch(provider), new StartGate()];
  const endpoint = new Endpoint(provider, { gate });
  const server = createEndpointServer({
    endpoint,
    guard,
    welcome: `Prooflight ${VERSION} answers JSON-RPC about ${network} here, by POST.`,
    health: () => watch.health(network),
  });
  const sockets = await loadSockets();
  const subscriptions = new SubscriptionTable(provider);
  const endSockets = sockets && acceptSockets(server, { endpoint, guard, subscriptions }, sockets);
  const url = await listen(server, address);
  const ending = endOnSignal();
  const socketUrl = sockets && url.replace(/^http/, "ws");
  if (json) printJsonLine({ event: "serving", network, url, socketUrl: socketUrl ?? null });
  else printStart(url, connection.state ? `the state in ${file}` : options.checkpoint, options);
  if (!json) print(dim(socketUrl ? `By WebSocket, at ${socketUrl}` : WITHOUT_SOCKETS));
  if (!json && !isLoopback(address)) printReachable();
  if (!json) print(dim("Asking for the first head. Until then, requests wait."));
  const kept = file === undefined ? undefined : new KeptState(file, beacon);
  try {
    await followHeads({ watch, gate, beacon, kept, json, network }, ending);
  } finally {
    endSockets?.();
    await close(server);
    await kept?.save();
    // A question to a server may still be at work, for which nobody waits.
    setTimeout(() => process.exit(), 0).unref();
  }
  return EXIT.ok;
}

/** Is aborted when the user or the system ends the command. */
function endOnSignal(): AbortSignal {
  const end = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      end.abort();
    });
  }
  return end.signal;
}

function printStart(url: string, from: string | undefined, options: ServeOptions): void {
  const { network = "mainnet", beacon = [], execution = [] } = options;
  const names = (urls: readonly string[]) => urls.map(withOrigins).join(", ");
  print(text`${bold("serving")} ${network}, verified, at ${url}`);
  print();
  printRows([
    ["from", from ?? ""],
    ["beacon", names(beacon)],
    ["execution", names(execution)],
  ]);
  print();
}

function printReachable(): void {
  const warning = yellow("Other machines can reach this address.");
  print(text`  ${warning} Those that name a host of --host are answered.`);
  print();
}

/** What follows the head. */
export interface Service {
  watch: HeadWatch;
  gate: StartGate;
  beacon: Beacon | undefined;
  kept: KeptState | undefined;
  json: boolean;
  network: string;
}

/** Follows the newest head until the command ends; throws if there can be no first one. */
export async function followHeads(
  service: Service,
  ending: AbortSignal,
  headInterval = HEAD_INTERVAL,
): Promise<void> {
  const { watch, gate, kept } = service;
  const ended = once(ending, "abort");
  let savedAt: number | undefined;
  while (!ending.aborted) {
    await Promise.race([updateHead(service), ended]);
    if (watch.head && (savedAt === undefined || Date.now() - savedAt >= SAVE_INTERVAL)) {
      gate.open();
      // A file that cannot be written at all ends the command; a later failure may pass.
      if (savedAt === undefined) await kept?.save();
      else await kept?.save().catch(printFailedSave);
      savedAt = Date.now();
    }
    const interval = watch.head ? headInterval : FIRST_HEAD_INTERVAL;
    await delay(interval, undefined, { signal: ending }).catch(() => undefined);
  }
}

/** Asks for the newest head. Throws if there can be no first one; the failures of servers are printed elsewhere. */
async function updateHead({ watch, beacon, network, json }: Service): Promise<void> {
  if (watch.isStopped) return;
  const isFirst = watch.head === undefined;
  try {
    const head = await watch.update();
    if (isFirst) printHead(head, network, json);
  } catch (error) {
    const refusal = refusalIn(error);
    if (!refusal) throw error;
    if (!isFinal(refusal, beacon?.export() !== undefined)) return;
    if (isFirst) throw refusal;
    // Every request is refused from now on. A new start would not know why.
    watch.stop();
    if (json) printJsonLine({ event: "stopped", network, error: refusal });
    else printError(refusal, json);
  }
}

const printFailedSave = (error: unknown) => {
  printError(error, false);
};

/** Whether asking again is useless: the options are wrong, or there are no heads to trust any more. */
function isFinal({ code, reason }: VerifyError, hasState: boolean): boolean {
  if (reason === "conflicting_finality") return true;
  // Without a state, it is the checkpoint that is too old.
  if (reason === "head_too_old") return !hasState;
  return code === "invalid_input" || code === "internal";
}

function printHead(head: ServedHead, network: string, json: boolean): void {
  const { number, hash, timestamp } = head;
  if (json) {
    const block = { number: String(number), hash, timestamp: String(timestamp) };
    printJsonLine({ event: "head", network, block });
    return;
  }
  printVerdict(text`the head, ${blockName({ number, timestamp })}`);
}

/** Ends the server: requests at work have a little time. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, END_TIME);
  await closed;
  clearTimeout(timer);
}

/** Writes the state into its file, if it has changed. */
class KeptState {
  readonly #file: string;
  readonly #beacon: Beacon | undefined;
  #written: Uint8Array | undefined;

  constructor(file: string, beacon: Beacon | undefined) {
    this.#file = file;
    this.#beacon = beacon;
  }

  async save(): Promise<void> {
    const state = this.#beacon?.export();
    if (!state || (this.#written && Buffer.compare(state, this.#written) === 0)) return;
    await saveState(this.#file, state);
    this.#written = state;
  }
}

/** Milliseconds for which a failure that was printed is not printed again. */
const QUIET_TIME = 60_000;

/** Prints the failures of servers: each reason of a server at most once a minute. */
export class FailureLog {
  readonly #printedAt = new Map<string, number>();

  readonly report = ({ url, error }: Failure): void => {
    const key = `${url} ${error.reason}`;
    const last = this.#printedAt.get(key);
    if (last !== undefined && Date.now() - last < QUIET_TIME) return;
    this.#printedAt.set(key, Date.now());
    printFailure(serverText(url), error);
  };
}
