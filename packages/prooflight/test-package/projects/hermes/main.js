import { init } from "prooflight";

init().catch(({ code, reason, message }) => {
  print(JSON.stringify({ code, reason, message }));
});
