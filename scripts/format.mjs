// npm run format: formats all Rust and TypeScript as `npm test` requires.

import { prepare } from "./lib/setup.mjs";
import { main, task } from "./lib/task.mjs";

await main(async () => {
  await prepare(["npm", "rust"]);
  await task("rustfmt", ({ sh }) => sh("cargo", ["fmt", "--all"]));
  await task("prettier", ({ sh }) => sh("prettier", ["--write", "--log-level", "warn", "."]));
});
