/** What calls need besides servers: the rules of the chain, and what earlier calls left. */

import { refuse } from "../../error.js";
import type { Block } from "../blocks.js";
import type { HeadSource } from "../heads.js";
import { CallCaches } from "./caches.js";
import { ProvenState } from "./proven-state.js";
import type { ExecutionRules } from "./rules.js";

/** The rules of a chain, and what earlier calls left. */
export class CallContext {
  readonly caches = new CallCaches();
  /** The time limit of a server for the state of a call, in milliseconds. */
  readonly timeout: number;
  readonly #rules: ExecutionRules | undefined;
  readonly #heads: Pick<HeadSource, "forkVersion">;

  /** `rules` are undefined if nothing is known about the forks of the chain. */
  constructor(
    { rules, callTimeout }: { rules: ExecutionRules | undefined; callTimeout: number },
    heads: Pick<HeadSource, "forkVersion">,
  ) {
    this.timeout = callTimeout;
    this.#rules = rules;
    this.#heads = heads;
  }

  /** Begins the proven state of a block; throws `unsupported_fork` if it is not known by which rules it is executed. */
  open(block: Block): ProvenState {
    if (this.#rules) {
      return new ProvenState(block, this.#rules, this.#heads.forkVersion(block.header.timestamp));
    }
    const expected = "a network whose forks are known, by its name, chainId or the option fork";
    throw refuse("unsupported_fork", expected, "neither");
  }
}
