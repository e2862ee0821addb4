//! Wrong arguments are refused before the proof is looked at.

use prooflight_core::Reason;

use crate::avl::Batch;
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::generate::dictionary::{Dictionary, insert, insert_or_update, update};
use crate::generate::forge::{compat, with_ops};

pub(super) fn add(file: &mut Builder) {
    let mut dictionary = Dictionary::new(8, Some(4));
    dictionary.apply(&[insert([0x20; 8], [1; 4])]);
    let honest = dictionary.prove(&[update([0x20; 8], [2; 4])]).0;
    for op in
        [insert([0x30; 8], [1; 5]), update([0x20; 8], [1; 5]), insert_or_update([0x20; 8], [1; 5])]
    {
        let name = op.borrow().name();
        let comment = format!("{name} of a value of 5 bytes where all have 4, and no proof at all");
        let batch = Batch { proof: Hex(Vec::new()), ..with_ops(&honest, &[op]) };
        file.invalid(&["Argument"], &comment[..], &batch, Reason::ValueLength);
        let flags = ["Argument", "Compat"];
        file.invalid(&flags, format!("{comment}, compat"), &compat(&batch), Reason::ValueLength);
    }
}
