import { describe, refuse, type VerifyError } from "../error.js";
import { nodeModule } from "../platform.js";
import { parseUrl, withOrigins } from "../url.js";

/** A compiled module, its bytes, a response with them, or their URL. */
export type WasmInput = WebAssembly.Module | BufferSource | Response | URL | string;

/**
 * Compiles a binary.
 *
 * Throws `wasm_unavailable` if it cannot be loaded or is not wasm, `invalid_argument` if the input has another
 * type.
 */
export async function compile(input: WasmInput): Promise<WebAssembly.Module> {
  if (isModule(input)) return input;
  if (isBufferSource(input)) return compileBytes(input, "the given bytes");
  if (isResponse(input)) return compileResponse(input);
  const url = resolve(input);
  if (url.protocol === "file:") {
    const read = nodeReadFile();
    if (read) return compileBytes(await loading(url, read(url)), String(url));
  }
  return compileResponse(await loading(url, fetch(url)));
}

/** Compiles synchronously; browsers allow that only for small binaries or in workers. */
export function compileSync(input: WebAssembly.Module | BufferSource): WebAssembly.Module {
  if (isModule(input)) return input;
  if (!isBufferSource(input)) {
    throw refuse(
      "invalid_argument",
      "input to be a WebAssembly.Module or its bytes",
      describe(input),
    );
  }
  try {
    return new WebAssembly.Module(input);
  } catch (cause) {
    throw failed("the given bytes", cause);
  }
}

/** The refusal of a binary that could not be loaded from `source`. */
export function unavailable(source: string, found: string, cause?: unknown): VerifyError {
  return refuse("wasm_unavailable", `WebAssembly from ${source}`, found, { cause });
}

/** The refusal after an error of the platform, of whose URLs only the origins are shown. */
function failed(source: string, cause: unknown, remark = ""): VerifyError {
  const said = withOrigins(String(cause));
  const isPolicy = POLICY.test(said);
  const found = `${said}${remark}${isPolicy ? `; ${ALLOWED}` : ""}`;
  return unavailable(withOrigins(source), found, said === String(cause) ? cause : undefined);
}

/**
 * How browsers say that a content security policy does not allow WebAssembly. Where a page's policy concerns a content
 * script, Chromium gives no reason at all.
 */
const POLICY =
  /content security policy|unsafe-eval|\bCSP\b|disallowed by embedder|CompileError: [\w.]+\(\):? *$/i;
/** What allows it. */
export const POLICY_SOURCE = "'wasm-unsafe-eval'";
const ALLOWED = `the content security policy of the page or extension must have ${POLICY_SOURCE} in its script-src`;

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  const source = response.url || "the given Response";
  if (!response.ok) throw unavailable(withOrigins(source), `HTTP status ${response.status}`);
  const type = response.headers.get("content-type") ?? "no content type";
  if (/^application\/wasm\b/.test(type)) {
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (cause) {
      throw failed(source, cause);
    }
  }
  // Many servers send another type for wasm. Only streaming needs it.
  const bytes = await loading(source, response.arrayBuffer());
  return compileBytes(bytes, source, ` (${type})`);
}

async function compileBytes(
  bytes: BufferSource,
  source: string,
  remark = "",
): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw failed(source, cause, remark);
  }
}

function resolve(input: URL | string): URL {
  if (isUrl(input)) return input;
  if (typeof input === "string") {
    const { location } = globalThis as { location?: Location };
    const url = parseUrl(input, location?.href);
    if (url) return url;
    throw refuse("invalid_argument", "input to be an absolute URL", describe(input));
  }
  const expected = "input to be a URL, Response, WebAssembly.Module or bytes";
  throw refuse("invalid_argument", expected, describe(input));
}

async function loading<T>(source: URL | string, pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (cause) {
    throw failed(String(source), cause);
  }
}

/** Node's `readFile`. */
function nodeReadFile(): ((url: URL) => Promise<Uint8Array<ArrayBuffer>>) | undefined {
  const fs = nodeModule("node:fs/promises");
  return (fs as { readFile: (url: URL) => Promise<Uint8Array<ArrayBuffer>> } | undefined)?.readFile;
}

function isModule(value: unknown): value is WebAssembly.Module {
  return tag(value) === "WebAssembly.Module";
}

function isResponse(value: unknown): value is Response {
  return tag(value) === "Response";
}

function isUrl(value: unknown): value is URL {
  return tag(value) === "URL";
}

function isBufferSource(value: unknown): value is BufferSource {
  return ArrayBuffer.isView(value) || tag(value) === "ArrayBuffer";
}

/** The name of a value's class, of this realm or another one. */
function tag(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** The features that the binaries use. The README lists the same releases. */
const REQUIRED =
  "WebAssembly with simd128 and reference types (Chrome 96, Edge 96, Firefox 93, Safari 16.4, Node 20.19 or newer)";

/** The refusal for engines without WebAssembly, with the most common ones as examples. */
const NONE =
  "no WebAssembly: React Native's engine Hermes has none, and Apple's Lockdown Mode turns it off";

/**
 * The smallest module that uses both: `(func (param externref) (result v128) i32.const 0 i8x16.splat)`.
 */
const PROBE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x06, 0x01, 0x60, 0x01, 0x6f, 0x01, 0x7b],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b],
);

/** Throws `unsupported` if this engine cannot run the binaries. */
export function requireFeatures(): void {
  // The types say that WebAssembly is always there; engines in lockdown modes lack it.
  const engine = (globalThis as { WebAssembly?: typeof WebAssembly }).WebAssembly;
  if (!engine) throw refuse("simd_missing", REQUIRED, NONE);
  if (!engine.validate(PROBE)) throw refuse("simd_missing", REQUIRED, "an older WebAssembly");
}
