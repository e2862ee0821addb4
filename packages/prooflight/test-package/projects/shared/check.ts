import { fromHex, LightClient, toHex, VerifyError } from "prooflight";
import { AvlProver, type ErgoAdProofsInput, init, verifyErgoAdProofs } from "prooflight/avl";
import { type Checkpoint, verifyHead } from "prooflight/chain";
import { init as initLvmt, type LvmtProofInput, verifyLvmtProof } from "prooflight/lvmt";
import { type Hex, verifyEthGetProof } from "prooflight/mpt";
import { createProvider } from "prooflight/provider";

/** The servers that chain.mjs starts: a node, a liar in front of it, and a server that redirects to it. */
export interface Chain {
  checkpoint: Checkpoint;
  url: string;
  lying: string;
  redirecting: string;
}

/** The inputs that project.mjs takes from the test vectors. */
export interface Inputs {
  block: Record<"parentStateRoot" | "stateRoot" | "adProofsRoot" | "proof", string> & {
    ops: (
      { op: "Lookup" | "Remove"; key: string } | { op: "Insert"; key: string; value: string }
    )[];
  };
  account: { stateRoot: Hex; address: Hex; slots: Hex[]; response: object };
  leaf: {
    paramsId: Hex;
    logN: number;
    logArity: number;
    roots: Record<"aroot" | "hroot" | "height", Hex>;
    keys: string[];
    proof: string;
  };
  head: { checkpoint: Checkpoint; head: string; inclusion: string[]; now: string };
  /** Missing if there is no network. */
  chain?: Chain;
}

/** Verifies the recorded data and a forgery of it with each module; returns the outcomes. */
export async function check(inputs: Inputs): Promise<Record<string, string[]>> {
  await Promise.all([init(), initLvmt()]);
  return {
    avl: block(inputs.block),
    mpt: account(inputs.account),
    lvmt: leaf(inputs.leaf),
    chain: head(inputs.head),
    provider: [await throughProvider(inputs.account)],
    ...(inputs.chain && { client: await client(inputs.chain) }),
  };
}

function block({ parentStateRoot, stateRoot, adProofsRoot, proof, ops }: Inputs["block"]) {
  const honest: ErgoAdProofsInput = {
    parentStateRoot: fromHex(parentStateRoot),
    stateRoot: fromHex(stateRoot),
    adProofsRoot: fromHex(adProofsRoot),
    operations: ops.map((operation) =>
      operation.op === "Insert"
        ? { op: operation.op, key: fromHex(operation.key), value: fromHex(operation.value) }
        : { op: operation.op, key: fromHex(operation.key) },
    ),
    proof: fromHex(proof),
  };
  const digest: Uint8Array<ArrayBuffer> = verifyErgoAdProofs(honest).digest;
  // Not `using`: jsdom's realm lacks `Symbol.dispose`.
  const prover = new AvlProver({ keyLength: 32 });
  if (prover.digest.length !== digest.length) throw new Error("not a digest");
  prover.dispose();
  const operations = honest.operations.slice(0, -1);
  return [toHex(digest), refusal(() => verifyErgoAdProofs({ ...honest, operations }))];
}

function account(honest: Inputs["account"]) {
  const found = verifyEthGetProof(honest);
  const balance = found.kind === "present" ? `${found.balance} wei` : found.kind;
  const response = { ...honest.response, balance: "0x1" };
  return [balance, refusal(() => verifyEthGetProof({ ...honest, response }))];
}

function leaf({ roots, keys, proof, paramsId, logN, logArity }: Inputs["leaf"]) {
  const honest: LvmtProofInput = {
    ...{ paramsId, logN, logArity, allowInsecureSetup: true },
    root: fromHex(roots.aroot + roots.hroot.slice(2)),
    height: BigInt(roots.height),
    keys: keys.map(fromHex),
    proof: fromHex(proof),
  };
  const [result] = verifyLvmtProof(honest);
  const found =
    result?.kind === "present" ? `${toHex(result.value)} since block ${result.since}` : "absent";
  const others = [new Uint8Array(1)];
  return [found, refusal(() => verifyLvmtProof({ ...honest, keys: others }))];
}

function head({ checkpoint, head, inclusion, now }: Inputs["head"]) {
  const honest = {
    checkpoint,
    head: fromHex(head),
    inclusion: inclusion.map(fromHex),
    now: BigInt(now),
  };
  const { height } = verifyHead(honest);
  // Change the last digit of the signature.
  const forged = fromHex(head.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")));
  return [`height ${height}`, refusal(() => verifyHead({ ...honest, head: forged }))];
}

/** The balance that a provider returns if the server has only the recorded answer. */
async function throughProvider({ stateRoot, address, response }: Inputs["account"]) {
  const hash: Hex = `0x${"00".repeat(32)}`;
  const provider = createProvider({
    provider: { request: () => Promise.resolve(response) },
    chainId: 1,
    trust: () => ({ number: 1n, hash, stateRoot }),
  });
  return String(await provider.request({ method: "eth_getBalance", params: [address] }));
}

/** The results of light clients for an account: from a node, a liar, and a server that redirects to the node. */
async function client({ checkpoint, url, lying, redirecting }: Chain) {
  const ask = async (url: string, scheme: "avl" | "lvmt") => {
    const client = await LightClient.connect({
      urls: [url],
      checkpoint,
      allowInsecureSetup: true,
    });
    try {
      const answer = await client.get("0x6163636f756e742f616c696365", { scheme });
      return answer.kind === "present" ? toHex(answer.value) : answer.kind;
    } finally {
      client.close();
    }
  };
  const refusalOf = (error: unknown) => {
    if (!(error instanceof VerifyError)) throw error;
    return `${error.code} / ${error.reason}`;
  };
  return [
    await ask(url, "avl"),
    await ask(url, "lvmt"),
    await ask(lying, "avl").catch(refusalOf),
    await ask(redirecting, "avl").catch(refusalOf),
  ];
}

function refusal(verify: () => unknown): string {
  try {
    verify();
    return "accepted";
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    return `${error.code} / ${error.reason}`;
  }
}
