// Follows Ethereum from a checkpoint to a receipt, or to what a contract returns: from recorded answers, or
// from live servers.

import { init } from "prooflight/ethereum";

import { type Listener, type Question, travel } from "./journey.js";
import { type Lie, liesAboutCall, liesAboutReceipt } from "./lies.js";
import { readLive } from "./live.js";
import { type Answers, loadAnswers, optionsOf, serving } from "./recorded.js";
import { type Sample, SAMPLES } from "./samples.js";
import * as view from "./view.js";

let journeys = 0;

/** Shows a journey, unless a newer one has begun meanwhile. */
async function show(prepare: () => Promise<{ question: Question; origin: string }>): Promise<void> {
  const journey = ++journeys;
  const isCurrent = () => journey === journeys;
  try {
    const [{ question, origin }] = await Promise.all([prepare(), init()]); // init loads the WebAssembly, once
    if (!isCurrent()) return;
    view.showStart(question, origin);
    await travel(question, listener(question, origin !== "", isCurrent));
  } catch (error) {
    if (isCurrent()) view.showProblem(error);
  }
}

/** Shows the steps while nothing newer is shown, and at the end what all of them took. */
function listener({ kind }: Question, isRecorded: boolean, isCurrent: () => boolean): Listener {
  return {
    begins(step) {
      if (isCurrent()) view.showRunning(step);
    },
    verified(step, result, cost) {
      if (isCurrent()) view.showVerified(step, result, cost);
    },
    refused(step, error, cost) {
      if (isCurrent()) view.showRefused(kind, step, error, cost);
    },
    contradicted(result, cost) {
      if (isCurrent()) view.showContradicted(result, cost);
    },
    arrived(cost) {
      if (isCurrent()) view.showArrival(kind, cost, isRecorded);
    },
  };
}

/** Shows a recorded receipt or call, and offers lies about it. */
function showSample(sample: Sample): void {
  const tell = (lie: Lie | undefined) => {
    view.showChange(lie);
    void show(async () => {
      const answers = await loadAnswers(sample.recording);
      const { origin, license } = answers.about;
      const options = { ...optionsOf(answers), fetch: serving(lie?.answers ?? answers) };
      const question = questionOf(sample, answers, options);
      return { question, origin: `Data: ${origin}, ${license}` };
    });
  };
  tell(undefined);
  void loadAnswers(sample.recording).then(
    (answers) => {
      view.offerLies(liesAbout(sample, answers), tell);
    },
    () => {
      view.offerLies([], tell); // the journey says why
    },
  );
}

function questionOf(sample: Sample, answers: Answers, options: Question["options"]): Question {
  if (sample.recording === "receipt") return { options, kind: "receipt", hash: sample.hash };
  if (!answers.state?.call) throw new Error("no call was recorded");
  return { options, kind: "call", call: answers.state.call };
}

const liesAbout = (sample: Sample, answers: Answers): Lie[] =>
  sample.recording === "receipt" ? liesAboutReceipt(answers, sample.hash) : liesAboutCall(answers);

view.offerSamples(SAMPLES, showSample);
view.form.addEventListener("submit", (event) => {
  event.preventDefault();
  view.releaseSamples();
  view.offerLies([], () => undefined);
  const question = readLive(new FormData(view.form));
  void show(() => Promise.resolve({ question, origin: "" }));
});
