/** The examples of the README and the guide compile as a user's TypeScript does. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const guide = "../../docs/guide/";

/** What comes before an example in the text around it. */
const AROUND = `
import type * as ethers from "ethers";
import type * as viem from "viem";
import type * as prooflight from "prooflight";
import type * as avl from "prooflight/avl";
import type * as prooflightProvider from "prooflight/provider";
declare global {
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

const checkpoint = readFileSync(`${root}../../test-vectors/chain/header_sync.json`, "utf8");

/** Files that are not there, in the folder of the tests, where a user's libraries are found. */
const files = new Map([
  [`${root}test/around.d.ts`, AROUND],
  [`${root}test/checkpoint.json`, JSON.stringify(firstCheckpoint(JSON.parse(checkpoint)))],
]);

const pages = [
  "README.md",
  "../../README.md",
  ...readdirSync(root + guide).map((name) => guide + name),
];
pages.forEach((page, number) => {
  examples(readFileSync(root + page, "utf8")).forEach((example, index) => {
    const name = page.replace(/^.*\//, "").replace(/\.md$/, "");
    // Also those without an import are modules.
    files.set(`${root}test/${name}-${number}-${index}.ts`, `${example}\nexport {};\n`);
  });
});

test("there are examples", () => {
  expect(files.size).toBeGreaterThan(15);
});

test.each([
  ["nodenext", ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
  ["bundler", ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
])("every example compiles under strict with %s", (_, module, moduleResolution) => {
  const options: ts.CompilerOptions = {
    ...{ module, moduleResolution, strict: true, noEmit: true, skipLibCheck: true },
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
  expect(ts.formatDiagnostics(diagnostics, format)).toBe("");
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
