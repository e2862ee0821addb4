// Builds the npm packages (Rust to WebAssembly, TypeScript to JavaScript) and then the examples.

import { record } from "./fingerprint.mjs";
import { task } from "./task.mjs";
import { workspaces } from "./workspaces.mjs";

const RUST = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ".cargo", "crates", "bindings"];
const TOOLS = [
  "package.json",
  "package-lock.json",
  "tsconfig.base.json",
  "scripts/lib/versions.mjs",
];

/**
 * Runs the `build` script of every workspace whose inputs changed; each writes to its own `dist`.
 * Needs the tools of `forBuild`.
 */
export async function build() {
  const packages = workspaces("packages");
  const built = packages.map(({ path }) => `${path}/dist`);
  for (const workspace of packages) {
    await buildOne(workspace, [...RUST, ...TOOLS, workspace.path], []);
  }
  for (const workspace of workspaces("examples")) {
    await buildOne(workspace, [...TOOLS, workspace.path, "test-vectors/avl"], built);
  }
}

async function buildOne({ path, scripts }, sources, built) {
  if (!scripts.build) return;
  const made = record(path.replace("/", "-"), sources, [...built, `${path}/dist`]);
  if (made.fresh()) return;
  await task(`build ${path}`, async ({ sh }) => {
    await sh("npm", ["run", "build", "--workspace", path]);
    made.write();
  });
}
