/** `prooflight eth serve`: who is answered. */

import { beforeAll, describe, expect, test } from "vitest";

import { Guard } from "../../src/cli/ethereum/serve/guard.js";
import { rpc, send, servedProvider, serving } from "./endpoint.js";
import { type ExecutionChain, executeChain } from "./execution-chain.js";

let chain: ExecutionChain;
let url: string;
beforeAll(async () => {
  chain = await executeChain();
  url = await serving(servedProvider(chain));
});

describe("hosts and origins", () => {
  const body = JSON.stringify(rpc("eth_chainId"));
  const port = () => new URL(url).port;
  let open: string;
  beforeAll(async () => {
    const hosts = ["eth.example", "other.example:99"];
    const origins = ["https://app.example", "HTTP://Localhost:3000", "https://x.example:443"];
    open = await serving(servedProvider(chain), { guard: { hosts, origins } });
  });

  test.each(["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])(
    "%s is this machine",
    async (name) => {
      expect((await send(url, { body, headers: { host: `${name}:${port()}` } })).status).toBe(200);
      expect((await send(url, { body, headers: { host: `${name}:1` } })).status).toBe(403);
      expect((await send(url, { body, headers: { host: name } })).status).toBe(403);
    },
  );

  test.each([
    ...["evil.example", "127.0.0.1.evil.example", "localhost.", "localhost.evil.example"],
    ...["user@localhost", "127.1", "0.0.0.0", "192.168.0.1", "localhost:1:2", ""],
  ])("%j is another host, and refused", async (name) => {
    for (const path of ["/", "/health"]) {
      const { status, text } = await send(url, {
        ...{ body, path },
        headers: { host: `${name}:${port()}` },
      });
      expect(status).toBe(403);
      expect(text).toContain("--host NAME");
    }
  });

  test("--host allows a name, with any port or with its own", async () => {
    const statusOf = async (host: string) => (await send(open, { body, headers: { host } })).status;
    expect(await statusOf("eth.example")).toBe(200);
    expect(await statusOf("ETH.example:1234")).toBe(200);
    expect(await statusOf("other.example:99")).toBe(200);
    expect(await statusOf("other.example:98")).toBe(403);
    expect(await statusOf("other.example")).toBe(403);
    expect(await statusOf("sub.eth.example")).toBe(403);
    expect(() => new Guard({ hosts: ["http://eth.example"] })).toThrow(/--host NAME/);
  });

  test.each([
    "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn",
    "moz-extension://bd1b9f5e-7d3b-4a1c-9c2e-0a4a4a1f3e11",
    "safari-web-extension://2D9C7A1E-1111-2222-3333-444455556666",
  ])("%s is answered", async (origin) => {
    const { status, headers } = await send(url, { body, headers: { origin } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "access-control-allow-origin": origin, vary: "origin" });
  });

  test.each([
    ...["https://evil.example", "null", "http://localhost", "http://127.0.0.1:8545", "file://"],
    ...["chrome-extension://", "https://chrome-extension://abc", "x-chrome-extension://abc", ""],
  ])("the origin %j is refused", async (origin) => {
    for (const sent of [{ body }, { path: "/health" }, { method: "OPTIONS" }]) {
      const { status, headers, text } = await send(url, { ...sent, headers: { origin } });
      expect(status).toBe(403);
      expect(headers).not.toHaveProperty("access-control-allow-origin");
      expect(text).toContain("--origin ORIGIN");
    }
  });

  test("--origin allows an origin, as browsers write it", async () => {
    const statusOf = async (origin: string) =>
      (await send(open, { body, headers: { origin } })).status;
    expect(await statusOf("https://app.example")).toBe(200);
    expect(await statusOf("http://localhost:3000")).toBe(200);
    expect(await statusOf("https://x.example")).toBe(200);
    expect(await statusOf("http://app.example")).toBe(403);
    expect(await statusOf("https://app.example:444")).toBe(403);
    expect(await statusOf("https://app.example.evil.example")).toBe(403);
    for (const wrong of ["app.example", "*", "https://app.example/path", "null", "https://a@b"]) {
      expect(() => new Guard({ origins: [wrong] })).toThrow(/--origin ORIGIN/);
    }
  });

  test("preflights of allowed origins are answered", async () => {
    const preflight = (more: object) =>
      send(open, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
          ...more,
        },
      });
    const { status, headers } = await preflight({});
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": expect.stringContaining("POST") as string,
      "access-control-allow-headers": "*",
    });
    expect(headers).not.toHaveProperty("access-control-allow-private-network");
    const local = await preflight({ "access-control-request-private-network": "true" });
    expect(local.headers["access-control-allow-private-network"]).toBe("true");
  });
});
