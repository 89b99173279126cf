//! Properties and statistics of the service, policies, and scripts from other origins.

use super::*;

const CORS: &str = "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>http://a.example</AllowedOrigins><AllowedMethods>GET,PUT</AllowedMethods><AllowedHeaders>x-ms-*,content-type</AllowedHeaders><ExposedHeaders>x-ms-*,ETag</ExposedHeaders><MaxAgeInSeconds>200</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>";
const PROPERTIES: &str = "/?restype=service&comp=properties";

#[tokio::test]
async fn properties_are_kept_section_by_section() {
    let lab = Lab::new().await;
    let defaults = lab.get(PROPERTIES).await;
    assert_eq!((defaults.status, defaults.header("content-type")), (200, "application/xml"));
    assert!(defaults.text().contains("<Logging><Version>1.0</Version><Delete>false</Delete>"), "{}", defaults.text());
    let logging = "<StorageServiceProperties><Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>false</Write><RetentionPolicy><Enabled>true</Enabled><Days>5</Days></RetentionPolicy></Logging></StorageServiceProperties>";
    assert_eq!(lab.send("PUT", PROPERTIES, &[], CORS).await.status, 202);
    assert_eq!(lab.send("PUT", PROPERTIES, &[], logging).await.status, 202);
    let both = lab.get(PROPERTIES).await.text();
    assert!(
        both.contains("<Days>5</Days>") && both.contains("<AllowedOrigins>http://a.example</AllowedOrigins>"),
        "{both}"
    );
    for bad in ["", "{}", "<a>", &logging.replace("<Days>5</Days>", "<Days>366</Days>")] {
        let answer = lab.send("PUT", PROPERTIES, &[], bad.to_owned()).await;
        assert_eq!(answer.refusal(), (400, "InvalidXmlDocument"), "{bad}");
        assert!(answer.header("content-type").contains("xml"), "{answer:?}");
    }
    assert_eq!(lab.get("/?restype=service&comp=none").await.refusal(), (400, "InvalidQueryParameterValue"));
}

#[tokio::test]
async fn statistics_are_told_by_the_secondary() {
    let lab = Lab::with_table().await;
    let stats = "/?restype=service&comp=stats";
    assert_eq!(lab.get(stats).await.refusal(), (400, "InvalidQueryParameterValue"));
    let secondary = lab.send("GET", "-secondary/?restype=service&comp=stats", &[], "").await;
    assert!(secondary.status == 200 && secondary.text().contains("<Status>live</Status>"), "{}", secondary.text());
    assert_eq!(lab.get("-secondary/Tab()").await.status, 200);
    let written = lab.send("POST", "-secondary/Tab", &[], r#"{"PartitionKey":"p","RowKey":"r"}"#).await;
    assert_eq!(written.refusal(), (403, "AuthorizationFailure"));
}

#[tokio::test]
async fn policies_of_a_table_are_kept_with_it() {
    let lab = Lab::with_table().await;
    let acl = "/Tab?comp=acl";
    let one = "<SignedIdentifiers><SignedIdentifier><Id>one</Id><AccessPolicy><Start>2020-01-01</Start><Permission>raud</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";
    assert!(!lab.get(acl).await.text().contains("<Id>"));
    assert_eq!(lab.send("PUT", acl, &[], one).await.status, 204);
    let kept = lab.get(acl).await.text();
    assert!(kept.contains("<Id>one</Id>") && kept.contains("<Start>2020-01-01T00:00:00.0000000Z</Start>"), "{kept}");
    let identifier = "<SignedIdentifier><Id>a</Id></SignedIdentifier>";
    let six = format!("<SignedIdentifiers>{}</SignedIdentifiers>", identifier.repeat(6));
    assert_eq!(lab.send("PUT", acl, &[], six).await.refusal(), (400, "InvalidXmlDocument"));
    assert_eq!(lab.get("/none?comp=acl").await.refusal(), (404, "TableNotFound"));
    assert_eq!(lab.send("DELETE", "/Tables('Tab')", &[], "").await.status, 204);
    lab.post("/Tables", r#"{"TableName":"Tab"}"#).await;
    assert!(!lab.get(acl).await.text().contains("<Id>"));
}

#[tokio::test]
async fn a_preflight_needs_no_signature_but_a_rule() {
    let lab = Lab::new().await;
    lab.send("PUT", PROPERTIES, &[], CORS).await;
    let preflight = async |headers: &[(&str, &str)]| {
        let headers = [&[("host", "127.0.0.1:10002")], headers].concat();
        lab.send_as_it_is("OPTIONS", "/acc/Tab", &headers, "").await
    };
    let (origin, method) = (("origin", "http://a.example"), ("access-control-request-method", "PUT"));
    let allowed = preflight(&[origin, method, ("access-control-request-headers", "x-ms-date, Content-Type")]).await;
    assert_eq!(allowed.status, 200, "{}", allowed.text());
    assert_eq!(allowed.header("access-control-allow-origin"), "http://a.example");
    assert_eq!(allowed.header("access-control-allow-methods"), "PUT");
    assert_eq!(allowed.header("access-control-allow-headers"), "x-ms-date, Content-Type");
    assert_eq!(allowed.header("access-control-max-age"), "200");
    assert_eq!(allowed.header("access-control-allow-credentials"), "true");
    for refused in [
        &[origin, ("access-control-request-method", "DELETE")][..],
        &[("origin", "http://b.example"), method],
        &[origin, method, ("access-control-request-headers", "x-other")],
    ] {
        assert_eq!(preflight(refused).await.refusal(), (403, "CorsPreflightFailure"), "{refused:?}");
    }
    for incomplete in [&[][..], &[origin], &[method]] {
        assert_eq!(preflight(incomplete).await.refusal(), (400, "InvalidHeaderValue"), "{incomplete:?}");
    }
}

#[tokio::test]
async fn replies_to_other_origins_say_what_scripts_may_see() {
    let lab = Lab::with_table().await;
    lab.send("PUT", PROPERTIES, &[], CORS).await;
    let from = async |origin: &str| lab.send("GET", "/Tab()", &[("origin", origin)], "").await;
    let allowed = from("http://a.example").await;
    assert_eq!(allowed.header("access-control-allow-origin"), "http://a.example");
    assert_eq!(allowed.header("vary"), "Origin");
    let exposed = allowed.header("access-control-expose-headers");
    assert!(exposed.contains("x-ms-request-id") && exposed.ends_with("ETag"), "{exposed}");
    let other = from("http://b.example").await;
    assert_eq!((other.status, other.header("access-control-allow-origin")), (200, ""));
}
