// Builds the node, the npm packages (Rust to WebAssembly, TypeScript to JavaScript) and then the
// examples.

import { record } from "./fingerprint.mjs";
import { node } from "./paths.mjs";
import { task } from "./task.mjs";
import { workspaces } from "./workspaces.mjs";

const RUST = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ".cargo", "crates", "bindings"];
const TOOLS = [
  "package.json",
  "package-lock.json",
  "tsconfig.base.json",
  "scripts/lib/versions.mjs",
  "scripts/lib/schemes.mjs",
  "test-vectors/schema/schemes.json",
];

/**
 * Builds the node, the packages and these examples, by default all of them; what has not changed since the last time is
 * left. Each workspace writes to its own `dist`. Returns the remark of the builds. Needs the tools of `forBuild`.
 */
export async function build(examples) {
  const remarks = [];
  await buildNode();
  for (const workspace of buildable("packages")) {
    remarks.push(await buildOne(workspace, [...RUST, ...TOOLS, workspace.path], []));
  }
  for (const { path } of buildable("examples")) {
    if (!examples || examples.includes(path)) remarks.push(await buildExample(path));
  }
  return { remark: remarks.filter(Boolean).join("; ") || "unchanged" };
}

/** Builds an example whose packages are built, unless it is unchanged. */
export function buildExample(path) {
  const packages = buildable("packages").map(({ path }) => `${path}/dist`);
  return buildOne({ path }, [...TOOLS, path, "examples/page", "test-vectors/avl"], packages);
}

const buildable = (folder) => workspaces(folder).filter(({ scripts }) => scripts.build);

async function buildNode() {
  const made = record("node", RUST, [node]);
  if (made.fresh()) return;
  await task("build prooflight-node", async ({ sh }) => {
    await sh("cargo", ["build", "--profile", "node", "--package", "prooflight-node", "--locked"]);
    made.write();
  });
}

async function buildOne({ path }, sources, built) {
  const made = record(path.replace("/", "-"), sources, [...built, `${path}/dist`]);
  if (made.fresh()) return undefined;
  const { remark } = await task(`build ${path}`, async ({ sh, output }) => {
    await sh("npm", ["run", "--silent", "build", "--workspace", path]);
    made.write();
    // The last lines of the package's build are the sizes of its binaries.
    return /^.*\bbrotli\b.*$/m.exec(output())?.[0];
  });
  return remark;
}
