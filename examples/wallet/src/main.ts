// Puts the wallet, the liar and the page together.

import { type Answer, type BundleTrust, VerifyError } from "prooflight";

import { onFile } from "../../page/files.js";
import { toFile, verifyFile } from "./bundle.js";
import { type Demo, loadDemo, NoDemo } from "./demo.js";
import { Liar } from "./liar.js";
import type { Step } from "./past.js";
import { OF_THE_PAST } from "./scheme.js";
import { confirm, NotSent, send, type Transfer } from "./transfer.js";
import * as accounts from "./view/accounts.js";
import { button, fill, find, input } from "./view/dom.js";
import { showBlocks } from "./view/blocks.js";
import { showEvidence } from "./view/evidence.js";
import * as files from "./view/file.js";
import * as liarView from "./view/liar.js";
import * as listView from "./view/list.js";
import * as pastView from "./view/past.js";
import * as point from "./view/point.js";
import { offerSchemes, showSchemes } from "./view/schemes.js";
import * as sending from "./view/send.js";
import { offerSwaps } from "./view/swap.js";
import { showPill, showVerdict } from "./view/verdict.js";
import { bestAnswer, Wallet } from "./wallet.js";

/** The interval of checking whether a demo has been started, in milliseconds. */
const LOOK_AGAIN = 3000;

function run({ servers, checkpoint, accounts: own, insecureSetup }: Demo): void {
  const liar = new Liar(servers.proxy);
  const wallet = new Wallet({
    // Two ways to the node: if one fails or lies, the client uses the other.
    urls: [servers.node, new URL("honest", servers.proxy)],
    checkpoint,
    allowInsecureSetup: insecureSetup,
    fetch: liar.fetch,
    onChange: show,
  });
  own.forEach((name) => wallet.watch(name));
  const keepsPast = wallet.schemes.includes(OF_THE_PAST);
  find("past").hidden = !keepsPast;

  function show(): void {
    showVerdict(wallet, (server) => liar.isInFrontOf(server));
    showPill(wallet);
    accounts.showAccounts(wallet, own, accountActions);
    showSchemes(wallet);
    showEvidence(wallet, checkpoint);
    if (keepsPast) pastView.showPast(wallet, pastActions);
    listView.showList(wallet, listActions);
    showBlocks(wallet.blocks);
    sending.offerAccounts(wallet);
    liarView.showOutcome(wallet.status);
    button("save").disabled = !wallet.chosen?.answer;
  }

  const accountActions: accounts.Actions = {
    choose(name) {
      wallet.watch(name);
      wallet.choose(name);
    },
    remove(name) {
      wallet.unwatch(name);
    },
  };

  const listActions: listView.Actions = {
    choose: accountActions.choose,
    turn(to) {
      wallet.turnList(to);
    },
    walk() {
      wallet.walkList();
    },
  };

  const pastActions: pastView.Actions = {
    chooseRange(range) {
      wallet.chooseRange(range);
    },
    inspect({ name }, step) {
      void inspect(wallet, name, step);
    },
  };

  offerSchemes(wallet, insecureSetup, (scheme) => {
    wallet.chooseScheme(scheme);
  });
  pastView.offerPast(pastActions, show);
  listView.offerList(wallet, listActions);
  accounts.offerLookups(accountActions);
  sending.offerSending((transfer) => sendAndConfirm(wallet, servers.node, transfer));
  onFile(
    input("file"),
    (file) => void verify(file, { checkpoint, allowInsecureSetup: insecureSetup }),
  );
  find("save").addEventListener("click", () => {
    const answer = wallet.chosen && bestAnswer(wallet.chosen);
    if (answer) files.save(toFile(wallet.chosen.name, answer));
  });
  liar.lies().then(
    (lies) => {
      liarView.offerLies(lies, {
        async tell(lie, everywhere) {
          if (lie) liar.tell(lie, everywhere);
          else liar.leave();
          await wallet.restart();
          return wallet.status;
        },
      });
    },
    () => {
      liarView.showNoLiar();
    },
  );
  setInterval(() => {
    showPill(wallet);
  }, 1000);
  void wallet.restart();
}

/** Sends an amount, and reports success once the new balances are verified. */
async function sendAndConfirm(wallet: Wallet, node: URL, transfer: Transfer): Promise<void> {
  const { from, to } = transfer;
  let height: bigint | undefined;
  try {
    sending.showSending("waiting", "Sending …");
    height = await send(wallet, node, transfer);
    sending.showSending("waiting", `The node says it is in block ${height}. Verifying …`);
    const now = await confirm(wallet, transfer, height);
    const balances = [from, to].map((name, index) => `${name} has ${amountOf(now[index])}`);
    sending.showSending("verified", `Verified in block ${height}: ${balances.join(", ")}.`);
  } catch (error) {
    if (!(error instanceof NotSent || error instanceof VerifyError)) throw error;
    const said = height === undefined ? "Not sent. " : `Block ${height} could not be verified. `;
    sending.showSending("failed", said + error.message);
  }
}

const amountOf = (answer: Answer | undefined) => (answer ? accounts.amountText(answer) : "nothing");

/** Shows the proof of the block of a change. */
async function inspect(wallet: Wallet, name: string, step: Step): Promise<void> {
  point.showAsking(step);
  try {
    const answer = await wallet.readAt(name, step.block);
    point.showPoint(name, answer, () => {
      files.save(toFile(name, answer));
    });
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    point.showPointRefused(step, error);
  }
}

async function verify(file: File, trust: BundleTrust): Promise<void> {
  try {
    files.showFile(file.name, await verifyFile(file, trust));
  } catch (error) {
    files.showFileRefused(file.name, error);
  }
}

/** Starts once there is a demo; until then, shows how to start one. */
async function begin(): Promise<void> {
  try {
    const demo = await loadDemo();
    show(false);
    run(demo);
  } catch (error) {
    if (!(error instanceof NoDemo)) throw error;
    fill(find("missing-text"), error.message);
    show(true);
    setTimeout(() => void begin(), LOOK_AGAIN);
  }
  function show(missing: boolean): void {
    find("missing").hidden = !missing;
    for (const id of ["verdict", "columns"]) find(id).hidden = missing;
  }
}

void offerSwaps();
void begin();
