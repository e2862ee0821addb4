const { readFileSync } = require("node:fs");

import("./check.js").then(async ({ check }) => {
  const inputs = JSON.parse(readFileSync("public/inputs.json", "utf8"));
  console.log(JSON.stringify(await check(inputs)));
});
