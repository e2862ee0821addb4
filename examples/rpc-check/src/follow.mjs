// Follows Ethereum to its newest head, and asks endpoints about that block.

import { fromHex, VerifyError } from "prooflight";
import { EthereumClient } from "prooflight/ethereum";
import { httpProvider } from "prooflight/provider";

/**
 * The newest head that two thirds of the sync committee signed:
 * `{ hash, slot, participation, state, failures }`; `failures` are those of beacon nodes.
 *
 * Throws a `VerifyError` if no beacon node shows one.
 */
export async function newestHead(options) {
  const failures = [];
  const client = await EthereumClient.connect({
    ...options,
    onFailure: (failure) => failures.push(failure),
  });
  const { slot, executionBlockHash: hash, participation } = client.latest;
  return { hash, slot, participation, state: client.export(), failures };
}

/** What one endpoint says about the block of the head, and about accounts in its state. */
export async function examine(url, head, { network, beacon, timeout, maxCheckpointAge }, accounts) {
  const client = await EthereumClient.connect({
    ...{ network, beacon, timeout, maxCheckpointAge },
    state: head.state,
    execution: [url],
  });
  const at = head.hash;
  const answers = [
    await verdictOn("block", async () => {
      const { number, timestamp } = await client.block(at);
      return { number, timestamp, said: `${number}${await distance(url, number, timeout)}` };
    }),
    await verdictOn("receipts", async () => {
      const { length } = await client.receipts(at);
      return { said: `all ${length} of the block` };
    }),
  ];
  for (const address of accounts) {
    answers.push(
      await verdictOn(address, async () => {
        const { exists, codeHash, ...account } = await client.account(address, { at });
        const kind = exists ? "present" : "absent";
        return { account: { ...account, kind, codeHash: fromHex(codeHash) } };
      }),
    );
  }
  return answers;
}

async function verdictOn(what, ask) {
  try {
    return { what, verdict: "verified", ...(await ask()) };
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    return { what, verdict: error.code === "unavailable" ? "unavailable" : "refused", error };
  }
}

/** How far the endpoint's own newest block is from the verified one. Nobody can verify newer ones yet. */
async function distance(url, number, timeout) {
  try {
    const claimed = BigInt(
      await httpProvider(url, { timeout }).request({ method: "eth_blockNumber", params: [] }),
    );
    const blocks = (count) => (count === 1n ? "1 block" : `${count} blocks`);
    if (claimed === number) return ", its newest";
    return claimed < number
      ? `, but it says that it is ${blocks(number - claimed)} behind`
      : `; it claims ${blocks(claimed - number)} after it`;
  } catch {
    return "; it does not say which block is its newest";
  }
}
