/** Follows the beacon chain with the answers of untrusted servers. */

import { type Bytes, toHex } from "../bytes.js";
import { invalidReply } from "../client/http.js";
import { parseJson } from "../client/json.js";
import type { Server, Servers } from "../client/servers.js";
import { refuse, VerifyError } from "../error.js";
import {
  checkHead,
  type Form,
  type Heads,
  type HeadSource,
  MOST_UPDATES,
  process,
  resume,
  start,
} from "./heads.js";
import { Given } from "./json.js";
import { encodeData } from "./light-client-json.js";
import type { Settings } from "./options.js";

/** A reply with an update that moved the finalized head, in SSZ. */
export interface SignedUpdate {
  form: Form;
  ssz: Bytes;
}

/** Two updates that finalize different blocks of one slot, each signed by two thirds of a committee. */
export interface FinalityConflict {
  /** The update of the first block; undefined if that is the one that the application trusts. */
  first: SignedUpdate | undefined;
  /** The update of the other. */
  second: SignedUpdate;
}

const PREFIX = "/eth/v1/beacon/light_client";
const SSZ = "application/octet-stream";
const ACCEPT = `${SSZ};q=1,application/json;q=0.9`;

/** A reply, and the fork that it claims to be of, which may be anything. */
type Said = { fork: unknown } & ({ ssz: Bytes; json?: never } | { ssz?: never; json: Given });

export class Beacon implements HeadSource {
  readonly #settings: Settings;
  readonly #servers: Servers;
  #heads: Heads | undefined;
  #finalizedBy: SignedUpdate | undefined;
  #conflict: FinalityConflict | undefined;
  #stopped: VerifyError | undefined;
  /** The time of the last synchronisation, in milliseconds. */
  #synced: bigint | undefined;

  constructor(settings: Settings, servers: Servers) {
    this.#settings = settings;
    this.#servers = servers;
    const { state, maxCheckpointAge } = settings;
    if (state) this.#heads = resume(this.#place, maxCheckpointAge, state);
  }

  /** The accepted heads. There must be some. */
  get heads(): Heads {
    if (!this.#heads) throw refuse("bug", "accepted heads", "none");
    return this.#heads;
  }

  get conflict(): FinalityConflict | undefined {
    return this.#conflict;
  }

  /** Throws the error that stopped the client, if two finalized blocks contradict each other. */
  check(): void {
    if (this.#stopped) throw this.#stopped;
  }

  /** The heads that are known; throws if they contradict each other or are older than `maxHeadAge`. */
  checked(): Heads {
    this.check();
    const { maxHeadAge } = this.#settings;
    if (maxHeadAge !== undefined) checkHead(this.#place, maxHeadAge, this.heads.state);
    return this.heads;
  }

  /** The newest heads; asks for them if those that are known are older than `refresh`, or too old. */
  async newest(signal: AbortSignal | undefined): Promise<Heads> {
    this.check();
    const { now, refresh } = this.#settings;
    const isFresh = this.#synced !== undefined && now() - this.#synced < refresh;
    if (isFresh && !this.#isTooOld()) return this.heads;
    await this.sync(signal);
    return this.checked();
  }

  /** Asks for the newest heads, and accepts them. */
  async sync(signal: AbortSignal | undefined): Promise<void> {
    this.check();
    const behind: VerifyError[] = [];
    try {
      await this.#servers.ask(async (server) => {
        const refusal = await this.#follow(server);
        if (!refusal) return;
        behind.push(refusal);
        throw refusal;
      }, signal);
    } catch (error) {
      // A server that is behind may be honest. Its answer counts, unless there was never a newer one.
      const counts = behind.length > 0 && this.#synced !== undefined;
      if (!counts || !isOfServers(error)) throw error;
      this.checked();
    }
    this.#synced = this.#settings.now();
  }

  /** Accepts a server's newest heads; returns a refusal if they are not newer than the finalized one. */
  async #follow(server: Server): Promise<VerifyError | undefined> {
    this.#heads ??= await this.#bootstrap(server);
    await this.#followCommittees(server);
    await this.#get(server, "finality", `${PREFIX}/finality_update`);
    const known = await this.#get(server, "optimistic", `${PREFIX}/optimistic_update`);
    if (known) {
      const { expected, found } = known.details;
      return refuse("unknown_block", `${expected} from ${server.url.host}`, found);
    }
    this.checked();
    return undefined;
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

  get #place() {
    const { network, now } = this.#settings;
    return { network: network.encoded, now: now() / 1000n };
  }

  async #bootstrap(server: Server): Promise<Heads> {
    const { checkpoint, maxCheckpointAge } = this.#settings;
    if (!checkpoint) throw refuse("bug", "a checkpoint or a state", "neither");
    const reply = await this.#fetch(server, `${PREFIX}/bootstrap/${toHex(checkpoint)}`);
    return this.#settings.network.schedule.explain(reply.fork, () => {
      const ssz = reply.ssz ?? encodeData("bootstrap", reply.json.member("data"));
      // Another question may have started the client meanwhile.
      return this.#heads ?? start(this.#place, maxCheckpointAge, checkpoint, ssz);
    });
  }

  /** Learns the committees up to the current period, as far as the server knows them. */
  async #followCommittees(server: Server): Promise<void> {
    for (;;) {
      const { period, currentPeriod, knowsNextCommittee } = this.heads;
      if (knowsNextCommittee && period >= currentPeriod) return;
      const missing = currentPeriod - period + 1n;
      const count = missing < MOST_UPDATES ? missing : MOST_UPDATES;
      const path = `${PREFIX}/updates?start_period=${period}&count=${count}`;
      const reply = await this.#fetch(server, path);
      const { schedule } = this.#settings.network;
      if (reply.ssz) {
        const { fork, ssz } = reply;
        schedule.explain(fork, () => {
          this.#process("updates", ssz);
        });
      } else {
        const updates = reply.json.list();
        if (updates.length > MOST_UPDATES) {
          throw invalidReply(server.url, `at most ${MOST_UPDATES} updates`, "more");
        }
        for (const update of updates) {
          schedule.explain(update.optional("version")?.value ?? reply.fork, () => {
            this.#process("update", encodeData("update", update.member("data")));
          });
        }
      }
      // The current period's update may not exist yet.
      if (this.heads.period === period) return;
    }
  }

  /** Accepts the newest update of a kind; returns why it was passed over if it is older than the finalized head. */
  async #get(
    server: Server,
    kind: "finality" | "optimistic",
    path: string,
  ): Promise<VerifyError | undefined> {
    const { ssz, json, fork } = await this.#fetch(server, path);
    try {
      this.#settings.network.schedule.explain(fork, () => {
        this.#process(kind, ssz ?? encodeData(kind, json.member("data")));
      });
      return undefined;
    } catch (error) {
      if (error instanceof VerifyError && error.reason === "update_not_newer") return error;
      throw error;
    }
  }

  #process(form: Form, ssz: Bytes): void {
    const { state, finalized } = this.heads;
    try {
      this.#heads = process(this.#place, state, form, ssz);
    } catch (error) {
      if (error instanceof VerifyError && error.reason === "conflicting_finality") {
        this.#conflict ??= { first: this.#finalizedBy, second: { form, ssz } };
        this.#stopped ??= error;
      }
      throw error;
    }
    if (this.#heads.finalized.slot !== finalized.slot) this.#finalizedBy = { form, ssz };
  }

  async #fetch(server: Server, path: string): Promise<Said> {
    const { body, type, fork } = await server.get(path, ACCEPT);
    if (type === SSZ) return { ssz: body, fork };
    const json = new Given(parseJson(body, this.#settings.transport, server.url), "the reply");
    const { value } = json;
    const claimed = Array.isArray(value) ? undefined : json.optional("version")?.value;
    return { json, fork: claimed ?? fork };
  }
}

/** Whether an error is about servers' answers, not the caller's own or a bug. */
const isOfServers = (error: unknown) =>
  error instanceof VerifyError && error.code !== "invalid_input" && error.code !== "internal";
