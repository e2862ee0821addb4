/** What is said where a setup was accepted under which anyone can forge proofs. */

import type { StateScheme } from "../chain/schemes.js";
import type { ChainOptions } from "./chain.js";
import { print } from "./output.js";
import { type SafeText, yellow } from "./text.js";

/** What stands beside the verdict. */
export const insecureMark = (insecure: boolean): string | SafeText =>
  insecure ? yellow(" with an insecure setup allowed") : "";

/** What stands below the verdict, or above many. */
export function printInsecureNote(insecure: boolean): void {
  if (!insecure) return;
  print();
  print("  An insecure setup is allowed: under one, anyone can forge proofs.");
}

/** Whether the options let answers of a scheme rest on an insecure setup; only `lvmt` has one. */
export const allowsInsecure = (scheme: StateScheme, options: ChainOptions): boolean =>
  scheme === "lvmt" && options["allow-insecure-setup"] === true;
