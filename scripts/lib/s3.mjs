// An S3 server on this machine, for tests: versitygw, which keeps buckets in folders.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { environment } from "./environment.mjs";
import { goProgram, goTool } from "./go.mjs";
import { cache } from "./paths.mjs";
import { Problem } from "./task.mjs";

/** A bucket of the caller's, whose credentials are in the usual variables. */
const given = process.env.PROOFLIGHT_S3;

/** The server, unless the caller has one. */
export const versitygw = goTool("versitygw", given);

/**
 * Runs `body` with the environment of a bucket, whose URL is PROOFLIGHT_S3. The server of an own bucket
 * ends with `body`, and the bucket with it.
 */
export async function withBucket(body) {
  if (given) return body({});
  const { env, close } = await startS3();
  try {
    return await body(env);
  } finally {
    await close();
  }
}

/** Starts a server with an empty bucket; returns the environment of its clients, and how to end it. */
export async function startS3() {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "s3-"));
  mkdirSync(join(folder, "buckets", "prooflight"), { recursive: true });
  const port = await freePort();
  const [id, secret] = ["prooflight", randomBytes(20).toString("hex")];
  const log = join(folder, "log");
  const output = openSync(log, "w");
  const child = spawn(
    goProgram("versitygw"),
    ["--port", `127.0.0.1:${port}`, "posix", join(folder, "buckets")],
    {
      env: { ...environment, ROOT_ACCESS_KEY: id, ROOT_SECRET_KEY: secret },
      stdio: ["ignore", output, output],
    },
  );
  const ended = new Promise((resolve) => child.once("close", resolve));
  const kill = () => child.kill("SIGKILL");
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const end = () => {
    kill();
    remove();
  };
  process.once("exit", end);
  const close = async () => {
    kill();
    process.removeListener("exit", end);
    await ended;
    remove();
  };
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (tries < 100 && child.exitCode === null) {
      await sleep(100);
      continue;
    }
    const said = readFileSync(log, "utf8").trim();
    await close();
    throw new Problem(`The S3 server did not start:\n${said}`);
  }
  const env = {
    PROOFLIGHT_S3: "s3://prooflight",
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_REGION: "us-east-1",
  };
  return { env, close };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
