import { check, type Inputs } from "../check.js";
import { checkEthereum } from "../ethereum.js";

async function main(): Promise<void> {
  const inputs = (await (await fetch("/inputs.json")).json()) as Inputs;
  const ethereum = await checkEthereum(async (name) => {
    const response = await fetch(`/ethereum/${name}`);
    return new Uint8Array(await response.arrayBuffer());
  });
  document.title = JSON.stringify({ ...(await check(inputs)), ethereum });
}

void main();
