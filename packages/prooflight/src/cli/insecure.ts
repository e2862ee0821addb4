/** Warnings about a setup under which anyone can forge proofs. */

import type { StateScheme } from "../chain/schemes.js";
import type { ChainOptions } from "./chain.js";
import { print } from "./output.js";
import { type SafeText, yellow } from "./text.js";

/** The remark beside a verdict. */
export const insecureMark = (insecure: boolean): string | SafeText =>
  insecure ? yellow(" with an insecure setup allowed") : "";

/** Prints the warning below a verdict, or above several. */
export function printInsecureNote(insecure: boolean): void {
  if (!insecure) return;
  print();
  print("  An insecure setup is allowed: under one, anyone can forge proofs.");
}

/** Whether the options allow an insecure setup for a scheme. Only `lvmt` has a setup. */
export const allowsInsecure = (scheme: StateScheme, options: ChainOptions): boolean =>
  scheme === "lvmt" && options["allow-insecure-setup"] === true;
