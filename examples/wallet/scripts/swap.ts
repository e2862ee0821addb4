// Makes public/swap.json: offers of a small chain of Ethereum, with all state that simulating them reads. The chain is
// anvil's, and a committee of the test's signs its newest block. Run by `npm run samples`.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { EthereumClient, type Hex } from "prooflight/ethereum";

import { startAnvil } from "../../../packages/prooflight/test/ethereum/anvil.js";
import {
  type EmptyBlock,
  signChain,
} from "../../../packages/prooflight/test/ethereum/signed-chain.js";
import { type Block, type Proof, serving } from "../../page/recorded.js";
import { callsOf, type Recorded, readRecorded } from "../src/swap.js";
import { exchange, thief, token } from "./contracts.js";

const SECONDS = 1_760_000_000;
const USER: Hex = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const DEPLOYER: Hex = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const CHAIN_ID = 31337;
const ETHER = 10n ** 18n;
const MAX = (1n << 256n) - 1n;

const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
const word = (value: bigint | Hex) => BigInt(value).toString(16).padStart(64, "0");
const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`;

const approve = (spender: Hex, amount: bigint): Hex => `0x095ea7b3${word(spender)}${word(amount)}`;
const swap = (amount: bigint): Hex => `0x94b918de${word(amount)}`;

/** The file's text. */
export async function swapSample(): Promise<string> {
  const node = await startAnvil("--hardfork", "osaka", "--timestamp", String(SECONDS));
  try {
    return `${JSON.stringify(await record(node.url), undefined, 1)}\n`;
  } finally {
    node.stop();
  }
}

async function record(url: string): Promise<Recorded> {
  const ask = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const reply = (await (await fetch(url, { method: "POST", headers, body })).json()) as {
      result?: T;
    };
    if (reply.result === undefined) throw new Error(`no ${method}: ${JSON.stringify(reply)}`);
    return reply.result;
  };
  await ask("anvil_setBlockTimestampInterval", 12);
  const deploy = async (code: Hex): Promise<Hex> => {
    const size = quantity((code.length - 2) / 2)
      .slice(2)
      .padStart(4, "0");
    const data = `0x61${size}80600a3d393df3${code.slice(2)}`;
    const hash = await ask<Hex>("eth_sendTransaction", { from: DEPLOYER, data, gas: "0x200000" });
    for (;;) {
      const receipt = await ask<{ contractAddress: Hex } | null>("eth_getTransactionReceipt", hash);
      if (receipt) return receipt.contractAddress;
    }
  };
  const [silver, gold] = [await deploy(token()), await deploy(token())];
  const meadow = await deploy(exchange(silver, gold));
  const bramble = await deploy(exchange(silver, gold));
  const thistle = await deploy(thief(silver));
  const hold = (of: Hex, owner: Hex, amount: bigint) =>
    ask("anvil_setStorageAt", of, `0x${word(owner)}`, `0x${word(amount)}`);
  await hold(silver, USER, 1000n * ETHER);
  await hold(gold, USER, 2n * ETHER);
  for (const holder of [meadow, bramble]) await hold(gold, holder, 50_000n * ETHER);
  await ask("anvil_setBalance", USER, quantity(3n * ETHER));
  await ask("anvil_mine", "0x2", "0xc");
  const child = await ask<EmptyBlock & Block>("eth_getBlockByNumber", "latest", false);
  const parent = await ask<EmptyBlock>(
    "eth_getBlockByNumber",
    quantity(BigInt(child.number) - 1n),
    false,
  );
  const { network, checkpoint, bootstrap, optimistic } = signChain(parent, child);
  const offer = (at: Hex, name: string, site: string, amount: bigint, allowed: bigint) => ({
    name,
    says: `${site}: swap ${amount} SILVER for ${amount / 20n} GOLD.`,
    gives: { token: silver, amount: quantity(amount * ETHER) },
    gets: { token: gold, amount: quantity((amount * ETHER) / 20n) },
    calls: [
      { to: silver, data: approve(at, allowed) },
      { to: at, data: swap(amount * ETHER) },
    ],
  });
  const recorded: Recorded = {
    origin: "a chain of anvil, signed by a committee whose keys everybody knows",
    network: {
      genesisValidatorsRoot: network.genesisValidatorsRoot as Hex,
      genesisTime: String(network.genesisTime),
      genesisForkVersion: network.genesisForkVersion as Hex,
      forks: Object.fromEntries(
        Object.entries(network.forks).map(([fork, { version }]) => [fork, version as Hex]),
      ),
      committeeSize: network.committeeSize ?? 512,
    },
    chainId: CHAIN_ID,
    now: (Number(child.timestamp) + 13) * 1000,
    checkpoint,
    bootstrap: hex(bootstrap),
    optimistic: hex(optimistic),
    block: child,
    user: USER,
    tokens: {
      [silver]: { symbol: "SILVER", decimals: 18 },
      [gold]: { symbol: "GOLD", decimals: 18 },
    },
    names: { [USER]: "you", [meadow]: "Meadow", [bramble]: "Bramble", [thistle]: "Thistle" },
    offers: [
      offer(meadow, "Meadow", "meadow.example", 100n, 100n * ETHER),
      offer(bramble, "Bramble", "bramble.example", 100n, MAX),
      offer(thistle, "Thistle", "thistle.example", 100n, 100n * ETHER),
      offer(meadow, "Meadow, too much", "meadow.example", 5000n, 5000n * ETHER),
    ],
    proofs: [],
    codes: {},
  };
  // Simulates every offer over the node, and keeps what is asked.
  const proofs = new Map<Hex, Proof>();
  const { options, answers } = readRecorded(recorded);
  const served = serving(answers);
  const client = await EthereumClient.connect({
    ...options,
    async fetch(input, init) {
      if (typeof init?.body !== "string") return served(input, init);
      const asked = JSON.parse(init.body) as Asked | Asked[];
      const answer = async ({ id, method, params }: Asked) => {
        if (method === "eth_createAccessList") {
          return { jsonrpc: "2.0", id, error: { code: -32000, message: "not recorded" } };
        }
        const result = await ask(method, ...params);
        const [address] = params as [Hex];
        if (method === "eth_getProof") keep(proofs, address, result as Proof);
        if (method === "eth_getCode") recorded.codes[address] = result as Hex;
        return { jsonrpc: "2.0", id, result };
      };
      const reply = Array.isArray(asked)
        ? await Promise.all(asked.map(answer))
        : await answer(asked);
      const headers = { "content-type": "application/json" };
      return new Response(JSON.stringify(reply), { headers });
    },
  });
  for (const offer of recorded.offers) await client.simulate(callsOf(recorded, offer));
  // Replies come in any order.
  const byKey = <T>(one: [string, T], other: [string, T]) => (one[0] < other[0] ? -1 : 1);
  const all = [...proofs].sort(byKey).map(([, proof]) => ({
    ...proof,
    storageProof: [...proof.storageProof].sort(({ key: a }, { key: b }) => (a < b ? -1 : 1)),
  }));
  const codes = Object.fromEntries(Object.entries(recorded.codes).sort(byKey));
  return { ...recorded, proofs: all, codes: codes };
}

interface Asked {
  id: number;
  method: string;
  params: unknown[];
}

/** Adds the slots of a proof to those of its account. */
function keep(proofs: Map<Hex, Proof>, address: Hex, proof: Proof): void {
  const known = proofs.get(address)?.storageProof ?? [];
  const added = proof.storageProof.filter(({ key }) => !known.some((slot) => slot.key === key));
  proofs.set(address, { ...proof, address, storageProof: [...known, ...added] });
}

/** Writes the file. */
export async function writeSample(): Promise<void> {
  writeFileSync(fileURLToPath(new URL("../public/swap.json", import.meta.url)), await swapSample());
}
