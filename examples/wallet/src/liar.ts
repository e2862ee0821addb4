// The liar: a proxy that passes on what the node says, except for one lie (examples/lying-proxy).

/** A lie that the proxy can tell. */
export interface Lie {
  /** Its name, which is a path of the proxy. */
  name: string;
  title: string;
  explanation: string;
  /** The code and the reason with which a client is expected to refuse it. */
  code: string;
  reason: string;
}

/** Sits between the page and its servers, and lies where he is told to. */
export class Liar {
  readonly #proxy: URL;
  /** The lie that is told; undefined while he is not there. */
  telling: Lie | undefined;
  /** The only server that he sits in front of; undefined if it is every one. */
  inFrontOf: string | undefined;

  constructor(proxy: URL) {
    this.#proxy = proxy;
  }

  /** What he can tell. Throws if the proxy does not answer. */
  async lies(): Promise<Lie[]> {
    const response = await fetch(new URL("lies", this.#proxy));
    return (await response.json()) as Lie[];
  }

  /** Sends a request to the liar, if he sits in front of the server that it is for. */
  readonly fetch: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!this.telling || !this.isInFrontOf(url.href)) return fetch(input, init);
    return fetch(new URL(this.telling.name, this.#proxy), init);
  };

  isInFrontOf(server: string): boolean {
    return (
      this.telling !== undefined && (this.inFrontOf === undefined || this.inFrontOf === server)
    );
  }
}
