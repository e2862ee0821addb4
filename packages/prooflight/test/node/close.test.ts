/** A program that has closed its client ends, whatever the server does with its WebSocket. */

import { spawnSync } from "node:child_process";

import { expect, inject, test } from "vitest";

const network = inject("network");

/** Follows heads until its WebSocket is open, closes the client, and says whether it still listens to Node. */
const program = (url: string) => `
  import { hasSubscribers } from "node:diagnostics_channel";
  import { LightClient } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url))};

  const opened = new Promise((resolve) => {
    globalThis.WebSocket = class extends WebSocket {
      constructor(url) {
        super(url);
        this.addEventListener("open", resolve);
      }
    };
  });
  const client = await LightClient.connect({
    urls: [${JSON.stringify(url)}],
    checkpoint: ${JSON.stringify(network.pinned)},
    pollInterval: 50,
    webSocket: true,
  });
  client.onHead(() => undefined);
  await opened;
  client.close();
  const listened = ["undici:request:create", "undici:client:sendHeaders"].filter(hasSubscribers);
  console.log(JSON.stringify({ closed: true, listened }));
`;

test.each(["honest", "socket-silent", "socket-deaf", "socket-lingering"])("%s", (name) => {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ["--experimental-websocket", "--no-warnings", "--input-type=module"],
    // One that would never end is ended.
    { input: program(`${network.liar}/${name}`), encoding: "utf8", timeout: 20_000 },
  );
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({ closed: true, listened: [] });
  expect({ status, signal }).toEqual({ status: 0, signal: null });
});
