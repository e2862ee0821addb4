import { type Hex, toHex } from "../../bytes.js";
import { bytesLike, wordLike } from "../../mpt/bytes.js";
import { printVerdict } from "../chain.js";
import { EXIT, print, printRows, type Row } from "../output.js";
import { dim, text } from "../text.js";
import { blockOf, follow, type FollowOptions } from "./follow.js";
import { blockName, ether, printAnswer, printBasis } from "./show.js";

interface AccountOptions extends FollowOptions {
  at?: string | undefined;
  slot?: string[] | undefined;
}

/** `prooflight eth balance ADDRESS`: prints a verified account, and slots of its storage. Returns the exit code. */
export async function account(
  address: string,
  options: AccountOptions,
  json: boolean,
): Promise<number> {
  const at = blockOf(options.at, "--at");
  const asked = toHex(bytesLike(address, "address", 20)) as Hex;
  const slots = (options.slot ?? []) as Hex[];
  for (const slot of slots) wordLike(slot, "--slot");
  const following = await follow(options);
  const { client } = following;
  const block = await client.block(at);
  const found = await client.account(asked, { at: block.hash, slots });
  if (json) {
    const storage = found.storage.map((value, index) => ({ slot: slots[index], value }));
    printAnswer(following, {
      account: { ...found, blockTimestamp: block.timestamp, storage },
    });
    return EXIT.ok;
  }
  printVerdict(text`the account after ${blockName(block)}`);
  print();
  print(text`  ${found.address}`);
  const state: Row[] = [
    ["balance", text`${ether(found.balance)}  ${dim(`${found.balance} wei`)}`],
    ["nonce", String(found.nonce)],
    ["code hash", dim(found.codeHash)],
  ];
  printRows(found.exists ? state : [["", dim("no such account: its balance is 0")]]);
  const values = found.storage.map((value, index): Row => {
    return [`slot ${slots[index] ?? ""}`, `0x${value.toString(16)}`];
  });
  if (values.length > 0) printRows(values);
  print();
  printRows([["block", dim(block.hash)]]);
  printBasis(following, "Merkle proofs against the block's state root");
  return EXIT.ok;
}
