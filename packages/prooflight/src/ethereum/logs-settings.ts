/** How questions about logs are answered. */

/** How far a question about logs has come. If a server fails, the next one begins again. */
export interface LogsProgress {
  /** The blocks of the range. */
  blocks: bigint;
  /** Their headers that are verified. */
  headers: number;
  /** The blocks whose receipts are needed; undefined until all headers are verified. */
  needed: number | undefined;
  /** Of these, the blocks whose receipts have arrived. */
  receipts: number;
  /** The bytes of all replies. */
  bytes: number;
}

/** The settings of questions about logs. */
export interface LogsSettings {
  maxLogBytes: number;
  logs: "complete" | "union";
  onLogsProgress: ((progress: LogsProgress) => void) | undefined;
}
