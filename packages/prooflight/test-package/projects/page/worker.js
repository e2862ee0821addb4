import { check } from "./check.js";

self.addEventListener("message", async ({ data }) => self.postMessage(await check(data)));
