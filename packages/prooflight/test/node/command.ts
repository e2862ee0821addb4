/** Runs the command as a user does: in a process of its own. */

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll } from "vitest";

/** What npm links as `prooflight`. */
export const command = fileURLToPath(new URL("../../bin/prooflight.mjs", import.meta.url));

/** The command without a terminal, so that it prints no colours whatever the variables of the tests say. */
export const environment = { ...process.env, FORCE_COLOR: undefined };

/** Runs the command; gives what it printed and its exit code. */
export function prooflight(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    input,
    env: environment,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const running = new Set<ChildProcessWithoutNullStreams>();

/** Starts the command; it ends with the tests of a file at the latest. */
export function start(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const env = { ...environment, ...variables };
  const child = spawn(process.execPath, [command, ...args], { env });
  running.add(child);
  child.once("close", () => running.delete(child));
  return child;
}

afterAll(() => {
  running.forEach((child) => child.kill("SIGKILL"));
});

/** Runs the command to its end, while this process may be its server. */
export async function run(...args: string[]) {
  const child = start(args);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [status] = (await once(child, "close")) as [number];
  return { status, stdout, stderr };
}

/** Runs `prooflight verify` with a statement as its standard input. */
export const verify = (statement: unknown, ...args: string[]) =>
  prooflight(["verify", "-", ...args], JSON.stringify(statement));

/** What `verify --json` prints. */
export const verdictOf = (statement: unknown, ...args: string[]) =>
  JSON.parse(verify(statement, "--json", ...args).stdout) as Record<string, unknown>;

/** A folder for files that a test hands to the command; gone when its tests are over. */
export function filesFolder(): (name: string, content: string | Uint8Array) => string {
  const folder = mkdtempSync(join(tmpdir(), "prooflight-cli-"));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  return (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
}
