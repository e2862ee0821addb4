/** Parses the JSON of untrusted servers. */

import { Utf8Decoder } from "../platform.js";
import { invalidReply, type Transport } from "./http.js";

/**
 * The least bytes of a reply for each value, and for each member, beyond the first few.
 *
 * An empty object is three bytes of text and takes fifty bytes of memory; a new member name takes a microsecond to
 * parse. A reply of nothing else would fill the memory and block the page for seconds.
 */
const BYTES_PER_ITEM = 8;
const FREE_ITEMS = 1000;

/** Parses UTF-8. Its values and members are counted first, since parsing makes objects of them. */
export function parseJson(body: Uint8Array, transport: Transport, url: URL): unknown {
  const text = decode(body, url);
  const limit = FREE_ITEMS + Math.floor(text.length / BYTES_PER_ITEM);
  const items = Math.min(transport.maxReplyItems ?? limit, limit);
  const members = Math.min(transport.maxReplyMembers ?? limit, limit);
  // Each value but the first follows one of these characters.
  if ([",", "[", "{"].reduce((sum, character) => sum + count(text, character, items), 0) > items) {
    throw invalidReply(url, `at most ${items} values and objects`, "more");
  }
  if (count(text, ":", members) > members) {
    throw invalidReply(url, `at most ${members} members of objects`, "more");
  }
  try {
    return JSON.parse(text);
  } catch {
    const start = text.slice(0, 40).trim();
    throw invalidReply(
      url,
      "JSON",
      start ? `text that starts with ${JSON.stringify(start)}` : "nothing",
    );
  }
}

/** Counts a character in a text; stops counting above `max`. */
function count(text: string, character: string, max: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0 && found <= max; found++) {
    at = text.indexOf(character, at + 1);
  }
  return found;
}

function decode(body: Uint8Array, url: URL): string {
  try {
    return new Utf8Decoder().decode(body);
  } catch {
    throw invalidReply(url, "UTF-8", "other bytes");
  }
}
