/** Abort signals in every engine: Chrome below 98 and Firefox below 97 keep no reason, Chrome below 100 cannot throw it. */

/** Waits for a time, or until an abort. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

/** A signal that is aborted with either of two, and a function that disconnects it. */
export function either(one: AbortSignal | undefined, other: AbortSignal) {
  const stop = new AbortController();
  const listeners = [one, other].flatMap((signal) => {
    if (!signal) return [];
    const abort = () => {
      abortWith(stop, abortReason(signal));
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    return [{ signal, abort }];
  });
  const release = () => {
    for (const { signal, abort } of listeners) signal.removeEventListener("abort", abort);
  };
  return { signal: stop.signal, release };
}

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
