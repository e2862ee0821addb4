/**
 * Calls a function of the application.
 *
 * An error that it throws is reported like that of an event listener. It does not interrupt the client.
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
