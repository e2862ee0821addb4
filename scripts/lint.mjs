// npm run lint: the steps of `npm test` that read the code without running it.

import { runSteps } from "./lib/steps.mjs";
import { main } from "./lib/task.mjs";

await main(() => runSteps(["format", "clippy", "deny", "rustdoc", "eslint"]));
