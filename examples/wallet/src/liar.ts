// The liar: a proxy that passes on the node's answers, except for one lie (packages/lying-proxy).

/** A lie that the proxy can tell. */
export interface Lie {
  /** Its name, which is a path of the proxy. */
  name: string;
  title: string;
  explanation: string;
  /** The code and reason with which a client should refuse it. */
  code: string;
  reason: string;
}

/** Sits between the page and its servers, and lies on request. */
export class Liar {
  readonly #proxy: URL;
  #telling: Lie | undefined;
  /** Whether it sits in front of every server. */
  #everywhere = true;
  /** If not: the server that it sits in front of, once one is asked. */
  #inFrontOf: string | undefined;

  constructor(proxy: URL) {
    this.#proxy = proxy;
  }

  /** The available lies. Throws if the proxy does not answer. */
  async lies(): Promise<Lie[]> {
    const response = await fetch(new URL("lies", this.#proxy));
    return (await response.json()) as Lie[];
  }

  /** Tells a lie in front of every server, or only of the one that is asked first from now on. */
  tell(lie: Lie, everywhere: boolean): void {
    this.#telling = lie;
    this.#everywhere = everywhere;
    this.#inFrontOf = undefined;
  }

  /** Stops lying. */
  leave(): void {
    this.#telling = undefined;
  }

  isInFrontOf(server: string): boolean {
    return this.#telling !== undefined && (this.#everywhere || this.#inFrontOf === server);
  }

  /** Sends a request, through the liar if it sits in front of the requested server. */
  readonly fetch: typeof fetch = (input, init) => {
    const { href } = new URL(input instanceof Request ? input.url : input);
    this.#inFrontOf ??= href;
    if (!this.#telling || !this.isInFrontOf(href)) return fetch(input, init);
    return fetch(new URL(this.#telling.name, this.#proxy), init);
  };
}
