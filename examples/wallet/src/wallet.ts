// Follows a chain and keeps verified balances. What a wallet needs of Prooflight is in this file.

import {
  type Answer,
  type Block,
  type Checkpoint,
  EquivocationError,
  type Failure,
  type Header,
  type Hex,
  LightClient,
  toHex,
  VerifyError,
} from "prooflight";

import { balanceOf, keyOf } from "./account.js";
import { Round } from "./round.js";

/** An account, as it was when its balance was last verified. */
export interface Account {
  name: string;
  /** The last verified answer, with a proof for all accounts; undefined before the first. */
  answer: Answer | undefined;
  /** The last answer with a proof for this account alone, asked for while it is chosen. */
  alone: Answer | undefined;
  /** By how much the balance had changed in that block, in hundredths. */
  change: bigint;
}

/** How things stand. */
export type Status =
  | { kind: "connecting" }
  /** All balances hold at the same block. `caught` are servers that failed where another did not. */
  | { kind: "verified"; caught: readonly Failure[] }
  /** No server gave an answer that verifies. What was verified before is still known. */
  | { kind: "refused"; error: VerifyError };

export interface Options {
  urls: readonly URL[];
  checkpoint: Checkpoint;
  fetch: typeof fetch;
  /** Hears of every change. */
  onChange: () => void;
}

/** How long a server may take; short, since somebody is watching. */
const TIMEOUT = 3000;

/** How many blocks are kept to show. */
const BLOCKS = 5n;

/** When to begin anew after there was no answer, or a wrong one. */
const AGAIN = 2000;

export class Wallet {
  readonly accounts: Account[] = [];
  /** The newest blocks whose operations were verified, the newest first. */
  blocks: readonly Block[] = [];
  readonly #options: Options;
  #client: LightClient | undefined;
  #status: Status = { kind: "connecting" };
  #failures: Failure[] = [];
  #round: Round | undefined;
  #chosen: string | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  get status(): Status {
    return this.#status;
  }

  /** The newest accepted head. */
  get head(): Header | undefined {
    return this.#client?.head;
  }

  /** The account that is looked at; its balance gets a proof of its own. */
  get chosen(): Account | undefined {
    return this.accounts.find(({ name }) => name === this.#chosen) ?? this.accounts[0];
  }

  choose(name: string): void {
    this.#chosen = name;
    this.#options.onChange();
    if (this.#client && this.#round) void this.#refresh(this.#client, this.#round);
  }

  /** Shows one more account, if it is not there yet; gives it. */
  watch(name: string): Account {
    const known = this.accounts.find((account) => account.name === name);
    if (known) return known;
    const account: Account = { name, answer: undefined, alone: undefined, change: 0n };
    this.accounts.push(account);
    return account;
  }

  /** Shows an account no longer. */
  unwatch(name: string): void {
    const index = this.accounts.findIndex((account) => account.name === name);
    if (index >= 0) this.accounts.splice(index, 1);
    this.#options.onChange();
  }

  /** Begins, or begins anew at once; what was under way ends. Resolves when it is known how it went. */
  restart(): Promise<void> {
    this.#round?.end();
    this.#failures = [];
    const round = new Round();
    this.#round = round;
    void this.#follow(round);
    return round.settled;
  }

  /** The verified answers about accounts: at the newest block, or at the one of a height. */
  read(names: readonly string[], at: "latest" | bigint): Promise<Answer[]> {
    if (!this.#client) throw new Error("read before the first head was accepted");
    return this.#client.getMany(names.map(keyOf), { at });
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
    const { urls, checkpoint, fetch } = this.#options;
    return (this.#client ??= await LightClient.connect({
      urls,
      checkpoint,
      fetch,
      timeout: TIMEOUT,
      onFailure: (failure) => this.#failures.push(failure),
      signal,
    }));
  }

  /** Reads what there is to show at the newest block. */
  async #refresh(client: LightClient, round: Round): Promise<void> {
    if (!round.beginReading()) return;
    try {
      await this.#readAccounts(client, round);
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

  /** All accounts with one request and one proof, then the chosen one with its own. */
  async #readAccounts(client: LightClient, { signal }: Round): Promise<void> {
    const accounts = [...this.accounts];
    const keys = accounts.map(({ name }) => keyOf(name));
    const answers = await client.getMany(keys, { signal });
    accounts.forEach((account, index) => {
      const answer = answers[index];
      if (answer) update(account, answer);
    });
    const { chosen } = this;
    if (!chosen?.answer) return;
    const at = toHex(chosen.answer.block.hash) as Hex;
    chosen.alone = await client.get(keyOf(chosen.name), { at, signal });
  }

  /** The newest blocks; their operations are verified. */
  async #readBlocks(client: LightClient, round: Round): Promise<void> {
    const { height } = client.head;
    // In a new round all are read again: the server may be another.
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
    // Whoever saw two signed histories should look into it, not ask on.
    const again = error instanceof EquivocationError ? undefined : AGAIN;
    round.failed(again, () => void this.restart());
    this.#options.onChange();
  }
}

/** The last verified answer about an account, with a proof for it alone if there is one of that block. */
export function bestAnswer({ answer, alone }: Account): Answer | undefined {
  if (!answer || !alone) return answer;
  return toHex(alone.block.hash) === toHex(answer.block.hash) ? alone : answer;
}

function update(account: Account, answer: Answer): void {
  const { answer: before } = account;
  if (before && toHex(before.block.hash) !== toHex(answer.block.hash)) {
    account.change = (balanceOf(answer) ?? 0n) - (balanceOf(before) ?? 0n);
  }
  account.answer = answer;
}
