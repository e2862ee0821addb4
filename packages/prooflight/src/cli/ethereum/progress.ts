import type { LogsProgress } from "../../ethereum.js";

/** Shows on a terminal how far a question about logs has come. */
export class Progress {
  readonly #write: (text: string) => void;
  #isShown = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  readonly show = ({ blocks, headers, needed, receipts, bytes }: LogsProgress): void => {
    const counts = [
      `${headers} of ${blocks} headers`,
      ...(needed === undefined ? [] : [`receipts of ${receipts} of ${needed} blocks`]),
      `${(bytes / 1e6).toFixed(1)} MB`,
    ];
    this.#isShown = true;
    this.#write(`\r\u001b[K${counts.join(", ")}`);
  };

  /** Clears the line. */
  end(): void {
    if (this.#isShown) this.#write("\r\u001b[K");
  }
}
