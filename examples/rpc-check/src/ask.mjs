// Asks a source all questions and verifies what it says.

import { VerifyError } from "prooflight";
import { verifyEthGetProof } from "prooflight/mpt";

/**
 * For each question `{ address, slots, verdict }`; the verdict is `verified` with the account, `refused`
 * with the error, or `unavailable` with what went wrong.
 */
export async function ask(source, trusted, questions) {
  const answers = [];
  // One after the other: free endpoints refuse many requests at once.
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
    // The trust file was checked before anyone was asked: what is wrong now is the answer.
    if (!(error instanceof VerifyError)) throw error;
    return { verdict: "refused", error, claimed: response?.balance };
  }
}
