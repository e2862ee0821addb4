import { abortSignal, Arguments, optionalFunction } from "../arguments.js";
import { copy, type Hex, toHex } from "../bytes.js";
import { type BytesLike, bytesLike, type WordLike, wordLike } from "../mpt/bytes.js";
import { init } from "../wasm/ethereum.js";
import { evm } from "../wasm/evm.js";
import { type Account, account, code } from "./accounts.js";
import type { Beacon } from "./beacon.js";
import type { Block, BlockHeader } from "./blocks.js";
import { type CallInput, readAddress, readCall, readCalls } from "./execution/call.js";
import {
  accessList,
  type AccessListAnswer,
  call,
  type CallAnswer,
  type CheckedCall,
  estimate,
  type GasAnswer,
} from "./execution/calls.js";
import type { CallProgress } from "./execution/execute.js";
import { type BlockOverrides, readOverrides, type StateOverrides } from "./execution/overrides.js";
import { type CheckedCalls, simulate, type Simulation } from "./execution/simulate.js";
import { beaconOf, Follower } from "./follower.js";
import type { Head } from "./heads.js";
import { logs } from "./logs/complete.js";
import { type LogsOptions, readLogsOptions } from "./logs/query.js";
import { unionLogs } from "./logs/union.js";
import type { FoundLog } from "./logs/verify.js";
import {
  type AtOptions,
  blockName,
  type EthereumOptions,
  type EthereumSettings,
  hashOf,
  readAtOptions,
  readOptions,
} from "./options.js";
import type { FinalityConflict } from "./signed-updates.js";
import type { Transaction, TransactionReceipt } from "./transactions.js";
import type { ChainView } from "./view.js";

/** Options of {@link EthereumClient.account}. */
export interface AccountOptions extends AtOptions {
  /** The storage slots to prove with the account. Default none. */
  slots?: readonly WordLike[] | undefined;
}

/** Options of {@link EthereumClient.call} and of the other methods that execute. */
export interface CallOptions extends AtOptions {
  /** Changes of accounts, by address. */
  overrides?: StateOverrides | undefined;
  /** Changes of the block. */
  blockOverrides?: BlockOverrides | undefined;
  /** Called after each round of requests. */
  onProgress?: ((progress: CallProgress) => void) | undefined;
}

/** Options of {@link EthereumClient.simulate}. */
export interface SimulationOptions extends CallOptions {
  /** Tokens whose balances of the senders are shown if they change, besides those that logs name. */
  tokens?: readonly BytesLike[] | undefined;
}

/** Options of questions about a transaction. */
export interface SignalOptions {
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/**
 * A light client of Ethereum: it follows the beacon chain from a checkpoint, and verifies the answers of execution
 * nodes against its heads.
 *
 * The client may use several servers of both kinds: if one fails or lies, it asks the next. Hashes, addresses and data
 * are 0x-hex in lower case, amounts are in wei. Every error is a `VerifyError`, or the reason of an `AbortSignal`.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/follow-ethereum.md | Follow Ethereum}
 *
 * @example
 * ```ts
 * import { EthereumClient } from "prooflight/ethereum";
 *
 * const servers = { beacon: ["https://beacon.example"], execution: ["https://rpc.example"] };
 * const checkpoint = finalizedRoot; // yours: the root of a finalized beacon block
 * const client = await EthereumClient.connect({ network: "mainnet", checkpoint, ...servers });
 * const { balance } = await client.account(address);
 * console.log(balance, "wei in block", (await client.block("latest")).number);
 * ```
 */
export class EthereumClient {
  readonly #settings: EthereumSettings;
  readonly #beacon: Beacon;
  readonly #follower: Follower;

  private constructor(settings: EthereumSettings) {
    this.#settings = settings;
    this.#beacon = beaconOf(settings);
    this.#follower = new Follower(settings, this.#beacon);
  }

  /**
   * Makes a client and accepts the newest heads. Loads the WebAssembly unless it is loaded.
   *
   * Throws `invalid_input` for wrong options, `untrusted` / `head_too_old` if the checkpoint or state is too old,
   * another `untrusted` or `mismatch` if no beacon node's data follow from the checkpoint or state, `unavailable` if no
   * node answers. The `cause` of `untrusted` / `conflicting_finality` has both updates, like `conflict`.
   */
  static async connect(options: EthereumOptions): Promise<EthereumClient> {
    const settings = readOptions(options);
    await init();
    const client = new EthereumClient(settings);
    await client.sync({ signal: settings.signal });
    return client;
  }

  /**
   * The newest beacon block that two thirds of a sync committee signed. Another block may still replace it.
   *
   * Throws `untrusted` / `head_too_old` if the block is older than `maxHeadAge`, and `untrusted` /
   * `conflicting_finality` if there is a `conflict`.
   */
  get latest(): Head {
    return copy(this.#beacon.checked().latest);
  }

  /** The newest finalized beacon block. Throws like {@link EthereumClient.latest}. */
  get finalized(): Head {
    return copy(this.#beacon.checked().finalized);
  }

  /**
   * The two updates that stopped the client, if two thirds of a committee signed two finalized blocks of one slot.
   * Every call then throws `untrusted` / `conflicting_finality`.
   */
  get conflict(): FinalityConflict | undefined {
    return copy(this.#beacon.conflict);
  }

  /** Asks for the newest heads and accepts them. Every question does this too, at most once in `refresh`. */
  async sync(options: SignalOptions = {}): Promise<void> {
    this.#beacon.check();
    await this.#beacon.sync(readSignal(options));
  }

  /**
   * The header of a block.
   *
   * Blocks by number or hash must be ancestors of the newest head: up to 8191 blocks back if the head is from Prague
   * or later, otherwise up to `maxWalk`. Throws `unavailable` / `unknown_block` for others, `untrusted` /
   * `not_an_ancestor` for a block that is not in the head's history.
   */
  async block(at: AtOptions["at"], options: SignalOptions = {}): Promise<BlockHeader> {
    this.#beacon.check();
    const name = blockName(at, "at");
    return this.#follower.ask(
      async (view) => ({ ...(await view.block(name)).header }),
      readSignal(options),
    );
  }

  /**
   * An account, or its absence, and its storage slots, in the state after a block. Throws like {@link
   * EthereumClient.block}.
   */
  async account(address: BytesLike, options: AccountOptions = {}): Promise<Account> {
    this.#beacon.check();
    const given = new Arguments(undefined, options, ["at", "signal", "slots"]);
    const { at, signal } = readAtOptions(given);
    const addressHex = addressOf(address);
    const list = given.unchecked("slots") === undefined ? [] : given.list("slots");
    const words = list.map((slot, index) => toHex(wordLike(slot, `slots[${index}]`)) as Hex);
    return this.#follower.ask(
      async (view) => account(view.server, await view.block(at), addressHex, words),
      signal,
    );
  }

  /**
   * The code of an account in the state after a block; `0x` if it has none. Throws like {@link EthereumClient.block}.
   */
  async code(address: BytesLike, options: AtOptions = {}): Promise<Hex> {
    this.#beacon.check();
    const { at, signal } = readAtOptions(new Arguments(undefined, options, ["at", "signal"]));
    const addressHex = addressOf(address);
    return this.#follower.ask(
      async (view) => code(view.server, await view.block(at), addressHex),
      signal,
    );
  }

  /**
   * Executes a call here, in the state after a block, as `eth_call` does: whatever it reads is proven.
   *
   * The call costs nothing, and nothing is sent to the chain. It says what a contract does in this block; in a later one
   * the contract may do something else. Loads the WebAssembly that executes calls unless it is loaded. Throws {@link
   * CallFailure} if the call fails, `invalid_input` / `call_work`, `invalid_input` / `call_state` or `invalid_input` /
   * `call_rounds` if it needs more than the limits, `unsupported` / `unsupported_fork` if it is not known by which rules
   * the block is executed, and otherwise like {@link EthereumClient.block}.
   *
   * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/call-contracts.md | Call contracts}
   *
   * @example
   * ```ts
   * const selector = "0x70a08231"; // balanceOf(address)
   * const { data } = await client.call({ to: token, data: `${selector}${owner.slice(2).padStart(64, "0")}` });
   * console.log(BigInt(data), "units of the token");
   * ```
   */
  async call(input: CallInput, options: CallOptions = {}): Promise<CallAnswer> {
    return this.#execute(input, options, call);
  }

  /**
   * Estimates the gas that a transaction needs, as `eth_estimateGas` does: it is executed here with less and less gas.
   *
   * Throws like {@link EthereumClient.call}.
   */
  async estimateGas(input: CallInput, options: CallOptions = {}): Promise<GasAnswer> {
    return this.#execute(input, options, estimate);
  }

  /** The accounts and slots that a call names, as executed here. Throws like {@link EthereumClient.call}. */
  async createAccessList(input: CallInput, options: CallOptions = {}): Promise<AccessListAnswer> {
    return this.#execute(input, options, accessList);
  }

  /**
   * Says what transactions would do if they were in the next block, each after those before it: how they end, their logs,
   * and what they change. Show it to the user before they sign.
   *
   * Balances of tokens and approvals are what the tokens' contracts give before and after, since a log is only what a
   * contract says. It is a statement about this block; in the next one, contracts may act otherwise. Throws like {@link
   * EthereumClient.call}, except that calls that fail are among the results.
   *
   * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/call-contracts.md | Call contracts}
   *
   * @example
   * ```ts
   * const { calls, tokens, approvals } = await client.simulate([{ from: user, to: exchange, data }]);
   * if (calls[0]?.status !== "success") throw new Error(calls[0]?.message);
   * for (const { token, owner, before, after } of tokens) console.log(token, owner, after - before);
   * for (const { token, spender, after } of approvals) console.log(spender, "may take", after, "of", token);
   * ```
   */
  async simulate(
    calls: readonly CallInput[],
    options: SimulationOptions = {},
  ): Promise<Simulation> {
    this.#beacon.check();
    const given = new Arguments(undefined, options, [...CALL_OPTIONS, "tokens"]);
    const { at, signal } = readAtOptions(given);
    const tokens = given.unchecked("tokens") === undefined ? [] : given.list("tokens");
    const checked: CheckedCalls = {
      ...readChanges(given),
      calls: readCalls(calls),
      tokens: tokens.map((token, index) => readAddress(token, `tokens[${index}]`)),
    };
    await evm.init();
    return this.#follower.ask(
      async (view) => simulate(view, await view.block(at), checked),
      signal,
    );
  }

  async #execute<T>(
    input: CallInput,
    options: CallOptions,
    run: (view: ChainView, block: Block, given: CheckedCall) => Promise<T>,
  ): Promise<T> {
    this.#beacon.check();
    const given = new Arguments(undefined, options, CALL_OPTIONS);
    const { at, signal } = readAtOptions(given);
    const checked: CheckedCall = { call: readCall(input), ...readChanges(given) };
    await evm.init();
    return this.#follower.ask(async (view) => run(view, await view.block(at), checked), signal);
  }

  /**
   * A transaction by its hash, verified with all transactions of its block.
   *
   * Throws `unavailable` / `unknown_transaction` if no server knows a block with the transaction, which does not prove
   * that there is none. Otherwise throws like {@link EthereumClient.block}.
   */
  async transaction(hash: BytesLike, options: SignalOptions = {}): Promise<Transaction> {
    this.#beacon.check();
    const transactionHash = hashOf(hash, "hash");
    return this.#follower.ask(
      async (view) => view.transaction(await view.claim(transactionHash)),
      readSignal(options),
    );
  }

  /**
   * The receipt of a transaction, verified with all transactions and receipts of its block; its derived fields are
   * computed by the client. Throws like {@link EthereumClient.transaction}.
   */
  async receipt(hash: BytesLike, options: SignalOptions = {}): Promise<TransactionReceipt> {
    this.#beacon.check();
    const transactionHash = hashOf(hash, "hash");
    return this.#follower.ask(
      async (view) => view.receipt(await view.claim(transactionHash)),
      readSignal(options),
    );
  }

  /** All receipts of a block, verified like {@link EthereumClient.receipt}. */
  async receipts(at: AtOptions["at"], options: SignalOptions = {}): Promise<TransactionReceipt[]> {
    this.#beacon.check();
    const name = blockName(at, "at");
    return this.#follower.ask(
      async (view) => view.receipts(await view.block(name)),
      readSignal(options),
    );
  }

  /**
   * Every log that a filter matches in a range of blocks, verified to be complete.
   *
   * This needs every header of the range, and the receipts of every block whose bloom does not exclude a match. With
   * the option `logs: "union"`, the logs are complete only if one of the servers is honest. Throws `unavailable` /
   * `logs_too_large` if the replies take more than `maxLogBytes`, otherwise like {@link EthereumClient.block}.
   */
  async logs(options: LogsOptions = {}): Promise<FoundLog[]> {
    this.#beacon.check();
    const question = readLogsOptions(options);
    if (this.#settings.logs === "union") return unionLogs(this.#follower, question);
    return this.#follower.ask((view) => logs(view, question), question.signal);
  }

  /**
   * The state of the client, to continue from as `state` of {@link EthereumOptions}. Store it where only the
   * application can write, since it is trusted like a checkpoint.
   */
  export(): Uint8Array {
    this.#beacon.check();
    return this.#beacon.heads.state.slice();
  }
}

const CALL_OPTIONS = ["at", "signal", "overrides", "blockOverrides", "onProgress"] as const;

/** What is to be different for calls, and who hears of their progress. */
const readChanges = (given: Arguments<(typeof CALL_OPTIONS)[number]>) => ({
  overrides: readOverrides(given.unchecked("overrides"), given.unchecked("blockOverrides")),
  onProgress: optionalFunction(
    given.unchecked("onProgress"),
    "onProgress",
  ) as CallOptions["onProgress"],
});

const addressOf = (given: unknown): Hex => toHex(bytesLike(given, "address", 20)) as Hex;

const readSignal = (options: SignalOptions) =>
  abortSignal(new Arguments(undefined, options, ["signal"]).unchecked("signal"));
