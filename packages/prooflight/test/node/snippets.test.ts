/** The examples of the README, the guide and the comments compile as a user's TypeScript does. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";
import { describe, expect, test } from "vitest";

import { examplesIn, exportsOf, specifierOf } from "./exports.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const guide = "../../docs/guide/";

/** What comes before an example of a page in the text around it. */
const AROUND_PAGES = `
import type * as ethers from "ethers";
import type * as viem from "viem";
import type * as prooflight from "prooflight";
import type * as avl from "prooflight/avl";
import type * as ethereum from "prooflight/ethereum";
import type * as prooflightProvider from "prooflight/provider";
declare global {
  const client: ethereum.EthereumClient;
  const transaction: ethereum.CallInput;
  const token: prooflight.Hex;
  const user: prooflight.Hex;
  const exchange: prooflight.Hex;
  const data: prooflight.Hex;
  const calldata: prooflight.Hex;
  const value: bigint;
  const LightClient: typeof prooflight.LightClient;
  const checkpoint: prooflight.Checkpoint;
  const lc: prooflight.LightClient;
  const toBundle: typeof prooflight.toBundle;
  const verifyBundle: typeof prooflight.verifyBundle;
  const key: prooflight.Key;
  const keys: Uint8Array[];
  const config: prooflight.ChainConfig;
  const header: prooflight.Header;
  const proof: Uint8Array;
  const input: avl.LookupInput;
  const verifyLookup: typeof avl.verifyLookup;
  const VerifyError: typeof prooflight.VerifyError;
  const anyProvider: prooflightProvider.Eip1193Provider;
  const myLightClient: { block: prooflightProvider.Trust };
  const address: prooflight.Hex;
  const slots: prooflight.Hex[];
  const block: prooflight.Hex;
  const stateRoot: prooflight.Hex;
  const finalizedRoot: prooflight.Hex;
  const transactionHash: prooflight.Hex;
  const publicClient: viem.PublicClient;
  const createPublicClient: typeof viem.createPublicClient;
  const custom: typeof viem.custom;
  const BrowserProvider: typeof ethers.BrowserProvider;
  const createProvider: typeof prooflightProvider.createProvider;
  const provider: prooflightProvider.VerifyingProvider;
  const trust: prooflightProvider.Trust;
  interface Window {
    ethereum: prooflightProvider.Eip1193Provider;
  }
}`;

/**
 * What an example of a comment uses without getting it. There are none of our functions and of other packages', which an
 * example must import.
 */
const AROUND_COMMENTS = `
import type * as prooflight from "prooflight";
import type * as prooflightEthereum from "prooflight/ethereum";
import type * as prooflightProvider from "prooflight/provider";
import type * as smt from "prooflight/smt";
import type * as viem from "viem";
declare global {
  const checkpoint: prooflight.Checkpoint;
  const client: prooflight.LightClient;
  const ethereum: prooflightEthereum.EthereumClient;
  const call: prooflightEthereum.CallInput;
  const header: prooflight.Header;
  const previous: prooflight.Header;
  const head: prooflight.Header;
  const signedHead: Uint8Array;
  const inclusion: Uint8Array[];
  const older: Uint8Array;
  const newer: Uint8Array;
  const hashes: Uint8Array[];
  const digest: Uint8Array;
  const root: Uint8Array;
  const rootOf: (height: bigint) => Uint8Array;
  const roots: smt.BlockRoot[];
  const timestamps: smt.BlockTime[];
  const key: Uint8Array;
  const keys: Uint8Array[];
  const value: Uint8Array;
  const proof: Uint8Array;
  const commitment: Uint8Array;
  const points: Uint8Array[];
  const parentStateRoot: Uint8Array;
  const stateRoot: Uint8Array;
  const adProofsRoot: Uint8Array;
  const boxId: Uint8Array;
  const newBoxId: Uint8Array;
  const newBox: Uint8Array;
  const blockHash: prooflight.Hex;
  const headerRlp: prooflight.Hex;
  const receiptsRoot: prooflight.Hex;
  const nodes: prooflight.Hex[];
  const address: prooflight.Hex;
  const addresses: prooflight.Hex[];
  const getProof: (address: prooflight.Hex) => Promise<unknown>;
  const finalizedRoot: prooflight.Hex;
  const ownNode: { block: prooflightProvider.Trust };
  const provider: prooflightProvider.VerifyingProvider;
  const publicClient: viem.PublicClient;
  interface Window {
    ethereum: prooflightProvider.Eip1193Provider;
  }
}`;

const checkpoint = readFileSync(`${root}../../test-vectors/chain/header_sync.json`, "utf8");

const pages = [
  "README.md",
  "../../README.md",
  ...readdirSync(root + guide).map((name) => guide + name),
];

const inPages = pages.flatMap((page, number) =>
  examples(readFileSync(root + page, "utf8")).map((code, index) => {
    const name = page.replace(/^.*\//, "").replace(/\.md$/, "");
    return { path: `${root}test/${name}-${number}-${index}.ts`, code };
  }),
);

/** What the entries export, by the declarations in the build, which editors read. */
const exported = exportsOf("dist");

/** An export of several entries has the same example in each. */
const inComments = exported.flatMap(({ entry, name, text }) =>
  examplesIn(text).map((code) => ({ path: `${root}test/${entry}-${name}.ts`, entry, name, code })),
);

test("there are examples", () => {
  expect(inPages.length).toBeGreaterThan(15);
  expect(inComments.length).toBe(exported.filter(({ callable }) => callable).length);
  expect(inComments.length).toBeGreaterThan(50);
});

/** Each compilation reads the types of viem and ethers, which took 72 s on a machine with much else to do. */
const COMPILATION_MS = 300_000;

describe.each([
  ["of the pages", AROUND_PAGES, inPages],
  ["of the comments", AROUND_COMMENTS, inComments],
])("every example %s compiles under strict", (_, around, list) => {
  test.each([
    ["nodenext", ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
    ["bundler", ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
  ])("with %s", { timeout: COMPILATION_MS }, (_, module, moduleResolution) => {
    expect(problemsOf(around, list, { module, moduleResolution })).toBe("");
  });
});

/** What TypeScript says about examples and what is around them. */
function problemsOf(
  around: string,
  list: { path: string; code: string }[],
  modules: ts.CompilerOptions,
): string {
  // Files that are not there, in the folder of the tests, where a user's libraries are found.
  const files = new Map([
    [`${root}test/around.d.ts`, around],
    [`${root}test/checkpoint.json`, JSON.stringify(firstCheckpoint(JSON.parse(checkpoint)))],
    // Also those without an import are modules.
    ...list.map(({ path, code }) => [path, `${code}\nexport {};\n`] as const),
  ]);
  const options: ts.CompilerOptions = {
    ...{ ...modules, strict: true, noEmit: true, skipLibCheck: true },
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: ["node"],
    resolveJsonModule: true,
  };
  const host = ts.createCompilerHost(options);
  const base = { ...host };
  host.fileExists = (path) => files.has(path) || base.fileExists(path);
  host.readFile = (path) => files.get(path) ?? base.readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = files.get(path);
    if (text === undefined) return base.getSourceFile(path, ...rest);
    return ts.createSourceFile(path, text, rest[0]);
  };
  const program = ts.createProgram(
    [...files.keys()].filter((path) => path.endsWith(".ts")),
    options,
    host,
  );
  const diagnostics = ts.getPreEmitDiagnostics(program);
  const format = { ...host, getNewLine: () => "\n", getCurrentDirectory: () => root };
  return ts.formatDiagnostics(diagnostics, format);
}

test("every example of a comment imports what it shows from an entry that exports it", () => {
  const shown = new Map<string, string[]>();
  for (const { entry, name } of inComments) {
    shown.set(name, [...(shown.get(name) ?? []), specifierOf(entry)]);
  }
  const without = inComments.filter(({ name, code }) => {
    const imports = code.matchAll(/^import \{([^}]*)\} from "([^"]*)";$/gm);
    return !Array.from(imports).some(
      ([, names = "", from = ""]) =>
        new RegExp(`\\b${name}\\b`).test(names) && shown.get(name)?.includes(from),
    );
  });
  expect(without.map(({ entry, name }) => `${specifierOf(entry)}: ${name}`)).toEqual([]);
});

test("the modules are without the examples, which editors take from the declarations", () => {
  const modules = readdirSync(`${root}dist`, { recursive: true, encoding: "utf8" });
  const containing = modules
    .filter((path) => path.endsWith(".js") && !path.includes("base64"))
    .filter((path) => readFileSync(`${root}dist/${path}`, "utf8").includes("@example"));
  expect(containing).toEqual([]);
});

test("no example is written as another language than js or ts", () => {
  for (const page of pages) {
    const fences = readFileSync(root + page, "utf8").matchAll(/^[ >]*```(.*)$/gm);
    const languages = new Set(Array.from(fences, ([, language = ""]) => language));
    expect(["", "js", "json", "sh", "ts"], page).toEqual(expect.arrayContaining([...languages]));
  }
});

/** The examples in TypeScript, and those in JavaScript, which TypeScript must take too. */
function examples(markdown: string): string[] {
  return [...markdown.matchAll(/^```[jt]s\n([^]*?)^```/gm)].map(([, text]) => text ?? "");
}

function firstCheckpoint(file: unknown): unknown {
  const { testGroups } = file as {
    testGroups: { tests: { input?: { checkpoint?: unknown } }[] }[];
  };
  return testGroups.flatMap(({ tests }) => tests).find(({ input }) => input?.checkpoint)?.input
    ?.checkpoint;
}
