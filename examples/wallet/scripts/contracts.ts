// The contracts of the recorded chain, in the instructions of the EVM.

type Hex = `0x${string}`;

const OPCODES: Readonly<Record<string, number>> = {
  stop: 0x00,
  add: 0x01,
  mul: 0x02,
  sub: 0x03,
  div: 0x04,
  gt: 0x11,
  eq: 0x14,
  iszero: 0x15,
  shr: 0x1c,
  shl: 0x1b,
  keccak: 0x20,
  address: 0x30,
  caller: 0x33,
  callvalue: 0x34,
  calldataload: 0x35,
  mload: 0x51,
  mstore: 0x52,
  sload: 0x54,
  sstore: 0x55,
  jumpi: 0x57,
  gas: 0x5a,
  dup1: 0x80,
  swap1: 0x90,
  log3: 0xa3,
  call: 0xf1,
  return: 0xf3,
  revert: 0xfd,
};

/** Assembles words: instructions, numbers to push, `:label` for a place, and `@label` to push it. */
function assemble(source: string): Hex {
  const words = source.trim().split(/\s+/);
  const labels = new Map<string, number>();
  const bytesOf = (word: string): number[] => {
    if (word.startsWith(":")) return [0x5b];
    if (word.startsWith("@")) {
      const at = labels.get(word.slice(1)) ?? 0;
      return [0x61, at >> 8, at & 255];
    }
    const opcode = OPCODES[word];
    if (opcode !== undefined) return [opcode];
    const digits = BigInt(word).toString(16);
    const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
    return [0x5f + bytes.length, ...bytes];
  };
  let at = 0;
  for (const word of words) {
    if (word.startsWith(":")) labels.set(word.slice(1), at);
    at += bytesOf(word).length;
  }
  return `0x${Buffer.from(words.flatMap(bytesOf)).toString("hex")}`;
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const APPROVAL = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
const MAX = `0x${"ff".repeat(32)}`;
const FAIL = ":fail 0 0 revert";
const RETURN_ONE = "1 0 mstore 32 0 return";

/** A token: balances are in the slots of their owners' addresses. */
export const token = (): Hex =>
  assemble(`
    0 calldataload 0xe0 shr
    dup1 0x70a08231 eq @balanceOf jumpi
    dup1 0xdd62ed3e eq @allowance jumpi
    dup1 0x095ea7b3 eq @approve jumpi
    dup1 0xa9059cbb eq @transfer jumpi
    dup1 0x23b872dd eq @transferFrom jumpi
    ${FAIL}
    :balanceOf 4 calldataload sload 0 mstore 32 0 return
    :allowance 4 calldataload 0 mstore 36 calldataload 32 mstore
      64 0 keccak sload 0 mstore 32 0 return
    :approve caller 0 mstore 4 calldataload 32 mstore 36 calldataload 64 0 keccak sstore
      36 calldataload 0 mstore 4 calldataload caller ${APPROVAL} 32 0 log3 ${RETURN_ONE}
    :transfer caller 0x80 mstore 4 calldataload 0xa0 mstore 36 calldataload 0xc0 mstore
      1 @move jumpi
    :transferFrom 4 calldataload 0x80 mstore 36 calldataload 0xa0 mstore 68 calldataload 0xc0 mstore
      0x80 mload 0 mstore caller 32 mstore
      64 0 keccak sload
      dup1 0xc0 mload gt @fail jumpi
      dup1 ${MAX} eq @move jumpi
      0xc0 mload swap1 sub 64 0 keccak sstore
      1 @move jumpi
    :move 0x80 mload sload
      dup1 0xc0 mload gt @fail jumpi
      0xc0 mload swap1 sub 0x80 mload sstore
      0xa0 mload sload 0xc0 mload add 0xa0 mload sstore
      0xc0 mload 0 mstore 0xa0 mload 0x80 mload ${TRANSFER} 32 0 log3 ${RETURN_ONE}
  `);

/** Takes an amount of a token from the caller. */
const take = (of: Hex) => `
  0x23b872dd 0xe0 shl 0 mstore caller 4 mstore address 36 mstore 4 calldataload 68 mstore
  0 0 100 0 0 ${of} gas call iszero @fail jumpi`;

/** Gives the caller an amount of a token. */
const give = (of: Hex, amount: string) => `
  0xa9059cbb 0xe0 shl 0 mstore caller 4 mstore ${amount} 36 mstore
  0 0 68 0 0 ${of} gas call iszero @fail jumpi`;

/** Takes an amount of one token, and gives a twentieth of it of another one. */
export const exchange = (taken: Hex, given: Hex): Hex =>
  assemble(`${take(taken)} ${give(given, "20 4 calldataload div")} stop ${FAIL}`);

/** Takes an amount of a token, and gives nothing. */
export const thief = (taken: Hex): Hex => assemble(`${take(taken)} stop ${FAIL}`);
