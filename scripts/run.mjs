// The entry of every npm script: `node scripts/run.mjs NAME …` runs scripts/NAME.mjs.
// The syntax is old enough that even a very old Node can run it and report that it is too old.

const [major, minor] = process.versions.node.split(".").map(Number);
const [name] = process.argv.splice(2, 1);

if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22)) {
  console.error(
    `\nProoflight needs Node 20.19, 22.12 or newer; this is Node ${process.versions.node} (${process.execPath}).\n` +
      "Install a current version from https://nodejs.org and run this again.",
  );
  process.exitCode = 1;
} else {
  import(`./${name}.mjs`);
}
