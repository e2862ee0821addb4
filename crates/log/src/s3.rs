//! Buckets of S3 and of servers with its protocol.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey as Key, S3ConditionalPut};
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use prooflight_core::{Error, Reason, Result};
use url::{Host, Url};

use crate::redact::redacted;

/// The environment variables that are used, with the client's keys for them. Others could turn off
/// the check of certificates, or the conditional creates.
const S3_VARIABLES: [(&str, Key); 16] = [
    ("AWS_ACCESS_KEY_ID", Key::AccessKeyId),
    ("AWS_SECRET_ACCESS_KEY", Key::SecretAccessKey),
    ("AWS_SESSION_TOKEN", Key::Token),
    ("AWS_WEB_IDENTITY_TOKEN_FILE", Key::WebIdentityTokenFile),
    ("AWS_ROLE_ARN", Key::RoleArn),
    ("AWS_ROLE_SESSION_NAME", Key::RoleSessionName),
    ("AWS_ENDPOINT_URL_STS", Key::StsEndpoint),
    ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", Key::ContainerCredentialsRelativeUri),
    ("AWS_CONTAINER_CREDENTIALS_FULL_URI", Key::ContainerCredentialsFullUri),
    ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", Key::ContainerAuthorizationTokenFile),
    ("AWS_METADATA_ENDPOINT", Key::MetadataEndpoint),
    ("AWS_DEFAULT_REGION", Key::DefaultRegion),
    ("AWS_REGION", Key::Region),
    ("AWS_ENDPOINT_URL", Key::Endpoint),
    ("AWS_ENDPOINT_URL_S3", Key::S3Endpoint),
    ("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", Key::VirtualHostedStyleRequest),
];

/// Each of these variables locates credentials. Without any of them, the client would query the machine's
/// network for them.
const CREDENTIAL_VARIABLES: [&str; 5] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_METADATA_ENDPOINT",
];

/// Opens the bucket of an `s3:` URL; also returns its endpoint, if that is not AWS. `variable` is the environment.
pub(crate) fn open(
    url: &Url,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<(Arc<dyn ObjectStore>, Option<String>)> {
    let wrong = |expected: &str, found: &str| {
        Error::new(Reason::InvalidArgument, format_args!("{expected} ({url})"), found)
    };
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    let (Some(bucket), None) = (url.host_str().filter(|it| !it.is_empty()), url.port()) else {
        return Err(wrong("s3://BUCKET/FOLDER", "no bucket, or a port"));
    };
    if !CREDENTIAL_VARIABLES.iter().any(|name| variable(name).is_some()) {
        return Err(wrong(
            "credentials in the environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            "none",
        ));
    }
    let endpoint = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL"));
    let allowed = variable("AWS_ALLOW_HTTP").as_deref() == Some("true");
    let plain = match &endpoint {
        Some(endpoint) => is_plain(endpoint, allowed).map_err(|found| {
            wrong("AWS_ENDPOINT_URL with https, or with http on this machine", found)
        })?,
        None => false,
    };
    let options = ClientOptions::new()
        .with_allow_http(plain)
        .with_connect_timeout(Duration::from_secs(5))
        .with_timeout(Duration::from_secs(30));
    // Callers retry by themselves, and for longer.
    let retries = RetryConfig {
        max_retries: 2,
        retry_timeout: Duration::from_secs(10),
        ..RetryConfig::default()
    };
    let mut builder = AmazonS3Builder::new()
        .with_client_options(options)
        .with_retry(retries)
        .with_bucket_name(bucket)
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        // A proposal is removed by a DELETE: not every server has the request for many at once.
        .with_disable_bulk_delete(true);
    for (name, key) in S3_VARIABLES {
        if let Some(value) = variable(name) {
            builder = builder.with_config(key, value);
        }
    }
    // Fails if the program already has a provider, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let store = builder
        .build()
        .map_err(|error| wrong("usable AWS_* variables in the environment", &redacted(&error)))?;
    Ok((Arc::new(store), endpoint))
}

/// Whether an endpoint is without TLS; the error says why it must not be used.
fn is_plain(endpoint: &str, allowed: bool) -> Result<bool, &'static str> {
    let url = Url::parse(endpoint).map_err(|_| "no URL")?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err("a user name, password or query in it");
    }
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => return Err("no host"),
    };
    match url.scheme() {
        "https" => Ok(false),
        "http" if is_local || allowed => Ok(true),
        "http" => Err("http to another machine, which shows and may change all requests; \
                       AWS_ALLOW_HTTP=true permits it"),
        _ => Err("another scheme"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    const TEST_KEYS: [(&str, &str); 2] =
        [("AWS_ACCESS_KEY_ID", "an-id"), ("AWS_SECRET_ACCESS_KEY", "hunter2-hunter2")];

    fn opened(url: &str, more: &[(&str, &str)]) -> Result<Option<String>> {
        let variables = [&TEST_KEYS[..], more].concat();
        let variable = |name: &str| {
            variables.iter().rev().find(|it| it.0 == name).map(|(_, value)| (*value).to_owned())
        };
        open(&Url::parse(url).unwrap(), variable).map(|(_, endpoint)| endpoint)
    }

    fn at(endpoint: &str) -> Result<Option<String>> {
        opened("s3://bucket/chain", &[("AWS_ENDPOINT_URL", endpoint)])
    }

    #[test]
    fn a_bucket_is_opened_by_the_environment() {
        assert_eq!(opened("s3://bucket/chain", &[]).unwrap(), None);
        assert_eq!(opened("s3://bucket", &[("AWS_REGION", "eu-west-1")]).unwrap(), None);
        let here = at("http://127.0.0.1:9000").unwrap();
        assert_eq!(here.as_deref(), Some("http://127.0.0.1:9000"));
    }

    #[test]
    fn what_is_wrong_is_said_without_secrets() {
        let none = [("AWS_ACCESS_KEY_ID", ""), ("AWS_SECRET_ACCESS_KEY", "")];
        for (url, more) in [
            ("s3:///chain", &[][..]),
            ("s3://bucket:80/chain", &[]),
            ("s3://bucket/chain", &none),
            ("s3://bucket/chain", &none[..1]),
            ("s3://bucket/chain", &none[1..]),
            ("s3://bucket/chain", &[("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "perhaps")]),
        ] {
            let error = opened(url, more).unwrap_err();
            assert_eq!(error.reason(), Reason::InvalidArgument, "{url}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_remote_endpoint_needs_tls_unless_http_is_permitted() {
        for here in ["http://localhost:1", "http://127.8.8.8:1", "http://[::1]:1", "https://host"] {
            at(here).unwrap();
        }
        for wrong in
            ["http://host", "http://10.0.0.1", "http://localhost.host", "ftp://host", "host"]
        {
            assert_eq!(at(wrong).unwrap_err().reason(), Reason::InvalidArgument, "{wrong}");
        }
        assert!(at("https://me:hunter2-hunter2@host").is_err());
        let permitted = [("AWS_ENDPOINT_URL", "http://host"), ("AWS_ALLOW_HTTP", "true")];
        opened("s3://bucket/chain", &permitted).unwrap();
    }
}
