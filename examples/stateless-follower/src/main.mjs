// Follows a chain block by block and checks that every block has the effect that its header claims, with
// 33 bytes of state: the digest of the chain's whole AVL+ dictionary.
//
//   node src/main.mjs --server URL --checkpoint FILE [--state FILE] [--from HEIGHT] [--until HEIGHT]

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { fromHex, LightClient, parseCheckpoint, toHex, VerifyError } from "prooflight";

const { values: options } = parseArgs({
  options: {
    server: { type: "string", multiple: true },
    checkpoint: { type: "string" },
    state: { type: "string" },
    from: { type: "string", default: "0" },
    until: { type: "string" },
  },
});
if (!options.server || !options.checkpoint) {
  console.error(
    "Usage: node src/main.mjs --server URL --checkpoint FILE [--state FILE] [--from HEIGHT] [--until HEIGHT]",
  );
  process.exit(2);
}

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const client = await LightClient.connect({
  urls: options.server,
  // The trusted checkpoint. It comes from the application, never from the server.
  checkpoint: parseCheckpoint(readFileSync(options.checkpoint, "utf8")),
  onFailure: ({ url, error }) => console.error(`${url}: ${error.code} / ${error.reason}`),
});

try {
  // Resume where the last run stopped, or start where the options say.
  const { from, digest } = readState() ?? { from: BigInt(options.from), digest: undefined };
  for await (const block of client.blocks({ from, digest, signal: stop.signal })) {
    const { header, operations, proofBytes } = block;
    writeState({ from: header.height + 1n, digest: block.digest });
    console.log(
      `block ${header.height}  ${operations.length} operations  ${proofBytes} bytes of proof  digest ${toHex(block.digest)}`,
    );
    if (options.until !== undefined && header.height >= BigInt(options.until)) break;
  }
} catch (error) {
  if (!stop.signal.aborted) {
    if (!(error instanceof VerifyError)) throw error;
    console.error(`refused: ${error.code} / ${error.reason}: ${error.message}`);
    process.exitCode = 1;
  }
} finally {
  client.close();
}

/** The state: the next block's height, and the digest before it. */
function readState() {
  if (!options.state) return undefined;
  let text;
  try {
    text = readFileSync(options.state, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
  const { next, digest } = JSON.parse(text);
  return { from: BigInt(next), digest: fromHex(digest) };
}

/** Replaces the file atomically, so that a crash leaves either the old state or the new one. */
function writeState({ from, digest }) {
  if (!options.state) return;
  const text = JSON.stringify({ next: `0x${from.toString(16)}`, digest: toHex(digest) });
  writeFileSync(`${options.state}.new`, `${text}\n`);
  renameSync(`${options.state}.new`, options.state);
}
