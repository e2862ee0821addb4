/** Beacon nodes' replies with light-client data, whose form differs from node to node. */

import type { Bytes } from "../bytes.js";
import { describe, VerifyError } from "../error.js";
import type { ServerFailure } from "../transport/failure.js";
import { invalidReply, type Transport } from "../transport/http.js";
import { parseJson } from "../transport/json.js";
import type { Server } from "../transport/servers.js";
import { JsonValue } from "./json.js";
import { encodeData, type LightClientDataKind } from "./light-client-json.js";

const SSZ = "application/octet-stream";
const JSON_ONLY = "application/json";
const SSZ_OR_JSON = `${SSZ};q=1,${JSON_ONLY};q=0.9`;

/** HTTP statuses of servers that do not offer SSZ. */
const STATUSES_WITHOUT_SSZ: readonly unknown[] = [400, 406, 415];

/** An update in JSON, and the fork that it claims to be of, which may be anything. */
export interface UpdateInJson {
  fork: unknown;
  ssz: () => Bytes;
}

/** A reply, and the fork that it claims to be of, which may be anything. */
export class LightClientReply {
  readonly fork: unknown;
  /** The body, if it is SSZ. */
  readonly ssz: Bytes | undefined;
  readonly #json: JsonValue;
  readonly #url: URL;

  constructor(url: URL, fork: string, ssz: Bytes | undefined, json: unknown) {
    this.fork = (Object(json) as { version?: unknown }).version ?? fork;
    this.ssz = ssz;
    this.#json = new JsonValue(json, "the reply");
    this.#url = url;
  }

  /** Its data in SSZ. */
  data(kind: Exclude<LightClientDataKind, "update">): Bytes {
    return this.ssz ?? encodeData(kind, this.#member());
  }

  /** The updates of a reply in JSON: a list, which older nodes put into `data`. */
  updates(): UpdateInJson[] {
    const list = Array.isArray(this.#json.value) ? this.#json : this.#member();
    return list.list().map((item) => ({
      fork: item.optional("version")?.value ?? this.fork,
      ssz: () => encodeData("update", item.optional("data") ?? item),
    }));
  }

  #member(): JsonValue {
    const { value, path } = this.#json;
    const { data } = Object(value) as { data?: unknown };
    if (typeof data === "object" && data !== null) return new JsonValue(data, `${path}.data`);
    throw invalidReply(this.#url, "light-client data", describe(value));
  }
}

/** Asks beacon nodes for resources, in SSZ where they have it. */
export class LightClientReplies {
  readonly #transport: Transport;
  /** The servers whose SSZ could not be used. */
  readonly #withoutSsz = new Set<string>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Gets a resource and reads it with `read`.
   *
   * Asks for JSON if the server does not offer SSZ, or if its SSZ is malformed: some nodes have written another form.
   */
  async get<T>(server: Server, path: string, read: (reply: LightClientReply) => T): Promise<T> {
    if (this.#withoutSsz.has(server.name)) return read(await this.#ask(server, path, JSON_ONLY));
    let refusal: unknown;
    let inSsz = true;
    try {
      const reply = await this.#ask(server, path, SSZ_OR_JSON);
      inSsz = reply.ssz !== undefined;
      return read(reply);
    } catch (error) {
      if (!inSsz || !isAboutSsz(error)) throw error;
      refusal = error;
    }
    const reply = await this.#ask(server, path, JSON_ONLY).catch((error: unknown) => {
      throw error instanceof VerifyError ? refusal : error;
    });
    const result = read(reply);
    this.#withoutSsz.add(server.name);
    return result;
  }

  async #ask(server: Server, path: string, accept: string): Promise<LightClientReply> {
    const { body, type, fork } = await server.get(path, accept);
    const reply = (ssz: Bytes | undefined, json?: unknown) =>
      new LightClientReply(server.url, fork, ssz, json);
    // An empty body is an empty list of updates.
    if (body.length === 0 && !path.includes("/updates")) {
      throw invalidReply(server.url, "light-client data", "nothing");
    }
    // Every container has a zero byte, in a slot or an offset, and text has none. The content type may be wrong.
    if (body.length === 0 || body.includes(0)) return reply(body);
    try {
      return reply(undefined, parseJson(body, this.#transport, server.url));
    } catch (error) {
      if (type === SSZ) return reply(body);
      throw error;
    }
  }
}

/** Whether a server may have refused to answer in SSZ, or has written another form of it. */
function isAboutSsz(error: unknown): boolean {
  if (!(error instanceof VerifyError)) return false;
  const { status } = (error.cause ?? {}) as ServerFailure;
  if (status !== undefined) return STATUSES_WITHOUT_SSZ.includes(status);
  return error.code === "malformed" || error.reason === "wrong_fork";
}
