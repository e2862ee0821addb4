import { check } from "./check.js";

self.addEventListener("message", (event) => {
  event.waitUntil(check(event.data).then((outcome) => event.source.postMessage(outcome)));
});
