// Follows Ethereum from a checkpoint to a receipt in the page: from recorded answers, or from live servers.

import { init } from "prooflight/ethereum";

import { type Cost, type Listener, type Question, travel } from "./journey.js";
import { type Lie, liesAbout } from "./lies.js";
import { readLive } from "./live.js";
import { loadAnswers, optionsOf, serving } from "./recorded.js";
import { type Sample, SAMPLES } from "./transactions.js";
import * as view from "./view.js";

let journeys = 0;

/** Shows a journey, unless a newer one has begun meanwhile. */
async function show(prepare: () => Promise<{ question: Question; origin: string }>): Promise<void> {
  const journey = ++journeys;
  const isCurrent = () => journey === journeys;
  try {
    const [{ question, origin }] = await Promise.all([prepare(), init()]); // init loads the WebAssembly, once
    if (!isCurrent()) return;
    view.showStart(String(question.options.checkpoint), origin);
    await travel(question, listener(origin !== "", isCurrent));
  } catch (error) {
    if (isCurrent()) view.showProblem(error);
  }
}

/** Shows the steps while nothing newer is shown, and at the end what all of them took. */
function listener(isRecorded: boolean, isCurrent: () => boolean): Listener {
  const total: Cost = { milliseconds: 0, requests: 0, bytes: 0 };
  return {
    begins(step) {
      if (isCurrent()) view.showRunning(step);
    },
    verified(step, result, cost) {
      if (!isCurrent()) return;
      view.showVerified(step, result, cost);
      for (const name of ["milliseconds", "requests", "bytes"] as const) total[name] += cost[name];
      if (step === "receipt") view.showArrival(total, isRecorded);
    },
    refused(step, error, cost) {
      if (isCurrent()) view.showRefused(step, error, cost);
    },
  };
}

/** Shows a recorded transaction, and offers lies about it. */
function showSample({ hash }: Sample): void {
  const tell = (lie: Lie | undefined) => {
    view.showChange(lie);
    void show(async () => {
      const answers = await loadAnswers();
      const { origin, license } = answers.about;
      const options = { ...optionsOf(answers), fetch: serving(lie?.answers ?? answers) };
      return { question: { options, hash }, origin: `Data: ${origin}, ${license}` };
    });
  };
  tell(undefined);
  void loadAnswers().then(
    (answers) => {
      view.offerLies(liesAbout(answers, hash), tell);
    },
    () => {
      view.offerLies([], tell); // the journey says why
    },
  );
}

view.offerSamples(SAMPLES, showSample);
view.form.addEventListener("submit", (event) => {
  event.preventDefault();
  view.releaseSamples();
  view.offerLies([], () => undefined);
  const question = readLive(new FormData(view.form));
  void show(() => Promise.resolve({ question, origin: "" }));
});
