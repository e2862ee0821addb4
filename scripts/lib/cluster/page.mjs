// A page that shows the cluster while it runs.

import { createServer } from "node:http";

const PORT = 8650;

/** Serves a page about what `status` returns. */
export async function servePage(status) {
  const server = createServer(async (request, response) => {
    if (request.url === "/status") {
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify(await status()));
    }
    if (request.url !== "/") {
      response.statusCode = 404;
      return response.end();
    }
    response.setHeader("content-type", "text/html; charset=utf-8");
    return response.end(PAGE);
  });
  const listen = (port) =>
    new Promise((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
  await listen(PORT).catch(() => listen(0));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Prooflight cluster</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }
  th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884; }
  td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
  dl { display: grid; grid-template-columns: repeat(5, 1fr); gap: 1rem; }
  dt { opacity: .7; } dd { margin: 0; font-size: 1.8rem; font-variant-numeric: tabular-nums; }
  .bad { color: #c22; } .good { color: #287; }
</style>
<h1>A chain that outlives its leaders</h1>
<p id="verdict" aria-live="polite">Waiting for the cluster.</p>
<dl id="numbers"></dl>
<h2>Nodes</h2>
<table><thead><tr><th>node<th>is<th>address</thead><tbody id="nodes"></tbody></table>
<h2>Requests to the log</h2>
<table><thead><tr><th>node<th class="n">reads<th class="n">creates<th class="n">dollars a million blocks</thead><tbody id="costs"></tbody></table>
<h2>Takeovers</h2>
<table><thead><tr><th>killed<th class="n">next block after<th class="n">height</thead><tbody id="takeovers"></tbody></table>
<script>
  const fill = (id, rows, cell) => document.getElementById(id).replaceChildren(...rows.map((row) => {
    const line = document.createElement("tr");
    line.append(...row.map((text, at) => {
      const part = document.createElement("td");
      part.textContent = text;
      if (cell && at > 0) part.className = "n";
      return part;
    }));
    return line;
  }));
  const numbers = (pairs) => document.getElementById("numbers").replaceChildren(...pairs.map(([name, value]) => {
    const box = document.createElement("div");
    for (const [tag, text] of [["dt", name], ["dd", value]]) {
      box.append(Object.assign(document.createElement(tag), { textContent: text }));
    }
    return box;
  }));
  const show = async () => {
    const verdict = document.getElementById("verdict");
    try {
      const it = await (await fetch("/status")).json();
      numbers([["blocks", it.blocks], ["verified answers", it.answers], ["about the past", it.past], ["lies refused", it.lies], ["wrong", it.wrong.length]]);
      fill("nodes", it.nodes);
      fill("costs", it.costs, true);
      fill("takeovers", it.takeovers, true);
      verdict.className = it.wrong.length ? "bad" : "good";
      verdict.textContent = it.wrong[0] ?? "Blocks go on, and no answer was wrong. The log is at " + it.log + ".";
    } catch {
      verdict.className = "bad";
      verdict.textContent = "The cluster has ended.";
    }
  };
  show();
  setInterval(show, 500);
</script>
</html>
`;
