// An application that Parcel builds; package.json has the line that makes Parcel read `exports`. (Parcel takes the line
// from the folder of the lockfile.)

import { fileOf } from "./tools.mjs";
import { assertOutcome } from "./outcome.mjs";
import { compileCheck } from "./project.mjs";
import { withServer } from "./server.mjs";

/** Builds and opens the project. */
export async function parcel(path, open, { sh }) {
  compileCheck(path);
  const options = ["--public-url", "./", "--no-cache", "--no-source-maps"];
  await sh("node", [fileOf("parcel", "lib", "bin.js"), "build", "index.html", ...options], {
    cwd: path,
  });
  await withServer(path, {}, async (url) => assertOutcome(await open(`${url}/dist/index.html`)));
}
