// Verifies in WebAssembly what `largest.rs` left in a folder: `node crates/lvmt/examples/largest.mjs FOLDER`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { init, verifyLvmtProof } from "prooflight/lvmt";

await init();
const folder = process.argv[2];
const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
for (const file of readdirSync(folder)) {
  const { paramsId, aroot, hroot, keys, proof } = JSON.parse(readFileSync(join(folder, file)));
  const input = {
    paramsId: bytes(paramsId),
    logN: 16,
    logArity: 2,
    allowInsecureSetup: true,
    root: bytes(aroot + hroot),
    height: 0n,
    keys: keys.map(bytes),
    proof: bytes(proof),
  };
  // The first call prepares the setup's key.
  const verify = () => {
    try {
      return `accepted ${verifyLvmtProof(input).length} keys`;
    } catch (error) {
      return `refused as ${error.reason}`;
    }
  };
  const times = [0, 1].map(() => {
    const started = process.cpuUsage();
    const outcome = verify();
    return { outcome, seconds: process.cpuUsage(started).user / 1e6 };
  });
  console.log(
    `${file}: ${times[0].outcome} in ${Math.min(...times.map((it) => it.seconds)).toFixed(2)} s`,
  );
}
