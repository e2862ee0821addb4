/** Follows the beacon chain with the answers of untrusted servers. */

import { type Bytes, copy, toHex } from "../bytes.js";
import { refuse, VerifyError } from "../error.js";
import type { Reason } from "../registry.js";
import { invalidReply } from "../transport/http.js";
import type { Server, Servers } from "../transport/servers.js";
import {
  type BeaconState,
  checkHead,
  type Form,
  forkVersion,
  type HeadSource,
  MAX_UPDATES,
  process,
  resume,
  start,
} from "./heads.js";
import { LightClientReplies, type LightClientReply } from "./light-client-replies.js";
import type { EthereumSettings } from "./options.js";
import { type FinalityConflict, SignedUpdates } from "./signed-updates.js";

const PREFIX = "/eth/v1/beacon/light_client";

/** The heads of a beacon chain, from its light-client updates. */
export class Beacon implements HeadSource {
  readonly #settings: EthereumSettings;
  readonly #servers: Servers;
  readonly #replies: LightClientReplies;
  readonly #updates = new SignedUpdates();
  #heads: BeaconState | undefined;
  #conflict: FinalityConflict | undefined;
  /** The error that stopped the client. */
  #fatal: VerifyError | undefined;
  /** The time of the last synchronisation, in milliseconds. */
  #syncedAt: bigint | undefined;

  constructor(settings: EthereumSettings, servers: Servers) {
    this.#settings = settings;
    this.#servers = servers;
    this.#replies = new LightClientReplies(settings.transport);
  }

  /**
   * Continues from the state of the settings, if there is one and nothing was accepted yet. Needs the WebAssembly.
   *
   * Throws `malformed` for a broken state and `untrusted` / `head_too_old` for an old one, now and whenever it is asked.
   */
  resume(): void {
    this.check();
    const { state, maxCheckpointAge } = this.#settings;
    if (!state || this.#heads) return;
    try {
      this.#heads = resume(this.#networkTime, maxCheckpointAge, state);
    } catch (error) {
      if (error instanceof VerifyError && error.code !== "internal") this.#fatal = error;
      throw error;
    }
  }

  /** The accepted heads; a bug if there are none yet. */
  get heads(): BeaconState {
    if (!this.#heads) throw refuse("bug", "accepted heads", "none");
    return this.#heads;
  }

  /** A copy of the state, to continue from; undefined if there is none to trust. */
  export(): Bytes | undefined {
    return this.#fatal ? undefined : this.#heads?.state.slice();
  }

  get conflict(): FinalityConflict | undefined {
    return this.#conflict;
  }

  /** The fork version of a block's slot. The newest head was signed under it, or under a later one. */
  forkVersion(timestamp: bigint): Bytes | undefined {
    // A checkpoint is trusted, but no signature was seen.
    return this.heads.latest.participation && forkVersion(this.#networkTime, timestamp);
  }

  /** Throws the error that stopped the client: two finalized blocks contradict each other, or its state is none to trust. */
  check(): void {
    if (this.#fatal) throw this.#fatal;
  }

  /** The accepted heads; throws if finalized blocks contradict each other, or if a head is older than `maxHeadAge`. */
  checked(): BeaconState {
    this.check();
    const { maxHeadAge } = this.#settings;
    if (maxHeadAge !== undefined) checkHead(this.#networkTime, maxHeadAge, this.heads.state);
    return this.heads;
  }

  /** The newest heads; asks for them if the last synchronisation is older than `refresh`, or a head is too old. */
  async newest(signal: AbortSignal | undefined): Promise<BeaconState> {
    this.check();
    if (this.#isFresh() && !this.#isTooOld()) return this.heads;
    await this.sync(signal);
    return this.checked();
  }

  /** Asks for the newest heads, and accepts them. */
  async sync(signal: AbortSignal | undefined): Promise<void> {
    this.resume();
    if (!this.#heads) await this.#servers.ask((server) => this.#bootstrap(server), signal);
    await this.#followAny(signal);
    this.#syncedAt = this.#settings.now();
  }

  /** Accepts the newest heads of the first server that has any. */
  async #followAny(signal: AbortSignal | undefined): Promise<void> {
    const behind: VerifyError[] = [];
    for (;;) {
      const before = newestCommittee(this.heads);
      try {
        await this.#servers.ask(async (server) => {
          const lacks = await this.#follow(server);
          if (!lacks) return;
          behind.push(...lacks.filter(({ reason }) => !NOTHING_ABOUT_HEADS.has(reason)));
          throw lackError(server, lacks);
        }, signal);
        return;
      } catch (error) {
        if (!isOfServers(error)) throw error;
        // One server's updates may have the committees that another server's heads need.
        const hasNewCommittee = newestCommittee(this.heads) > before;
        if (hasNewCommittee && this.#servers.inOrder().length > 1) continue;
        // A server that is behind may be honest. Its answer counts, unless there was never a newer one.
        if (behind.length === 0 || this.#syncedAt === undefined) throw error;
        this.checked();
        return;
      }
    }
  }

  /**
   * Accepts what a server has of the newest heads and committees; throws if it lies.
   *
   * Returns what it lacks if that leaves no head which is newer than the finalized one.
   */
  async #follow(server: Server): Promise<VerifyError[] | undefined> {
    const lacks: VerifyError[] = [];
    const lackOf = async (ask: Promise<void>): Promise<VerifyError | undefined> => {
      try {
        await ask;
        return undefined;
      } catch (error) {
        if (!isLack(error)) throw error;
        lacks.push(error);
        return error;
      }
    };
    await lackOf(this.#followCommittees(server));
    let heads = 0;
    for (const kind of ["finality", "optimistic"] as const) {
      const lack = await lackOf(this.#get(server, kind));
      if (!lack) heads += 1;
      // The server would likely not answer the next request either.
      if (lack?.reason === "request_timeout") break;
    }
    if (heads === 0) return lacks;
    this.checked();
    return undefined;
  }

  #isFresh(): boolean {
    if (this.#syncedAt === undefined) return false;
    const { now, refresh } = this.#settings;
    const elapsed = now() - this.#syncedAt;
    // A clock may have been set back.
    return elapsed >= 0n && elapsed < refresh;
  }

  #isTooOld(): boolean {
    try {
      this.checked();
      return false;
    } catch (error) {
      if (error instanceof VerifyError && error.reason === "head_too_old") return true;
      throw error;
    }
  }

  get #networkTime() {
    const { network, now, maxClockSkew } = this.#settings;
    return { network: network.encoded, now: now(), maxClockSkew };
  }

  async #bootstrap(server: Server): Promise<void> {
    const { checkpoint, maxCheckpointAge, network } = this.#settings;
    if (!checkpoint) throw refuse("bug", "a checkpoint or a state", "neither");
    await this.#replies.get(server, `${PREFIX}/bootstrap/${toHex(checkpoint)}`, (reply) => {
      network.schedule.explain(reply.fork, () => {
        // Another question may have started the client meanwhile.
        this.#heads ??= start(
          this.#networkTime,
          maxCheckpointAge,
          checkpoint,
          reply.data("bootstrap"),
        );
      });
    });
  }

  /** Learns the committees up to that after the current period, as far as the server knows them. */
  async #followCommittees(server: Server): Promise<void> {
    // The clock may have passed periods since the last update was processed.
    this.#heads = resume(this.#networkTime, ANY_AGE, this.heads.state);
    for (;;) {
      const { currentPeriod } = this.heads;
      const from = newestCommittee(this.heads);
      if (from > currentPeriod) return;
      const missing = currentPeriod - from + 1n;
      const count = missing < MAX_UPDATES ? missing : MAX_UPDATES;
      const path = `${PREFIX}/updates?start_period=${from}&count=${count}`;
      await this.#replies.get(server, path, (reply) => {
        this.#processUpdates(server, reply);
      });
      // The current period's update may not exist yet.
      if (newestCommittee(this.heads) === from) return;
    }
  }

  /** Processes updates in order. Refuses an update that does not verify, unless earlier ones led to a new committee. */
  #processUpdates(server: Server, reply: LightClientReply): void {
    const { schedule } = this.#settings.network;
    const { ssz } = reply;
    if (ssz) {
      schedule.explain(reply.fork, () => {
        this.#process("updates", ssz);
      });
      return;
    }
    const updates = reply.updates();
    if (updates.length > MAX_UPDATES) {
      throw invalidReply(server.url, `at most ${MAX_UPDATES} updates`, "more");
    }
    const before = newestCommittee(this.heads);
    for (const update of updates) {
      try {
        schedule.explain(update.fork, () => {
          this.#process("update", update.ssz());
        });
      } catch (error) {
        this.check();
        if (isOfServers(error) && newestCommittee(this.heads) > before) return;
        throw error;
      }
    }
  }

  /** Accepts the newest update of a kind. */
  async #get(server: Server, kind: "finality" | "optimistic"): Promise<void> {
    await this.#replies.get(server, `${PREFIX}/${kind}_update`, (reply) => {
      this.#settings.network.schedule.explain(reply.fork, () => {
        this.#process(kind, reply.data(kind));
      });
    });
  }

  #process(form: Form, ssz: Bytes): void {
    this.check();
    const { state, finalized } = this.heads;
    try {
      this.#heads = process(this.#networkTime, state, form, ssz);
    } catch (error) {
      if (!(error instanceof VerifyError) || error.reason !== "conflicting_finality") throw error;
      this.#conflict = {
        first: this.#updates.of(error.details.expected),
        second: { form, ssz },
      };
      // Every later call throws the same object.
      this.#fatal = Object.freeze(new VerifyError(error.toJSON(), { cause: copy(this.#conflict) }));
      throw this.#fatal;
    }
    const { beaconRoot } = this.#heads.finalized;
    if (beaconRoot !== finalized.beaconRoot) this.#updates.add(beaconRoot, { form, ssz });
  }
}

/** In seconds. The client's own state is continued however old it is. */
const ANY_AGE = (1n << 64n) - 1n;

/** The newest period whose committee is known. */
const newestCommittee = ({ period, knowsNextCommittee }: BeaconState): bigint =>
  knowsNextCommittee ? period + 1n : period;

/** Whether an error is about a server's answer, rather than the caller's fault or a bug. */
const isOfServers = (error: unknown) =>
  error instanceof VerifyError && error.code !== "invalid_input" && error.code !== "internal";

/** Reasons, besides those of the code `unavailable`, for which data of honest servers are refused. */
const HONEST_REASONS: ReadonlySet<Reason> = new Set([
  "period_unknown",
  "too_few_signatures",
  "update_not_newer",
]);

/** Whether an error says that a server lacks data, which an honest one may. */
const isLack = (error: unknown): error is VerifyError =>
  error instanceof VerifyError &&
  (error.code === "unavailable" || HONEST_REASONS.has(error.reason));

/** The reasons for which a reply, or its absence, says nothing about heads. */
const NOTHING_ABOUT_HEADS: ReadonlySet<Reason> = new Set([
  "invalid_reply",
  "request_timeout",
  "unreachable",
]);

/** The refusal of a server that lacks a newer head. */
function lackError(server: Server, lacks: readonly VerifyError[]): VerifyError {
  const cause = lacks.find(({ reason }) => reason !== "period_unknown") ?? lacks[0];
  if (!cause) throw refuse("bug", "a lack", "none");
  if (cause.code === "unavailable" || cause.reason === "too_few_signatures") return cause;
  const { expected, found } = cause.details;
  return refuse("unknown_block", `${expected} from ${server.url.host}`, found, { cause });
}
