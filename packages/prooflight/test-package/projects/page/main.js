import { check } from "./check.js";

const inputs = await (await fetch("public/inputs.json")).json();

/** Sends the inputs to a worker and waits for its answer. */
function ask(worker, source = worker) {
  return new Promise((resolve) => {
    source.addEventListener("message", ({ data }) => resolve(data), { once: true });
    source.startMessages?.();
    worker.postMessage(inputs);
  });
}

function evalRefused() {
  try {
    new Function("return 1")();
    return false;
  } catch {
    return true;
  }
}

const worker = new Worker("worker.js", { type: "module" });
await navigator.serviceWorker.register("service-worker.js", { type: "module" });
const { active } = await navigator.serviceWorker.ready;

document.title = JSON.stringify({
  evalRefused: evalRefused(),
  page: await check(inputs),
  worker: await ask(worker),
  serviceWorker: await ask(active, navigator.serviceWorker),
});
