import { check } from "../check.js";
import inputs from "../public/inputs.json";

export const dynamic = "force-dynamic";

export default async function Page() {
  return <pre>{JSON.stringify(await check(inputs))}</pre>;
}
