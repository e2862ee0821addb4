// Saves verified answers as files, and verifies saved ones.

import { REASONS, VerifyError } from "prooflight";

import { NotABundle, type Verified } from "../bundle.js";
import { amountText } from "./accounts.js";
import { element, fill, find, markDifference, number, rows, sentence } from "./dom.js";

/** Saves a file as a download. */
export function save(file: File): void {
  const link = element("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 60_000);
}

/** Shows the verified answers of a file. */
export function showFile(name: string, { header, results }: Verified): void {
  showOutcome("verified", [
    element("p", [
      element("b", "Verified. "),
      `${name} has the state after block ${number(header.height)}:`,
    ]),
    element("dl", rows(results.map(({ name, result }) => [name, fileAmount(result)])), "amounts"),
  ]);
}

/** Shows why a file was refused. Rethrows errors that are the page's own fault. */
export function showFileRefused(name: string, error: unknown): void {
  if (error instanceof NotABundle) {
    showOutcome("problem", [
      element("p", [element("b", `${name} cannot be verified. `), error.message]),
    ]);
    return;
  }
  if (!(error instanceof VerifyError)) throw error;
  const { code, reason, details } = error;
  showOutcome("refused", [
    element("p", [element("b", `${name} is refused. `), sentence(REASONS[reason].meaning)]),
    element(
      "dl",
      rows([
        ["Code", [element("code", code)]],
        ["Reason", [element("code", reason)]],
        ["Expected", markDifference(details.expected, details.found)],
        ["Found", markDifference(details.found, details.expected)],
      ]),
    ),
  ]);
}

const fileAmount = (result: Verified["results"][number]["result"]): string =>
  result.kind === "absent" ? "no such account" : amountText(result);

function showOutcome(state: string, content: Node[]): void {
  find("file-outcome").dataset.state = state;
  fill(find("file-outcome"), content);
  find("file-outcome").scrollIntoView({ block: "nearest" });
}
