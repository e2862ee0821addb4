import "prooflight/inline";

import { check } from "./check.js";

async function main() {
  const inputs = await (await fetch("public/inputs.json")).json();
  const worker = await activeWorker();
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  worker.postMessage(inputs, [port2]);
  const outcome = { page: await check(inputs), serviceWorker: await answer };
  document.title = JSON.stringify(outcome);
}

/** The active service worker; it need not control this page. */
async function activeWorker() {
  const registered = await navigator.serviceWorker.register("dist/service-worker.js");
  const worker = registered.installing ?? registered.waiting ?? registered.active;
  while (worker.state !== "activated") {
    await new Promise((resolve) => worker.addEventListener("statechange", resolve, { once: true }));
  }
  return worker;
}

void main();
