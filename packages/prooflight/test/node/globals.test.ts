import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

// @ts-expect-error: plain JavaScript
import { MODULES as untyped } from "../../scripts/modules.mjs";

const MODULES = untyped as string[];
const run = promisify(execFile);

/** What some runtime lacks: jsdom, Hermes, workerd outside of a request. */
const ABSENT = [
  ...["AbortController", "fetch", "performance", "Response", "ReadableStream", "structuredClone"],
  ...["TextDecoder", "TextEncoder", "URL", "WebAssembly", "WebSocket"],
];

const BUILDS = { "ES modules": "", inlined: "inline/", CommonJS: "cjs/inline/" };

test.each(Object.entries(BUILDS))(
  "%s are imported where globals are missing",
  async (_, folder) => {
    const dist = new URL("../../dist/", import.meta.url);
    const program = `
    const urls = ${JSON.stringify(MODULES.map((name) => new URL(`${folder}${name}.js`, dist).href))};
    for (const name of ${JSON.stringify(ABSENT)}) delete globalThis[name];
    const modules = await Promise.all(urls.map((url) => import(url)));
    await modules[0].init().catch(({ code, message }) => console.log(code, message));`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
    expect(stdout).toMatch(/^unsupported .*React Native/);
  },
);
