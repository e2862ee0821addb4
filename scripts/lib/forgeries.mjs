// Lies about real blocks, one small change each. None may verify.

/**
 * For each lie what it is, what the verifier checks, and `run`, which verifies it. `blocks` are
 * real ones; `avl` is the package's module.
 */
export function forgeries(blocks, avl) {
  const { name, block } = blocks.find(({ block }) => insertion(block) >= 0);
  const other = blocks.find(({ block: { proof } }) => proof !== block.proof);
  const forgedProof = flip(block.proof, block.proof.length >> 1);
  const inserted = insertion(block);

  return [
    {
      title: "A forged proof",
      lie: `One bit of block ${name}'s proof was flipped.`,
      checked: "Checked: the header commits to the proof's own hash.",
      run: () => avl.verifyErgoAdProofs({ ...block, proof: forgedProof }),
    },
    {
      title: "A forged proof, its hash unknown",
      lie: "The same flipped bit, for a caller who knows only the old digest.",
      checked: "Checked: the part of the tree that the proof contains must hash to the old digest.",
      run: () =>
        avl.verifyBatch({
          digest: block.parentStateRoot,
          operations: block.operations,
          proof: forgedProof,
          keyLength: 32,
        }),
    },
    {
      title: "A forged value",
      lie: `One bit of a box that block ${name} creates was flipped; the proof is the real one.`,
      checked: "Checked: with the changes made, the tree must hash to the new digest.",
      run: () => {
        const operations = [...block.operations];
        const { value, ...rest } = operations[inserted];
        operations[inserted] = { ...rest, value: flip(value, 0) };
        return avl.verifyErgoAdProofs({ ...block, operations });
      },
    },
    {
      title: "A change left out",
      lie: "The server hides the last of the block's changes.",
      checked:
        "Checked: the changes that were sent must lead to the new digest, no fewer and no more.",
      run: () => avl.verifyErgoAdProofs({ ...block, operations: block.operations.slice(0, -1) }),
    },
    {
      title: "An old answer",
      lie: `The real proof of block ${other.name}, for the state before block ${name}.`,
      checked: "Checked: a proof is good for one state only.",
      run: () =>
        avl.verifyBatch({
          digest: block.parentStateRoot,
          operations: other.block.operations,
          proof: other.block.proof,
          keyLength: 32,
        }),
    },
  ];
}

const insertion = ({ operations }) => operations.findIndex(({ op }) => op === "Insert");

/** A copy of `bytes` with the lowest bit of one byte flipped. */
function flip(bytes, index) {
  const copy = Uint8Array.from(bytes);
  copy[index] ^= 1;
  return copy;
}
