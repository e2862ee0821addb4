/** Blocks: headers by their hashes, and bodies by the roots in them. */

import type { BlockBody } from "../../ethereum/bodies.js";
import type { BlockName } from "../../ethereum/options.js";
import type { ChainView } from "../../ethereum/view.js";
import { blockAt, hashAt, quantity, wrong } from "../request.js";
import type { Chain, Method, Parameters } from "./chain.js";
import { blockJson, ommerJson } from "./json.js";

export const blockNumber: Method = async (chain) =>
  chain.ask(async (view) => quantity((await view.block("latest")).header.number));

/** A method about a block by its tag or number, and a method about one by its hash. */
export type MethodPair = readonly [byNumber: Method, byHash: Method];

/** A question about a block, with the chain and the view that answer it. */
interface BlockQuestion {
  chain: Chain;
  view: ChainView;
  params: Parameters;
  name: string;
}

/** Asks about the body of a block, by its number or its hash; null if there is no such block. */
export function aboutBody(
  answer: (body: BlockBody, question: BlockQuestion) => unknown,
): MethodPair {
  const ask =
    (chain: Chain, params: Parameters, name: string, block: BlockName) =>
    async (view: ChainView): Promise<unknown> => {
      const found = await view.find(block);
      return found && answer(await view.body(found), { chain, view, params, name });
    };
  return [
    async (chain, params, name) =>
      chain.ask(ask(chain, params, name, blockAt(name, params, 0, true))),
    async (chain, params, name) => {
      const hash = hashAt(name, params, 0);
      return chain.askByHash({ method: name, params }, hash, ask(chain, params, name, hash));
    },
  ];
}

export const [getBlockByNumber, getBlockByHash] = requireFullFlag(
  aboutBody((body, { params }) => blockJson(body, params[1] === true)),
);

/** Before any server is asked, requires the parameter that says whether transactions are wanted. */
function requireFullFlag(pair: MethodPair): MethodPair {
  const check =
    (method: Method): Method =>
    (chain, params, name) => {
      if (typeof params[1] === "boolean") return method(chain, params, name);
      throw wrong(name, "a boolean as parameter 1", params[1]);
    };
  return [check(pair[0]), check(pair[1])];
}

export const [countByNumber, countByHash] = aboutBody(({ hashes }) =>
  quantity(BigInt(hashes.length)),
);

export const [unclesByNumber, unclesByHash] = aboutBody(({ ommers }) =>
  quantity(BigInt(ommers.length)),
);

export const [uncleByNumber, uncleByHash] = aboutBody(({ ommers }, { params, name }) => {
  const ommer = ommers[indexAt(name, params)];
  return ommer ? ommerJson(ommer) : null;
});

/** The index in a block, which is the second parameter. */
export function indexAt(name: string, params: Parameters): number {
  const given = params[1];
  if (typeof given === "string" && /^0x(0|[1-9a-f][0-9a-f]{0,7})$/i.test(given)) {
    return Number(given);
  }
  throw wrong(name, "an index as parameter 1", given);
}

/** The age of a head, in slots, up to which it counts as current. */
const MAX_SLOTS_BEHIND = 3n;

/** False, or an object if the newest head is older than three slots. */
export const syncing: Method = async (chain: Chain) => {
  const { now, secondsPerSlot } = chain.settings;
  const { header } = await chain.ask((view) => view.block("latest"));
  const age = now() / 1000n - header.timestamp;
  if (secondsPerSlot === undefined || age <= MAX_SLOTS_BEHIND * secondsPerSlot) return false;
  const current = quantity(header.number);
  // At most one block in each slot since then.
  const highest = quantity(header.number + age / secondsPerSlot);
  return { startingBlock: current, currentBlock: current, highestBlock: highest };
};
