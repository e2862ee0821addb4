// What ethers 5 shows of a verified answer, and of refused calls.

import { readFileSync } from "node:fs";

import { ethers } from "ethers";
import { createProvider, refusalIn } from "prooflight/provider";

const { account } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { address, stateRoot, response } = account;
const hash = `0x${"00".repeat(32)}`;
const verifying = createProvider({
  provider: { request: async () => response },
  chainId: 1,
  trust: () => ({ number: 1n, hash, stateRoot }),
});
const provider = new ethers.providers.Web3Provider(verifying);
const token = new ethers.Contract(address, ["function name() view returns (string)"], provider);

const refusal = (error) => [error.code, refusalIn(error)?.reason ?? error.message];
const thrown = (promise) => promise.then(() => "an answer", refusal);

console.log(
  JSON.stringify({
    balance: (await provider.getBalance(address)).toHexString(),
    call: await thrown(provider.call({ to: address })),
    contract: await thrown(token.name()),
    gas: await thrown(provider.estimateGas({ to: address })),
    logs: await thrown(provider.getLogs({ address })),
  }),
);
