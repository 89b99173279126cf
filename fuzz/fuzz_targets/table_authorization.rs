//! Nobody gets into tables by a header or a signature in a query that no key of the account made; what a key made covers its terms.
//!
//! The input is text: an `Authorization` header, a path, and a line `name=value` for each parameter of a query.
#![no_main]

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use libfuzzer_sys::fuzz_target;
use orrery_gateway::auth::{
    EMULATOR_KEY, Key, Keys, Sas, SasError, SasGrant, SasPolicy, SasUse, SharedKeyForm, SignedTableRequest,
    StorageScheme, bearer,
};
use orrery_table::DateTime;

const ACCOUNT: &str = "acc";
const NOW_SECONDS: u64 = 1_700_000_000;
const DATE: &str = "Tue, 14 Nov 2023 22:13:20 GMT";

/// What signatures cover: of a table, of the account, and of both from the versions on that have them.
const TABLE_TERMS: [&str; 9] = ["sp", "st", "se", "tn", "si", "spk", "srk", "epk", "erk"];
const ACCOUNT_TERMS: [&str; 7] = ["sp", "ss", "srt", "st", "se", "sip", "spr"];
const LATER_TERMS: [&str; 2] = ["sip", "spr"];
const VERSION_WITH_LATER_TERMS: &str = "2015-04-05";

type Parameters<'t> = Vec<(Cow<'t, str>, Cow<'t, str>)>;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let mut lines = text.split('\n');
    let (header, path) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    nobody_gets_in(header, path);
    signed_requests_get_in(path);
    let parameters: Parameters<'_> =
        lines.filter_map(|line| line.split_once('=')).map(|(name, value)| (name.into(), value.into())).collect();
    let Ok(Some(sas)) = Sas::parse(&parameters) else { return };
    assert!(sas.verify(ACCOUNT, &keys()).is_err());
    what_is_granted_is_named(&sas, &parameters);
    a_signature_covers_its_terms(&sas, parameters);
});

fn nobody_gets_in(header: &str, path: &str) {
    match StorageScheme::parse(header) {
        Ok(StorageScheme::SharedKey { account, signature, form }) => {
            assert!(header.contains(account));
            assert!(request(path, None).verify(&signature, form, &keys(), now()).is_err());
        }
        Ok(StorageScheme::Bearer(token)) => {
            let _ = bearer::read_unverified_for_tables(token, ACCOUNT, now());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn signed_requests_get_in(path: &str) {
    let resource = format!("/{ACCOUNT}{path}");
    for (form, text) in [
        (SharedKeyForm::Full, format!("PUT\n\ntext/plain\n{DATE}\n{resource}?comp=acl")),
        (SharedKeyForm::Lite, format!("{DATE}\n{resource}?comp=acl")),
    ] {
        let signature = keys().primary.sign(&[text.as_bytes()]);
        let verify = |request: SignedTableRequest<'_>| request.verify(&signature, form, &keys(), now());
        let signed = request(path, Some("acl"));
        assert!(verify(signed).is_ok(), "{path:?}");
        let late = "Wed, 15 Nov 2023 22:13:20 GMT";
        for changed in [
            SignedTableRequest { comp: None, ..signed },
            SignedTableRequest { comp: Some("ac"), ..signed },
            SignedTableRequest { account: "other", ..signed },
            SignedTableRequest { x_ms_date: late, ..signed },
            SignedTableRequest { x_ms_date: "", ..signed },
        ] {
            assert!(verify(changed).is_err(), "{changed:?}");
        }
        for changed in [SignedTableRequest { verb: "GET", ..signed }, SignedTableRequest { content_type: "", ..signed }]
        {
            assert_eq!(verify(changed).is_err(), form == SharedKeyForm::Full, "{changed:?}");
        }
        let later = now() + Duration::from_secs(24 * 3600);
        assert!(signed.verify(&signature, form, &keys(), later).is_err());
    }
}

fn what_is_granted_is_named(sas: &Sas<'_>, parameters: &Parameters<'_>) {
    let used = SasUse {
        now: DateTime::parse("2023-11-14T22:13:20Z").expect("it is a time"),
        peer: [10, 0, 0, 7].into(),
        is_encrypted: false,
    };
    let policy = SasPolicy { permissions: Some("r".into()), ..SasPolicy::default() };
    for policy in [None, Some(&policy)] {
        let Ok(grant) = sas.grant(policy, &used) else { continue };
        let (SasGrant::Account { permissions, .. } | SasGrant::Table { permissions, .. }) = &grant;
        assert!(policy.is_some() || value(parameters, "sp") == Some(permissions));
        assert!(!permissions.is_empty());
        assert!(value(parameters, "se").is_some_and(|expiry| !expiry.is_empty()));
        assert_ne!(value(parameters, "spr"), Some("https"));
    }
}

fn a_signature_covers_its_terms(sas: &Sas<'_>, mut parameters: Parameters<'_>) {
    set(&mut parameters, "sig", STANDARD.encode([0; 32]));
    let Ok(Some(unsigned)) = Sas::parse(&parameters) else { unreachable!("only its signature is another") };
    let Err(SasError::SignatureMismatch { payload }) = unsigned.verify(ACCOUNT, &keys()) else {
        unreachable!("no key makes this signature")
    };
    // Otherwise it can't be told what stands for a line feed in it.
    if parameters.iter().any(|(_, value)| value.contains('\\')) {
        return;
    }
    let text = payload.replace("\\n", "\n");
    set(&mut parameters, "sig", STANDARD.encode(keys().primary.sign(&[text.as_bytes()])));
    let verified = |parameters: &Parameters<'_>| {
        Sas::parse(parameters).ok().flatten().is_some_and(|sas| sas.verify(ACCOUNT, &keys()).is_ok())
    };
    assert!(verified(&parameters), "{sas:?}");
    let is_table = value(&parameters, "tn").is_some();
    let has_later = value(&parameters, "sv").is_some_and(|version| version >= VERSION_WITH_LATER_TERMS);
    let terms: &[&str] = if is_table { &TABLE_TERMS } else { &ACCOUNT_TERMS };
    for term in terms.iter().chain(LATER_TERMS.iter().filter(|_| is_table && has_later)) {
        let Some(own) = value(&parameters, term).map(|own| format!("{own}x")) else { continue };
        let mut changed = parameters.clone();
        set(&mut changed, term, own);
        assert!(!verified(&changed), "{term} of {sas:?}");
    }
}

/// The parameter that counts: the first of its name.
fn value<'p>(parameters: &'p Parameters<'_>, name: &str) -> Option<&'p str> {
    parameters.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
}

fn set(parameters: &mut Parameters<'_>, name: &str, new: String) {
    if let Some((_, value)) = parameters.iter_mut().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
        *value = new.into();
    }
}

fn request<'a>(path: &'a str, comp: Option<&'a str>) -> SignedTableRequest<'a> {
    SignedTableRequest {
        verb: "PUT",
        content_md5: "",
        content_type: "text/plain",
        x_ms_date: DATE,
        date: "",
        account: ACCOUNT,
        path,
        account_segment: None,
        comp,
    }
}

/// Keys that no input knows: nobody but the emulator's users can sign with these.
fn keys() -> Keys {
    Keys::single(Key::from_base64(EMULATOR_KEY).expect("it is one"))
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(NOW_SECONDS)
}
