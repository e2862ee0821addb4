// Counts the requests of a fetch, and the bytes of their replies.

type Bytes = Uint8Array<ArrayBuffer>;

export class Meter {
  readonly fetch: typeof fetch;
  #requests = 0;
  #bytes = 0;

  constructor(send: typeof fetch) {
    this.fetch = async (...request) => {
      this.#requests += 1;
      const response = await send(...request);
      if (!response.ok || !response.body) return response;
      const count = new TransformStream<Bytes, Bytes>({
        transform: (part, stream) => {
          this.#bytes += part.length;
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
