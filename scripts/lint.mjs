// npm run lint: the steps of `npm test` that only analyse the code.

import { runSteps } from "./lib/steps.mjs";
import { main } from "./lib/task.mjs";

await main(() => runSteps(["format", "clippy", "deny", "rustdoc", "eslint"]));
