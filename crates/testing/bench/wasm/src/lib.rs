//! The benchmark's verifiers as WebAssembly, called by `bench.mjs`.
//!
//! An instance holds one side's cases: `input` allocates a buffer for a vector file, `load_ours` or
//! `load_peer` reads it, `verify` verifies all of its cases, and `output` points to their digests
//! one after another, or to the error message.

use std::cell::RefCell;

use prooflight_bench::{HashInputs, Result, VerifierCases};

#[derive(Default)]
struct BenchInstance {
    input: Vec<u8>,
    cases: VerifierCases,
    hashing: HashInputs,
    output: Vec<u8>,
}

thread_local! {
    static INSTANCE: RefCell<BenchInstance> = RefCell::default();
}

/// Allocates a buffer for the text of a vector file.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INSTANCE.with_borrow_mut(|instance| {
        instance.input = vec![0; length];
        instance.input.as_mut_ptr()
    })
}

/// Reads the cases for our verifier; returns 1, or 0 if the file is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn load_ours() -> u32 {
    call(|instance| load(instance, VerifierCases::ours))
}

/// Reads the cases for the peer's verifier; returns 1, or 0 if the file is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn load_peer() -> u32 {
    call(|instance| load(instance, VerifierCases::peer))
}

/// Verifies every case; returns 1, or 0 if one is refused.
#[unsafe(no_mangle)]
pub extern "C" fn verify() -> u32 {
    call(|instance| {
        instance.output.clear();
        for digest in instance.cases.verify()? {
            instance.output.extend_from_slice(&digest.0);
        }
        Ok(())
    })
}

/// Counts the compressions that the cases need, and prepares as many inputs; returns 1, or 0 if a
/// case is refused.
#[unsafe(no_mangle)]
pub extern "C" fn prepare_hashing() -> u32 {
    call(|instance| {
        let compressions = instance.cases.work()?.compressions;
        instance.hashing = HashInputs::new(compressions);
        instance.output = compressions.to_string().into_bytes();
        Ok(())
    })
}

/// Hashes these inputs and nothing else; returns 1.
#[unsafe(no_mangle)]
pub extern "C" fn hash() -> u32 {
    call(|instance| {
        instance.hashing.one_by_one();
        Ok(())
    })
}

/// Returns a pointer to the output of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    INSTANCE.with_borrow(|instance| instance.output.as_ptr())
}

/// Returns the length of that output in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    INSTANCE.with_borrow(|instance| instance.output.len())
}

fn load(
    instance: &mut BenchInstance,
    read: impl FnOnce(&str) -> Result<VerifierCases>,
) -> Result<()> {
    let json = core::mem::take(&mut instance.input);
    instance.cases = read(core::str::from_utf8(&json)?)?;
    Ok(())
}

fn call(work: impl FnOnce(&mut BenchInstance) -> Result<()>) -> u32 {
    INSTANCE.with_borrow_mut(|instance| match work(instance) {
        Ok(()) => 1,
        Err(error) => {
            instance.output = error.to_string().into_bytes();
            0
        }
    })
}
