/**
 * Executes a call over state that servers prove: what is missing is asked for until nothing is.
 *
 * All of it is about one block, which is named by its hash from the first request to the last.
 */

import { type Bytes, type Hex, toHex } from "../../bytes.js";
import { refuse, VerifyError } from "../../error.js";
import { abortWith, throwIfAborted } from "../../transport/abort.js";
import { isUnknownMethod } from "../../transport/failure.js";
import type { Server } from "../../transport/servers.js";
import { type Reader, Writer } from "../../wire.js";
import type { Block } from "../blocks.js";
import { JsonValue } from "../json.js";
import { askState } from "../states.js";
import { type Call, callJson, writeCall } from "./call.js";
import type { CallContext } from "./context.js";
import { type Overrides, overridesJson, writeOverrides } from "./overrides.js";
import type { Execution, ProvenState, StateKeys, Step } from "./proven-state.js";

/** The most rounds of requests for one call. */
const MAX_ROUNDS = 24;

/** The most accounts, slots and codes that are asked for. */
const MAX_KEYS = 4096;

/** The most bytes of all replies. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The units of work of all executions together: some five seconds. */
const MAX_WORK = 5_000_000_000n;

/** The most slots of one request: some servers refuse more than 1,024. */
const MAX_SLOTS = 1000;

/** The most accounts of a hint whose codes are asked for before it is known that they have some. */
const MAX_PRESUMED_CODES = 256;

/** The most calls about which a server is asked for a hint. */
const MAX_HINTS = 4;

/** The most bytes of a request, or of an outcome's data, that are remembered. */
const MAX_REMEMBERED_BYTES = 16 * 1024;

/** What calls need of a server's view of the chain. */
export interface CallView {
  readonly server: Server;
  readonly calls: CallContext;
  /** The blocks from a number on to `last`, ascending. */
  range(from: bigint, last: Block): Promise<[Block, ...Block[]]>;
}

/** What is executed. */
export interface CallQuestion<T> {
  execution: Execution;
  /** One call; of a simulation any number. */
  calls: readonly Call[];
  /** Of a simulation, calls that are executed before and after, each alone. */
  questions?: readonly Call[];
  overrides: Overrides;
  read: (reader: Reader) => T;
}

/** How far a call has come. */
export interface CallProgress {
  /** The rounds of requests so far. */
  round: number;
  /** The accounts, slots and codes that were asked for so far. */
  keys: number;
  /** The bytes of the replies so far. */
  bytes: number;
}

/** A result, and what it took. */
export interface Executed<T> {
  result: T;
  block: Block;
  /** The rounds of requests about state: those of one round are sent together. */
  rounds: number;
  /** The bytes of all replies. */
  bytes: number;
}

/** Executes a call in the state after a block. */
export async function execute<T>(
  view: CallView,
  block: Block,
  question: CallQuestion<T>,
  onProgress: ((progress: CallProgress) => void) | undefined,
): Promise<Executed<T>> {
  const { caches } = view.calls;
  const request = pack(question);
  const key = request.length <= MAX_REMEMBERED_BYTES ? toHex(request) : undefined;
  const outcomeKey = key && `${question.execution} ${block.header.hash} ${key}`;
  const known = outcomeKey === undefined ? undefined : caches.outcomes.get(outcomeKey);
  if (known) return { result: known as T, block, rounds: 0, bytes: 0 };
  const open = () => view.calls.open(block);
  const executed = await inTime(view, (expired) =>
    caches.states.use(block.header.hash, open, (state) =>
      new CallExecution(view, block, question, state, request, key, onProgress, expired).run(),
    ),
  );
  if (outcomeKey !== undefined && isSmall(executed.result)) {
    caches.outcomes.set(outcomeKey, executed.result as object);
  }
  return executed;
}

/** Runs an execution within the time limit of a server, after which it sends no further requests. */
async function inTime<T>(
  { server, calls: { timeout } }: CallView,
  run: (expired: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const expected = `the state of a call from ${server.url.host} within ${timeout} ms`;
      const refusal = refuse("request_timeout", expected, "only a part of it");
      abortWith(stop, refusal);
      reject(refusal);
    }, timeout);
  });
  try {
    return await Promise.race([run(stop.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether all texts and lists of a result together are short enough to be remembered. */
function isSmall(result: unknown): boolean {
  let left = MAX_REMEMBERED_BYTES;
  const count = (value: unknown): void => {
    left -= typeof value === "string" ? value.length : 8;
    if (left < 0 || typeof value !== "object" || value === null) return;
    for (const inner of Object.values(value)) count(inner);
  };
  count(result);
  return left >= 0;
}

/** Writes a `CallRequest`, or a `CallsRequest`, whose work is set later. */
function pack<T>({ execution, calls, questions = [], overrides }: CallQuestion<T>): Bytes {
  const writer = new Writer(1024);
  const write = (call: Call) => {
    writeCall(writer, call);
  };
  writer.u64(0n);
  if (execution === "evmSimulate") {
    writer.sequence(calls, write);
    writer.sequence(questions, write);
  } else {
    calls.forEach(write);
  }
  writeOverrides(writer, overrides);
  return writer.finish();
}

/** State to be asked for. Codes are asked for by accounts, of which some have none. */
interface WantedState {
  proofs: Map<Hex, Set<Hex>>;
  /** The accounts of these that not only a hint names. */
  needed: ReadonlySet<Hex>;
  /** Accounts whose codes may be needed. */
  owners: Set<Hex>;
  /** Accounts that have the code with a hash. */
  codes: Map<Hex, Hex>;
  ancestors: bigint[];
}

const nothing = (): WantedState => ({
  proofs: new Map(),
  needed: new Set(),
  owners: new Set(),
  codes: new Map(),
  ancestors: [],
});

/** One call at one server. */
class CallExecution<T> {
  readonly #view: CallView;
  readonly #block: Block;
  readonly #question: CallQuestion<T>;
  readonly #state: ProvenState;
  readonly #request: Bytes;
  /** What the call is remembered by. */
  readonly #key: string | undefined;
  readonly #onProgress: ((progress: CallProgress) => void) | undefined;
  /** Is aborted once the time of the server is over. */
  readonly #expired: AbortSignal;
  readonly #before: number;
  #rounds = 0;
  #keys = 0;
  #work = MAX_WORK;

  constructor(
    view: CallView,
    block: Block,
    question: CallQuestion<T>,
    state: ProvenState,
    request: Bytes,
    key: string | undefined,
    onProgress: ((progress: CallProgress) => void) | undefined,
    expired: AbortSignal,
  ) {
    this.#view = view;
    this.#block = block;
    this.#question = question;
    this.#state = state;
    this.#request = request;
    this.#key = key;
    this.#onProgress = onProgress;
    this.#expired = expired;
    this.#before = view.server.received;
  }

  async run(): Promise<Executed<T>> {
    const { reads } = this.#view.calls.caches;
    const remembered = this.#key === undefined ? undefined : reads.ofRequest(this.#key);
    // Another call may have proven all of it already.
    const isBegun = this.#question.calls.every(({ to }) => to && this.#state.has(to, []));
    const begun = isBegun ? this.#execute() : undefined;
    if (begun && !begun.missing) return this.#done(begun);
    const first = remembered ? rememberedBy(remembered) : this.#first(begun?.missing);
    const name = remembered ? undefined : functionOf(this.#question);
    const shared = name === undefined ? undefined : reads.ofFunction(name);
    if (shared) addHint(first, shared.proofs, shared.codes.values());
    const [hints] = await Promise.all([remembered ? [] : this.#hints(), this.#round(first, false)]);
    for (let isFirst = true; ; isFirst = false) {
      const step = this.#execute();
      if (!step.missing) return this.#done(step);
      const wanted = wantedOf(step.missing);
      if (isFirst) for (const hint of hints) if (hint) addHint(wanted, hint);
      await this.#round(wanted, true);
    }
  }

  #done(step: { result: T; reads: StateKeys }): Executed<T> {
    const { reads } = this.#view.calls.caches;
    if (this.#key !== undefined) reads.add(this.#key, functionOf(this.#question), step.reads);
    const { result } = step;
    return { result, block: this.#block, rounds: this.#rounds, bytes: this.#bytes };
  }

  get #bytes(): number {
    return this.#view.server.received - this.#before;
  }

  #execute(): Step<T> {
    const { execution, read } = this.#question;
    new DataView(this.#request.buffer).setBigUint64(this.#request.byteOffset, this.#work, true);
    const step = this.#state.execute(execution, this.#request, read);
    this.#work = step.work;
    return step;
  }

  /** What every call needs, if nothing is known about it. */
  #first(missing: StateKeys | undefined): WantedState {
    if (missing) return wantedOf(missing);
    const wanted = nothing();
    for (const { to, from, value, gasPrice, maxFeePerGas } of this.#question.calls) {
      if (to !== undefined) {
        wanted.proofs.set(to, new Set());
        wanted.owners.add(to);
      }
      const pays = value > 0n || (gasPrice ?? 0n) > 0n || (maxFeePerGas ?? 0n) > 0n;
      if (from !== undefined && (pays || to === undefined)) wanted.proofs.set(from, new Set());
    }
    return wanted;
  }

  /** Asks for state, and adds it. */
  async #round(wanted: WantedState, isNeeded: boolean): Promise<void> {
    throwIfAborted(this.#expired);
    const tasks = this.#tasksOf(wanted);
    if (tasks.length === 0 && !isNeeded) return;
    this.#rounds += 1;
    if (this.#rounds > MAX_ROUNDS) {
      throw refuse("call_rounds", `at most ${MAX_ROUNDS} rounds`, "more");
    }
    if (this.#keys > MAX_KEYS) {
      throw refuse("call_state", `at most ${MAX_KEYS} accounts, slots and codes`, "more");
    }
    const checked = async (task: () => Promise<void>) => {
      await task();
      if (this.#bytes > MAX_BYTES) throw refuse("call_bytes", `at most ${MAX_BYTES} bytes`, "more");
    };
    await Promise.all(tasks.map(checked));
    this.#onProgress?.({ round: this.#rounds, keys: this.#keys, bytes: this.#bytes });
  }

  #tasksOf(wanted: WantedState): (() => Promise<void>)[] {
    const { caches } = this.#view.calls;
    const tasks: (() => Promise<void>)[] = [];
    for (const [address, slots] of wanted.proofs) {
      if (this.#state.has(address, slots)) continue;
      // What only a hint names does not count: it is bounded by itself.
      if (wanted.needed.has(address)) this.#keys += 1 + slots.size;
      const list = [...slots];
      for (let at = 0; at === 0 || at < list.length; at += MAX_SLOTS) {
        tasks.push(() => this.#prove(address, list.slice(at, at + MAX_SLOTS)));
      }
    }
    for (const address of wanted.owners) {
      const hash = caches.codeHashes.get(address);
      if (hash !== undefined && this.#useCached(hash)) continue;
      tasks.push(() => this.#askCode(address, undefined));
    }
    for (const [hash, owner] of wanted.codes) {
      caches.codeHashes.set(owner, hash);
      if (this.#useCached(hash) || wanted.owners.has(owner)) continue;
      this.#keys += 1;
      tasks.push(() => this.#askCode(owner, hash));
    }
    const [oldest] = wanted.ancestors;
    if (oldest !== undefined) tasks.push(() => this.#askAncestors(oldest));
    return tasks;
  }

  /** Adds a code that is known by its hash; whether there is one. */
  #useCached(hash: Hex): boolean {
    if (this.#state.hasCode(hash)) return true;
    const code = this.#view.calls.caches.codes.get(hash);
    if (code) this.#state.addCode(code);
    return code !== undefined;
  }

  async #prove(address: Hex, slots: readonly Hex[]): Promise<void> {
    const { batching } = this.#view.server;
    await askState(batching, this.#block, "eth_getProof", [address, slots], (reply) => {
      this.#state.addProof(address, slots, reply);
    });
  }

  /** Asks for the code of an account; throws `code_mismatch` if it must have another hash. */
  async #askCode(address: Hex, hash: Hex | undefined): Promise<void> {
    const method = "eth_getCode";
    const { server, calls } = this.#view;
    await askState(server.batching, this.#block, method, [address], (reply) => {
      const code = new JsonValue(reply, method).bytes();
      const found = this.#state.addCode(code, hash);
      calls.caches.codes.set(found, code);
      if (hash === undefined) calls.caches.codeHashes.set(address, found);
    });
  }

  async #askAncestors(oldest: bigint): Promise<void> {
    const blocks = await this.#view.range(oldest, this.#block);
    for (const { rlp } of blocks.slice(0, -1)) this.#state.addAncestor(rlp);
  }

  /** What a server says that the calls will read. It may be wrong, and is proven like anything else. */
  async #hints(): Promise<(Map<Hex, Set<Hex>> | undefined)[]> {
    const asked = this.#question.calls.slice(0, MAX_HINTS);
    const most = Math.floor(MAX_KEYS / asked.length);
    return Promise.all(asked.map((call) => this.#hint(call, most)));
  }

  async #hint(call: Call, most: number): Promise<Map<Hex, Set<Hex>> | undefined> {
    const method = "eth_createAccessList";
    const { server } = this.#view;
    if (WITHOUT_HINTS.has(server.url)) return undefined;
    const changes = overridesJson(this.#question.overrides);
    const params = [callJson(call), { blockHash: this.#block.header.hash }];
    try {
      const reply = await server.batching.call(
        method,
        changes === undefined ? params : [...params, changes],
      );
      return readHint(new JsonValue(reply, method), most);
    } catch (error) {
      if (!(error instanceof VerifyError) || !IGNORED.has(error.code)) throw error;
      if (isUnknownMethod(error) && changes === undefined) WITHOUT_HINTS.add(server.url);
      return undefined;
    }
  }
}

/** The URLs of servers without hints. */
const WITHOUT_HINTS = new WeakSet<URL>();

/** The codes of errors about a hint, which is not needed. */
const IGNORED: ReadonlySet<string> = new Set(["unavailable", "malformed"]);

/** Reads a list; one with more accounts and slots than `most` is not believed at all. */
function readHint(reply: JsonValue, most: number): Map<Hex, Set<Hex>> {
  const hint = new Map<Hex, Set<Hex>>();
  let keys = 0;
  for (const entry of reply.items("accessList")) {
    const slots = entry.items("storageKeys").map((key) => toHex(key.bytes(32)) as Hex);
    keys += 1 + slots.length;
    if (keys > most) return new Map();
    hint.set(toHex(entry.member("address").bytes(20)) as Hex, new Set(slots));
  }
  return hint;
}

/** Adds what a call may read. By default, its accounts may have codes, unless there are many of them. */
function addHint(
  wanted: WantedState,
  hint: Map<Hex, Set<Hex>>,
  owners: Iterable<Hex> = hint.size <= MAX_PRESUMED_CODES ? hint.keys() : [],
): void {
  for (const [address, slots] of hint) {
    wanted.proofs.set(address, new Set([...(wanted.proofs.get(address) ?? []), ...slots]));
  }
  for (const owner of owners) wanted.owners.add(owner);
}

/** The function that a call is of: its contract and selector. */
function functionOf({ calls }: CallQuestion<unknown>): string | undefined {
  const [call, ...others] = calls;
  if (call?.to === undefined || others.length > 0) return undefined;
  return `${call.to} ${call.data.slice(0, 10)}`;
}

/** What the same call read in another block, of which codes may have changed, and older blocks are others. */
const rememberedBy = ({ proofs, codes }: StateKeys): WantedState => ({
  ...wantedOf({ proofs, codes: new Map(), ancestors: [] }),
  owners: new Set(codes.values()),
});

const wantedOf = ({ proofs, codes, ancestors }: StateKeys): WantedState => ({
  proofs: new Map(proofs),
  needed: new Set(proofs.keys()),
  owners: new Set(),
  codes,
  ancestors,
});
