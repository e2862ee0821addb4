/**
 * Writes the light-client data of beacon servers that answer in JSON as SSZ.
 *
 * Source: the Beacon API, and the consensus specifications, `light-client/sync-protocol.md`.
 */

import type { Bytes } from "../bytes.js";
import type { JsonValue } from "./json.js";

/** The kinds of light-client data. */
export type LightClientDataKind = "bootstrap" | "update" | "finality" | "optimistic";

/** Encodes the member `data` of a reply. */
export function encodeData(kind: LightClientDataKind, data: JsonValue): Bytes {
  switch (kind) {
    case "bootstrap":
      return container([
        header(data.member("header")),
        committee(data.member("current_sync_committee")),
        branch(data.member("current_sync_committee_branch")),
      ]);
    case "update":
      return container([
        header(data.member("attested_header")),
        committee(data.member("next_sync_committee")),
        branch(data.member("next_sync_committee_branch")),
        ...finality(data),
        ...signature(data),
      ]);
    case "finality":
      return container([
        header(data.member("attested_header")),
        ...finality(data),
        ...signature(data),
      ]);
    case "optimistic":
      return container([header(data.member("attested_header")), ...signature(data)]);
  }
}

/** A field: its bytes, which stand after all fields if their length is variable. */
interface Field {
  bytes: Bytes;
  variable?: boolean;
}

function container(fields: readonly Field[]): Bytes {
  let offset = fields.reduce((sum, field) => sum + (field.variable ? 4 : field.bytes.length), 0);
  const fixed: Bytes[] = [];
  const rest: Bytes[] = [];
  for (const { bytes, variable } of fields) {
    if (variable) {
      fixed.push(integer(BigInt(offset), 4));
      rest.push(bytes);
      offset += bytes.length;
    } else fixed.push(bytes);
  }
  return join([...fixed, ...rest]);
}

function join(parts: readonly Bytes[]): Bytes {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** A `LightClientHeader`: of variable length from Capella to Fulu, where it has an execution header. */
function header(given: JsonValue): Field {
  const beacon = { bytes: beaconHeader(given.member("beacon")) };
  const execution = given.optional("execution");
  if (execution) {
    const executionBranch = branch(given.member("execution_branch"));
    const fields = [beacon, { bytes: executionHeader(execution), variable: true }, executionBranch];
    return { bytes: container(fields), variable: true };
  }
  const hash = given.optional("execution_block_hash");
  if (!hash) return beacon;
  const executionBranch = branch(given.member("execution_branch"));
  return { bytes: container([beacon, { bytes: hash.bytes(32) }, executionBranch]) };
}

const beaconHeader = (given: JsonValue) =>
  join([
    integer(given.member("slot").decimal()),
    integer(given.member("proposer_index").decimal()),
    given.member("parent_root").bytes(32),
    given.member("state_root").bytes(32),
    given.member("body_root").bytes(32),
  ]);

function executionHeader(given: JsonValue): Bytes {
  const hash = (name: string) => ({ bytes: given.member(name).bytes(32) });
  const number = (name: string) => ({ bytes: integer(given.member(name).decimal()) });
  const blobs = given.optional("blob_gas_used") !== undefined;
  return container([
    hash("parent_hash"),
    { bytes: given.member("fee_recipient").bytes(20) },
    hash("state_root"),
    hash("receipts_root"),
    { bytes: given.member("logs_bloom").bytes(256) },
    hash("prev_randao"),
    number("block_number"),
    number("gas_limit"),
    number("gas_used"),
    number("timestamp"),
    { bytes: given.member("extra_data").bytes(), variable: true },
    { bytes: integer(given.member("base_fee_per_gas").decimal(256), 32) },
    hash("block_hash"),
    hash("transactions_root"),
    hash("withdrawals_root"),
    // Since Deneb.
    ...(blobs ? [number("blob_gas_used"), number("excess_blob_gas")] : []),
  ]);
}

function committee(given: JsonValue): Field {
  const keys = given.member("pubkeys").list();
  const aggregate = given.member("aggregate_pubkey").bytes(48);
  return { bytes: join([...keys.map((key) => key.bytes(48)), aggregate]) };
}

const branch = (given: JsonValue): Field => ({
  bytes: join(given.list().map((node) => node.bytes(32))),
});

const finality = (data: JsonValue): Field[] => [
  header(data.member("finalized_header")),
  branch(data.member("finality_branch")),
];

function signature(data: JsonValue): Field[] {
  const aggregate = data.member("sync_aggregate");
  return [
    { bytes: aggregate.member("sync_committee_bits").bytes() },
    { bytes: aggregate.member("sync_committee_signature").bytes(96) },
    { bytes: integer(data.member("signature_slot").decimal()) },
  ];
}

/** An integer, little-endian. */
function integer(number: bigint, length = 8): Bytes {
  const bytes = new Uint8Array(length);
  let rest = number;
  for (let index = 0; index < length; index++) {
    bytes[index] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}
