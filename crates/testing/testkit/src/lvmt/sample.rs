//! A sample state.

use super::state::{KeyRecord, LvmtModel, keccak};

/// A state of `keys` keys after five blocks: every block writes more of them, and the last one deletes
/// every seventh.
pub fn sample(log_n: u8, log_arity: u8, keys: u32) -> LvmtModel {
    let mut state = LvmtModel::new(log_n, log_arity);
    for block in 0..5u8 {
        let of_block = (0..keys).filter(|n| n % 5 <= u32::from(block));
        let value =
            |n: u32| (block < 4 || !n.is_multiple_of(7)).then(|| vec![block; n as usize % 40]);
        let changes: Vec<_> = of_block.map(|n| (name(n), value(n))).collect();
        let changes: Vec<_> = changes.iter().map(|(k, v)| (&k[..], v.as_deref())).collect();
        state.commit(&changes);
    }
    state
}

/// The name of a key.
pub fn name(n: u32) -> Vec<u8> {
    format!("k{n}").into_bytes()
}

/// A key of the state whose record satisfies the condition.
pub fn find(state: &LvmtModel, is: impl Fn(&KeyRecord) -> bool) -> Vec<u8> {
    let mut found = (0..1000).map(name).filter(|key| state.keys.get(&keccak(key)).is_some_and(&is));
    found.next().expect("a key like that")
}
