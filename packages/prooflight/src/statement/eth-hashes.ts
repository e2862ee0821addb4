/** `EthCode` and `EthTransaction` of `test-vectors/spec/vectors.md`. */

import { Arguments, invalid } from "../arguments.js";
import { type Bytes, toHex } from "../bytes.js";
import { hash as wasm, init } from "../wasm/hash.js";
import { hexMember, type Kind, there } from "./json.js";

/** The code of an account. */
export const EthCode: Kind = {
  scheme: "mpt",
  trusted: ({ codeHash }) => there({ codeHash }),
  question: ({ code }) => there({ code }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("mpt", input, ["codeHash", "code"]);
    const [codeHash, code] = [hash(given, "codeHash"), hexMember("mpt", given, "code")];
    wasm.call("mpt", (wasm) => {
      wasm.mptVerifyCode(codeHash, code);
    });
    return {};
  },
};

/** The hash of a transaction. */
export const EthTransaction: Kind = {
  scheme: "mpt",
  trusted: () => ({}),
  question: ({ raw, hash }) => there({ raw, hash }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("mpt", input, ["raw", "hash"]);
    const [raw, answered] = [hexMember("mpt", given, "raw"), hash(given, "hash")];
    return { hash: toHex(wasm.call("mpt", (wasm) => wasm.mptVerifyTransaction(raw, answered))) };
  },
};

function hash<Name extends string>(given: Arguments<Name>, name: Name): Bytes {
  const bytes = hexMember("mpt", given, name);
  if (bytes.length === 32) return bytes;
  throw invalid("mpt", name, "32 bytes", `${bytes.length} bytes`);
}
