import { check } from "../../../check.js";
import inputs from "../../../public/inputs.json";

export const dynamic = "force-dynamic";

export async function GET() {
  return Response.json(await check(inputs));
}
