import { init } from "prooflight/avl";

init().catch(({ code, reason, message }) => {
  document.title = JSON.stringify({ code, reason, message });
});
