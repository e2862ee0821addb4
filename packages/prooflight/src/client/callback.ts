/**
 * Calls a function of the application.
 *
 * What it throws is the application's: it is reported as that of an event listener is, and does not
 * end what the client is doing.
 */
export function notify<T>(callback: ((value: T) => void) | undefined, value: T): void {
  try {
    callback?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
