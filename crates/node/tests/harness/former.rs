//! Brings the store of a chain into the form that it had in earlier formats of the folder.

use std::fs;
use std::path::Path;

use prooflight_core::store::{ReadStore, StoreEntry};
use prooflight_node::chain::store::{self, EmbeddedStore};
use prooflight_testkit::former::former_layout_of_lvmt;

use super::text;

/// How far an upgrade has brought a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreForm {
    /// The prefixes whose keys the former format kept apart.
    pub(crate) apart: &'static [&'static [u8]],
    /// The entries that have been moved to where they are in the present format, of those that any format kept apart.
    pub(crate) moved: usize,
    /// The layout of `lvmt`; `None` for the present one.
    pub(crate) lvmt: Option<u8>,
}

/// The store of format 1: all keys are in one keyspace.
pub(crate) const FIRST_FORM: StoreForm = StoreForm { apart: &[], moved: 0, lvmt: Some(1) };

/// The store of format 3; that of format 2 had the first layout of `lvmt`.
pub(crate) const THIRD_FORM: StoreForm = StoreForm {
    apart: &[b"b", b"s", b"x\x01", b"x\x02", b"x\x04", b"x\x05", b"x\x06"],
    moved: 0,
    lvmt: Some(2),
};

/// Brings the store of a chain of the present format into another form; returns how many entries have a keyspace of
/// their own.
///
/// Format 1 had all schemes, and the same records of all of them but two. `lvmt` had other layouts, and `avl` had no identity
/// for a file of its nodes, which a store without one gets whenever it is opened.
pub(crate) fn rewrite(folder: &Path, form: StoreForm) -> usize {
    let (store, before) = (folder.join("store"), folder.join("before"));
    // Present when `avl` has many nodes.
    let _ = fs::remove_file(folder.join("avl-nodes"));
    fs::rename(&store, &before).unwrap();
    let (mut rest, mut own) = (Vec::new(), Vec::new());
    let prefixes = prefixes(&before);
    let entries = store::open(&before).unwrap();
    for entry in entries.range(b"", &[0xff; 8]).map(|entry| former(entry.unwrap(), form)) {
        let Some(entry) = entry else { continue };
        let has_own = prefixes.iter().any(|prefix| entry.0.starts_with(prefix));
        if has_own { own.push(entry) } else { rest.push(entry) }
    }
    assert!(own.len() > 8, "{own:?}");
    let count = own.len();
    let later = own.split_off(form.moved.min(count));
    rest.extend(later);
    rest.sort();
    drop(EmbeddedStore::load(&store, form.apart, rest.into_iter().map(Ok)).unwrap());
    if !own.is_empty() {
        store::open(&store).unwrap().add(own.into_iter().map(Ok)).unwrap();
    }
    drop(entries);
    fs::remove_dir_all(before).unwrap();
    count
}

/// An entry in another form; `None` if that form does not have it.
fn former((key, value): StoreEntry, form: StoreForm) -> Option<StoreEntry> {
    match (key.strip_prefix(b"x\x02"), form.lvmt) {
        _ if key == b"x\x01f" => None,
        (Some(own), Some(layout)) => {
            let (own, value) = former_layout_of_lvmt(layout, own, value)?;
            Some(([b"x\x02", &own[..]].concat(), value))
        }
        _ => Some((key, value)),
    }
}

/// The prefixes whose keys a store keeps apart: its keyspaces are named by them.
fn prefixes(store: &Path) -> Vec<Vec<u8>> {
    let database = fjall::Database::builder(store).open().unwrap();
    let names = database.list_keyspace_names().into_iter();
    let prefix =
        |name: &[u8]| text(name).parse::<prooflight_json::HexBytes>().ok().map(|hex| hex.0);
    names.filter_map(|name| prefix(name.as_bytes())).collect()
}
