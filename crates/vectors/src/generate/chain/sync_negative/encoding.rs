//! Heads whose bytes alone show that they are none.

use prooflight_core::Reason;
use prooflight_core::chain::{Header, SignedHeader};

use super::small_chain;
use crate::carrier::Hex;
use crate::chain::HeaderSync;
use crate::generate::builder::Builder;
use crate::generate::chain::made::{Chain, config, config_of_all_schemes, sign, sync};
use crate::generate::padded::{MOST, padded};

pub(super) fn add(file: &mut Builder) {
    truncated(file);
    too_long(file);
    counts(file);
    headers(file);
    roots(file);
    order(file);
    mutated(file);
}

fn with_head(honest: &HeaderSync, head: Vec<u8>) -> HeaderSync {
    HeaderSync { head: Hex(head), ..honest.clone() }
}

fn truncated(file: &mut Builder) {
    let honest = small_chain().sync(0, 1);
    let head = &honest.head.0;
    for n in 0..head.len() {
        let comment = format!("the first {n} of {} bytes", head.len());
        let cut = with_head(&honest, head[..n].to_vec());
        file.invalid(&["Truncated"], comment, &cut, Reason::InvalidEncoding);
    }
    let tails: [(&str, &[u8]); 3] =
        [("a zero byte", &[0]), ("a byte ff", &[0xff]), ("the head again", head)];
    for (what, tail) in tails {
        let comment = format!("{what} after the head");
        let longer = with_head(&honest, [head, tail].concat());
        file.invalid(&["Encoding"], comment, &longer, Reason::TrailingBytes);
    }
}

/// The size is looked at before anything is decoded.
fn too_long(file: &mut Builder) {
    let honest = small_chain().sync(0, 1);
    for (length, reason, comment) in [
        (MOST, Reason::TrailingBytes, "zeros after the head, 8 MiB together"),
        (MOST + 1, Reason::ProofTooLarge, "zeros after the head, a byte more than 8 MiB together"),
    ] {
        let input = HeaderSync { head: padded(&honest.head, length), ..honest.clone() };
        file.invalid(&["Encoding"], comment, &input, reason);
    }
}

/// Where a one-authority head of an AVL+ chain has the number of its roots; then follow 38 bytes of
/// the root and the number of the signatures.
const ROOTS_AT: usize = 145;
const ROOT_LENGTH_AT: usize = ROOTS_AT + 5;
const SIGNATURES_AT: usize = ROOTS_AT + 4 + 38;

fn counts(file: &mut Builder) {
    let honest = small_chain().sync(0, 1);
    let places = [
        ("roots", ROOTS_AT, 1u32),
        ("bytes of a root", ROOT_LENGTH_AT, 33),
        ("signatures", SIGNATURES_AT, 1),
    ];
    for (what, at, right) in places {
        let counted = &honest.head.0[at..at + 4];
        assert_eq!(counted, right.to_le_bytes(), "the number of {what} is where it should be");
        for wrong in [right + 1, 0x0100_0000, 0x7fff_ffff, u32::MAX] {
            let mut head = honest.head.0.clone();
            head[at..at + 4].copy_from_slice(&wrong.to_le_bytes());
            let comment = format!("{wrong} {what} are declared, {right} are there");
            let forged = with_head(&honest, head);
            if wrong == right + 1 && what != "signatures" {
                file.refused(&["Encoding"], comment, &forged);
            } else {
                file.invalid(&["Encoding"], comment, &forged, Reason::InvalidEncoding);
            }
        }
    }
    let mut none = honest.head.0.clone();
    none[SIGNATURES_AT] = 0;
    let comment = "no signature is declared, one is there";
    file.invalid(&["Encoding"], comment, &with_head(&honest, none), Reason::TrailingBytes);
    let mut big_endian = honest.head.0.clone();
    big_endian[ROOTS_AT..ROOTS_AT + 4].reverse();
    let comment = "the number of roots with its highest byte first";
    file.invalid(&["Encoding"], comment, &with_head(&honest, big_endian), Reason::InvalidEncoding);
}

/// Signed headers that no chain has.
fn headers(file: &mut Builder) {
    let chain = small_chain();
    let mut refuse = |comment: &str, height: usize, change: &dyn Fn(&mut Header)| {
        let mut header = chain.headers[height].clone();
        change(&mut header);
        let input = sync(&chain.checkpoint(0), &sign(&header, &[0]), &chain.path(0, height));
        file.invalid(&["Header"], comment, &input, Reason::InvalidHeader);
    };
    refuse("version 0", 1, &|header| header.version = 0);
    refuse("version 2", 1, &|header| header.version = 2);
    refuse("version 255", 1, &|header| header.version = 255);
    refuse("no parent at height 1", 1, &|header| header.parent = [0; 32]);
    refuse("a parent at height 0", 0, &|header| header.parent[31] = 1);
    refuse("the genesis header has a history of zeros", 0, &|header| header.history_root = [0; 32]);
    refuse("the genesis header has the history of the next one", 0, &|header| {
        header.history_root = chain.headers[1].history_root;
    });
    refuse("height 0 instead of 1", 1, &|header| header.height = 0);
}

type Roots = Vec<(u8, Vec<u8>)>;

fn roots(file: &mut Builder) {
    let chain = Chain::new(config_of_all_schemes(), 2);
    let mut refuse = |comment: &str, reason, change: &dyn Fn(&mut Roots)| {
        let mut header = chain.headers[1].clone();
        change(&mut header.roots);
        let input = sync(&chain.checkpoint(0), &sign(&header, &[0]), &chain.path(0, 1));
        file.invalid(&["Header"], comment, &input, reason);
    };
    refuse("two roots exchanged", Reason::InvalidHeader, &|roots| roots.swap(2, 3));
    refuse("a root twice", Reason::InvalidHeader, &|roots| roots.insert(1, roots[0].clone()));
    for id in [0, 7, 255] {
        let comment = format!("a root of scheme {id}, which does not exist");
        refuse(&comment, Reason::UnknownScheme, &|roots| {
            roots.push((id, vec![0; 32]));
            roots.sort();
        });
    }
    for (at, (id, root)) in chain.headers[1].roots.iter().enumerate() {
        for length in [root.len() - 1, root.len() + 1] {
            let comment = format!("a root of scheme {id} of {length} bytes");
            refuse(&comment, Reason::InvalidHeader, &|roots| roots[at].1.resize(length, 0));
        }
    }
    refuse("an empty root", Reason::InvalidHeader, &|roots| roots[0].1.clear());
    order_of_checks(file, &chain);
}

/// Where two things are wrong, the first one gives the reason: the order of ids, then root by root.
fn order_of_checks(file: &mut Builder, chain: &Chain) {
    let mut refuse = |comment: &str, reason, change: &dyn Fn(&mut Header)| {
        let mut header = chain.headers[1].clone();
        change(&mut header);
        let input = sync(&chain.checkpoint(0), &sign(&header, &[0]), &chain.path(0, 1));
        file.invalid(&["Order"], comment, &input, reason);
    };
    let invalid = Reason::InvalidHeader;
    refuse("a root of scheme 0, then one of a wrong length", Reason::UnknownScheme, &|header| {
        header.roots[0].1.clear();
        header.roots.insert(0, (0, vec![0; 32]));
    });
    refuse("a root of a wrong length, then one of scheme 7", invalid, &|header| {
        header.roots[0].1.clear();
        header.roots.push((7, vec![0; 32]));
    });
    refuse("a root of scheme 7, and two others exchanged", invalid, &|header| {
        header.roots.swap(0, 1);
        header.roots.push((7, vec![0; 32]));
    });
    refuse("a root of scheme 7 in a header of version 2", invalid, &|header| {
        header.version = 2;
        header.roots.push((7, vec![0; 32]));
    });
    refuse("a root of scheme 7, and no parent", Reason::UnknownScheme, &|header| {
        header.parent = [0; 32];
        header.roots.push((7, vec![0; 32]));
    });
}

fn order(file: &mut Builder) {
    let chain = Chain::new(config(3, 2), 2);
    let mut refuse = |comment: &str, change: &dyn Fn(&mut SignedHeader)| {
        let mut head = sign(&chain.headers[1], &[0, 1, 2]);
        change(&mut head);
        let input = sync(&chain.checkpoint(0), &head, &chain.path(0, 1));
        file.invalid(&["SignatureOrder"], comment, &input, Reason::SignatureOrder);
    };
    refuse("two signatures exchanged", &|head| head.signatures.swap(0, 1));
    refuse("the signatures backwards", &|head| head.signatures.reverse());
    refuse("the first signature twice", &|head| {
        let first = head.signatures[0];
        head.signatures.insert(0, first);
    });
    refuse("one signature twice instead of two, a quorum if they count", &|head| {
        head.signatures.truncate(1);
        head.signatures.push(head.signatures[0]);
    });
    refuse("one authority with two signatures, only one of them valid", &|head| {
        head.signatures[1].0 = 0;
    });
    refuse("an authority that does not exist, beside a quorum", &|head| head.signatures[2].0 = 3);
    refuse("authority 65535, beside a quorum", &|head| head.signatures[2].0 = u16::MAX);
    refuse("authority 256, which cut to 8 bits is the first, alone", &|head| {
        head.signatures.truncate(1);
        head.signatures[0].0 = 256;
    });
}

/// Each byte of a head with one bit flipped, and some deleted, inserted and swapped with the next one.
fn mutated(file: &mut Builder) {
    let honest = small_chain().sync(0, 1);
    let head = &honest.head.0;
    for at in 0..head.len() {
        let bit = at * 5 % 8;
        let mut flipped = head.clone();
        flipped[at] ^= 1 << bit;
        let comment = format!("bit {bit} of byte {at} of the head flipped");
        file.refused(&["Mutated"], comment, &with_head(&honest, flipped));
    }
    // Every fifth byte, and those around the numbers of roots and signatures.
    let at_numbers = [ROOTS_AT..ROOT_LENGTH_AT + 4, SIGNATURES_AT..SIGNATURES_AT + 6];
    for at in 0..head.len() {
        if at % 5 > 0 && !at_numbers.iter().any(|places| places.contains(&at)) {
            continue;
        }
        let mut shorter = head.clone();
        shorter.remove(at);
        let comment = format!("byte {at} of the head deleted");
        file.refused(&["Mutated"], comment, &with_head(&honest, shorter));
        let mut longer = head.clone();
        longer.insert(at, 0x10);
        let comment = format!("a byte inserted before byte {at} of the head");
        file.refused(&["Mutated"], comment, &with_head(&honest, longer));
        if at + 1 < head.len() && head[at] != head[at + 1] {
            let mut swapped = head.clone();
            swapped.swap(at, at + 1);
            let comment = format!("bytes {at} and {} of the head swapped", at + 1);
            file.refused(&["Mutated"], comment, &with_head(&honest, swapped));
        }
    }
}
