// Where answers come from: an endpoint, or a file that has them.

import { readFileSync } from "node:fs";

import { httpProvider } from "prooflight/provider";

/** Something that answers `eth_getProof`: gives a function of address, slots and block number. */
export function sourceOf(name, timeout) {
  return /^https?:/.test(name) ? endpoint(name, timeout) : recorded(name);
}

function endpoint(url, timeout) {
  const provider = httpProvider(url, { timeout });
  return (address, slots, number) =>
    provider.request({ method: "eth_getProof", params: [address, slots, number] });
}

/** A file with an array of answers; the one to a question is the one about its address. */
function recorded(file) {
  const answers = JSON.parse(readFileSync(file, "utf8"));
  return (address) => {
    const answer = answers.find(
      (answer) => answer?.address?.toLowerCase() === address.toLowerCase(),
    );
    if (!answer) throw new Error(`no answer about ${address} was recorded`);
    return answer;
  };
}
