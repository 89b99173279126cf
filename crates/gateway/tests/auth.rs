//! Signatures, resource tokens and identity tokens.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use orrery_gateway::auth::{
    AadMode, AuthError, AuthScheme, Authenticator, EMULATOR_KEY, Grant, Identity, Key, KeyRole, Keys, MasterKeyAuth,
    PermissionMode, SignedRequest, SignedResource, TokenSigner, bearer, parse_rfc1123,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;

const DATE: &str = "Thu, 27 Apr 2017 00:51:12 GMT";

fn at(date: &str) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(parse_rfc1123(date).unwrap().try_into().unwrap())
}

fn key(text: &str) -> Key {
    Key::from_base64(text).unwrap()
}

fn emulator() -> MasterKeyAuth {
    MasterKeyAuth::new(Keys::single(key(EMULATOR_KEY)))
}

fn request<'a>(verb: &'a str, resource_type: &'a str, link: &'a str) -> SignedRequest<'a> {
    SignedRequest { verb, resource_type, resource_link: link, x_ms_date: Some(DATE), date: None }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Made with Python's hmac module and the emulator's key: verb, type, link, signature.
const VECTORS: [(&str, &str, &str, &str); 9] = [
    ("GET", "dbs", "dbs/ToDoList", "mM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY="),
    ("GET", "", "", "gFB1bRB/PLJTG3bCgMuoVgNzOyFvZAamzEtLuSITjRc="),
    ("POST", "docs", "dbs/Db/colls/C", "HYCohFQ6U6rt0yXhoYFiI1+3+EM/6Q5SoVYj3tzmkEM="),
    ("PATCH", "docs", "dbs/Db/colls/C/docs/a b", "U1OLLwBtni9FYE8qukV/rxmF8TtiGQhzDR77CaEgw/o="),
    ("GET", "docs", "dbs/é/colls/C/docs/日本", "XdyXe2w8QA8LuQrmD8Ob81Ld2skcEQQtBdGb0kcTjKY="),
    ("DELETE", "docs", "36zyapw+un8naaaaaaaaaa==", "0ZV3TWFPSuyEeQDnMf9DgB8b0+yhvq8cIiYmhY8bYoQ="),
    ("PUT", "offers", "abcd", "vGiPiWNCulLEKSYX3Ykew/tp7K7KiQ980nmZRAJFQs0="),
    ("POST", "partitionkey", "dbs/Db/colls/C", "vmm+eEFsmzZBaczw+GuPDq/xWYKH4/hLNWoMg1ejI6A="),
    (
        "GET",
        "docs",
        "dbs/D/colls/C/docs/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "oOWygTtcS7y1jrF2RFum2kd4Zo3nyFXNwA3kWABQnYs=",
    ),
];
const SIGNED_BY_DATE_ALONE: &str = "DVsspIhVN8ZjQpXls0TzoncDTcCZbiuKYV+rJtl0xQ8=";
const SIGNED_BY_BOTH_DATES: &str = "jl5zwO+6XV/u0xss3PSPNUFddYbLFVBSOcEp20OZufc=";

fn header(signature: &str) -> String {
    format!("type=master&ver=1.0&sig={signature}")
}

#[test]
fn signatures_of_other_implementations_verify_in_every_spelling() {
    let auth = emulator();
    for (verb, resource_type, link, signature) in VECTORS {
        let plain = header(signature);
        let spellings = [
            plain.clone(),
            encode(&plain),
            encode(&plain).to_ascii_lowercase_escapes(),
            plain.trim_end_matches('=').to_owned(),
            encode(plain.trim_end_matches('=')),
            plain.replace("type=master", "Type=Master").replace("1.0", "1"),
        ];
        for verb in [verb, &verb.to_lowercase()] {
            for spelling in &spellings {
                let role = auth.verify_header(&request(verb, resource_type, link), spelling, at(DATE));
                assert_eq!(role, Ok(KeyRole::Primary), "{verb} {link} {spelling}");
            }
        }
    }
}

trait LowercaseEscapes {
    fn to_ascii_lowercase_escapes(&self) -> String;
}

impl LowercaseEscapes for String {
    /// `%3D` as `%3d`, which some clients write.
    fn to_ascii_lowercase_escapes(&self) -> String {
        self.replace("%3D", "%3d").replace("%2B", "%2b").replace("%2F", "%2f")
    }
}

#[test]
fn a_changed_request_or_signature_fails_and_says_what_was_expected() {
    let auth = emulator();
    let (verb, resource_type, link, signature) = VECTORS[0];
    let good = header(signature);
    for (verb, resource_type, link) in [
        ("PUT", resource_type, link),
        (verb, "colls", link),
        (verb, resource_type, "dbs/todolist"),
        (verb, resource_type, "dbs/ToDoList/"),
    ] {
        let result = auth.verify_header(&request(verb, resource_type, link), &good, at(DATE));
        let error = result.unwrap_err();
        assert!(matches!(error, AuthError::SignatureMismatch { .. }), "{error}");
        let lower = verb.to_lowercase();
        let payload = format!("'{lower}\\n{resource_type}\\n{link}\\nthu, 27 apr 2017 00:51:12 gmt\\n\\n'");
        let text = error.to_string();
        assert!(text.starts_with("The input authorization token can't serve the request."), "{text}");
        assert!(text.ends_with(&format!("Server used the following payload to sign: {payload}")), "{text}");
    }
    let mut bytes: [u8; 32] = STANDARD.decode(signature).unwrap().try_into().unwrap();
    for at_byte in 0..32 {
        bytes[at_byte] ^= 1;
        assert!(auth.verify(&request(verb, resource_type, link), &bytes, at(DATE)).is_err());
        bytes[at_byte] ^= 1;
    }
    assert!(auth.verify(&request(verb, resource_type, link), &bytes, at(DATE)).is_ok());
}

#[test]
fn the_date_header_serves_where_x_ms_date_is_absent() {
    let auth = emulator();
    let mut signed = request("GET", "dbs", "dbs/ToDoList");
    signed.date = Some(DATE);
    assert!(auth.verify_header(&signed, &header(SIGNED_BY_BOTH_DATES), at(DATE)).is_ok());
    // .NET sends both and signs only the first.
    assert!(auth.verify_header(&signed, &header(VECTORS[0].3), at(DATE)).is_ok());
    signed.x_ms_date = None;
    assert!(auth.verify_header(&signed, &header(SIGNED_BY_DATE_ALONE), at(DATE)).is_ok());
    assert!(auth.verify_header(&signed, &header(VECTORS[0].3), at(DATE)).is_err());
    signed.date = None;
    let missing = auth.verify_header(&signed, &header(VECTORS[0].3), at(DATE));
    assert_eq!(missing, Err(AuthError::DateMissing));
}

#[test]
fn a_signature_holds_for_fifteen_minutes_either_way() {
    let auth = emulator();
    let (verb, resource_type, link, signature) = VECTORS[0];
    let verify = |now| auth.verify_header(&request(verb, resource_type, link), &header(signature), now);
    let window = Duration::from_secs(15 * 60);
    let second = Duration::from_secs(1);
    assert!(verify(at(DATE) + window).is_ok());
    assert!(verify(at(DATE) - window).is_ok());
    for now in [at(DATE) + window + second, at(DATE) - window - second] {
        assert!(matches!(verify(now), Err(AuthError::DateOutsideWindow { .. })));
    }
}

#[test]
fn every_key_of_the_account_is_recognised() {
    let text = |byte: u8| STANDARD.encode([byte; 64]);
    let keys = Keys {
        primary: key(&text(1)),
        secondary: Some(key(&text(2))),
        primary_readonly: Some(key(&text(3))),
        secondary_readonly: Some(key(&text(4))),
    };
    let auth = MasterKeyAuth::new(keys.clone());
    let payload = format!("get\ndbs\n\n{}\n\n", DATE.to_lowercase());
    let roles = [
        (1, KeyRole::Primary, true),
        (2, KeyRole::Secondary, true),
        (3, KeyRole::PrimaryReadonly, false),
        (4, KeyRole::SecondaryReadonly, false),
    ];
    for (byte, role, can_write) in roles {
        let signature = key(&text(byte)).sign(&[payload.as_bytes()]);
        assert_eq!(auth.verify(&request("GET", "dbs", ""), &signature, at(DATE)), Ok(role));
        assert_eq!(role.can_write(), can_write);
    }
    let stranger = key(&text(5)).sign(&[payload.as_bytes()]);
    assert!(auth.verify(&request("GET", "dbs", ""), &stranger, at(DATE)).is_err());
    assert!(!format!("{keys:?}").contains(&text(1)[..8]));
}

#[test]
fn malformed_headers_say_what_is_wrong() {
    for text in [
        "",
        "Bearer abc",
        "type=master",
        "type=master&sig=x&ver=1.0",
        "type=master&ver=2.0&sig=x",
        "type=master&ver=1.0&sig=",
        "type=master&ver=1.0&sig=short",
        "type%3Dmaster%26ver%3D1.0%26sig%3D%ff",
    ] {
        let result = AuthScheme::parse(text);
        assert!(matches!(result, Err(AuthError::Malformed { .. })), "{text}: {result:?}");
    }
    let unknown = AuthScheme::parse("type=magic&ver=1.0&sig=x");
    assert_eq!(unknown, Err(AuthError::UnknownScheme { scheme: "magic".to_owned() }));
    assert!(AuthScheme::parse(&"x".repeat(1 << 20)).is_err());
    assert!(Key::from_base64("not base64!").is_err());
    assert!(Key::from_base64("c2hvcnQ=").is_err());
}

fn grant() -> Grant {
    Grant {
        permission_rid: "36ZyAPW-uN8NAAAAAAAAAA==".to_owned(),
        user_rid: "36ZyAPW-uN8=".to_owned(),
        resource_link: "dbs/Db/colls/é".to_owned(),
        resource_rid: "36ZyAPW+uN8=".to_owned(),
        mode: PermissionMode::Read,
        partition_key: Some("[\"a\",1]".to_owned()),
        expires: parse_rfc1123(DATE).unwrap() + 3600,
    }
}

/// What a server gets to see: the token comes back URL-encoded in the authorization header.
fn token_in(header: &str) -> String {
    match AuthScheme::parse(header) {
        Ok(AuthScheme::Resource(token)) => token,
        other => panic!("{other:?}"),
    }
}

#[test]
fn resource_tokens_round_trip_until_they_expire() {
    let signer = TokenSigner::derived_from(&Keys::single(key(EMULATOR_KEY)));
    let issued = signer.issue(&grant());
    for header in [issued.clone(), encode(&issued)] {
        assert_eq!(signer.verify(&token_in(&header), at(DATE)), Ok(grant()));
    }
    let later = at(DATE) + Duration::from_secs(3600);
    let expired = signer.verify(&token_in(&issued), later);
    assert!(matches!(expired, Err(AuthError::TokenExpired { .. })));
    let other_account = TokenSigner::new(Key::from_bytes(&[7; 32]));
    assert_eq!(other_account.verify(&token_in(&issued), at(DATE)), Err(AuthError::TokenInvalid));
}

#[test]
fn a_changed_resource_token_is_refused() {
    let signer = TokenSigner::new(Key::from_bytes(&[7; 32]));
    let token = token_in(&signer.issue(&grant()));
    for at_byte in 0..token.len() - 1 {
        let mut bytes = token.clone().into_bytes();
        bytes[at_byte] = if bytes[at_byte] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        // The last character before the padding of the signature holds bits that decode to nothing.
        let same_bits = at_byte == 42;
        assert!(same_bits || signer.verify(&changed, at(DATE)).is_err(), "{at_byte}: {changed}");
    }
}

fn jwt(claims: &str) -> String {
    let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
    format!("{}.{}.{}", encode("{\"alg\":\"RS256\"}"), encode(claims), encode("unchecked"))
}

#[test]
fn identity_tokens_need_the_operators_consent() {
    let keys = Keys::single(key(EMULATOR_KEY));
    let now = at(DATE);
    let seconds = parse_rfc1123(DATE).unwrap();
    let signed = request("GET", "dbs", "");
    let header = |claims: &str| encode(&format!("type=aad&ver=1.0&sig={}", jwt(claims)));
    let valid = header(&format!("{{\"exp\":{},\"oid\":\"me\"}}", seconds + 60));

    let strict = Authenticator::new(keys.clone(), AadMode::Off);
    let refused = strict.authenticate(&signed, Some(&valid), now).unwrap_err();
    assert_eq!(refused, AuthError::AadDisabled);
    assert!(refused.to_string().contains("--allow-aad"));
    assert_eq!(strict.authenticate(&signed, None, now), Err(AuthError::Missing));

    let lenient = Authenticator::new(keys, AadMode::AllowUnverified);
    match lenient.authenticate(&signed, Some(&valid), now) {
        Ok(Identity::Aad(identity)) => assert_eq!(identity.principal, "me"),
        other => panic!("{other:?}"),
    }
    for claims in [format!("{{\"exp\":{}}}", seconds - 3600), format!("{{\"exp\":{0},\"nbf\":{0}}}", seconds + 3600)] {
        let result = lenient.authenticate(&signed, Some(&header(&claims)), now);
        assert!(matches!(result, Err(AuthError::AadOutsideValidity { .. })), "{claims}");
    }
    for claims in ["{}", "[]", "{\"exp\":\"soon\"}", "no json"] {
        let result = lenient.authenticate(&signed, Some(&header(claims)), now);
        assert!(matches!(result, Err(AuthError::AadMalformed { .. })), "{claims}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic_or_pass(text in ".{0,300}", cut in 0usize..200) {
        let auth = emulator();
        let signed = request("GET", "dbs", "");
        let prefixes = ["", "type=master&ver=1.0&sig=", "type=resource&ver=1&sig=", "type=aad&ver=1.0&sig=", "type%3Dmaster%26"];
        for prefix in prefixes {
            let header = format!("{prefix}{text}");
            prop_assert!(auth.verify_header(&signed, &header, at(DATE)).is_err());
        }
        let signer = TokenSigner::new(Key::from_bytes(&[7; 32]));
        prop_assert!(signer.verify(&text, at(DATE)).is_err());
        let mut token = signer.issue(&grant());
        token.truncate(cut.min(token.len() - 8));
        prop_assert!(signer.verify(&token, at(DATE)).is_err());
        prop_assert!(bearer::read_unverified(&text, at(DATE)).is_err());
        prop_assert!(bearer::read_unverified(&jwt(&text), at(DATE)).is_err());
        let _ = parse_rfc1123(&text);
        let _ = SignedResource::from_path(&text);
        let _ = Key::from_base64(&text);
    }

    #[test]
    fn what_a_key_signs_it_verifies(verb in "[A-Z]{1,9}", kind in "[a-z]{0,20}", link in ".{0,700}") {
        let payload = format!("{}\n{kind}\n{link}\n{}\n\n", verb.to_lowercase(), DATE.to_lowercase());
        let signature = key(EMULATOR_KEY).sign(&[payload.as_bytes()]);
        let verified = emulator().verify(&request(&verb, &kind, &link), &signature, at(DATE));
        prop_assert_eq!(verified, Ok(KeyRole::Primary));
    }
}
