import { refuse } from "../error.js";
import { allow, type HandOn } from "./hand-on.js";
import { integerOfResult, type Request } from "./request.js";

/** The number of pending transactions that nodes keep for one account. */
const MOST = 64n;

/**
 * The nonce of an account's next transaction, after its pending ones.
 *
 * No proof covers pending transactions, so the server's number is accepted within bounds: at least the verified
 * nonce, which an honest server may be behind, and at most 64 more (`account_mismatch`). A lie within the bounds
 * can delay a transaction, or make it replace another one of the same account.
 */
export async function pendingNonce(
  to: HandOn,
  request: Request,
  verified: () => Promise<bigint>,
): Promise<bigint> {
  await allow(to, request);
  const proved = await verified();
  const said = integerOfResult(request.method, await to.server.handOn(request, false));
  if (said <= proved) return proved;
  if (said <= proved + MOST) return said;
  const expected = `a pending nonce of ${proved} to ${proved + MOST}, the verified one being ${proved}`;
  throw refuse("account_mismatch", expected, `${said}`, { scheme: "mpt" });
}
