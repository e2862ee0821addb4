import { expect, test } from "@jest/globals";

import expected from "../public/outcome.json";
import inputs from "../public/inputs.json";
import { check, type Inputs } from "./check";

test("verifies, and refuses forgeries", async () => {
  await expect(check(inputs as unknown as Inputs)).resolves.toEqual(expected);
});
