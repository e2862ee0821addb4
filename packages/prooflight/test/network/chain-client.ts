import type { Operation } from "./state.js";

/** Makes a block of these operations at a node. */
export async function submit(url: string, ops: readonly Operation[]): Promise<void> {
  const call = { jsonrpc: "2.0", id: 1, method: "prooflight_submit", params: { ops } };
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(call),
  });
  const text = await response.text();
  if (!(JSON.parse(text) as { result?: unknown }).result) throw new Error(text);
}
