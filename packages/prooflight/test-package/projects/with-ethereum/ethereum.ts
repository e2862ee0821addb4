import { VerifyError } from "prooflight";
import { EthereumClient } from "prooflight/ethereum";

/** Reads a recorded file of mainnet: those of `examples/verify-in-browser/public/ethereum/receipt`. */
export type Read = (name: string) => Promise<Uint8Array<ArrayBuffer>>;

interface Recorded {
  checkpoint: string;
  now: bigint;
  /** The answers of a beacon node, by the last part of their paths. */
  beacon: Record<string, Uint8Array<ArrayBuffer>>;
  block: { hash: string };
  receipts: { cumulativeGasUsed: string }[];
}

/**
 * Follows mainnet from a checkpoint to the receipts of the newest block, with recorded answers; then with a forged
 * signature, and with a forged receipt. Returns the outcomes.
 */
export async function checkEthereum(read: Read): Promise<string[]> {
  const recorded = await load(read);
  const client = await follow(recorded);
  const { number } = await client.block("latest");
  const receipts = await client.receipts("latest");

  const { optimistic_update: update = new Uint8Array() } = recorded.beacon;
  // The slice of a Buffer would share its memory.
  const signed = Uint8Array.from(update);
  // A member who signed or did not: after the bits, there are 96 bytes of the signature and 8 of its slot.
  const at = headerOffset(update) - 8 - 96 - 1;
  signed[at] = (signed[at] ?? 0) ^ 1;
  const forgedHead = { ...recorded, beacon: { ...recorded.beacon, optimistic_update: signed } };
  const [first, ...rest] = recorded.receipts;
  const forgedReceipt = {
    ...recorded,
    receipts: [{ ...first, cumulativeGasUsed: "0x1" }, ...rest],
  };
  return [
    `slot ${client.latest.slot}`,
    `block ${number}`,
    `${receipts.length} receipts`,
    await refusal(follow(forgedHead)),
    await refusal(follow(forgedReceipt).then((client) => client.receipts("latest"))),
  ];
}

/** The header is after the fields of an update, where the first four bytes point. */
const headerOffset = ({ buffer, byteOffset }: Uint8Array<ArrayBuffer>): number =>
  new DataView(buffer, byteOffset).getUint32(0, true);

async function load(read: Read): Promise<Recorded> {
  const json = async (name: string) => JSON.parse(new TextDecoder().decode(await read(name)));
  const parts = ["bootstrap", "updates", "finality_update", "optimistic_update"];
  const beacon = parts.map(async (name) => [name, await read(`${name}.ssz`)] as const);
  const { checkpoint, now } = await json("about.json");
  return {
    checkpoint,
    now: BigInt(now),
    beacon: Object.fromEntries(await Promise.all(beacon)),
    block: await json("block.json"),
    receipts: await json("receipts.json"),
  };
}

const follow = ({ checkpoint, now, ...recorded }: Recorded): Promise<EthereumClient> =>
  EthereumClient.connect({
    network: "mainnet",
    checkpoint: checkpoint as `0x${string}`,
    now: () => now,
    beacon: ["http://beacon.invalid"],
    execution: ["http://execution.invalid"],
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      if (init?.method !== "POST") {
        const [part = ""] = pathname.split("/light_client/")[1]?.split("/") ?? [];
        const headers = { "content-type": "application/octet-stream" };
        return new Response(recorded.beacon[part] ?? null, { headers });
      }
      const { id, method } = JSON.parse(String(init.body));
      const result = method === "eth_getBlockReceipts" ? recorded.receipts : recorded.block;
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  });

async function refusal(asking: Promise<unknown>): Promise<string> {
  try {
    await asking;
  } catch (error) {
    if (error instanceof VerifyError) return `${error.code} / ${error.reason}`;
    throw error;
  }
  return "accepted";
}
