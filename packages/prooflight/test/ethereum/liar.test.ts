/** A server that changes each field of each of its replies, alone, is never believed. */

import { isDeepStrictEqual } from "node:util";

import { describe, expect, test, vi } from "vitest";

import { VerifyError } from "../../src/error.js";
import type { EthereumClient } from "../../src/ethereum.js";
import { liesAbout, seededRandom } from "./lies.js";
import { signed } from "./provable.js";
import { questionsOf, type Question } from "./questions.js";
import type { Served } from "./serve.js";
import { type Answers, type Asked, connect, honest } from "./servers.js";

const random = seededRandom();

// Hundreds of lies about a block with hundreds of receipts.
vi.setConfig({ testTimeout: 900_000 });

const provable = signed.map(({ name, one, head }) => ({
  name,
  served: head,
  questions: questionsOf(one, head),
}));

/** Asks honest servers, and keeps what they were asked and answered. */
async function honestly<T>(served: Served, json: boolean, ask: (answers: Answers) => Promise<T>) {
  const asked = new Map<string, { asked: Asked; reply: unknown }>();
  const result = await ask((question) => {
    const reply = honest(served, json)(question);
    asked.set(JSON.stringify(question), { asked: question, reply });
    return reply;
  });
  return { result, asked: [...asked.values()] };
}

/** Honest servers, except for the reply to one question. */
const lying =
  (served: Served, json: boolean, about: Asked, reply: unknown): Answers =>
  (asked) =>
    isDeepStrictEqual(asked, about) ? reply : honest(served, json)(asked);

/** Fails if the result is not the honest one, or an error is none of ours. */
async function expectUnbelieved(lie: string, result: Promise<unknown>, honest: unknown) {
  let found: unknown;
  try {
    found = await result;
  } catch (error) {
    if (error instanceof VerifyError && error.code !== "internal") return "refused";
    throw new Error(`${lie}: ${String(error)}`, { cause: error });
  }
  if (!isDeepStrictEqual(found, honest)) throw new Error(`believed: ${lie}`);
  return "as before";
}

const headsOf = ({ latest, finalized }: EthereumClient) => ({ latest, finalized });

describe.each(provable.slice(0, 1))("beacon nodes", ({ served, name }) => {
  test(`lies about the heads of ${name}`, async () => {
    const { result, asked } = await honestly(served, true, async (answers) =>
      headsOf(await connect(served, answers)),
    );
    const outcomes: string[] = [];
    for (const { asked: about, reply } of asked) {
      for (const lie of liesAbout(reply, random)) {
        const told = connect(served, lying(served, true, about, lie.reply)).then(headsOf);
        const text = `${JSON.stringify(about)} ${lie.path}`;
        outcomes.push(await expectUnbelieved(text, told, result));
      }
    }
    expect(outcomes.filter((outcome) => outcome === "refused").length).toBeGreaterThan(100);
  });
});

describe.each(provable.map((one) => [one.name, one] as const))(
  "execution nodes of %s",
  (_, { served, questions }) => {
    test.each(questions.map((question) => [question.name, question] as const))(
      "lies about %s",
      async (_, { ask }: Question) => {
        const { state } = await honestly(served, false, async (answers) => ({
          state: (await connect(served, answers)).export(),
        })).then(({ result }) => result);
        const { result, asked } = await honestly(served, false, async (answers) =>
          ask(await connect(served, answers, { state })),
        );
        const replies = asked.filter(({ asked }) => "method" in asked);
        expect(replies.length).toBeGreaterThan(0);
        // The client keeps headers, and nothing else of a reply: only lies about these need a new client.
        let liar: Answers = honest(served);
        const client = await connect(served, (asked) => liar(asked), { state });
        const outcomes: string[] = [];
        for (const { asked: about, reply } of replies) {
          const isHeader = "params" in about && about.params[1] === false;
          for (const lie of liesAbout(reply, random)) {
            liar = lying(served, false, about, lie.reply);
            const told = isHeader ? connect(served, liar, { state }).then(ask) : ask(client);
            const text = `${JSON.stringify(about)} ${lie.path}`;
            outcomes.push(await expectUnbelieved(text, told, result));
          }
        }
        expect(outcomes).toContain("refused");
      },
    );
  },
);
