import { refuse } from "../error.js";
import { allow, type HandOn } from "./hand-on.js";
import { integerOfResult, type Request } from "./request.js";

/** How many transactions of one account nodes keep that are not in a block yet. */
const MOST = 64n;

/**
 * The nonce of an account's next transaction, counting those that are in no block yet.
 *
 * No proof shows them: the server's word is taken within bounds. It is never below the verified nonce,
 * which an honest server may not have reached, and at most 64 above it (`account_mismatch`). A lie
 * within them makes a transaction wait, or replace another one of the same account.
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
