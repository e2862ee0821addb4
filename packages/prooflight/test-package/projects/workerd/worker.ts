import { check, type Inputs } from "./check.js";
import inputs from "./public/inputs.json";

export default {
  async fetch(): Promise<Response> {
    return Response.json(await check(inputs as unknown as Inputs));
  },
};
