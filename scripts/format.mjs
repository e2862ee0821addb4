// npm run format: lays out all Rust and TypeScript the one way that `npm test` accepts.

import { prepare } from "./lib/setup.mjs";
import { main, task } from "./lib/task.mjs";

await main(async () => {
  await prepare(["npm", "rust"]);
  await task("rustfmt", ({ sh }) => sh("cargo", ["fmt", "--all"]));
  await task("prettier", ({ sh }) => sh("prettier", ["--write", "--log-level", "warn", "."]));
});
