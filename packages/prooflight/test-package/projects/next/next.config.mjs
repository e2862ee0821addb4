import { fileURLToPath } from "node:url";

// The tools are above the project, in a folder without its lockfile.
const root = fileURLToPath(new URL("../..", import.meta.url));

export default { turbopack: { root }, outputFileTracingRoot: root };
