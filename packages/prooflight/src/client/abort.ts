/** Signals in every engine: Chrome below 98 and Firefox below 97 keep no reason, and Chrome below 100 cannot throw it. */

const reasons = new WeakMap<AbortSignal, unknown>();

/** Aborts with a reason, the first one if this is repeated. */
export function abortWith(stop: AbortController, reason: unknown): void {
  if (!stop.signal.aborted) reasons.set(stop.signal, reason);
  stop.abort(reason);
}

/** The reason of a signal that is aborted. */
export function abortReason(signal: AbortSignal): unknown {
  if (reasons.has(signal)) return reasons.get(signal);
  if ("reason" in signal) return signal.reason;
  return Object.assign(new Error("this operation was aborted"), { name: "AbortError" });
}

/** Throws the reason of a signal if it is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}
