// node scripts/engines.mjs DATA.json: prints since which release browsers have the APIs that the package uses, for
// test/node/engines.json. DATA.json is the file of the npm package @mdn/browser-compat-data.

import { readFileSync } from "node:fs";

import { usedApis } from "./apis.mjs";

const BROWSERS = ["chrome", "edge", "firefox", "safari"];

/** Names of TypeScript's libraries that MDN lists elsewhere. */
const ELSEWHERE = {
  AbortSignal: ["EventTarget"],
  WebSocket: ["EventTarget"],
  Body: ["Response"],
  ReadableStreamGenericReader: ["ReadableStreamDefaultReader"],
  ReadonlyArray: ["Array"],
};

const { api, javascript, webassembly } = JSON.parse(readFileSync(process.argv[2], "utf8"));

function entryOf(name) {
  if (name === "WebSocket.OPEN") return api.WebSocket.readyState;
  if (name === "ImportMeta.url") return javascript.operators.import_meta;
  const parts = name.split(".");
  const [owner, member] = parts.length === 1 ? [undefined, name] : parts;
  if (owner === "WebAssembly" || name === "WebAssembly") {
    return webassembly.api[member] ?? webassembly.api[`${member}_static`] ?? webassembly.api;
  }
  if (["Instance", "Memory", "Module"].includes(owner ?? name)) {
    const place = webassembly.api[owner ?? name];
    return place[member] ?? place;
  }
  if (owner === undefined) return api[member] ?? api.Window[member] ?? javascript.builtins[member];
  for (const one of [owner, ...(ELSEWHERE[owner] ?? [])]) {
    const place = api[one] ?? javascript.builtins[one];
    const names = [member, `${member}_static`, `${member.replace(/^on/, "")}_event`];
    const found = names.map((one) => place?.[one]).find(Boolean);
    if (found) return found;
  }
  return undefined;
}

const table = {};
for (const name of [...usedApis().keys()].sort()) {
  const support = entryOf(name)?.__compat?.support;
  if (!support) {
    console.error(`unknown: ${name}`);
    continue;
  }
  table[name] = Object.fromEntries(
    BROWSERS.map((browser) => {
      const { version_added: version } = [support[browser]].flat()[0];
      return [browser, typeof version === "string" ? Number(version.replace("≤", "")) : null];
    }),
  );
}
console.log(JSON.stringify(table, undefined, 2));
