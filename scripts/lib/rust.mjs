// The Rust toolchain of rust-toolchain.toml and the tools that cargo builds.

import { readFileSync } from "node:fs";

import { ask } from "./command.mjs";
import { inside, tools } from "./paths.mjs";
import { cargoTools } from "./versions.mjs";

/** The contents of rust-toolchain.toml. */
export function wanted() {
  const text = readFileSync(inside("rust-toolchain.toml"), "utf8");
  const list = (name) => [...line(name).matchAll(/"([^"]+)"/g)].map(([, item]) => item);
  const line = (name) => new RegExp(`^${name}\\s*=(.*)$`, "m").exec(text)?.[1] ?? "";
  return { channel: list("channel")[0], components: list("components"), targets: list("targets") };
}

/** The pinned toolchain with its components and targets. */
export const toolchain = {
  title: `Rust ${wanted().channel}`,
  requires: ["rustup"],
  ready() {
    const { channel, components, targets } = wanted();
    const installed = installedParts(channel);
    return installed !== undefined && missing(installed, components, targets).length === 0;
  },
  async install({ sh }) {
    const { channel, components, targets } = wanted();
    const installed = installedParts(channel);
    if (installed === undefined) {
      await sh("rustup", [
        "toolchain",
        "install",
        channel,
        "--profile",
        "minimal",
        "--no-self-update",
      ]);
    }
    // An explicit toolchain keeps rustup from reading rust-toolchain.toml, whose toolchain may still
    // be incomplete.
    await sh("rustup", ["component", "add", "--toolchain", channel, ...components]);
    await sh("rustup", ["target", "add", "--toolchain", channel, ...targets]);
  },
};

/** The tools run only briefly, so a fast build matters more than fast tools. */
const QUICK_BUILD = {
  CARGO_PROFILE_RELEASE_OPT_LEVEL: "0",
  CARGO_PROFILE_RELEASE_LTO: "off",
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "256",
};

/** A tool of `cargoTools`: the installed one if it has that version, else built from source into our own folder. */
export function cargoTool(name) {
  const { crate, version } = cargoTools[name];
  return {
    title: `${name} ${version}`,
    requires: ["rustup", "cc"],
    ready: () => ask(name, "--version")?.split(/\s+/).includes(version) ?? false,
    install: ({ sh }) => {
      const what = ["--bin", name, "--root", tools, `${crate}@${version}`];
      return sh("cargo", ["install", "--locked", "--force", ...what], { env: QUICK_BUILD });
    },
  };
}

function installedParts(channel) {
  const options = ["--installed", "--toolchain", channel];
  const components = ask("rustup", "component", "list", ...options);
  return components?.split("\n");
}

function missing(installed, components, targets) {
  const has = (part) => installed.some((line) => line === part || line.startsWith(`${part}-`));
  return [...components, ...targets.map((target) => `rust-std-${target}`)].filter(
    (part) => !has(part),
  );
}
