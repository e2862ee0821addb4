//! The clients of a node: their tokens, their permissions and their limits.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use prooflight_core::{Error, Reason, Result};

use crate::runtime::blocking::ClientId;
use crate::runtime::token;

/// What a client may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientRules {
    /// Whether it may read: call every method but `prooflight_submit`, and subscribe.
    pub read: bool,
    /// Whether it may submit operations.
    pub submit: bool,
    /// The most calls in a second; each call of a batch counts. `None` for no limit.
    pub calls_per_second: Option<u32>,
    /// The most calls that run or wait concurrently; `None` for no limit.
    pub calls_at_once: Option<u32>,
}

impl ClientRules {
    /// Everything, without limits.
    pub const ALL: Self =
        Self { read: true, submit: true, calls_per_second: None, calls_at_once: None };
}

/// The clients with a token, and the rules for all others.
#[derive(Debug)]
pub struct ClientRegistry {
    named: Vec<(Arc<str>, Arc<ClientAccount>)>,
    others: ClientRules,
    /// The accounts of recent clients without a token.
    anonymous: Mutex<HashMap<ClientId, Arc<ClientAccount>>>,
}

/// Above this number of accounts, idle ones are removed.
const MAX_IDLE_ACCOUNTS: usize = 4096;

impl ClientRegistry {
    /// Only clients without a token, with these rules. The limits apply to each client separately.
    pub fn new(others: ClientRules) -> Self {
        Self { named: Vec::new(), others, anonymous: Mutex::default() }
    }

    /// Adds a client with a token; `invalid_argument` if another has the same.
    pub fn add(&mut self, name: &str, token: &str, rules: ClientRules) -> Result<()> {
        if self.named.iter().any(|(known, _)| &**known == token) {
            let expected = format_args!("a token of its own for the client {name}");
            return Err(Error::new(Reason::InvalidArgument, expected, "that of another client"));
        }
        self.named.push((token.into(), Arc::new(ClientAccount::new(Some(name), rules))));
        Ok(())
    }

    /// The account of a request: by its token if that is known, and otherwise by its source address.
    pub(crate) fn of(&self, headers: &http::HeaderMap, client: ClientId) -> Arc<ClientAccount> {
        let given = token::bearer_token(headers);
        let named = given.and_then(|given| {
            // Every token is compared, so that the time reveals nothing about the others.
            let same = self.named.iter().filter(|(known, _)| token::tokens_equal(given, known));
            same.fold(None, |_, (_, account)| Some(account.clone()))
        });
        named.unwrap_or_else(|| self.anonymous_account(client))
    }

    fn anonymous_account(&self, client: ClientId) -> Arc<ClientAccount> {
        let mut accounts = self.anonymous.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= MAX_IDLE_ACCOUNTS {
            accounts.retain(|_, account| Arc::strong_count(account) > 1 || !account.is_idle());
        }
        if accounts.len() >= MAX_IDLE_ACCOUNTS && !accounts.contains_key(&client) {
            // No account is idle, so this one counts for this request alone.
            return Arc::new(ClientAccount::new(None, self.others));
        }
        accounts
            .entry(client)
            .or_insert_with(|| Arc::new(ClientAccount::new(None, self.others)))
            .clone()
    }
}

/// A client's permissions, and its use of the limits.
#[derive(Debug)]
pub(crate) struct ClientAccount {
    name: Option<String>,
    rules: ClientRules,
    running: AtomicU32,
    bucket: Mutex<TokenBucket>,
}

/// The calls that are left. They are refilled with time, up to those of one second.
#[derive(Clone, Copy, Debug)]
struct TokenBucket {
    left: f64,
    at: Instant,
}

impl ClientAccount {
    fn new(name: Option<&str>, rules: ClientRules) -> Self {
        let left = rules.calls_per_second.unwrap_or_default().into();
        let bucket = Mutex::new(TokenBucket { left, at: Instant::now() });
        Self { name: name.map(str::to_owned), rules, running: AtomicU32::new(0), bucket }
    }

    /// Whether the request has a known token.
    pub(crate) const fn has_token(&self) -> bool {
        self.name.is_some()
    }

    /// Whether the client may submit.
    pub(crate) const fn may_submit(&self) -> bool {
        self.rules.submit
    }

    /// `not_authorised` if the client may not read.
    pub(crate) fn check_read(&self) -> Result<()> {
        if self.rules.read {
            return Ok(());
        }
        let expected = "the header Authorization: Bearer with a token that may read";
        Err(Error::new(Reason::NotAuthorised, expected, "another, or none"))
    }

    /// Begins a call, which lasts until the guard is dropped; `busy` above the limits.
    pub(crate) fn enter(self: &Arc<Self>) -> Result<CallGuard> {
        // Counted first, so that two calls cannot take the last slot.
        let entered = CallGuard(self.clone());
        let before = self.running.fetch_add(1, Ordering::SeqCst);
        if let Some(most) = self.rules.calls_at_once.filter(|most| before >= *most) {
            return Err(self.busy(format_args!("at most {most} calls at once")));
        }
        match self.rules.calls_per_second {
            Some(most) if !self.take(most, Instant::now()) => {
                Err(self.busy(format_args!("at most {most} calls in a second")))
            }
            _ => Ok(entered),
        }
    }

    fn take(&self, most: u32, now: Instant) -> bool {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let refilled = now.saturating_duration_since(bucket.at).as_secs_f64() * f64::from(most);
        *bucket =
            TokenBucket { left: (bucket.left + refilled).min(most.into()), at: bucket.at.max(now) };
        let is_allowed = bucket.left >= 1.0;
        if is_allowed {
            bucket.left -= 1.0;
        }
        is_allowed
    }

    /// Whether the account can be dropped without effect: all of its calls are refilled.
    fn is_idle(&self) -> bool {
        let at = self.bucket.lock().unwrap_or_else(PoisonError::into_inner).at;
        self.rules.calls_per_second.is_none() || at.elapsed().as_secs() >= 1
    }

    fn busy(&self, most: fmt::Arguments<'_>) -> Error {
        let whose = self.name.as_ref().map_or_else(
            || "without a token, from this address".to_owned(),
            |name| format!("of the client {name}"),
        );
        Error::new(Reason::Busy, format_args!("{most} {whose}"), "more")
    }
}

/// Counts a call that runs or waits, until this is dropped.
#[derive(Debug)]
pub(crate) struct CallGuard(Arc<ClientAccount>);

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use http::HeaderMap;
    use http::header::AUTHORIZATION;
    use std::time::Duration;

    const READ_ONLY: ClientRules = ClientRules { submit: false, ..ClientRules::ALL };

    fn headers(token: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
        headers
    }

    #[test]
    fn a_client_is_known_by_its_token_and_others_by_their_address() {
        let none = ClientRules { read: false, submit: false, ..ClientRules::ALL };
        let mut clients = ClientRegistry::new(none);
        clients.add("wallet", "secret", READ_ONLY).unwrap();
        clients.add("writer", "another", ClientRules::ALL).unwrap();
        let refused = clients.add("third", "secret", READ_ONLY).unwrap_err();
        assert_eq!(refused.reason(), Reason::InvalidArgument);
        let of = |token: &str| clients.of(&headers(token), ClientId::Local(1));
        assert_eq!((of("secret").check_read(), of("secret").may_submit()), (Ok(()), false));
        assert!(of("another").may_submit());
        for wrong in ["", "secre", "secret ", "secrets", "SECRET", "wallet"] {
            let refused = of(wrong).check_read().unwrap_err();
            assert_eq!(refused.reason(), Reason::NotAuthorised, "{wrong}");
        }
        assert!(!clients.of(&HeaderMap::new(), ClientId::Local(1)).may_submit());
    }

    #[test]
    fn calls_at_once_are_counted_until_they_end() {
        let rules = ClientRules { calls_at_once: Some(2), ..READ_ONLY };
        let clients = ClientRegistry::new(rules);
        let of = |client| clients.of(&HeaderMap::new(), ClientId::Local(client));
        let (first, second) = (of(1).enter().unwrap(), of(1).enter().unwrap());
        let refused = of(1).enter().unwrap_err();
        assert_eq!(refused.reason(), Reason::Busy);
        assert_eq!(
            refused.expected(),
            "at most 2 calls at once without a token, from this address"
        );
        let another = of(2).enter().unwrap();
        drop(first);
        let third = of(1).enter().unwrap();
        of(1).enter().unwrap_err();
        drop((second, third, another));
        assert_eq!(of(1).running.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn calls_in_a_second_come_back_with_time() {
        let account =
            ClientAccount::new(None, ClientRules { calls_per_second: Some(10), ..READ_ONLY });
        let begun = account.bucket.lock().unwrap().at;
        let taken = |after_ms| {
            let now = begun + Duration::from_millis(after_ms);
            (0..100).take_while(|_| account.take(10, now)).count()
        };
        assert_eq!([0, 99, 101, 601, 600, 60_000].map(taken), [10, 0, 1, 5, 0, 10]);
    }

    #[test]
    fn clients_that_come_and_go_take_no_memory_for_long() {
        let clients = ClientRegistry::new(READ_ONLY);
        for client in 0..2 * u32::try_from(MAX_IDLE_ACCOUNTS).unwrap() {
            clients.of(&HeaderMap::new(), ClientId::Local(client)).enter().unwrap();
        }
        assert!(clients.anonymous.lock().unwrap().len() <= MAX_IDLE_ACCOUNTS);
    }
}
