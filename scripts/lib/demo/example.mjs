// The pages of the examples.

import { inside } from "../paths.mjs";

/** Serves an example; the first request waits until `build` has built it. */
export async function serveExample(example, port, build = () => undefined) {
  // Imported late: vite exists only once the npm packages are installed.
  const { preview } = await import("vite");
  let built;
  const waitForBuild = {
    name: "wait-for-build",
    configurePreviewServer: ({ middlewares }) =>
      void middlewares.use((_request, _response, next) => {
        built ??= Promise.resolve(build());
        built.then(
          () => next(),
          (error) => {
            // The next request builds it once more.
            built = undefined;
            next(error);
          },
        );
      }),
  };
  const server = await preview({
    root: inside(example),
    logLevel: "warn",
    plugins: [waitForBuild],
    preview: { host: "localhost", port },
  });
  return { url: server.resolvedUrls.local[0], close: () => server.close() };
}
