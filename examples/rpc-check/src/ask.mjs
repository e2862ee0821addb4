// Asks a source all questions and verifies its answers.

import { VerifyError } from "prooflight";
import { verifyEthGetProof } from "prooflight/mpt";

/**
 * For each question `{ address, slots, verdict }`; the verdict is `verified` with the account, `refused`
 * with the error, or `unavailable` with the cause.
 */
export async function ask(source, trusted, questions) {
  const answers = [];
  // One after another: free endpoints refuse many requests at once.
  for (const { address, slots = [] } of questions) {
    answers.push({ address, slots, ...(await verdictOn(source, trusted, address, slots)) });
  }
  return answers;
}

async function verdictOn(source, trusted, address, slots) {
  let response;
  try {
    response = await source(address, slots, `0x${trusted.number.toString(16)}`);
  } catch (error) {
    return { verdict: "unavailable", error };
  }
  try {
    const { stateRoot } = trusted;
    return {
      verdict: "verified",
      account: verifyEthGetProof({ stateRoot, address, slots, response }),
    };
  } catch (error) {
    // The trust file was checked before any request: an error here is the answer's.
    if (!(error instanceof VerifyError)) throw error;
    return { verdict: "refused", error, claimed: response?.balance };
  }
}
