/** A real anvil, which the tests trust. */

import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";

/** A running node. */
export interface Anvil {
  url: string;
  stop: () => void;
}

/** Starts anvil with an empty chain. */
export async function startAnvil(...options: string[]): Promise<Anvil> {
  const require = createRequire(import.meta.url);
  const cpu = process.arch === "x64" ? "amd64" : process.arch;
  const binary = require.resolve(`@foundry-rs/anvil-${process.platform}-${cpu}/bin/anvil`);
  const node = spawn(binary, ["--port", "0", "--host", "127.0.0.1", ...options]);
  return {
    url: await urlOf(node),
    stop() {
      node.kill();
    },
  };
}

/** The URL that a node prints when it is ready. */
const urlOf = (node: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    let said = "";
    node.stdout?.on("data", (data: Buffer) => {
      said += data.toString();
      const found = /Listening on (127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (found !== undefined) resolve(`http://${found}`);
    });
    node.once("error", reject);
    node.once("exit", (code) => {
      reject(new Error(`anvil ended with ${String(code)}: ${said}`));
    });
  });
