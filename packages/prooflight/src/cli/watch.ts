import { toHex } from "../bytes.js";
import type { Header } from "../chain/header.js";
import type { StateScheme } from "../chain/schemes.js";
import { EquivocationError } from "../client/equivocation.js";
import type { LightClient } from "../client/light-client.js";
import {
  answerJson,
  blockName,
  blockText,
  type ChainOptions,
  connect,
  headerJson,
  keyOf,
  keyText,
  printVerdict,
  resultText,
  schemeOf,
} from "./chain.js";
import { EXIT, print, printJson, printJsonLine, printRows } from "./output.js";
import { CHECK_MARK, text } from "./text.js";
import { allowsInsecure, printInsecureNote } from "./trust.js";

/**
 * `prooflight watch [KEY…]`: prints every new head, and the values of the keys as they change, until Ctrl-C.
 *
 * Throws an `EquivocationError` if the authorities signed two histories.
 */
export async function watch(
  keys: readonly string[],
  options: ChainOptions & { scheme?: string | undefined },
  json: boolean,
): Promise<number> {
  const raw = keys.map(keyOf);
  const named = schemeOf(options.scheme);
  const client = await connect(options);
  const scheme = named ?? client.schemes[0] ?? "avl";
  const insecure = allowsInsecure(scheme, options);
  if (!json) printInsecureNote(insecure);
  const shown = new Map<string, string>();
  const show = (header: Header) =>
    showBlock(client, header, { keys: raw, scheme, insecure, shown, json });
  // Blocks are shown one at a time, in order.
  let last = Promise.resolve();
  let failure: unknown;
  await new Promise<void>((resolve) => {
    const fail = (error: unknown) => {
      failure ??= error;
      resolve();
    };
    const next = (header: Header) => {
      last = last.then(() => show(header)).catch(fail);
    };
    client.onHead(next, (error) => {
      // Other failures are printed when they happen, and the next server is asked.
      if (error instanceof EquivocationError) fail(error);
    });
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  client.close();
  if (failure !== undefined) throw failure as Error;
  return EXIT.ok;
}

/** The watched keys, and the values last shown. */
interface Watched {
  keys: readonly Uint8Array[];
  scheme: StateScheme;
  insecure: boolean;
  shown: Map<string, string>;
  json: boolean;
}

async function showBlock(
  client: LightClient,
  header: Header,
  { keys, scheme, insecure, shown, json }: Watched,
): Promise<void> {
  const at = toHex(header.hash) as `0x${string}`;
  const answers = await client.getMany(keys, { scheme, at });
  if (json) {
    printJsonLine({
      head: headerJson(header),
      ...(insecure && { allowInsecureSetup: true }),
      answers: answers.map((answer) => answerJson(answer, scheme)),
    });
    return;
  }
  print(text`${CHECK_MARK} ${blockText(header)}`);
  for (const answer of answers) {
    const key = toHex(answer.key);
    const value = answer.kind === "present" ? toHex(answer.value) : "absent";
    if (shown.get(key) === value) continue;
    shown.set(key, value);
    print(text`    ${keyText(answer.key)}\n      ${resultText(answer, scheme)}`);
  }
}

/** `prooflight head`: prints the newest head that the servers can show. Returns the exit code. */
export async function head(options: ChainOptions, json: boolean): Promise<number> {
  const client = await connect(options);
  const { head } = client;
  const checkpoint = client.exportCheckpoint();
  if (json) {
    printJson({ verified: true, head: headerJson(head), checkpoint });
    return EXIT.ok;
  }
  const { chainId, authorities, quorum } = checkpoint.config;
  printVerdict(blockName(head));
  print();
  printRows([
    ["chain", text`${chainId}  signed by ${quorum} of ${authorities.length}`],
    ["hash", toHex(head.hash)],
    ["parent", toHex(head.parent)],
    ["operations", toHex(head.opsRoot)],
    ["history", toHex(head.historyRoot)],
    ...Object.entries(head.roots).map(([scheme, root]) => [scheme, toHex(root)] as const),
  ]);
  return EXIT.ok;
}
