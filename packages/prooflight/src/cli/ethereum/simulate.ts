import { type Hex, toHex } from "../../bytes.js";
import type { AccountDifference, Approval, Simulation, TokenDifference } from "../../ethereum.js";
import { bytesLike } from "../../mpt/bytes.js";
import { printVerdict } from "../chain.js";
import { EXIT, print, printRows, type Row } from "../output.js";
import { bold, dim, green, red, type SafeText, text, yellow } from "../text.js";
import { asked, ask, type CallOptions, executedHere, questionRows, readQuestion } from "./call.js";
import { blockName, bytesText, ether, logRows, printAnswer, printBasis } from "./show.js";

interface SimulationOptions extends CallOptions {
  token?: string[] | undefined;
}

/** The most logs that are shown. `--json` prints all. */
const SHOWN_LOGS = 10;

/** From this amount on, an approval is as good as one of everything: half of all that an integer holds. */
const UNLIMITED = 1n << 255n;

/**
 * `prooflight eth simulate TO [SIGNATURE [ARGUMENT…]]`: prints what a transaction would do. Returns the exit code.
 */
export async function simulate(
  given: readonly string[],
  options: SimulationOptions,
  json: boolean,
): Promise<number> {
  const question = await readQuestion(given, options);
  const tokens = (options.token ?? []).map(
    (token) => toHex(bytesLike(token, "--token", 20)) as Hex,
  );
  const { following, block, outcome } = await ask(question, options, (client, at) =>
    client.simulate([question.call], { at, tokens }),
  );
  const [call] = outcome.calls;
  const exit = call?.status === "success" ? EXIT.ok : EXIT.failedCall;
  if (json) {
    const { call, block: at } = asked(question, block);
    const { calls, accounts, tokens, approvals, unasked, rounds, bytes } = outcome;
    const [result] = calls;
    const found = { call, block: at, result, accounts, tokens, approvals, unasked, rounds, bytes };
    printAnswer(following, found);
    return exit;
  }
  printVerdict(text`what the transaction would do after ${blockName(block)}`);
  print();
  printRows([
    ["status", call?.status === "success" ? green("success") : red(call?.status ?? "failed")],
    ...(call?.message === undefined ? [] : [["message", call.message] satisfies Row]),
    ["gas used", String(call?.gasUsed ?? 0n)],
    ...(call && call.data !== "0x" ? [["returns", bytesText(call.data)] satisfies Row] : []),
  ]);
  printChanges(outcome);
  const logs = call?.logs ?? [];
  for (const log of logs.slice(0, SHOWN_LOGS)) {
    print();
    printRows([["log", dim("what the contract says")], ...logRows(log)], "    ");
  }
  if (logs.length > SHOWN_LOGS) {
    print(`    and ${logs.length - SHOWN_LOGS} more logs; --json prints all`);
  }
  print();
  printRows(questionRows(question, block));
  printBasis(following, executedHere(outcome));
  print();
  print(dim("  A contract may act otherwise in the block in which the transaction will be."));
  return exit;
}

function printChanges({ accounts, tokens, approvals, unasked }: Simulation): void {
  const isAmount = ({ balance: { before, after } }: AccountDifference) => before !== after;
  const hasCode = ({ code }: AccountDifference) => code !== undefined;
  printList("Ether", accounts.filter(isAmount).map(etherRow));
  printList("Tokens", tokens.map(tokenRow));
  printList("Approvals", approvals.map(approvalRow));
  printList("Codes", accounts.filter(hasCode).map(codeRow));
  if (unasked > 0) {
    print();
    const more = `${unasked} balances and approvals more than are asked for; it may hide some.`;
    print(text`  ${yellow("Its logs name")} ${more}`);
  }
  if (accounts.length === 0) {
    print();
    print(text`  ${dim("It changes nothing.")}`);
  }
}

function printList(title: string, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  print();
  print(text`  ${bold(title)}`);
  printRows(rows, "    ");
}

const signed = (amount: bigint, shown: string): SafeText =>
  amount < 0n ? red(`-${shown}`) : green(`+${shown}`);

const absolute = (amount: bigint) => (amount < 0n ? -amount : amount);

function etherRow({ address, balance: { before, after } }: AccountDifference): Row {
  return [address, signed(after - before, ether(absolute(after - before)))];
}

function tokenRow({ token, owner, before, after }: TokenDifference): Row {
  const change = signed(after - before, String(absolute(after - before)));
  return [owner, text`${change} of ${token}  ${dim(`${before} before, ${after} after`)}`];
}

function approvalRow({ token, owner, spender, after, isForAll }: Approval): Row {
  if (isForAll) {
    const what = after === 0n ? green("nothing") : yellow("everything");
    return [spender, text`may take ${what} of ${token} from ${owner}`];
  }
  const amount = after >= UNLIMITED ? yellow("everything") : yellow(String(after));
  return [
    spender,
    text`may take ${after === 0n ? green("nothing") : amount} of ${token} from ${owner}`,
  ];
}

function codeRow({ address, code, delegate }: AccountDifference): Row {
  if (delegate !== undefined)
    return [address, text`runs the code of ${yellow(delegate)} from then on`];
  return [
    address,
    code === "0x" ? text`has no code afterwards` : text`has a code of ${bytesText(code ?? "0x")}`,
  ];
}
