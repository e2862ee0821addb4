/** Logs: all of a range, and no others. */

import { Arguments, invalid } from "../../arguments.js";
import type { Json } from "../../ethereum/decode.js";
import { logs } from "../../ethereum/logs/complete.js";
import { type LogsOptions, type LogsQuery, readLogsOptions } from "../../ethereum/logs/query.js";
import { unionLogs } from "../../ethereum/logs/union.js";
import type { BlockName } from "../../ethereum/options.js";
import type { ChainView } from "../../ethereum/view.js";
import { blockAt, hashAt, type RequestArguments, wrong } from "../request.js";
import type { Chain, Method, Parameters } from "./chain.js";
import { foundLogJson } from "./json.js";

/** The most positions of topics, as logs have them. */
const MAX_TOPICS = 4;

/** The filter of a request; throws `invalid_argument`. */
export function filterAt(name: string, params: Parameters, index: number): LogsQuery {
  const names = ["address", "topics", "fromBlock", "toBlock", "blockHash"] as const;
  const given = new Arguments("mpt", params[index] ?? {}, names, `the filter of ${name}`);
  const member = (key: (typeof names)[number]) => given.unchecked(key) ?? undefined;
  const topics = member("topics");
  if (topics !== undefined && !(Array.isArray(topics) && topics.length <= MAX_TOPICS)) {
    throw wrong(name, `at most ${MAX_TOPICS} topics`, topics);
  }
  const [from, to] = range(name, member("blockHash"), member("fromBlock"), member("toBlock"));
  const options = { address: member("address"), topics, from, to };
  return readLogsOptions(options as LogsOptions);
}

function range(
  name: string,
  hash: unknown,
  from: unknown,
  to: unknown,
): readonly [BlockName, BlockName] {
  if (hash === undefined) return [blockAt(name, [from], 0, true), blockAt(name, [to], 0, true)];
  if (from !== undefined || to !== undefined) {
    throw invalid("mpt", `the filter of ${name}`, "of blockHash or of a range", "both");
  }
  const block = hashAt(name, [hash], 0);
  return [block, block];
}

export const getLogs: Method = async (chain, params, name) =>
  logsFor(chain, filterAt(name, params, 0), { method: name, params });

/** The logs that a filter matches, as the option `logs` says. */
export async function logsFor(
  chain: Chain,
  question: LogsQuery,
  request: RequestArguments,
): Promise<Json[]> {
  // All logs of one block cost less than the answers of several servers.
  if (chain.settings.logs === "complete" || question.from === question.to) {
    return chain.ask((view) => logsOf(view, question));
  }
  await chain.ask((view) => checkRange(view, question));
  const found = await unionLogs(chain.settings.follower, question);
  await chain.allowUnproven(request);
  return found.map(foundLogJson);
}

/** All logs that a filter matches. */
export async function logsOf(view: ChainView, question: LogsQuery): Promise<Json[]> {
  await checkRange(view, question);
  return (await logs(view, question)).map(foundLogJson);
}

/** Throws `invalid_argument` for blocks above the head. */
async function checkRange(view: ChainView, { from, to }: LogsQuery): Promise<void> {
  const { number } = (await view.block("latest")).header;
  for (const block of [from, to]) {
    if (typeof block !== "bigint" || block <= number) continue;
    throw invalid("mpt", "the range of the filter", `blocks up to the head, ${number}`, `${block}`);
  }
}
