import { ProviderError } from "../../src/provider.js";

/** Why a provider of Ethereum refuses: its number, and the code and reason of its data. */
export async function refusal(asking: Promise<unknown>): Promise<string> {
  const error: unknown = await asking.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof ProviderError)) throw new Error(`not refused: ${String(error)}`);
  return `${error.code} ${error.data.code} ${error.data.reason}`;
}
