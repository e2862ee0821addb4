/** `LmptProof` of `test-vectors/spec/vectors.md`. */

import { Arguments } from "../arguments.js";
import { toHex } from "../bytes.js";
import type { Limits } from "../limits.js";
import { verifyLmptProof } from "../lmpt/proof.js";
import { init } from "../wasm/hash.js";
import { hexItems, hexMember, type Kind, there } from "./json.js";

/** The values of keys, with their layers. */
export const LmptProof: Kind = {
  scheme: "lmpt",
  trusted: ({ root, limits }) => there({ root, limits }),
  question: ({ keys }) => there({ keys }),
  asked: [],
  subjects: (input) => (input as { keys: string[] }).keys,
  init,
  verify(input) {
    const given = new Arguments("lmpt", input, ["root", "keys", "proof", "limits"]);
    const answers = verifyLmptProof({
      root: hexMember("lmpt", given, "root"),
      keys: hexItems("lmpt", given.list("keys"), "keys"),
      proof: hexMember("lmpt", given, "proof"),
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
};
