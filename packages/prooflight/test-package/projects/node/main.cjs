const { readFileSync } = require("node:fs");

Promise.all([import("./check.js"), import("./ethereum.js")]).then(
  async ([{ check }, { checkEthereum }]) => {
    const inputs = JSON.parse(readFileSync("public/inputs.json", "utf8"));
    const ethereum = await checkEthereum(async (name) => readFileSync(`public/ethereum/${name}`));
    console.log(JSON.stringify({ ...(await check(inputs)), ethereum }));
  },
);
