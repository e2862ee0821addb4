/** Bodies of JSON-RPC, which are one call or a batch. */

/** A call, as servers receive it. */
export interface ReceivedCall {
  id: number;
  method: string;
  params: readonly unknown[];
}

/** Answers the call of a body, or each call of a batch. */
export async function answerEach<Reply>(
  body: string,
  answer: (call: ReceivedCall) => Reply | Promise<Reply>,
): Promise<Reply | Reply[]> {
  const given = JSON.parse(body) as ReceivedCall | ReceivedCall[];
  return Array.isArray(given) ? Promise.all(given.map(answer)) : answer(given);
}

/** Sends the calls of a batch one by one, and gives the replies as those to a batch. */
export const oneByOne =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const body = init?.body as string;
    if (!body.startsWith("[")) return send(input, init);
    const replies = await answerEach(body, async (call): Promise<unknown> => {
      const response = await send(input, { ...init, body: JSON.stringify(call) });
      return response.json();
    });
    return Response.json(replies);
  };
