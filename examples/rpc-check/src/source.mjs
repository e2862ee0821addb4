// Sources of answers: an endpoint, or a file with recorded answers.

import { readFileSync } from "node:fs";

import { httpProvider } from "prooflight/provider";

import { Misuse } from "./misuse.mjs";

/**
 * A source of `eth_getProof` answers: returns a function of address, slots and block number. Throws a
 * `Misuse` for a file without answers.
 */
export function sourceOf(name, timeout) {
  return /^https?:/.test(name) ? endpoint(name, timeout) : recorded(name);
}

function endpoint(url, timeout) {
  if (!URL.canParse(url)) throw new Misuse("this is not a URL");
  const provider = httpProvider(url, { timeout });
  return (address, slots, number) =>
    provider.request({ method: "eth_getProof", params: [address, slots, number] });
}

/** A file with an array of answers; the answer to a question is the one about its address. */
function recorded(file) {
  const answers = parse(file);
  if (!Array.isArray(answers)) throw new Misuse("the file must contain a list of answers");
  return (address) => {
    const answer = answers.find(
      (answer) => String(answer?.address).toLowerCase() === address.toLowerCase(),
    );
    if (!answer) throw new Error(`no answer about ${address} was recorded`);
    return answer;
  };
}

function parse(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Misuse(error.message);
  }
}
