// Follows a chain and keeps verified balances. This file has all uses of Prooflight that a wallet needs.

import {
  type Answer,
  type Block,
  type Checkpoint,
  EquivocationError,
  type Failure,
  type Header,
  type Hex,
  LightClient,
  type StateScheme,
  toHex,
  VerifyError,
} from "prooflight";

import { balanceOf, keyOf } from "./account.js";
import { AccountList } from "./list.js";
import { type Past, type Range, readPast } from "./past.js";
import { Round } from "./round.js";
import { OF_LISTS, OF_THE_PAST, provesThePast, schemesOf } from "./scheme.js";

/** An account, with its last verified balance. */
export interface Account {
  name: string;
  /** The last verified answer, with a proof for all accounts; undefined before the first. */
  answer: Answer | undefined;
  /** The scheme that proved it. */
  scheme: StateScheme;
  /** The last answers with a proof for only this account, by scheme; requested while it is chosen. */
  alone: Partial<Record<StateScheme, Answer>>;
  /** The change of the balance in that block, in cents. */
  change: bigint;
}

/** The status of the wallet. */
export type Status =
  | { kind: "connecting" }
  /** All balances are of the same block. `caught` are servers that failed where another succeeded. */
  | { kind: "verified"; caught: readonly Failure[] }
  /** No server gave an answer that verifies. Earlier verified answers are kept. */
  | { kind: "refused"; error: VerifyError };

export interface Options {
  urls: readonly URL[];
  checkpoint: Checkpoint;
  /** Whether to accept proofs under a development setup, which anyone can forge. */
  allowInsecureSetup: boolean;
  fetch: typeof fetch;
  /** Called after every change. */
  onChange: () => void;
}

/** The time limit of a server in milliseconds; short, since a user is waiting. */
const TIMEOUT = 3000;

/** The number of blocks to show. */
const BLOCKS = 5n;

/** The blocks whose changes are shown at first. */
const RANGE: Range = { newest: 30n };

/** The delay before a restart after a failure or a wrong answer, in milliseconds. */
const AGAIN = 2000;

export class Wallet {
  readonly accounts: Account[] = [];
  /** The newest blocks whose operations were verified, the newest first. */
  blocks: readonly Block[] = [];
  /** The schemes that can prove the balances. */
  readonly schemes: readonly StateScheme[];
  /** The last verified past of the chosen account. */
  past: Past | undefined;
  /** The list of all accounts; undefined if the chain keeps no scheme that proves it complete. */
  readonly list: AccountList | undefined;
  #range = RANGE;
  #scheme: StateScheme;
  readonly #options: Options;
  #client: LightClient | undefined;
  #status: Status = { kind: "connecting" };
  #failures: Failure[] = [];
  #round: Round | undefined;
  #chosen: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.schemes = schemesOf(options.checkpoint.config);
    this.#scheme = this.schemes[0] ?? "avl";
    this.list = this.schemes.includes(OF_LISTS) ? new AccountList() : undefined;
  }

  get status(): Status {
    return this.#status;
  }

  /** The newest accepted head. */
  get head(): Header | undefined {
    return this.#client?.head;
  }

  /** The chosen account; its balance gets a proof of its own. */
  get chosen(): Account | undefined {
    return this.accounts.find(({ name }) => name === this.#chosen) ?? this.accounts[0];
  }

  choose(name: string): void {
    this.#chosen = name;
    this.#readAgain();
  }

  /** The scheme that proves the balances. */
  get scheme(): StateScheme {
    return this.#scheme;
  }

  chooseScheme(scheme: StateScheme): void {
    this.#scheme = scheme;
    this.#readAgain();
  }

  /** The blocks whose changes are shown. */
  get range(): Range {
    return this.#range;
  }

  chooseRange(range: Range): void {
    this.#range = range;
    this.#readAgain();
  }

  /** Shows the part of the list of all accounts after the one shown, or the one before. */
  turnList(to: "next" | "previous"): void {
    this.list?.turn(to);
    this.#readAgain();
  }

  /** Starts a walk through all accounts, or stops it. */
  walkList(): void {
    const { list } = this;
    if (list?.walk?.state === "walking") {
      list.stop();
      this.#options.onChange();
    } else if (this.#client) {
      void list?.walkAll(this.#client, this.#options.onChange);
    }
  }

  /** Adds an account, unless it is in the list; returns it. */
  watch(name: string): Account {
    const known = this.accounts.find((account) => account.name === name);
    if (known) return known;
    const scheme = this.#scheme;
    const account: Account = { name, answer: undefined, scheme, alone: {}, change: 0n };
    this.accounts.push(account);
    return account;
  }

  /** Removes an account from the list. */
  unwatch(name: string): void {
    const index = this.accounts.findIndex((account) => account.name === name);
    if (index >= 0) this.accounts.splice(index, 1);
    this.#options.onChange();
  }

  /** Starts or restarts immediately, and ends what was in progress. Resolves when the outcome is known. */
  restart(): Promise<void> {
    this.#round?.end();
    this.#failures = [];
    const round = new Round();
    this.#round = round;
    void this.#follow(round);
    return round.settled;
  }

  /** The verified answers about accounts, at the newest block or at a height. */
  read(names: readonly string[], at: "latest" | bigint): Promise<Answer[]> {
    if (!this.#client) throw new Error("read before the first head was accepted");
    const possible = at === "latest" || provesThePast(this.#scheme);
    const scheme = possible ? this.#scheme : OF_THE_PAST;
    return this.#client.getMany(names.map(keyOf), { at, scheme });
  }

  /** The verified answer about an account at an earlier block, with the proof of that block. */
  readAt(name: string, { hash }: Header): Promise<Answer> {
    if (!this.#client) throw new Error("read before the first head was accepted");
    return this.#client.get(keyOf(name), { at: toHex(hash) as Hex, scheme: OF_THE_PAST });
  }

  #readAgain(): void {
    this.#options.onChange();
    if (this.#client && this.#round) void this.#refresh(this.#client, this.#round);
  }

  async #follow(round: Round): Promise<void> {
    try {
      const client = await this.#connected(round.signal);
      if (round.ended) return;
      const stop = client.onHead(
        () => void this.#refresh(client, round),
        (error) => {
          this.#fail(round, error);
        },
      );
      round.onEnd(stop);
    } catch (error) {
      this.#fail(round, error);
    }
  }

  async #connected(signal: AbortSignal): Promise<LightClient> {
    const { urls, checkpoint, fetch, allowInsecureSetup } = this.#options;
    return (this.#client ??= await LightClient.connect({
      urls,
      checkpoint,
      fetch,
      allowInsecureSetup,
      timeout: TIMEOUT,
      onFailure: (failure) => this.#failures.push(failure),
      signal,
    }));
  }

  /** Reads everything to show at the newest block. */
  async #refresh(client: LightClient, round: Round): Promise<void> {
    if (!round.beginReading()) return;
    try {
      await this.#readAccounts(client, round);
      await this.#readPast(client, round);
      await this.list?.read(client, round.signal);
      await this.#readBlocks(client, round);
      if (round.ended) return;
      this.#status = { kind: "verified", caught: [...this.#failures] };
      round.succeeded();
      this.#options.onChange();
    } catch (error) {
      this.#fail(round, error);
    } finally {
      if (round.endReading()) void this.#refresh(client, round);
    }
  }

  /** Reads all accounts with one request and one proof, then the chosen one with its own proof in each scheme. */
  async #readAccounts(client: LightClient, { signal }: Round): Promise<void> {
    const accounts = [...this.accounts];
    const scheme = this.#scheme;
    const keys = accounts.map(({ name }) => keyOf(name));
    const answers = await client.getMany(keys, { scheme, signal });
    accounts.forEach((account, index) => {
      const answer = answers[index];
      if (answer) update(account, answer, scheme);
    });
    const { chosen } = this;
    if (!chosen?.answer) return;
    const block = toHex(chosen.answer.block.hash) as Hex;
    for (const scheme of this.schemes) {
      const at = provesThePast(scheme) ? block : "latest";
      chosen.alone[scheme] = await client.get(keyOf(chosen.name), { scheme, at, signal });
    }
  }

  async #readPast(client: LightClient, { signal }: Round): Promise<void> {
    const { chosen } = this;
    if (!chosen || !this.schemes.includes(OF_THE_PAST)) return;
    this.past = await readPast(client, chosen.name, this.#range, signal);
  }

  /** The newest blocks; their operations are verified. */
  async #readBlocks(client: LightClient, round: Round): Promise<void> {
    const { height } = client.head;
    // In a new round all are read again, since the server may be a different one.
    const known = round.readBlocks ? (this.blocks[0]?.header.height ?? -1n) : -1n;
    if (known >= height) return;
    const oldest = height < BLOCKS ? 0n : height - BLOCKS + 1n;
    const from = known < oldest ? oldest : known + 1n;
    const read: Block[] = [];
    for await (const block of client.blocks({ from, signal: round.signal })) {
      read.unshift(block);
      if (block.header.height >= height) break;
    }
    const kept = this.blocks.filter(({ header }) => header.height < from);
    this.blocks = [...read, ...kept].slice(0, Number(BLOCKS));
    round.readBlocks = true;
  }

  #fail(round: Round, error: unknown): void {
    if (round.ended) return;
    if (!(error instanceof VerifyError)) throw error;
    this.#status = { kind: "refused", error };
    this.#failures = [];
    // Two signed histories need investigation, not another attempt.
    const again = error instanceof EquivocationError ? undefined : AGAIN;
    round.failed(again, () => void this.restart());
    this.#options.onChange();
  }
}

/** The last verified answer about an account, with a proof for only this account if there is one for that block. */
export function bestAnswer({
  answer,
  scheme,
  alone: { [scheme]: alone },
}: Account): Answer | undefined {
  if (!answer || !alone) return answer;
  return toHex(alone.block.hash) === toHex(answer.block.hash) ? alone : answer;
}

function update(account: Account, answer: Answer, scheme: StateScheme): void {
  const { answer: before } = account;
  if (before && toHex(before.block.hash) !== toHex(answer.block.hash)) {
    account.change = (balanceOf(answer) ?? 0n) - (balanceOf(before) ?? 0n);
  }
  account.answer = answer;
  account.scheme = scheme;
}
