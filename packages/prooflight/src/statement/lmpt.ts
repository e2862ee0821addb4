/** `LmptProof` of `test-vectors/spec/vectors.md`. */

import { toHex } from "../bytes.js";
import type { Limits } from "../limits.js";
import { verifyLmptProof } from "../lmpt/proof.js";
import { keysOf, kind } from "./json.js";

/** The values of keys, with their layers. */
export const LmptProof = kind({
  scheme: "lmpt",
  trusted: ["root", "limits"],
  question: ["keys"],
  evidence: ["proof"],
  subjects: keysOf,
  verify(given) {
    const answers = verifyLmptProof({
      root: given.hex("root"),
      keys: given.hexList("keys"),
      proof: given.hex("proof"),
      // Passed on unchecked: the verifier checks them.
      limits: given.unchecked("limits") as Limits | undefined,
    });
    return {
      answers: answers.map((answer) => ({
        value: answer.kind === "present" ? toHex(answer.value) : null,
        layer: answer.layer,
      })),
    };
  },
});
