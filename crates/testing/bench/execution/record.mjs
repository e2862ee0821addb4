// The chain of the benchmark: contracts in the state of anvil, and the calls that read them.

import { createRequire } from "node:module";

import { inside } from "../../../../scripts/lib/paths.mjs";
import { runnerImport } from "vite";
import {
  createPublicClient,
  custom,
  encodeDeployData,
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  keccak256,
  parseAbi,
} from "viem";

import { BLOCK_TIMES, signBlocks } from "./chain.mjs";

const require = createRequire(import.meta.url);
const router = require("@uniswap/v2-periphery/build/UniswapV2Router02.json");
const pairCode = `0x${require("@uniswap/v2-core/build/UniswapV2Pair.json").evm.deployedBytecode.object}`;

const load = async (name) =>
  (await runnerImport(inside("packages", "prooflight", "test", "ethereum", name))).module;

const abi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address, uint256) returns (bool)",
]);

const HOLDER = "0x00000000000000000000000000000000000a11ce";
const OTHER = "0x0000000000000000000000000000000000000b0b";
const ROUTER = "0x7a250d5630b4cf539739df2c5dacb4c659f2488d";
const PROXIES = 50;
/** Accounts beside those that are called, so that proofs are of a tree of some depth. */
const ACCOUNTS = 4096;

const FACTORY = "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f";

/** A contract that runs the code of another (EIP-1167). */
const proxyOf = (target) =>
  `0x363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`;

const word = (value) => `0x${BigInt(value).toString(16).padStart(64, "0")}`;
const addressOf = (number) => `0x${(0x1000_0000 + number).toString(16).padStart(40, "0")}`;

/** The checkpoint, the beacon node's replies, and the calls, with the URL of the anvil that has their state. */
export async function makeChain() {
  const [{ startAnvil }, { token }] = [await load("anvil.ts"), await load("token.ts")];
  const [finalizedTime, headTime] = BLOCK_TIMES;
  const options = ["--chain-id", "1", "--hardfork", "prague", "--no-mining"];
  const node = await startAnvil(...options, "--timestamp", String(finalizedTime - 12));
  const request = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const response = await fetch(node.url, { method: "POST", headers, body });
    const { result, error } = await response.json();
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const mine = async (time) => {
    await request("evm_setNextBlockTimestamp", time);
    await request("evm_mine");
    return request("eth_getBlockByNumber", "latest", false);
  };
  const [from] = await request("eth_accounts");
  /** The code that a constructor returns. */
  const runtimeOf = (data) => request("eth_call", { from, data, gas: "0x1c9c380" }, "latest");
  const put = (address, code) => request("anvil_setCode", address, code);

  const tokens = Array.from({ length: PROXIES + 1 }, (_, index) => addressOf(index));
  const [plain, ...proxies] = tokens;
  await put(plain, token());
  for (const proxy of proxies) await put(proxy, proxyOf(plain));
  for (const address of tokens) {
    await request("anvil_setStorageAt", address, word(HOLDER), word(1000));
    for (let slot = 1; slot < 64; slot += 1) {
      await request("anvil_setStorageAt", address, keccak256(word(slot)), word(slot));
    }
  }
  const bytecode = `0x${router.bytecode}`;
  const deployment = encodeDeployData({ ...router, bytecode, args: [FACTORY, plain] });
  await put(ROUTER, await runtimeOf(deployment));
  const path = proxies.slice(0, 3);
  for (const [index, one] of path.slice(1).entries()) {
    const pair = pairOf(path[index], one);
    await put(pair, pairCode);
    const reserves = (1n << 224n) | (5_000_000n << 112n) | 4_000_000n;
    await request("anvil_setStorageAt", pair, word(8), word(reserves));
  }
  for (let index = 0; index < ACCOUNTS; index += 1) {
    await request("anvil_setBalance", addressOf(1_000_000 + index), word(index + 1));
  }
  await request("anvil_setBalance", HOLDER, word(10n ** 18n));
  const { checkpoint, beacon } = signBlocks(await mine(finalizedTime), await mine(headTime));
  const balance = encodeFunctionData({ abi, functionName: "balanceOf", args: [HOLDER] });
  const call = (title, to, data) => ({
    title,
    method: "eth_call",
    params: [{ to, data }, "latest"],
  });
  const many = await callsOf(
    proxies.map((address) => ({ address, abi, functionName: "balanceOf", args: [HOLDER] })),
  );
  const quote = encodeFunctionData({
    abi: router.abi,
    functionName: "getAmountsOut",
    args: [1000n, path],
  });
  const transfer = encodeFunctionData({ abi, functionName: "transfer", args: [OTHER, 5n] });
  const calls = [
    call("the first call: a balance", proxies.at(-1), balance),
    call("a balance", plain, balance),
    call("a balance behind a proxy", proxies[0], balance),
    { title: `${PROXIES} balances behind proxies`, method: "eth_call", params: [many, "latest"] },
    call("a quote over two pools", ROUTER, quote),
    {
      title: "an estimate of a transfer",
      method: "eth_estimateGas",
      params: [{ from: HOLDER, to: plain, data: transfer }],
    },
  ];
  return {
    recording: { url: node.url, checkpoint, beacon, calls, execution: {} },
    stop: node.stop,
  };
}

/** The address of the pair of two tokens, as the router computes it. */
function pairOf(one, other) {
  const sorted = BigInt(one) < BigInt(other) ? [one, other] : [other, one];
  return getContractAddress({
    opcode: "CREATE2",
    from: FACTORY,
    salt: keccak256(encodePacked(["address", "address"], sorted)),
    bytecodeHash: "0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f",
  });
}

/** The call that viem sends for many calls, with a contract that is not deployed. */
async function callsOf(contracts) {
  const sent = [];
  const request = ({ params }) => {
    sent.push(params[0]);
    throw new Error("only the request is wanted");
  };
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
  await client.multicall({ contracts, deployless: true, batchSize: 0 });
  return sent[0];
}
