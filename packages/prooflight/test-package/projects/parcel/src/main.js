import { check } from "../check.js";

async function main() {
  const inputs = await (await fetch("/public/inputs.json")).json();
  document.title = JSON.stringify(await check(inputs));
}

void main();
