/** Questions in schemes in which the root of a head proves the states after all blocks up to it. */

import { type Bytes, toHex } from "../bytes.js";
import type { Header } from "../chain/header.js";
import type { Older } from "../chain/sync.js";
import type { Server } from "../transport/servers.js";
import type { ClientContext } from "./authentication.js";
import { checkBlock } from "./questions.js";
import { readStateProof } from "./replies.js";
import type { Accepted } from "./trust.js";

/** A method with its parameters; not among them is the head whose root the proof is against. */
export interface HeadCall {
  method: "prooflight_prove" | "prooflight_range";
  params: object;
}

/** Asks for a proof against the root of the server's newest head, and accepts that head. */
export async function askHead(
  { trust, authentication }: ClientContext,
  server: Server,
  call: HeadCall,
): Promise<{ head: Accepted; proof: Bytes }> {
  const wanted = { at: "latest", newest: trust.height } as const;
  const { header, proof } = readStateProof(
    await server.call(call.method, { ...call.params, head: wanted.at }),
  );
  const { accepted, older } = await authentication.block(server, header, wanted);
  if (!older) return { head: accepted, proof };
  // Another head was accepted in the meantime. What is saved later names an accepted one.
  server.forget();
  return { head: accepted, proof: await askOlderHead(server, accepted.header, call) };
}

/** Asks for a proof against the root of a head that is accepted already. */
export async function askOlderHead(
  server: Server,
  { hash }: Header,
  { method, params }: HeadCall,
): Promise<Bytes> {
  const head = toHex(hash);
  const { header, proof } = readStateProof(await server.call(method, { ...params, head }));
  checkBlock({ at: head, newest: undefined }, header);
  return proof;
}

/** The block that a question is about, and its place in the history of an accepted head if it is older. */
export async function blockAt(
  { authentication }: ClientContext,
  server: Server,
  head: Header,
  at: string,
): Promise<{ block: Header; older: Older | undefined }> {
  if (at === "latest") return { block: head, older: undefined };
  const { block, older } = await authentication.ancestor(server, head, at);
  return { block, older: block.height === head.height ? undefined : older };
}
