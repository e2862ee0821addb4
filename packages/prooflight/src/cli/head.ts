import { toHex } from "../bytes.js";
import { blockName, type ChainOptions, connect, headerJson } from "./chain.js";
import { EXIT } from "./exit.js";
import { print, printJson, printRows } from "./output.js";
import { bold, CHECK_MARK, text } from "./text.js";

/** `prooflight head`: prints the newest head that the servers can show. Returns the exit code. */
export async function head(options: ChainOptions, json: boolean): Promise<number> {
  const client = await connect(options);
  const { head } = client;
  const checkpoint = client.exportCheckpoint();
  if (json) {
    printJson({ verified: true, head: headerJson(head), checkpoint });
    return EXIT.ok;
  }
  const { chainId, authorities, quorum } = checkpoint.config;
  print(text`${CHECK_MARK} ${bold("verified")}  ${blockName(head)}`);
  print();
  printRows([
    ["chain", text`${chainId}  signed by ${quorum} of ${authorities.length}`],
    ["hash", toHex(head.hash)],
    ["parent", toHex(head.parent)],
    ["operations", toHex(head.opsRoot)],
    ["history", toHex(head.historyRoot)],
    ...Object.entries(head.roots).map(([scheme, root]) => [scheme, toHex(root)] as const),
  ]);
  return EXIT.ok;
}
