// The Python that runs the independent verifier of test-vectors/python.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ask } from "./command.mjs";
import { cache, inside } from "./paths.mjs";

const folder = join(cache, "python");
const stamp = join(folder, "prooflight-requirements");

/** The interpreter: in an environment of our own when the verifier needs packages. */
export const interpreter = () =>
  requirements() === "" ? "python3" : join(folder, "bin", "python3");

/** Python with what test-vectors/python/requirements.txt lists. */
export const python = {
  title: "Python environment",
  requires: ["python"],
  ready: () =>
    requirements() === "" || (existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint()),
  async install({ sh }) {
    rmSync(folder, { recursive: true, force: true });
    await sh("python3", ["-m", "venv", folder]);
    const list = inside("test-vectors", "python", "requirements.txt");
    await sh(interpreter(), ["-m", "pip", "install", "--requirement", list]);
    writeFileSync(stamp, fingerprint());
  },
};

function requirements() {
  const path = inside("test-vectors", "python", "requirements.txt");
  return existsSync(path) ? readFileSync(path, "utf8").replace(/#.*$/gm, "").trim() : "";
}

const fingerprint = () =>
  createHash("sha256")
    .update(requirements())
    .update(ask("python3", "--version") ?? "")
    .digest("hex");
