// Serves a built example on localhost.

import { inside } from "./paths.mjs";
import { bold, cyan, dim, say } from "./terminal.mjs";

/** Serves `example` (its `dist`) until the process is stopped. */
export async function serve(example) {
  // Imported late: vite is there only once the npm packages are.
  const { preview } = await import("vite");
  const server = await preview({
    root: inside(example),
    logLevel: "warn",
    preview: { host: "localhost", port: 4173 },
  });
  say(`${bold("In your browser")}  ${cyan(server.resolvedUrls.local[0])}`);
  say(dim(`${example}, until Ctrl-C`));
  // Stopping it is how it ends, not a failure.
  process.removeAllListeners("SIGINT");
  await new Promise((resolve) => process.once("SIGINT", resolve));
  say();
  await server.close();
}
