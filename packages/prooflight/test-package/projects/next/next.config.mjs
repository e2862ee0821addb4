import { fileURLToPath } from "node:url";

// The tools are in a folder above the project, without a lockfile.
const root = fileURLToPath(new URL("../..", import.meta.url));

export default { turbopack: { root }, outputFileTracingRoot: root };
