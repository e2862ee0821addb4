/** A token in a few instructions. */

type Hex = `0x${string}`;

/** The topics of its logs. */
export const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const APPROVAL = "8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";

/** A token: `balanceOf`, `allowance`, `approve`, and `transfer` for any other selector. */
export const token = (): Hex => {
  const start = ["5f3560e01c", "806370a0823114606a57", "8063dd62ed3e14607557"].join("");
  const transfer = `60243533548190033355806004355401600435555f52`;
  const logs = (topic: string) => `600435337f${topic}60205fa3`;
  const returnsOne = "60015f5260205ff3";
  const balanceOf = "5b600435545f5260205ff3";
  const allowance = "5b60043560243501545f5260205ff3";
  const approve = `5b602435806004353301555f52`;
  return `0x${start}8063095ea7b314608457${transfer}${logs(TRANSFER)}${returnsOne}${balanceOf}${allowance}${approve}${logs(APPROVAL)}${returnsOne}`;
};
