// Sees what a fetch sends and receives: the requests, the bytes of their replies, and questions of JSON-RPC with theirs.

type Bytes = Uint8Array<ArrayBuffer>;

/** A question of JSON-RPC, and the reply, as far as it has arrived. */
export interface Exchange {
  method: string;
  params: readonly unknown[];
  /** When it was asked, in milliseconds. */
  asked: number;
  bytes: number;
  text: string;
}

export class Meter {
  readonly fetch: typeof fetch;
  readonly exchanges: Exchange[] = [];
  #requests = 0;
  #bytes = 0;

  constructor(send: typeof fetch) {
    this.fetch = async (...request) => {
      this.#requests += 1;
      const exchange = exchangeOf(request[1]?.body);
      if (exchange) this.exchanges.push(exchange);
      const response = await send(...request);
      if (!response.ok || !response.body) return response;
      const decoder = new TextDecoder();
      const count = new TransformStream<Bytes, Bytes>({
        transform: (part, stream) => {
          this.#bytes += part.length;
          if (exchange) {
            exchange.bytes += part.length;
            exchange.text += decoder.decode(part, { stream: true });
          }
          stream.enqueue(part);
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

function exchangeOf(body: unknown): Exchange | undefined {
  if (typeof body !== "string") return undefined;
  const { method, params } = JSON.parse(body) as Pick<Exchange, "method" | "params">;
  return { method, params, asked: performance.now(), bytes: 0, text: "" };
}
