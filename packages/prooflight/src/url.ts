/** Text about URLs. Of a URL only the origin is shown: the other parts may hold a password or a key. */

/** Parses a URL; undefined if it is none. (`URL.canParse` and `URL.parse` are too new.) */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The scheme and host of a URL. (`origin` is "null" for most schemes, and React Native's `URL` has none.) */
export const originOf = ({ protocol, host }: URL): string => `${protocol}//${host}`;

/** A text with every http and WebSocket URL in it cut down to its origin. */
export function withOrigins(text: string): string {
  // A text that begins with a URL is nothing else, and may contain spaces.
  return text.replace(WHOLE.test(text) ? /^.*$/s : URLS, (found) => {
    const url = parseUrl(found);
    if (!url) return `${found.slice(0, found.indexOf(":"))}://…`;
    const origin = originOf(url);
    return /^\/?$/.test(found.slice(origin.length)) && found.startsWith(origin)
      ? origin
      : `${origin}/…`;
  });
}

const WHOLE = /^\s*(?:https?|wss?):/i;
const URLS = /\b(?:https?|wss?):[/\\][^\s"'`<>]*/gi;
