import { type Code, REASONS, type Reason, type Scheme } from "./registry.js";

/** What would have been accepted and what was there instead, for people to read; not stable. */
export interface RefusalDetails {
  expected: string;
  found: string;
}

/** Everything there is to say about a refusal. */
export interface Refusal extends RefusalDetails {
  code: Code;
  reason: Reason;
  scheme?: Scheme | undefined;
  message: string;
}

/**
 * Why something must not be believed, or could not be checked.
 *
 * Everything that this package throws on purpose is one of these. `code` says what kind of refusal
 * it is and `reason` why exactly; both are stable, `message` and `details` are for people.
 */
export class VerifyError extends Error {
  override readonly name = "VerifyError";
  /** What kind of refusal it is. */
  readonly code: Code;
  /** Why exactly; each reason belongs to one code. */
  readonly reason: Reason;
  /** The scheme it is about, if it is about one. */
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

  /** Everything but the stack, as JSON carries it. */
  toJSON(): Refusal {
    const { code, reason, scheme, message, details } = this;
    return { code, reason, ...(scheme && { scheme }), message, ...details };
  }
}

/** The error for a reason that this side of the boundary finds. */
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

/** What a value is, in a few words, without showing much of it. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return `the string ${JSON.stringify(shorten(value))}`;
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
