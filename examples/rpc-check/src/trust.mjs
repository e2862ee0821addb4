// The trusted block and the questions about it, from a file of the caller.

import { readFileSync } from "node:fs";

import { verifyEthHeader } from "prooflight/mpt";

import { Misuse } from "./misuse.mjs";

/**
 * Reads `{ trusted: { number, hash, stateRoot }, questions }`; throws a `Misuse` if the file is incomplete,
 * and a `VerifyError` if its header does not have its hash.
 */
export function readTrust(file) {
  const { number, hash, headerRlp, stateRoot, questions } = parse(file);
  check(Array.isArray(questions) && questions.length > 0, "questions: at least one is needed");
  questions.forEach(checkQuestion);
  const isNumber = Number.isSafeInteger(number) || /^(0x[0-9a-f]{1,16}|\d{1,20})$/i.test(number);
  check(isNumber && number >= 0, "number must be the block's");
  check(
    (headerRlp === undefined) !== (stateRoot === undefined),
    "stateRoot or headerRlp is needed, one of them: without a root nothing can be verified",
  );
  if (headerRlp === undefined) {
    check(isHex(stateRoot, 32), "stateRoot must be 32 bytes in 0x-hex");
    check(hash === undefined || isHex(hash, 32), "hash must be 32 bytes in 0x-hex");
    return { trusted: { number: BigInt(number), hash, stateRoot }, questions };
  }
  check(isHex(hash, 32), "hash must be 32 bytes in 0x-hex: the header is checked against it");
  check(isHex(headerRlp), "headerRlp must be bytes in 0x-hex");
  const header = verifyEthHeader({ hash, headerRlp });
  check(
    header.number === BigInt(number),
    `number is ${number}, but the block with that hash is ${header.number}`,
  );
  return { trusted: { hash, ...header }, questions };
}

function parse(file) {
  let content;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Misuse(error.message);
  }
  const isObject = typeof content === "object" && content !== null && !Array.isArray(content);
  check(isObject, "an object is needed");
  return content;
}

function checkQuestion(question, index) {
  const path = `questions[${index}]`;
  check(typeof question === "object" && question !== null, `${path} must be an object`);
  const { address, slots = [] } = question;
  check(isHex(address, 20), `${path}.address must be 20 bytes in 0x-hex`);
  check(
    Array.isArray(slots) && slots.length <= 4096,
    `${path}.slots must be a list of at most 4096`,
  );
  slots.forEach((slot, at) => {
    const isSlot = typeof slot === "string" && /^0x[0-9a-f]{1,64}$/i.test(slot);
    check(isSlot, `${path}.slots[${at}] must be an integer of 256 bits in 0x-hex`);
  });
}

function isHex(text, bytes) {
  if (typeof text !== "string" || !text.startsWith("0x") || /[^0-9a-f]/i.test(text.slice(2))) {
    return false;
  }
  return bytes === undefined ? text.length % 2 === 0 : text.length === 2 + 2 * bytes;
}

function check(holds, problem) {
  if (!holds) throw new Misuse(problem);
}
