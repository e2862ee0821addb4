//! Every vector file of the repository, run natively.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use prooflight_core::Reason;
use prooflight_vectors::file::{VectorFile, VectorTest};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test-vectors")
}

/// The vector files: all JSON below `test-vectors` except the schema and the folders `data`.
fn vector_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "schema" && name != "data") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn all_tests() -> Vec<(PathBuf, VectorTest)> {
    let tests = vector_files().into_iter().flat_map(|path| {
        let file = VectorFile::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        file.test_groups.into_iter().flat_map(|group| group.tests).map(move |t| (path.clone(), t))
    });
    tests.collect()
}

/// `StateRoots` needs a program that keeps the state; `prooflight-node` runs it in its own tests.
fn is_of_the_node(path: &Path) -> bool {
    path.starts_with(root().join("state-roots"))
}

#[test]
fn every_test_passes() {
    let mut failures = Vec::new();
    for path in vector_files().into_iter().filter(|path| !is_of_the_node(path)) {
        let report = prooflight_vectors::run(&fs::read_to_string(&path).unwrap()).unwrap();
        println!("{}: {} passed, {} failed", path.display(), report.passed(), report.failed());
        for test in report.tests {
            if let Some(failure) = test.failure {
                failures.push(format!(
                    "{} {} {}: {failure}",
                    path.display(),
                    test.tc_id,
                    test.comment
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn pinned_reasons_are_in_the_registry_and_have_the_pinned_code() {
    for (path, test) in all_tests() {
        let Some(pinned) = &test.expected_reason else { continue };
        let reason = Reason::ALL.iter().find(|reason| reason.as_str() == pinned);
        let code = reason.map(|reason| reason.code().as_str());
        assert_eq!(code, test.expected_error.as_deref(), "{} {}", path.display(), test.tc_id);
    }
}

/// The reasons that these files must cover.
const COVERED_REASONS: &[Reason] = &[
    Reason::Truncated,
    Reason::ProofTooLarge,
    Reason::ValueTooLarge,
    Reason::MissingChild,
    Reason::NotOneRoot,
    Reason::InvalidBalance,
    Reason::RootMismatch,
    Reason::HeightMismatch,
    Reason::TooManyNodes,
    Reason::DirectionsExhausted,
    Reason::DirectionsLeftOver,
    Reason::DirectionsPadding,
    Reason::NodeNotExpanded,
    Reason::NodeNotVisited,
    Reason::KeyNotInLeaf,
    Reason::TreeShape,
    Reason::KeyExists,
    Reason::KeyAbsent,
    Reason::ValueNotLong,
    Reason::ValueNegative,
    Reason::ValueOverflow,
    Reason::HeightOverflow,
    Reason::AdProofsRootMismatch,
    Reason::StateRootMismatch,
    Reason::InvalidArgument,
    Reason::DigestLength,
    Reason::KeyLength,
    Reason::KeyOutOfRange,
    Reason::ValueLength,
    Reason::TooManyOperations,
    Reason::TooManyDeletes,
    Reason::TrailingBytes,
    Reason::InvalidEncoding,
    Reason::UnknownScheme,
    Reason::InvalidHeader,
    Reason::SignatureOrder,
    Reason::WrongChain,
    Reason::WrongSchemes,
    Reason::TooFewSignatures,
    Reason::HeadBehind,
    Reason::Equivocation,
    Reason::NotExtending,
    Reason::NotAnAncestor,
    Reason::HeadInFuture,
    Reason::HeadTooOld,
    Reason::InvalidConfig,
    Reason::InvalidBlock,
    Reason::OperationsMismatch,
    Reason::UnknownStatement,
    Reason::InvalidNode,
    Reason::InvalidPath,
    Reason::InvalidChild,
    Reason::ShortNode,
    Reason::BranchEntries,
    Reason::ExtensionChild,
    Reason::EmptyValue,
    Reason::InvalidAccount,
    Reason::InvalidSlotValue,
    Reason::InvalidAnswer,
    Reason::NodeMismatch,
    Reason::NodeMissing,
    Reason::NodeLeftOver,
    Reason::AddressMismatch,
    Reason::SlotKeysMismatch,
    Reason::AccountMismatch,
    Reason::SlotMismatch,
    Reason::HeaderHashMismatch,
    Reason::TooManyKeys,
    Reason::InvalidPoint,
    Reason::InvalidScalar,
    Reason::VersionRange,
    Reason::OpeningLength,
    Reason::OpeningMismatch,
    Reason::InvalidSetup,
    Reason::SetupMismatch,
    Reason::InsecureSetup,
    Reason::DepthOutOfRange,
    Reason::VersionOutOfRange,
    Reason::LeafOffPath,
    Reason::LeafIndex,
    Reason::LeafOfKey,
    Reason::WrongRoots,
    Reason::ValueNotNumber,
    Reason::InvalidSlot,
    Reason::InvalidEntry,
    Reason::PlaceTwice,
    Reason::ClaimCount,
    Reason::EntryCount,
    Reason::AmtCount,
    Reason::OwnerCount,
    Reason::SizeCount,
    Reason::LevelOutOfRange,
    Reason::NoChild,
    Reason::SlotFree,
    Reason::SlotTaken,
    Reason::OwnerRequested,
    Reason::OwnerElsewhere,
    Reason::OwnerVersion,
    Reason::LabelOffPath,
    Reason::WrongVersion,
    Reason::PageEnd,
    Reason::TooManyResults,
    Reason::CountOutOfRange,
];

#[test]
fn every_reason_of_a_verifier_is_pinned_by_some_test() {
    let pinned: BTreeSet<_> =
        all_tests().into_iter().filter_map(|(_, test)| test.expected_reason).collect();
    for reason in COVERED_REASONS {
        assert!(pinned.contains(reason.as_str()), "{reason}");
    }
}

#[test]
fn comments_say_more_than_the_flags_and_are_unique_in_their_file() {
    let tests = all_tests();
    let comments: BTreeSet<_> = tests.iter().map(|(path, test)| (path, &test.comment)).collect();
    assert_eq!(comments.len(), tests.len());
}

#[test]
fn generating_again_changes_nothing() {
    for (path, content) in prooflight_vectors::generate::files(&root()).unwrap() {
        let found = fs::read_to_string(root().join(path)).unwrap();
        assert!(found == content, "{path} differs: run npm run vectors");
    }
}
