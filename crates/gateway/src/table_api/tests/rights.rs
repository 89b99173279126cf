//! Who may do what.

use super::*;

/// The query of a signature for a table, made from its terms.
fn table_sas(terms: &[(&str, &str)]) -> String {
    let value = |name: &str| terms.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| *value);
    let table = format!("/table/{ACCOUNT}/{}", value("tn").to_lowercase());
    let lines = [
        value("sp"),
        value("st"),
        value("se"),
        &table,
        value("si"),
        value("sip"),
        value("spr"),
        value("sv"),
        value("spk"),
        value("srk"),
        value("epk"),
        value("erk"),
    ];
    signed(terms, &lines.join("\n"))
}

fn account_sas(terms: &[(&str, &str)]) -> String {
    let value = |name: &str| terms.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| *value);
    let lines = [
        ACCOUNT,
        value("sp"),
        value("ss"),
        value("srt"),
        value("st"),
        value("se"),
        value("sip"),
        value("spr"),
        value("sv"),
        "",
    ];
    signed(terms, &lines.join("\n"))
}

fn signed(terms: &[(&str, &str)], text: &str) -> String {
    let signature = STANDARD.encode(key().sign(&[text.as_bytes()]));
    let mut query: Vec<String> = terms.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    query.push(format!("sig={}", encoded(&signature)));
    query.join("&")
}

const TERMS: [(&str, &str); 3] = [("tn", "tab"), ("sv", "2019-02-02"), ("se", "2099-01-01T00:00:00Z")];

fn table_terms<'t>(more: &[(&'t str, &'t str)]) -> String {
    table_sas(&[&TERMS[..], more].concat())
}

async fn filled() -> Lab {
    let lab = Lab::with_table().await;
    for (partition_key, row_key) in [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2"), ("c", "1")] {
        lab.insert(partition_key, row_key, "").await;
    }
    lab
}

#[tokio::test]
async fn a_request_must_be_signed_with_the_accounts_key() {
    let lab = Lab::with_table().await;
    for (authorization, refusal) in [
        ("SharedKey nonsense", (400, "InvalidAuthenticationInfo")),
        ("Basic eHg6eQ==", (400, "InvalidAuthenticationInfo")),
        ("SharedKey other:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", (403, "AuthenticationFailed")),
        ("SharedKey acc:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", (403, "AuthenticationFailed")),
        ("Bearer a.b.c", (401, "AuthenticationFailed")),
        ("-", (403, "AuthenticationFailed")),
    ] {
        for path in ["/Tab()", "/none()", "/$batch", "/a/b/c", "/?restype=service&comp=properties"] {
            let date = rfc1123(unix_seconds()).unwrap();
            let answer = lab.send("GET", path, &[("authorization", authorization), ("x-ms-date", &date)], "").await;
            assert_eq!(answer.refusal(), refusal, "{authorization} {path}");
        }
    }
    let headers = [("authorization", "-"), ("x-ms-version", "2020-12-06")];
    let challenged = lab.send("GET", "/Tab()", &headers, "").await;
    assert_eq!(challenged.refusal(), (401, "NoAuthenticationInformation"));
    assert!(challenged.header("www-authenticate").contains("authorization_uri="), "{challenged:?}");
}

#[tokio::test]
async fn an_old_signature_is_refused() {
    let lab = Lab::with_table().await;
    let date = rfc1123(unix_seconds() - 16 * 60).unwrap();
    let text = format!("GET\n\n\n{date}\n/{ACCOUNT}/{ACCOUNT}/Tab()");
    let signature = format!("SharedKey {ACCOUNT}:{}", STANDARD.encode(key().sign(&[text.as_bytes()])));
    let answer = lab.send("GET", "/Tab()", &[("authorization", &signature), ("x-ms-date", &date)], "").await;
    assert_eq!(answer.refusal(), (403, "AuthenticationFailed"));
}

#[tokio::test]
async fn a_tables_signature_allows_what_its_letters_say() {
    let lab = filled().await;
    let any = ("if-match", "*");
    let path = entity("a", "1");
    for (letters, method, path, headers, allowed) in [
        ("r", "GET", "/Tab()", &[][..], true),
        ("r", "GET", &*path, &[], true),
        ("aud", "GET", &*path, &[], false),
        ("a", "POST", "/Tab", &[], true),
        ("rud", "POST", "/Tab", &[], false),
        ("u", "PUT", &*path, &[any], true),
        ("u", "PUT", &*path, &[], false),
        ("au", "PUT", &*path, &[], true),
        ("u", "MERGE", &*path, &[any], true),
        ("a", "MERGE", &*path, &[], false),
        ("rau", "DELETE", &*path, &[any], false),
        ("d", "DELETE", &*path, &[any], true),
        ("raud", "GET", "/Tables", &[], false),
        ("raud", "DELETE", "/Tables('Tab')", &[], false),
        ("raud", "GET", "/Tab?comp=acl", &[], false),
        ("raud", "GET", "/?restype=service&comp=properties", &[], false),
    ] {
        let mark = if path.contains('?') { '&' } else { '?' };
        let target = format!("{path}{mark}{}", table_terms(&[("sp", letters)]));
        let answer = lab.send(method, &target, headers, r#"{"PartitionKey":"n","RowKey":"1"}"#).await;
        assert_eq!(answer.status < 300, allowed, "{letters} {method} {path}: {}", answer.text());
        assert!(allowed || answer.status == 403, "{letters} {method} {path}: {}", answer.text());
    }
    let other = table_sas(&[("tn", "other"), ("sv", "2019-02-02"), ("sp", "r"), ("se", "2099-01-01")]);
    assert_eq!(lab.get(&format!("/Tab()?{other}")).await.refusal(), (403, "AuthorizationFailure"));
    let changed = table_terms(&[("sp", "r")]).replace("sp=r", "sp=rd");
    assert_eq!(lab.get(&format!("/Tab()?{changed}")).await.refusal(), (403, "AuthenticationFailed"));
}

#[tokio::test]
async fn a_range_of_keys_bounds_reads_and_writes() {
    let lab = filled().await;
    let range = [("sp", "raud"), ("spk", "a"), ("srk", "2"), ("epk", "b"), ("erk", "1")];
    let sas = table_terms(&range);
    assert_eq!(lab.get(&format!("/Tab()?{sas}")).await.keys(), ["a/2", "b/1"]);
    assert_eq!(lab.get(&format!("{}&{sas}", filtered("RowKey eq '1'"))).await.keys(), ["b/1"]);
    assert_eq!(lab.get(&format!("{}&{sas}", filtered("PartitionKey eq 'c' and RowKey eq '1'"))).await.keys().len(), 0);
    let any = [("if-match", "*")];
    for (partition_key, row_key, inside) in [
        ("a", "1", false),
        ("a", "2", true),
        ("a", "zz", true),
        ("b", "0", true),
        ("b", "1", true),
        ("b", "2", false),
        ("c", "1", false),
    ] {
        let target = format!("{}?{sas}", entity(partition_key, row_key));
        let put = lab.send("PUT", &target, &[], "{}").await;
        assert_eq!(put.status, if inside { 204 } else { 403 }, "{partition_key} {row_key}");
        let read = lab.get(&target).await;
        assert_eq!(read.status, if inside { 200 } else { 403 }, "{partition_key} {row_key}");
        let deleted = lab.send("DELETE", &target, &any, "").await;
        assert_eq!(deleted.status, if inside { 204 } else { 403 }, "{partition_key} {row_key}");
        let body = format!(r#"{{"PartitionKey":"{partition_key}","RowKey":"{row_key}"}}"#);
        let inserted = lab.send("POST", &format!("/Tab?{sas}"), &[], body).await;
        assert_eq!(inserted.status, if inside { 201 } else { 403 }, "{partition_key} {row_key}");
    }
    let whole = table_terms(&[("sp", "r"), ("spk", "b"), ("epk", "b")]);
    assert_eq!(lab.get(&format!("/Tab()?{whole}")).await.keys(), ["b/0", "b/1", "b/2"]);
}

#[tokio::test]
async fn each_part_of_a_batch_must_be_allowed() {
    let lab = filled().await;
    let send = async |letters: &str, method: &str, headers: &str| {
        let part = format!("{method} /acc{} HTTP/1.1\n{headers}\n{{}}", entity("a", "1"));
        let body = format!("--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\n{part}\n--c--\n--b--");
        let target = format!("/$batch?{}", table_terms(&[("sp", letters)]));
        lab.send("POST", &target, &[("content-type", "multipart/mixed; boundary=b")], body).await.text()
    };
    assert!(send("u", "PUT", "If-Match: *\n").await.contains("HTTP/1.1 204"));
    assert!(send("u", "PUT", "").await.contains("AuthorizationPermissionMismatch"));
    assert!(send("au", "DELETE", "If-Match: *\n").await.contains("AuthorizationPermissionMismatch"));
}

#[tokio::test]
async fn a_policy_can_be_changed_after_its_signatures_were_given_out() {
    let lab = filled().await;
    let set = async |permission: &str| {
        let xml = format!(
            "<SignedIdentifiers><SignedIdentifier><Id>pol</Id><AccessPolicy><Expiry>2099-01-01T00:00:00Z</Expiry><Permission>{permission}</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>"
        );
        assert_eq!(lab.send("PUT", "/Tab?comp=acl", &[], xml).await.status, 204);
    };
    let sas = table_sas(&[("tn", "Tab"), ("sv", "2019-02-02"), ("si", "pol")]);
    let target = format!("/Tab()?{sas}");
    assert_eq!(lab.get(&target).await.refusal(), (403, "AuthenticationFailed"));
    set("r").await;
    assert_eq!(lab.get(&target).await.status, 200);
    set("a").await;
    assert_eq!(lab.get(&target).await.refusal(), (403, "AuthorizationPermissionMismatch"));
    assert_eq!(lab.send("PUT", "/Tab?comp=acl", &[], "").await.status, 204);
    assert_eq!(lab.get(&target).await.refusal(), (403, "AuthenticationFailed"));
}

#[tokio::test]
async fn an_accounts_signature_reaches_what_its_types_say() {
    let lab = filled().await;
    for (services, types, letters, method, path, refusal) in [
        ("t", "o", "r", "GET", "/Tab()", None),
        ("bqtf", "sco", "rwdlacup", "GET", "/Tab()", None),
        ("b", "o", "r", "GET", "/Tab()", Some("AuthorizationServiceMismatch")),
        ("t", "sc", "r", "GET", "/Tab()", Some("AuthorizationResourceTypeMismatch")),
        ("t", "o", "l", "GET", "/Tab()", Some("AuthorizationPermissionMismatch")),
        ("t", "c", "l", "GET", "/Tables", None),
        ("t", "c", "r", "GET", "/Tables", Some("AuthorizationPermissionMismatch")),
        ("t", "o", "l", "GET", "/Tables", Some("AuthorizationResourceTypeMismatch")),
        ("t", "c", "c", "POST", "/Tables", None),
        ("t", "c", "d", "DELETE", "/Tables('New')", None),
        ("t", "s", "r", "GET", "/?restype=service&comp=properties", None),
        ("t", "s", "r", "PUT", "/?restype=service&comp=properties", Some("AuthorizationPermissionMismatch")),
    ] {
        let terms = [("sv", "2019-02-02"), ("ss", services), ("srt", types), ("sp", letters), ("se", "2099-01-01")];
        let mark = if path.contains('?') { '&' } else { '?' };
        let answer =
            lab.send(method, &format!("{path}{mark}{}", account_sas(&terms)), &[], r#"{"TableName":"New"}"#).await;
        match refusal {
            Some(code) => assert_eq!(answer.refusal(), (403, code), "{services} {types} {letters} {method} {path}"),
            None => assert!(answer.status < 300, "{services} {types} {letters} {method} {path}: {}", answer.text()),
        }
    }
}

#[tokio::test]
async fn a_signatures_time_and_connection_are_checked() {
    let lab = filled().await;
    for (more, refusal) in [
        (&[("st", "2020-01-01")][..], None),
        (&[("st", "2098-01-01")], Some("AuthenticationFailed")),
        (&[("spr", "https")], Some("AuthorizationProtocolMismatch")),
        (&[("spr", "https,http")], None),
        (&[("sip", "127.0.0.1")], None),
        (&[("sip", "10.0.0.1-10.0.0.9")], Some("AuthorizationSourceIPMismatch")),
        (&[("srk", "1")], Some("AuthenticationFailed")),
    ] {
        let answer = lab.get(&format!("/Tab()?{}", table_terms(&[&[("sp", "r")], more].concat()))).await;
        match refusal {
            Some(code) => assert_eq!(answer.refusal(), (403, code), "{more:?}"),
            None => assert_eq!(answer.status, 200, "{more:?}"),
        }
    }
    let expired = table_sas(&[("tn", "tab"), ("sv", "2019-02-02"), ("sp", "r"), ("se", "2020-01-01")]);
    assert_eq!(lab.get(&format!("/Tab()?{expired}")).await.refusal(), (403, "AuthenticationFailed"));
}
