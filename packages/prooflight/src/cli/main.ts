/** The command `prooflight`, which `bin/prooflight.mjs` runs. */

import { parseArgs } from "node:util";
import { VERSION } from "../registry.js";
import { withOrigins } from "../url.js";
import { diff } from "./diff.js";
import { account } from "./ethereum/account.js";
import { block } from "./ethereum/block.js";
import { logs } from "./ethereum/logs.js";
import { receipt } from "./ethereum/receipt.js";
import { transaction } from "./ethereum/transaction.js";
import { get } from "./get.js";
import { hasOption, helpOf, isCommand } from "./help.js";
import { history } from "./history.js";
import { complain, EXIT, exitCodeOf, print, printError } from "./output.js";
import { count, range } from "./range.js";
import { joinLines, type SafeText, text } from "./text.js";
import { vectors } from "./vectors.js";
import { verify } from "./verify.js";
import { head, watch } from "./watch.js";

// By default Node exits with 1 if standard output is full or closed; that code means a wrong proof.
process.on("uncaughtException", (error) => {
  try {
    printError(error, false);
  } finally {
    process.exit(EXIT.internal);
  }
});

async function main(args: string[]): Promise<number> {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        server: { type: "string", multiple: true },
        checkpoint: { type: "string" },
        at: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
        average: { type: "boolean" },
        prefix: { type: "string" },
        reverse: { type: "boolean" },
        limit: { type: "string" },
        scheme: { type: "string" },
        "allow-insecure-setup": { type: "boolean" },
        "verifying-key": { type: "string" },
        timeout: { type: "string" },
        "max-head-age": { type: "string" },
        bundle: { type: "string" },
        "state-root": { type: "string" },
        address: { type: "string" },
        slot: { type: "string", multiple: true },
        beacon: { type: "string", multiple: true },
        execution: { type: "string", multiple: true },
        network: { type: "string" },
        state: { type: "string" },
        "max-checkpoint-age": { type: "string" },
        union: { type: "boolean" },
        "max-bytes": { type: "string" },
        topic: { type: "string", multiple: true },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
      },
    });
  } catch (error) {
    return usage(parseProblem(error as Error & { code?: unknown }));
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = commandOf(positionals);
  if (values.help) return say(helpOf(positionals));
  if (values.version) return say(VERSION);
  if (command === undefined) return usage("no command");
  if (!isCommand(command)) return usage(`no such command: ${withOrigins(command)}`);
  const { json, ...options } = values;
  const unknown = Object.keys(options).find((name) => !hasOption(command, name));
  if (unknown !== undefined) return usage(`${command} takes no --${unknown}`);
  try {
    switch (command) {
      case "get":
        if (rest.length === 0) return usage("get takes at least one key");
        return await get(rest, options, json);
      case "history": {
        const [key, ...more] = rest;
        if (key === undefined || more.length > 0) return usage("history takes one key");
        return await history(key, options, json);
      }
      case "diff":
        if (rest.length > 0) return usage("diff takes no arguments");
        return await diff(options, json);
      case "range":
      case "count":
        if (rest.length > 2) return usage(`${command} takes at most two keys`);
        return await (command === "range" ? range : count)(rest, options, json);
      case "head":
        if (rest.length > 0) return usage("head takes no arguments");
        return await head(options, json);
      case "watch":
        return await watch(rest, options, json);
      case "verify": {
        const [file, ...more] = rest;
        if (file === undefined || more.length > 0) return usage("verify takes one file");
        return await verify(file, options, json);
      }
      case "vectors":
        if (rest.length === 0) return usage("vectors takes at least one file");
        return await vectors(rest, json);
      case "eth balance": {
        const [address, ...more] = rest;
        if (address === undefined || more.length > 0) return usage("eth balance takes one address");
        return await account(address, options, json);
      }
      case "eth block":
        if (rest.length > 1) return usage("eth block takes one block");
        return await block(rest[0], options, json);
      case "eth tx":
      case "eth receipt": {
        const [hash, ...more] = rest;
        if (hash === undefined || more.length > 0) return usage(`${command} takes one hash`);
        return await (command === "eth tx" ? transaction : receipt)(hash, options, json);
      }
      case "eth logs":
        return await logs(rest, options, json);
    }
  } catch (error) {
    printError(error, json);
    return exitCodeOf(error);
  }
}

/** The command, of which those about Ethereum have two words, and its arguments. */
function commandOf([first, ...rest]: string[]): string[] {
  const [second, ...more] = rest;
  if (first === "eth" && second !== undefined) return [`eth ${second}`, ...more];
  return first === undefined ? [] : [first, ...rest];
}

function say(line: string | SafeText): number {
  print(line);
  return EXIT.ok;
}

/** The message of `parseArgs`, which has several lines if a value begins with a dash. It then quotes only a known name. */
function parseProblem({ code, message }: { code?: unknown; message: string }): string | SafeText {
  const lines = code === "ERR_PARSE_ARGS_INVALID_OPTION_VALUE" ? message.split("\n") : [message];
  return joinLines(lines.map(withOrigins));
}

function usage(problem: string | SafeText): number {
  complain(text`${problem}\nTry: prooflight --help`);
  return EXIT.usage;
}

process.exitCode = await main(process.argv.slice(2));
