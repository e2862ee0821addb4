// The node behind the proxy.

/** The error with which the node answered a call. */
export class RpcError extends Error {}

/**
 * @param {string | URL} target
 */
export function openNode(target) {
  const url = new URL(target);

  /** Forwards a body; returns the reply unchanged. */
  async function post({ body, authorization, origin }) {
    const headers = { "content-type": "application/json" };
    if (authorization) headers.authorization = authorization;
    // Else the node would take what a page sends for a program's.
    if (origin) headers.origin = origin;
    const response = await fetch(url, { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  }

  /** Calls a method; returns its result, or throws an `RpcError`. */
  async function call(method, params) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method, params });
    const { text } = await post({ body });
    const { result, error } = JSON.parse(text);
    if (error) throw new RpcError(error.message);
    return result;
  }

  return { url, post, call };
}
