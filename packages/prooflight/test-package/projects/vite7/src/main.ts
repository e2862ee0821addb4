import { check, type Inputs } from "../check.js";

async function main(): Promise<void> {
  const inputs = (await (await fetch("/inputs.json")).json()) as Inputs;
  document.title = JSON.stringify(
    await check(inputs).catch(({ code, reason, message }: Record<string, string>) => ({
      ...{ code, reason, message },
    })),
  );
}

void main();
