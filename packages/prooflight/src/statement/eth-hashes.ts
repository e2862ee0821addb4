/** `EthCode` and `EthTransaction` of `test-vectors/spec/vectors.md`. */

import { invalid } from "../arguments.js";
import { type Bytes, toHex } from "../bytes.js";
import { hash as wasm } from "../wasm/hash.js";
import { type JsonMembers, kind } from "./json.js";

/** The code of an account. */
export const EthCode = kind({
  scheme: "mpt",
  trusted: ["codeHash"],
  question: ["code"],
  evidence: [],
  verify(given) {
    const [codeHash, code] = [hash(given, "codeHash"), given.hex("code")];
    wasm.call("mpt", (wasm) => {
      wasm.mptVerifyCode(codeHash, code);
    });
    return {};
  },
});

/** The hash of a transaction. */
export const EthTransaction = kind({
  scheme: "mpt",
  trusted: [],
  question: ["raw", "hash"],
  evidence: [],
  verify(given) {
    const [raw, answered] = [given.hex("raw"), hash(given, "hash")];
    return { hash: toHex(wasm.call("mpt", (wasm) => wasm.mptVerifyTransaction(raw, answered))) };
  },
});

function hash<Name extends string>(given: JsonMembers<Name>, name: Name): Bytes {
  const bytes = given.hex(name);
  if (bytes.length === 32) return bytes;
  throw invalid("mpt", name, "32 bytes", `${bytes.length} bytes`);
}
