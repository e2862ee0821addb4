// An account of Ethereum's mainnet, verified by the SDK and by @ethereumjs/mpt, taking turns. Runs in
// Node and in a page.

import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { bytesToHex, hexToBytes } from "@ethereumjs/util";
import { init, verifyEthGetProof, verifyEthGetProofs } from "prooflight/mpt";

import { quartiles } from "../samples.mjs";

const ROUNDS = 40;
const WARM = 10;

/**
 * How long one account takes, in microseconds: medians, with the middle half of the samples.
 *
 * `input` is one of `verifyEthGetProof`; `calls` of them are timed together.
 */
export async function measure(input, calls) {
  await init();
  const { stateRoot, address, slots, response } = input;
  const questions = Array.from({ length: calls }, () => ({ address, slots, response }));
  const ready = {
    key: hexToBytes(address),
    root: hexToBytes(stateRoot),
    proof: response.accountProof.map((node) => hexToBytes(node)),
  };
  const peer = async ({ key, root, proof }) =>
    RLP.decode(await verifyMerkleProof(key, proof, { root, useKeyHashing: true }));
  await agree(input, await peer(ready));

  return time(calls, {
    sdk: () => {
      for (let i = 0; i < calls; i++) verifyEthGetProof(input);
    },
    together: () => {
      verifyEthGetProofs({ stateRoot, questions });
    },
    peer: async () => {
      for (let i = 0; i < calls; i++) {
        const proof = response.accountProof.map((node) => hexToBytes(node));
        await peer({ key: hexToBytes(address), root: hexToBytes(stateRoot), proof });
      }
    },
    ready: async () => {
      for (let i = 0; i < calls; i++) await peer(ready);
    },
  });
}

/** Both must find the same account. */
function agree(input, [, , storageRoot, codeHash]) {
  const { storageHash, codeHash: ours } = verifyEthGetProof(input);
  const same = [bytesToHex(storageRoot), bytesToHex(codeHash)].join();
  if (same !== [bytesToHex(storageHash), bytesToHex(ours)].join()) {
    throw new Error("the verifiers do not agree");
  }
}

async function time(calls, contenders) {
  const samples = Object.entries(contenders).map(([name, run]) => ({ name, run, times: [] }));
  // The first rounds run code that the engine has not optimised yet.
  for (let round = 0; round < WARM + ROUNDS; round++) {
    for (const { run, times } of samples) {
      const started = performance.now();
      await run();
      if (round >= WARM) times.push(((performance.now() - started) * 1000) / calls);
    }
  }
  return Object.fromEntries(samples.map(({ name, times }) => [name, quartiles(times)]));
}
