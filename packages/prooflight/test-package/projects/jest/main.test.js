const { VerifyError } = require("prooflight");
const { check } = require("./check.js");
const inputs = require("./public/inputs.json");
const expected = require("./public/outcome.json");

test("verifies, and refuses forgeries", async () => {
  const outcome = check(inputs);
  if (typeof fetch === "function") {
    await expect(outcome).resolves.toEqual(expected);
  } else {
    const refused = await outcome.catch((error) => error);
    expect(refused).toBeInstanceOf(VerifyError);
    expect(refused.reason).toBe("invalid_argument");
    expect(refused.message).toContain("fetch");
    const { client, ...others } = expected;
    await expect(check({ ...inputs, chain: undefined })).resolves.toEqual(others);
  }
});
