// Swaps on Ethereum: the offers of sites, and what each would do before it is signed.

import { REASONS, VerifyError } from "prooflight";
import type { Hex, Simulation } from "prooflight/ethereum";

import { type Offer, type Recorded, Simulator, warningsAbout } from "../swap.js";
import {
  type Content,
  decimals,
  element,
  fill,
  find,
  number,
  plural,
  rows,
  sentence,
} from "./dom.js";

/** Offers the recorded swaps; the page shows the rest without them if they cannot be loaded. */
export async function offerSwaps(): Promise<void> {
  const recorded = await load();
  if (!recorded) {
    fill(find("offers"), "The recorded offers could not be loaded.");
    return;
  }
  const simulator = new Simulator(recorded);
  let chosen: Offer | undefined;
  const buttons = recorded.offers.map((offer) => {
    const button = element("button", offer.name);
    button.type = "button";
    button.ariaPressed = "false";
    button.addEventListener("click", () => {
      chosen = offer;
      for (const other of buttons) other.ariaPressed = String(other === button);
      void simulate(simulator, offer, () => chosen === offer);
    });
    return button;
  });
  find("offers").replaceChildren(...buttons);
}

async function load(): Promise<Recorded | undefined> {
  try {
    const response = await fetch(new URL("swap.json", document.baseURI));
    return response.ok ? ((await response.json()) as Recorded) : undefined;
  } catch {
    return undefined;
  }
}

/** Simulates an offer, and shows what it would do unless another one has been chosen meanwhile. */
async function simulate(
  simulator: Simulator,
  offer: Offer,
  isChosen: () => boolean,
): Promise<void> {
  const outcome = find("swap-outcome");
  const show = (state: string, content: readonly Node[]) => {
    if (!isChosen()) return;
    outcome.hidden = false;
    outcome.dataset.state = state;
    fill(outcome, [element("blockquote", offer.says), ...content]);
  };
  show("waiting", [element("p", "Being simulated …")]);
  try {
    const simulation = await simulator.simulate(offer);
    const warnings = warningsAbout(simulator.recorded, offer, simulation);
    show(
      warnings.length === 0 ? "verified" : "refused",
      contentOf(simulator.recorded, simulation, warnings),
    );
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    const { code, reason } = error;
    show("problem", [
      element("p", [element("b", "Not simulated: "), `${code}, ${reason}. `]),
      element("p", sentence(REASONS[reason].meaning)),
    ]);
  }
}

function contentOf(
  recorded: Recorded,
  simulation: Simulation,
  warnings: readonly string[],
): Node[] {
  const { calls, block, rounds, bytes } = simulation;
  const judgement = warnings.length === 0 ? "Nothing found against it" : "Do not sign";
  return [
    element("p", judgement, "judgement"),
    ...(warnings.length === 0 ? [] : [list(warnings, "warnings")]),
    element("h3", "What would change"),
    list(orNothing(changesOf(recorded, simulation)), "swap-changes"),
    element("h3", "What others may take afterwards, by the logs"),
    list(orNothing(approvalsOf(recorded, simulation)), "approvals"),
    element("h3", "Code and delegations"),
    list(orNothing(codesOf(recorded, simulation)), "codes"),
    element(
      "dl",
      rows([
        ...calls.map(({ status, gasUsed }, at): [string, string] => [
          `Transaction ${at + 1}`,
          `${status}, ${number(gasUsed)} gas`,
        ]),
        ["After block", number(block.number)],
        [
          "Proven state",
          rounds === 0
            ? "known already"
            : `${number(bytes)} bytes in ${plural(rounds, "round trip")}`,
        ],
      ]),
    ),
    element(
      "small",
      `A statement about block ${number(block.number)}: in a later one, a contract may act otherwise. Fees are not counted. ` +
        "Balances and allowances are what the tokens’ contracts give before and after; other ways to approve are not seen. A contract can " +
        "notice that it is simulated. This page has no key, so it does not sign.",
    ),
  ];
}

const nameOf = ({ names }: Recorded, address: Hex): string =>
  names[address] ?? `${address.slice(0, 8)}…${address.slice(-4)}`;

const symbolOf = ({ tokens }: Recorded, token: Hex): string => tokens[token]?.symbol ?? token;

/** An amount of a token in its unit; in its smallest units if that is not known. */
const amountOf = ({ tokens }: Recorded, token: Hex, amount: bigint): string =>
  decimals(amount, tokens[token]?.decimals ?? 0);

/** The changes of ether and tokens, the user's first. */
function changesOf(recorded: Recorded, { accounts, tokens }: Simulation): Content[] {
  const ether = accounts.map(({ address, balance: { before, after } }) => ({
    owner: address,
    change: after - before,
    text: (amount: bigint) => `${decimals(amount, 18)} ETH`,
  }));
  const others = tokens.map(({ owner, token, before, after }) => ({
    owner,
    change: after - before,
    text: (amount: bigint) => `${amountOf(recorded, token, amount)} ${symbolOf(recorded, token)}`,
  }));
  const isUser = (owner: Hex) => Number(owner === recorded.user);
  return [...ether, ...others]
    .filter(({ change }) => change !== 0n)
    .sort((one, other) => isUser(other.owner) - isUser(one.owner))
    .map(({ owner, change, text }) => {
      const shown = element(
        "b",
        `${change < 0n ? "−" : "+"}${text(change < 0n ? -change : change)}`,
      );
      shown.dataset.sign = change < 0n ? "less" : "more";
      return [element("span", nameOf(recorded, owner)), shown];
    });
}

/** What spenders may take, where something is left to take. */
const approvalsOf = (recorded: Recorded, { approvals }: Simulation): Content[] =>
  approvals
    .filter(({ after }) => after > 0n)
    .map(({ owner, spender, token, after }) => {
      const amount = after >= 1n << 255n ? "all" : amountOf(recorded, token, after);
      const whose = owner === recorded.user ? "your" : nameOf(recorded, owner);
      return [
        element("b", `${nameOf(recorded, spender)}: ${amount} ${symbolOf(recorded, token)}`),
        ` of ${whose} account`,
      ];
    });

/** The accounts whose code changes. */
const codesOf = (recorded: Recorded, { accounts }: Simulation): Content[] =>
  accounts.flatMap(({ address, code, delegate }) =>
    code === undefined
      ? []
      : [
          [
            element("b", nameOf(recorded, address)),
            delegate === undefined
              ? ` has ${plural(code.length / 2 - 1, "byte")} of code`
              : ` runs the code of ${nameOf(recorded, delegate)}`,
          ],
        ],
  );

const orNothing = (items: readonly Content[]): readonly Content[] =>
  items.length === 0 ? ["nothing"] : items;

const list = (items: readonly Content[], name: string): HTMLElement =>
  element(
    "ul",
    items.map((item) => element("li", item)),
    name,
  );
