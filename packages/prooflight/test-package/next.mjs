// An application of Next.js: a server component, a route handler, and a client component.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { environment } from "../../../scripts/lib/environment.mjs";
import { assertOutcome } from "./outcome.mjs";
import { compileCheck } from "./project.mjs";
import { fileOf } from "./tools.mjs";

const command = fileOf("next", "dist", "bin", "next");
const env = { NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: undefined };

/** Builds the project with both bundlers of Next.js, and opens it. */
export async function next(path, open, { sh }) {
  compileCheck(path);
  for (const bundler of ["--turbopack", "--webpack"]) {
    await sh("node", [command, "build", bundler], { cwd: path, env });
    await serve(path, async (url) => {
      assertOutcome(await (await fetch(`${url}/api/check`)).json());
      const page = await (await fetch(url)).text();
      const outcome = /<pre>(.*?)<\/pre>/.exec(page)?.[1].replaceAll("&quot;", '"');
      assert.ok(outcome, page);
      assertOutcome(JSON.parse(outcome));
      assertOutcome(await open(`${url}/client`));
    });
  }
}

async function serve(path, body) {
  const child = spawn(process.execPath, [command, "start", "--port", "0"], {
    cwd: path,
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  try {
    let url;
    for await (const line of createInterface(child.stdout)) {
      url = /http:\/\/localhost:\d+/.exec(line)?.[0];
      if (url) break;
    }
    child.stdout.resume();
    await body(url);
  } finally {
    child.kill();
    await exited;
  }
}
