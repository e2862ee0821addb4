const { readFileSync } = require("node:fs");

import("./check.js").then(async ({ check }) => {
  const file = JSON.parse(readFileSync("public/ergo_mainnet.json", "utf8"));
  console.log(JSON.stringify(await check(file)));
});
