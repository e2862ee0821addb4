// Whether nodes have one chain, and what they acknowledged is in it exactly once.

import { Asker } from "./asker.mjs";
import { nameOf } from "./keys.mjs";
import { heightOf } from "./places.mjs";

/** The most violations that are told one by one. */
const MOST = 20;

/**
 * Compares the headers of all nodes at each height from `from` on. Every acknowledged key, as [key, height, hash],
 * must be in the block that its submitter was told of; no key that is written once may be in two blocks. Returns
 * what is wrong, and the names of such keys in each block.
 */
export async function check(nodes, from, acknowledged) {
  const wrong = [];
  const found = (what) => void (wrong.length < MOST && wrong.push(what));
  const heights = await Promise.all(nodes.map(heightOf));
  if (new Set(heights).size > 1) found(`the nodes are at heights ${heights.join(" and ")}`);
  const chain = await blocks(nodes, from, Math.min(...heights), found);
  /** The height of each name. */
  const places = new Map();
  for (const [height, { names }] of chain) {
    for (const name of names) {
      if (places.has(name)) found(`${name} is in the blocks ${places.get(name)} and ${height}`);
      places.set(name, height);
    }
  }
  for (const { key, height, hash } of acknowledged) {
    const [name, told] = [nameOf(key), Number(height)];
    if (places.get(name) !== told) {
      found(`${name} was acknowledged in block ${told}, and is in ${places.get(name) ?? "none"}`);
    }
    if (chain.get(told)?.hash !== hash) {
      found(`${name} was acknowledged in ${hash}, and block ${told} is ${chain.get(told)?.hash}`);
    }
  }
  return { wrong, contents: [...chain.values()].map(({ names }) => names) };
}

/** The hash and the names of every block, by height. */
async function blocks(nodes, from, to, found) {
  const askers = nodes.map((node) => new Asker(node));
  const chain = new Map();
  for (let height = from; height <= to; height += 1) {
    const at = `0x${height.toString(16)}`;
    const all = await Promise.all(askers.map((asker) => asker.call("prooflight_block", { at })));
    const [first, ...others] = all.map(({ result }) =>
      JSON.stringify([result.header.hash, result.ops]),
    );
    if (others.some((other) => other !== first)) found(`the nodes have different blocks ${height}`);
    const { header, ops } = all[0].result;
    const names = ops.map(({ key }) => nameOf(key)).filter((name) => name !== undefined);
    chain.set(height, { hash: header.hash, names });
  }
  askers.forEach((asker) => asker.close());
  return chain;
}
