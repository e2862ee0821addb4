//! Polls a bucket for new files, and checks the older ones, while proofs are made.

use std::sync::Arc;
use std::time::Duration;

use prooflight_core::Error;
use prooflight_smt::snapshot::SmtReader;
use tokio::time::sleep;

use crate::runtime::blocking;

/// Polls for new files every interval, and once compares the headers of the older ones; never ends.
///
/// Damage is only logged: every proof checks what it reads.
pub async fn watch(proofs: Arc<SmtReader>, interval: Duration) {
    tokio::join!(check_older(proofs.clone(), interval), poll_files(proofs, interval));
}

async fn poll_files(proofs: Arc<SmtReader>, interval: Duration) {
    let mut last_error = None;
    loop {
        let reader = proofs.clone();
        match blocking::run_blocking(move || reader.newest()).await {
            Ok(_) => last_error = None,
            Err(error) => log_once(&mut last_error, error),
        }
        sleep(interval).await;
    }
}

/// Compares the headers of all files, beginning with the newest.
async fn check_older(proofs: Arc<SmtReader>, interval: Duration) {
    let mut last_error = None;
    let (mut next, mut damaged, mut checked) = (None, 0_usize, false);
    while !checked || next.is_some() {
        let (reader, from) = (proofs.clone(), next);
        let part = move || {
            let from = from.map_or_else(|| reader.newest(), Ok)?;
            reader.check_links(from)
        };
        match blocking::run_blocking(part).await {
            Ok(part) => {
                for damage in &part.damage {
                    let (file, error) = (&damage.file, &damage.error);
                    tracing::error!(file, reason = %error.reason(), %error, "damaged snapshot");
                }
                damaged += part.damage.len();
                (next, checked, last_error) = (part.next, true, None);
            }
            Err(error) => {
                log_once(&mut last_error, error);
                sleep(interval).await;
            }
        }
    }
    tracing::info!(damaged, "compared the headers of all snapshots");
}

/// Logs an error unless it equals the last one.
fn log_once(last_error: &mut Option<Error>, error: Error) {
    if last_error.as_ref() != Some(&error) {
        tracing::warn!(reason = %error.reason(), %error, "snapshots cannot be read");
        *last_error = Some(error);
    }
}
