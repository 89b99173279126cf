//! Nobody gets in by a header that nobody issued; a token that was changed on its way grants what was issued or nothing.
//!
//! The input is a header, a path and a date, as one text for each reader, and changes to a token: place (two bytes) and new byte.
#![no_main]

use std::time::{Duration, SystemTime};

use libfuzzer_sys::fuzz_target;
use orrery_gateway::auth::{
    AadMode, AuthScheme, Authenticator, EMULATOR_KEY, Grant, Identity, Key, Keys, PermissionMode, SignedRequest,
    SignedResource, bearer, parse_rfc1123,
};
use orrery_gateway::reply::rfc1123;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

const NOW_SECONDS: i64 = 1_700_000_000;
const DATE: &str = "Tue, 14 Nov 2023 22:13:20 GMT";

fuzz_target!(|input: &[u8]| {
    changed_tokens_grant_nothing_else(input);
    let Ok(text) = std::str::from_utf8(input) else { return };
    nobody_gets_in(text);
    encoding_makes_no_difference(text);
    dates_come_back(text);
    let signed = SignedResource::from_path(text);
    assert!(signed.resource_type.is_empty() || text.contains(signed.resource_type));
    let _ = bearer::read_unverified(text, now());
});

fn nobody_gets_in(header: &str) {
    let request =
        SignedRequest { verb: "GET", resource_type: "dbs", resource_link: "", x_ms_date: Some(DATE), date: None };
    let identity = authenticator().authenticate(&request, Some(header), now());
    assert!(identity.is_err(), "{identity:?}");
}

/// Clients send the header percent-encoded or plain.
fn encoding_makes_no_difference(header: &str) {
    let plain = header.trim();
    let encoded = utf8_percent_encode(plain, NON_ALPHANUMERIC).to_string();
    if let Ok(scheme) = AuthScheme::parse(plain)
        && plain.contains('&')
        && encoded.len() <= orrery_gateway::auth::MAX_AUTHORIZATION_BYTES
    {
        assert_eq!(AuthScheme::parse(&encoded), Ok(scheme));
    }
}

fn dates_come_back(text: &str) {
    if let Some(printed) = parse_rfc1123(text).and_then(rfc1123) {
        assert_eq!(parse_rfc1123(&printed), parse_rfc1123(text));
    }
}

fn changed_tokens_grant_nothing_else(changes: &[u8]) {
    let authenticator = authenticator();
    let grant = Grant {
        permission_rid: "36ZyAA==".into(),
        user_rid: "36ZyAB==".into(),
        resource_link: "dbs/x/colls/y".into(),
        resource_rid: "36ZyAPW+uN8=".into(),
        mode: PermissionMode::Read,
        partition_key: Some(r#"["x"]"#.into()),
        expires: NOW_SECONDS + 3600,
    };
    let mut token = authenticator.tokens().issue(&grant).into_bytes();
    for [high, low, byte] in changes.as_chunks::<3>().0.iter().take(8) {
        let place = usize::from(u16::from_be_bytes([*high, *low])) % token.len();
        token[place] = *byte;
    }
    let Ok(token) = String::from_utf8(token) else { return };
    let request = SignedRequest {
        verb: "GET",
        resource_type: "docs",
        resource_link: "dbs/x/colls/y",
        x_ms_date: Some(DATE),
        date: None,
    };
    if let Ok(identity) = authenticator.authenticate(&request, Some(&token), now()) {
        assert_eq!(identity, Identity::Resource(grant), "{token}");
    }
}

fn authenticator() -> Authenticator {
    let key = Key::from_base64(EMULATOR_KEY).expect("it is one");
    Authenticator::new(Keys::single(key), AadMode::AllowUnverified)
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(NOW_SECONDS as u64)
}
