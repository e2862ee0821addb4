// The browser for the tests: the system's Chromium, or another browser of its family.

import { existsSync, readFileSync } from "node:fs";

import { ask } from "./command.mjs";
import { environment } from "./environment.mjs";
import { Problem } from "./task.mjs";

const CANDIDATES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Finds a working browser and puts its path into PROOFLIGHT_CHROMIUM for the tests. */
export const chromium = {
  title: "Chromium",
  requires: [],
  ready() {
    const found = find();
    if (found) environment.PROOFLIGHT_CHROMIUM = found;
    return found !== undefined;
  },
  async install({ sh }) {
    if (process.env.PROOFLIGHT_CHROMIUM) {
      throw new Problem(
        `PROOFLIGHT_CHROMIUM is ${process.env.PROOFLIGHT_CHROMIUM}, which does not start.`,
      );
    }
    if (aptWorks()) {
      const env = { DEBIAN_FRONTEND: "noninteractive" };
      await sh("apt-get", ["update"], { env });
      await sh("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], { env });
    }
    if (!this.ready()) {
      throw new Problem(
        "The browser tests need Chromium or Google Chrome, and none was found on this machine.\n" +
          "Install one (on Debian, as root: apt-get install chromium; elsewhere: https://www.google.com/chrome),\n" +
          "or set PROOFLIGHT_CHROMIUM to its path, and run this again.",
      );
    }
  },
};

function find() {
  const given = process.env.PROOFLIGHT_CHROMIUM;
  for (const candidate of given ? [given] : CANDIDATES) {
    const path = candidate.startsWith("/") ? candidate : ask("sh", "-c", `command -v ${candidate}`);
    // Start it: the program could be a stub that only suggests installing a snap.
    if (path && ask(path, "--version")) return path;
  }
  return undefined;
}

function aptWorks() {
  const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  return /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(release) && process.getuid?.() === 0;
}
