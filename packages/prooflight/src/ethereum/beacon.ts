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
import { encodeData, type Kind } from "./light-client-json.js";
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

  /** The newest heads; asks for them if those that are known are older than `refresh`. */
  async newest(signal: AbortSignal | undefined): Promise<Heads> {
    this.check();
    const { now, refresh } = this.#settings;
    if (this.#synced === undefined || now() - this.#synced >= refresh) await this.sync(signal);
    return this.heads;
  }

  /** Asks for the newest heads, and accepts them. */
  async sync(signal: AbortSignal | undefined): Promise<void> {
    this.check();
    const { now, maxHeadAge } = this.#settings;
    await this.#servers.ask(async (server) => {
      this.#heads ??= await this.#bootstrap(server);
      await this.#followCommittees(server);
      await this.#get(server, "finality", `${PREFIX}/finality_update`);
      await this.#get(server, "optimistic", `${PREFIX}/optimistic_update`);
      if (maxHeadAge !== undefined) checkHead(this.#place, maxHeadAge, this.heads.state);
    }, signal);
    this.#synced = now();
  }

  get #place() {
    const { network, now } = this.#settings;
    return { network, now: now() / 1000n };
  }

  async #bootstrap(server: Server): Promise<Heads> {
    const { checkpoint, maxCheckpointAge } = this.#settings;
    if (!checkpoint) throw refuse("bug", "a checkpoint or a state", "neither");
    const reply = await this.#fetch(server, `${PREFIX}/bootstrap/${toHex(checkpoint)}`);
    const ssz = reply.ssz ?? encodeData("bootstrap", reply.json.member("data"));
    // Another question may have started the client meanwhile.
    return this.#heads ?? start(this.#place, maxCheckpointAge, checkpoint, ssz);
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
      if (reply.ssz) this.#process("updates", reply.ssz);
      else {
        const updates = reply.json.list();
        if (updates.length > MOST_UPDATES) {
          throw invalidReply(server.url, `at most ${MOST_UPDATES} updates`, "more");
        }
        for (const update of updates) {
          this.#process("update", encodeData("update", update.member("data")));
        }
      }
      // The current period's update may not exist yet.
      if (this.heads.period === period) return;
    }
  }

  async #get(server: Server, kind: Kind & Form, path: string): Promise<void> {
    const { ssz, json } = await this.#fetch(server, path);
    this.#process(kind, ssz ?? encodeData(kind, json.member("data")));
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

  async #fetch(
    server: Server,
    path: string,
  ): Promise<{ ssz: Bytes; json?: never } | { ssz?: never; json: Given }> {
    const { body, type } = await server.get(path, ACCEPT);
    if (type === SSZ) return { ssz: body };
    return { json: new Given(parseJson(body, this.#settings.transport, server.url), "the reply") };
  }
}
