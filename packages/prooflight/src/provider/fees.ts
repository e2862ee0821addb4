import { describe } from "../error.js";
import { integerOfResult, quantity, wrongAnswer } from "./request.js";

/** Checks the answer to a method about fees; throws `invalid_answer` if a fee is above the limit. */
export function checkFees(method: string, answer: unknown, most = 0n): unknown {
  if (method !== "eth_feeHistory") return quantity(checkFee(method, answer, most));
  const { oldestBlock, baseFeePerGas, gasUsedRatio, reward, baseFeePerBlobGas, blobGasUsedRatio } =
    membersOf(method, answer);
  const fees = (given: unknown) =>
    list(method, given).map((fee) => quantity(checkFee(method, fee, most)));
  return {
    oldestBlock: quantity(integerOfResult(method, oldestBlock)),
    baseFeePerGas: fees(baseFeePerGas),
    gasUsedRatio: ratios(method, gasUsedRatio),
    ...(reward !== undefined && { reward: list(method, reward).map(fees) }),
    ...(baseFeePerBlobGas !== undefined && { baseFeePerBlobGas: fees(baseFeePerBlobGas) }),
    ...(blobGasUsedRatio !== undefined && { blobGasUsedRatio: ratios(method, blobGasUsedRatio) }),
  };
}

function checkFee(method: string, given: unknown, most: bigint): bigint {
  const fee = integerOfResult(method, given);
  if (fee <= most) return fee;
  throw wrongAnswer(method, `at most ${most} wei for each gas, as maxFeePerGas says,`, `${fee}`);
}

function membersOf(method: string, answer: unknown): Record<string, unknown> {
  if (typeof answer === "object" && answer !== null) return answer as Record<string, unknown>;
  throw wrongAnswer(method, "an object", describe(answer));
}

/** A list; the method returns at most 1024 blocks and the next one. */
function list(method: string, given: unknown): unknown[] {
  if (Array.isArray(given) && given.length <= 1025) return [...(given as unknown[])];
  throw wrongAnswer(method, "lists of at most 1025 items", describe(given));
}

function ratios(method: string, given: unknown): number[] {
  return list(method, given).map((ratio) => {
    if (typeof ratio === "number") return ratio;
    throw wrongAnswer(method, "a number", describe(ratio));
  });
}
