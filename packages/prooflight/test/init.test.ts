import { afterEach, describe, expect, test, vi } from "vitest";

import { Binary, type Glue } from "../src/wasm/binary.js";
import type { WasmInput } from "../src/wasm/compile.js";
import { fromFile, wasmUrl } from "./wasm.js";
import { refusal, rejection, verdict } from "./refusal.js";

const bytes = await fromFile(wasmUrl);
const module = await WebAssembly.compile(bytes);
const wasmType = { headers: { "content-type": "application/wasm" } };

const glueFile = "prooflight_hash_bg.js";

/** A binary that nobody has initialised, with glue of its own. */
async function fresh(locate = () => wasmUrl) {
  return new Binary("prooflight-hash.wasm", glueFile, await freshGlue(), locate);
}

async function freshGlue(): Promise<Glue> {
  const url = `${new URL(glueFile, wasmUrl).href}?${Math.random()}`;
  return { ...((await import(/* @vite-ignore */ url)) as Glue) };
}

const works = (binary: Binary<Glue>) => binary.call("avl", (wasm) => wasm.version()) === "0.1.0";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("a call before init says what to do", async () => {
  const binary = await fresh();
  const error = refusal(() => works(binary));
  expect(verdict(error)).toBe("invalid_input / not_initialised");
  expect(error.message).toContain("await init()");
});

describe("init takes", () => {
  test.each<[string, () => WasmInput | undefined]>([
    ["nothing", () => undefined],
    ["a URL", () => wasmUrl],
    ["a URL as a string", () => wasmUrl.href],
    ["a Response", () => new Response(bytes, wasmType)],
    ["a Response of another type", () => new Response(bytes)],
    ["a Uint8Array", () => bytes],
    ["an ArrayBuffer", () => bytes.buffer],
    ["a module", () => module],
  ])("%s", async (_, input) => {
    const binary = await fresh();
    await binary.init(input());
    expect(works(binary)).toBe(true);
  });
});

test("init takes what was provided, and without input no other", async () => {
  const binary = await fresh(() => new URL("missing.wasm", wasmUrl));
  binary.provide(() => Promise.resolve(bytes));
  await binary.init();
  expect(works(binary)).toBe(true);
});

test.each<[string, () => URL]>([
  ["a program of one script, which has no URL", () => new URL("./prooflight-hash.wasm", undefined)],
  ["a program without the file", () => new URL("missing.wasm", wasmUrl)],
])("%s is told what to import", async (_, locate) => {
  const error = await rejection((await fresh(locate)).init());
  expect(verdict(error)).toBe("unavailable / wasm_unavailable");
  expect(error.message).toContain("import prooflight/inline");
});

test.each([
  "CompileError: WebAssembly.compile(): ",
  "CompileError: WebAssembly.compile(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because 'unsafe-eval' is not an allowed source of script",
  "CompileError: call to WebAssembly.compile() blocked by CSP",
  "EvalError: Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source of script",
])("a policy that forbids WebAssembly is named: %s", async (said) => {
  vi.spyOn(WebAssembly, "compile").mockRejectedValue({ toString: () => said });
  const error = await rejection((await fresh()).init(bytes));
  expect(verdict(error)).toBe("unavailable / wasm_unavailable");
  expect(error.message).toContain("must have 'wasm-unsafe-eval' in its script-src");
});

test("an engine without WebAssembly is told which have none", async () => {
  vi.stubGlobal("WebAssembly", undefined);
  const error = await rejection((await fresh()).init(bytes));
  expect(verdict(error)).toBe("unsupported / simd_missing");
  expect(error.message).toMatch(/React Native.*Lockdown Mode/);
});

describe("init refuses", () => {
  const unavailable = "unavailable / wasm_unavailable";
  const invalid = "invalid_input / invalid_argument";
  const html = { headers: { "content-type": "text/html" } };
  test.each<[string, () => unknown, string]>([
    ["a file that is not there", () => new URL("missing.wasm", wasmUrl), unavailable],
    ["a server that is not there", () => "http://127.0.0.1:9/prooflight.wasm", unavailable],
    ["an HTTP error", () => new Response(bytes, { status: 404 }), unavailable],
    ["a page in place of the file", () => new Response("<!doctype html>", html), unavailable],
    ["a page that says it is wasm", () => new Response("<!doctype html>", wasmType), unavailable],
    ["half a file", () => bytes.slice(0, bytes.length / 2), unavailable],
    ["another program", () => Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), unavailable],
    ["another version", () => otherVersion(), unavailable],
    ["a string that is not a URL", () => "http://", invalid],
    ["null", () => null, invalid],
    ["a number", () => 1, invalid],
    ["an object", () => ({}), invalid],
  ])("%s, and works when tried again", async (_, input, expected) => {
    const binary = await fresh();
    const error = await rejection(binary.init(input() as WasmInput));
    expect(verdict(error)).toBe(expected);
    expect(verdict(refusal(() => works(binary)))).toBe("invalid_input / not_initialised");
    await binary.init();
    expect(works(binary)).toBe(true);
  });
});

test("init is done once, however often and with whatever it is called", async () => {
  const locate = vi.fn(() => wasmUrl);
  const instantiate = vi.spyOn(WebAssembly, "instantiate");
  const binary = await fresh(locate);
  await Promise.all([binary.init(), binary.init("http://127.0.0.1:9/")]);
  await binary.init("http://127.0.0.1:9/");
  binary.initSync(Uint8Array.of());
  expect(locate).toHaveBeenCalledTimes(1);
  expect(instantiate).toHaveBeenCalledTimes(1);
});

describe("initSync", () => {
  test.each([
    ["bytes", bytes],
    ["a module", module],
  ])("takes %s", async (_, input) => {
    const binary = await fresh();
    binary.initSync(input);
    expect(works(binary)).toBe(true);
  });

  test.each([
    ["a URL", wasmUrl, "invalid_input / invalid_argument"],
    ["nothing", undefined, "invalid_input / invalid_argument"],
    ["what is not wasm", Uint8Array.of(1, 2, 3), "unavailable / wasm_unavailable"],
    ["another version", otherVersion(), "unavailable / wasm_unavailable"],
  ])("refuses %s, and works when tried again", async (_, input, expected) => {
    const binary = await fresh();
    const error = refusal(() => {
      binary.initSync(input as WebAssembly.Module);
    });
    expect(verdict(error)).toBe(expected);
    binary.initSync(module);
    expect(works(binary)).toBe(true);
  });

  test("may overtake init, whose instance is then not used", async () => {
    const glue = await freshGlue();
    const use = vi.spyOn(glue, "__wbg_set_wasm");
    const binary = new Binary("prooflight-hash.wasm", glueFile, glue, () => wasmUrl);
    const pending = binary.init();
    binary.initSync(module);
    await pending;
    expect(use).toHaveBeenCalledTimes(1);
    expect(works(binary)).toBe(true);
  });
});

describe("an engine that is too old is named as such:", () => {
  test.each<[string, () => unknown]>([
    ["no WebAssembly", () => vi.stubGlobal("WebAssembly", undefined)],
    ["no simd128", () => vi.spyOn(WebAssembly, "validate").mockReturnValue(false)],
  ])("%s", async (_, age) => {
    const binary = await fresh();
    age();
    const sync = refusal(() => {
      binary.initSync(module);
    });
    for (const error of [sync, await rejection(binary.init())]) {
      expect(verdict(error)).toBe("unsupported / simd_missing");
      expect(error.message).toMatch(/Chrome \d+.*Firefox \d+.*Safari \d+.*Node \d+/);
    }
  });
});

/** The same binary, saying that it is of another version. */
function otherVersion() {
  const changed = bytes.slice();
  const text = new TextEncoder().encode("0.1.0");
  for (let at = 0; at < changed.length; at++) {
    if (text.every((byte, i) => changed[at + i] === byte)) changed.set([0x39], at);
  }
  return changed;
}
