// Sees what a fetch sends and receives: the requests, the bytes of their replies, and questions of JSON-RPC with theirs.

type Bytes = Uint8Array<ArrayBuffer>;

/** A question of JSON-RPC, of a batch or alone, and its part of the reply once that has arrived. */
export interface Exchange {
  id: unknown;
  method: string;
  params: readonly unknown[];
  /** When it was asked, in milliseconds. */
  asked: number;
  bytes: number;
  result: unknown;
}

export class Meter {
  readonly fetch: typeof fetch;
  readonly exchanges: Exchange[] = [];
  #requests = 0;
  #bytes = 0;

  constructor(send: typeof fetch) {
    this.fetch = async (...request) => {
      this.#requests += 1;
      const exchanges = exchangesOf(request[1]?.body);
      this.exchanges.push(...exchanges);
      const response = await send(...request);
      if (!response.ok || !response.body) return response;
      const decoder = new TextDecoder();
      let text = "";
      const count = new TransformStream<Bytes, Bytes>({
        transform: (part, stream) => {
          this.#bytes += part.length;
          if (exchanges.length > 0) text += decoder.decode(part, { stream: true });
          stream.enqueue(part);
        },
        flush: () => {
          if (exchanges.length > 0) readReply(exchanges, text);
        },
      });
      const { status, headers } = response;
      return new Response(response.body.pipeThrough(count), { status, headers });
    };
  }

  read() {
    return { requests: this.#requests, bytes: this.#bytes };
  }

  since({ requests, bytes }: { requests: number; bytes: number }) {
    return { requests: this.#requests - requests, bytes: this.#bytes - bytes };
  }
}

function exchangesOf(body: unknown): Exchange[] {
  if (typeof body !== "string") return [];
  const asked = performance.now();
  return together(JSON.parse(body)).map((question) => ({
    ...(question as Pick<Exchange, "id" | "method" | "params">),
    ...{ asked, bytes: 0, result: undefined },
  }));
}

function readReply(exchanges: readonly Exchange[], text: string): void {
  const replies = together(JSON.parse(text)) as { id: unknown; result?: unknown }[];
  for (const exchange of exchanges) {
    const reply = replies.find(({ id }) => id === exchange.id);
    if (!reply) continue;
    exchange.bytes = JSON.stringify(reply).length;
    exchange.result = reply.result;
  }
}

/** A batch, or one alone as a batch. */
const together = (given: unknown): unknown[] => (Array.isArray(given) ? given : [given]);
