/** The commands with their options, and the text of `--help`. */

import { STATE_SCHEMES } from "../schemes.js";
import { bold, joinLines, type SafeText, text } from "./text.js";

const ASKING = ["server", "checkpoint", "timeout", "max-head-age"];
const PROVED = ["scheme", "allow-insecure-setup", "verifying-key"];
const FOLLOWING = [
  ...["network", "checkpoint", "state", "beacon", "execution"],
  ...["timeout", "max-head-age", "max-checkpoint-age"],
];
const CALLING = ["at", "data", "from", "value", "gas"];

/** The commands, and the options that each adds to the common ones. */
const OPTIONS = {
  get: [...ASKING, ...PROVED, "at", "bundle"],
  history: [...ASKING, "scheme", "from", "to", "average", "bundle"],
  diff: [...ASKING, "from", "to", "bundle"],
  range: [...ASKING, "scheme", "at", "prefix", "reverse", "limit"],
  count: [...ASKING, "scheme", "at", "prefix"],
  head: ASKING,
  watch: [...ASKING, ...PROVED],
  verify: [
    ...["checkpoint", "allow-insecure-setup", "verifying-key"],
    ...["state-root", "address", "slot"],
  ],
  vectors: [] as string[],
  "eth balance": [...FOLLOWING, "at", "slot"],
  "eth block": FOLLOWING,
  "eth tx": FOLLOWING,
  "eth receipt": FOLLOWING,
  "eth call": [...FOLLOWING, ...CALLING],
  "eth estimate": [...FOLLOWING, ...CALLING],
  "eth simulate": [...FOLLOWING, ...CALLING, "token"],
  "eth logs": [...FOLLOWING, "from", "to", "topic", "union", "max-bytes"],
  "eth serve": [...FOLLOWING, "listen", "origin", "host"],
  "eth checkpoint": ["network", "beacon", "timeout"],
};

export type Command = keyof typeof OPTIONS;

const COMMANDS = Object.keys(OPTIONS) as Command[];

export const isCommand = (name: string): name is Command => Object.hasOwn(OPTIONS, name);

/** Whether a command has an option. */
export const hasOption = (command: Command, option: string): boolean =>
  OPTIONS[command].includes(option);

const USAGE = `\
  prooflight get KEY…           ask servers for values, and verify the answers
  prooflight history KEY        verify every change of a value in a range of blocks, with none missing
  prooflight diff               verify every key that changed in a range of blocks, with none missing
  prooflight range [FROM [TO]]  list all keys from FROM to before TO, and verify that none is missing
  prooflight count [FROM [TO]]  verify how many keys there are from FROM to before TO
  prooflight head               verify the servers' newest head
  prooflight watch [KEY…]       print every new head, and the values of the keys
  prooflight verify FILE        verify a statement: a JSON file { scheme, kind, …input }, a saved
                                answer, history or diff, or a node's answer to eth_getProof
  prooflight vectors FILE…      run files of test vectors

  prooflight eth balance ADDRESS   verify an account of Ethereum, and slots of its storage
  prooflight eth block [BLOCK]     verify a block's header: the newest, or latest, finalized, a number
                                   or a hash
  prooflight eth tx HASH           verify a transaction
  prooflight eth receipt HASH      verify a transaction's receipt and logs
  prooflight eth call TO [SIGNATURE [ARGUMENT…]]
                                   execute a call here, over verified state, and show what it returns
  prooflight eth estimate TO [SIGNATURE [ARGUMENT…]]
                                   verify the gas that such a call needs as a transaction
  prooflight eth simulate TO [SIGNATURE [ARGUMENT…]]
                                   show what such a transaction would do: ether, tokens, approvals
  prooflight eth logs [ADDRESS…]   verify every log of these contracts, or of all, in a range of
                                   blocks, with none missing
  prooflight eth serve             answer JSON-RPC over HTTP, and over WebSocket if the package ws is
                                   installed, for wallets and other programs on this machine, with
                                   what was verified
  prooflight eth checkpoint        ask beacon nodes for the finalized block, and print its root if they
                                   agree`;

const ARGUMENTS = `\
  KEY, FROM and TO are 0x-hex, or text. FILE may be - for standard input. The kinds of
  statements, and the input of each, are in test-vectors/spec/vectors.md of the repository.`;

const CALL_ARGUMENTS = `\
  SIGNATURE is a function with its types, such as 'balanceOf(address)(uint256)'; with types in second
  parentheses, the result is decoded. An ARGUMENT is an integer in decimal or 0x-hex, true or false,
  an address or bytes in 0x-hex, a string, an array [1,2] or a tuple (1,"two"). Integers below zero
  follow -- at the end of the command.`;

const PROVERS = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(STATE_SCHEMES);

/** The options of groups of commands. */
const SECTIONS: readonly { of: readonly Command[]; title: string; options: string }[] = [
  {
    of: ["get", "history", "diff", "range", "count", "head", "watch"],
    title: "Options of get, history, diff, range, count, head and watch",
    options: `\
  --server URL          a server; repeat it to add servers, which are asked if one fails or lies
  --checkpoint FILE     the checkpoint in JSON, from a source that you trust
  --max-head-age MS     refuse heads that are older (default: any age)
  --timeout MS          the longest time of a call to a server (default: 10000)
  --bundle FILE         of get, history and diff: save what was verified with its proof`,
  },
  {
    of: COMMANDS.filter((name) => name.startsWith("eth ")),
    title: "Options of eth",
    options: `\
  --checkpoint ROOT     the root of a finalized beacon block, from a source that you trust
  --state FILE          continue from this file if it exists, else from the checkpoint, and keep the
                        newest heads in it; the file is trusted as a checkpoint is
  --beacon URL          a beacon node; repeat it to add nodes, which are asked if one fails or lies
  --execution URL       an execution node; repeat it likewise
  --network NAME        mainnet, sepolia or hoodi (default: mainnet)
  --max-checkpoint-age DAYS  refuse an older checkpoint or state (default: 14)
  --max-head-age MS     refuse heads that are older (default: any age)
  --timeout MS          the longest time of a call to a server (default: 10000)
  --at BLOCK            of balance, call and estimate: the block (default: latest)
  --slot SLOT           of balance: a storage slot; repeat it for each`,
  },
  {
    of: ["eth call", "eth estimate", "eth simulate"],
    title: "Options of eth call, eth estimate and eth simulate",
    options: `\
  --data HEX            the data of the call, instead of SIGNATURE and ARGUMENTs
  --from ADDRESS        the sender (default: the zero address)
  --value WEI           the amount to send (default: 0)
  --gas GAS             the most gas (default, and most: 50000000)
  --token ADDRESS       of simulate: a token whose balance of the sender is shown if it changes, besides
                        those that logs name; repeat it for each`,
  },
  {
    of: ["eth logs"],
    title: "Options of eth logs",
    options: `\
  --from BLOCK, --to BLOCK  the range (default: latest)
  --topic TOPIC         the first topic; repeat it for the next ones. Several with commas are
                        alternatives, and any stands for all
  --union               only what the execution nodes name, each log proven; none is missing if one of
                        them is honest
  --max-bytes BYTES     the most bytes to receive (default: 33554432)`,
  },
  {
    of: ["eth serve"],
    title: "Options of eth serve",
    options: `\
  --listen HOST:PORT    where to listen (default: 127.0.0.1:8545)
  --origin ORIGIN       answer web pages of this origin, such as https://app.example; repeat it to add
                        origins. Extensions of browsers are answered without it
  --host NAME           answer requests that name this host, with or without a port, besides this
                        machine's own names; repeat it to add hosts`,
  },
  {
    of: ["get", "watch", "history", "range", "count"],
    title: "Options of get, watch, history, range and count",
    options: `\
  --scheme SCHEME       the scheme of the proofs: ${PROVERS}
                        (default: the first that the chain keeps and that proves it, lvmt last)
  --at BLOCK            of get, range and count: latest, a height or a header hash (default: latest)`,
  },
  {
    of: ["range", "count"],
    title: "Options of range and count",
    options: `\
  --prefix KEY          all keys that begin with KEY, instead of FROM and TO
  --reverse             of range: the last key first
  --limit N             of range: at most N keys (default: all)`,
  },
  {
    of: ["history", "diff"],
    title: "Options of history and diff",
    options: `\
  --from HEIGHT         of history: the first block (default: 0)
                        of diff: the block after which changes count (default: all count)
  --to BLOCK            the last block: latest or a height (default: latest)
  --average             of history: also print the time-weighted average of the value, a big-endian number`,
  },
  {
    of: ["verify"],
    title: "Options of verify",
    options: `\
  --checkpoint FILE     the checkpoint for what was saved, from a source that you trust
  --state-root HASH     the trusted state root for an answer to eth_getProof
  --address ADDRESS     the account that eth_getProof was asked for (default: the answer's)
  --slot SLOT           a slot that it was asked for, 0x-hex; repeat it for each, in order
                        (default: the answer's)`,
  },
  {
    of: ["get", "watch", "verify"],
    title: "Options of get, watch and verify, for lvmt",
    options: `\
  --allow-insecure-setup  accept a setup under which anyone can forge proofs
  --verifying-key FILE  the key of a setup other than the development one and the Perpetual Powers
                        of Tau; a node of the chain has it in its folder`,
  },
];

const COMMON_OPTIONS = `\
  --json                print the result as JSON; watch prints one line a head
  --help                print this; after a command, what is about it
  --version             print the version`;

const EXIT_CODES = `\
  0   verified, or all vectors pass
  1   does not verify, or a vector fails
  2   wrong usage, or a malformed file
  3   unavailable
  4   unsupported: a kind that this version does not know, or a setup that is not accepted
  5   valid, but only relative to a checkpoint or verifying key in the file itself
  6   verified: the call fails
  70  anything else: a bug in Prooflight, or output that could not be written`;

/** The help about the command of these words, about all commands that begin with the word, or about everything. */
export function helpOf([first = "", second = ""]: readonly string[]): SafeText {
  const one = COMMANDS.filter((name) => name === first || name === `${first} ${second}`);
  const group = one.length > 0 ? one : COMMANDS.filter((name) => name.startsWith(`${first} `));
  return group.length > 0 ? helpOfCommands(group) : helpOfAll();
}

function helpOfAll(): SafeText {
  return joinLines([
    text`${bold("prooflight")} verifies answers about a blockchain's state`,
    ...section("Usage", USAGE, "", ARGUMENTS, "", CALL_ARGUMENTS),
    ...SECTIONS.flatMap(({ title, options }) => section(title, options)),
    ...section("Other options", COMMON_OPTIONS),
    ...section("Exit codes", EXIT_CODES),
  ]);
}

function helpOfCommands(commands: readonly Command[]): SafeText {
  const usage = entriesOf(USAGE).filter((entry) =>
    commands.some((name) => `${entry} `.startsWith(`  prooflight ${name} `)),
  );
  const isOfChain = commands.some((name) => !name.startsWith("eth "));
  const takesCall = commands.some((name) => hasOption(name, "data"));
  const options = SECTIONS.flatMap(({ of, options }) =>
    entriesOf(options).filter((entry) =>
      commands.some((name) => of.includes(name) && describesOption(entry, name)),
    ),
  );
  const [, ...lines] = section(
    ...["Usage", ...usage],
    ...(isOfChain ? ["", ARGUMENTS] : []),
    ...(takesCall ? ["", CALL_ARGUMENTS] : []),
  );
  return joinLines([...lines, ...section("Options", ...options, COMMON_OPTIONS)]);
}

/** Whether the description of an option, or of several, is about one that a command has. */
function describesOption(entry: string, command: Command): boolean {
  const [forms = ""] = entry.split(/(?<=\S) {2}/);
  return [...forms.matchAll(/--([\w-]+)/g)].some(([, name = ""]) => hasOption(command, name));
}

/** The entries of a list, which may go on in indented lines. */
const entriesOf = (list: string): string[] => list.split(/\n+(?= {2}\S)/);

const section = (title: string, ...parts: readonly string[]): (string | SafeText)[] => [
  "",
  bold(title),
  ...parts.flatMap((part) => part.split("\n")),
];
