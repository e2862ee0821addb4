/** Blocks whose logs may fit into the limit: the cause of `logs_too_large`. */
export class FittingRange {
  readonly from: bigint;
  readonly to: bigint;

  constructor(from: bigint, to: bigint) {
    this.from = from;
    this.to = to;
  }

  /** The range in an error, or in one of several servers' errors. */
  static in({ cause }: Error): FittingRange | undefined {
    if (cause instanceof FittingRange) return cause;
    if (!(cause instanceof AggregateError)) return undefined;
    return cause.errors.map((error) => FittingRange.in(error as Error)).find((range) => range);
  }
}
