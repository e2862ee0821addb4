import { fromHex, toHex } from "prooflight";
import { init, verifyErgoAdProofs } from "prooflight/avl";

/** Verifies the first block of a vector file and a forgery of it; gives what came of both. */
export async function check(file) {
  await init();
  const { input } = file.testGroups[0].tests[0];
  const block = {
    parentStateRoot: fromHex(input.parentStateRoot),
    stateRoot: fromHex(input.stateRoot),
    adProofsRoot: fromHex(input.adProofsRoot),
    operations: input.ops.map(({ op, key, value }) =>
      value === undefined
        ? { op, key: fromHex(key) }
        : { op, key: fromHex(key), value: fromHex(value) },
    ),
    proof: fromHex(input.proof),
  };
  const { digest } = verifyErgoAdProofs(block);
  return { digest: toHex(digest), refused: refusal(block) };
}

function refusal(block) {
  try {
    verifyErgoAdProofs({ ...block, operations: block.operations.slice(0, -1) });
    return undefined;
  } catch (error) {
    return `${error.code} / ${error.reason}`;
  }
}
