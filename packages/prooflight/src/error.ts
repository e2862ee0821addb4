import { type Code, REASONS, type Reason } from "./registry.js";
import { type Scheme, SCHEMES } from "./schemes.js";
import { withOrigins } from "./url.js";

/** What would have been accepted, and what was found instead, as readable text. Not stable. */
export interface RefusalDetails {
  expected: string;
  found: string;
}

/** The members of a refusal. */
export interface Refusal extends RefusalDetails {
  code: Code;
  reason: Reason;
  scheme?: Scheme | undefined;
  message: string;
}

/**
 * Why something was refused, or could not be checked.
 *
 * The package throws no other errors, except those of `prooflight/provider` and the reason of an `AbortSignal`. `code`
 * is the kind of refusal and `reason` the exact cause; both are stable. `message` and `details` are readable text, and
 * not stable.
 *
 * Comments on functions name a code alone, as in `mismatch`, and a reason after its code, as in `mismatch` /
 * `root_mismatch`.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/reasons.md | Every reason}
 *
 * @example
 * ```ts
 * import { VerifyError } from "prooflight";
 *
 * try {
 *   await client.get({ text: "account/alice" });
 * } catch (error) {
 *   if (!(error instanceof VerifyError)) throw error;
 *   console.error(error.code, error.reason, error.details); // mismatch root_mismatch …
 * }
 * ```
 */
export class VerifyError extends Error {
  override readonly name = "VerifyError";
  /** The kind of refusal. */
  readonly code: Code;
  /** The exact cause. Each reason belongs to one code. */
  readonly reason: Reason;
  /** The scheme, if the refusal concerns one. */
  readonly scheme: Scheme | undefined;
  /** What was expected and what was found. */
  readonly details: RefusalDetails;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal.message, options);
    this.code = refusal.code;
    this.reason = refusal.reason;
    this.scheme = refusal.scheme;
    this.details = { expected: refusal.expected, found: refusal.found };
  }

  /**
   * Restores an error from the result of {@link VerifyError.toJSON}, for example in another thread or program, where
   * `structuredClone` would keep only the message. The content is the sender's, and as trustworthy as the sender.
   *
   * Throws `invalid_input` / `invalid_argument` if `json` does not have that form.
   */
  static from(json: unknown): VerifyError {
    const { code, reason, scheme, message, expected, found } = Object(json) as Partial<Refusal>;
    const known = typeof reason === "string" && Object.hasOwn(REASONS, reason);
    const named = scheme === undefined || Object.hasOwn(SCHEMES, scheme);
    const texts = [message, expected, found].every((text) => typeof text === "string");
    if (!known || REASONS[reason].code !== code || !named || !texts) {
      throw refuse("invalid_argument", "json to be that of a VerifyError", describe(json));
    }
    return new VerifyError({ code, reason, scheme, message, expected, found } as Refusal);
  }

  /** All members but the stack, as JSON. */
  toJSON(): Refusal {
    const { code, reason, scheme, message, details } = this;
    return { code, reason, ...(scheme && { scheme }), message, ...details };
  }
}

/** Creates an error for a refusal by TypeScript, not the WebAssembly. */
export function refuse(
  reason: Reason,
  expected: string,
  found: string,
  { scheme, cause }: { scheme?: Scheme | undefined; cause?: unknown } = {},
): VerifyError {
  const { code, meaning } = REASONS[reason];
  const message = `${meaning}: expected ${expected}, found ${found}`;
  const options = cause === undefined ? undefined : { cause };
  return new VerifyError({ code, reason, expected, found, message, scheme }, options);
}

/** Describes a value in a few words, for messages. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return `the string ${JSON.stringify(shorten(withOrigins(value)))}`;
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "bigint") return `the bigint ${value}`;
  if (typeof value === "boolean") return String(value);
  try {
    return `a value of type ${shorten(Object.prototype.toString.call(value).slice(8, -1))}`;
  } catch {
    return "an object that cannot be read"; // A proxy, whose type runs code.
  }
}

const shorten = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
