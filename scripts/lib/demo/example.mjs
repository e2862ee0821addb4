// The pages of the examples.

import { inside } from "../paths.mjs";

/** Serves a built example. */
export async function serveExample(example, port) {
  // Imported late: vite exists only once the npm packages are installed.
  const { preview } = await import("vite");
  const server = await preview({
    root: inside(example),
    logLevel: "warn",
    preview: { host: "localhost", port },
  });
  return { url: server.resolvedUrls.local[0], close: () => server.close() };
}
