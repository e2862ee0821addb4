import { fromHex, toHex, VerifyError } from "prooflight";
import {
  AvlProver,
  type ErgoAdProofsInput,
  init,
  type Operation,
  verifyErgoAdProofs,
} from "prooflight/avl";

interface VectorFile {
  testGroups: [
    {
      tests: [
        {
          input: Record<"parentStateRoot" | "stateRoot" | "adProofsRoot" | "proof", string> & {
            ops: JsonOperation[];
          };
        },
      ];
    },
  ];
}

type JsonOperation =
  { op: "Lookup" | "Remove"; key: string } | { op: "Insert"; key: string; value: string };

async function main(): Promise<void> {
  await init();
  const file = (await (await fetch("/ergo_mainnet.json")).json()) as VectorFile;
  const { input } = file.testGroups[0].tests[0];
  const block: ErgoAdProofsInput = {
    parentStateRoot: fromHex(input.parentStateRoot),
    stateRoot: fromHex(input.stateRoot),
    adProofsRoot: fromHex(input.adProofsRoot),
    operations: input.ops.map(operation),
    proof: fromHex(input.proof),
  };
  const digest: Uint8Array<ArrayBuffer> = verifyErgoAdProofs(block).digest;
  using prover = new AvlProver({ keyLength: 32 });
  if (prover.digest.length !== digest.length) throw new Error("not a digest");
  const outcome = { digest: toHex(digest), refused: refusal(block) };
  document.title = JSON.stringify(outcome);
}

function operation(json: JsonOperation): Operation {
  const key = fromHex(json.key);
  return json.op === "Insert"
    ? { op: json.op, key, value: fromHex(json.value) }
    : { op: json.op, key };
}

function refusal(block: ErgoAdProofsInput): string | undefined {
  try {
    verifyErgoAdProofs({ ...block, operations: block.operations.slice(0, -1) });
    return undefined;
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    return `${error.code} / ${error.reason}`;
  }
}

void main();
