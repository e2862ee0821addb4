import "prooflight/inline";

import { check } from "./check.js";

self.addEventListener("message", (event) => {
  const [port] = event.ports;
  event.waitUntil(check(event.data).then((outcome) => port.postMessage(outcome)));
});
