//! Effective partition keys against those that official clients compute.

use orrery_value::{Epk, PartitionKey, PartitionKeyDefinition, PropertyPath};

use crate::shared_data;

fn definition(kind: &str, version: Option<u8>, paths: usize) -> PartitionKeyDefinition {
    let paths = (0..paths).map(|i| PropertyPath::from_iter([format!("p{i}")])).collect();
    PartitionKeyDefinition::try_new(kind, version, paths).unwrap()
}

fn check(kind: &str, version: Option<u8>, paths: usize, header: &str, expected: &str) {
    let epk = definition(kind, version, paths).epk(&PartitionKey::parse_header(header).unwrap());
    assert_eq!(epk.to_string(), expected, "{kind} version {version:?} of {header}");
}

#[test]
fn hash_v2_gives_the_keys_of_the_service() {
    let long = format!("[\"{}\"]", "a".repeat(101));
    for (header, expected) in [
        ("[]", ""),
        ("[{}]", "11622DAA78F835834610ABE56EFF5CB5"),
        ("[null]", "378867E4430E67857ACE5C908374FE16"),
        ("[true]", "0E711127C5B5A8E4726AC6DD306A3E59"),
        ("[false]", "2FE1BE91E90A3439635E0E9E37361EF2"),
        (r#"[""]"#, "32E9366E637A71B4E710384B2F4970A0"),
        (r#"["redmond"]"#, "22E342F38A486A088463DFF7838A5963"),
        (r#"["føø-日本-😀"]"#, "39EDE4986052016CD9A67BD9DFC45872"),
        (&long, "08042541D30C8BF90D7092B1519AE0BC"),
        ("[0]", "155B95BEDAC4B1E9EC1CDC9BB0DDDE58"),
        ("[-0.0]", "3D018BB1DF3DB27235766E81FD10406E"),
        ("[1]", "20CD98B339BA78A5D0CF6953B87070B0"),
        ("[-1]", "19938E7A936C1C5B9E3AE842BBC16839"),
        ("[5.5]", "0E2EE47829D1AF775EEFB6540FD1D0ED"),
        ("[1e300]", "1234CB21048B20039B22F11DBB13CD7B"),
    ] {
        check("Hash", Some(2), 1, header, expected);
    }
}

#[test]
fn hash_v1_gives_the_keys_of_the_service() {
    for (header, expected) in [
        ("[]", ""),
        ("[{}]", "05C1D529E345DC00"),
        ("[null]", "05C1ED45D7475601"),
        ("[true]", "05C1D7C5A903D803"),
        ("[false]", "05C1DB857D857C02"),
        (r#"[""]"#, "05C1CF33970FF80800"),
        (r#"["redmond"]"#, "05C1EFE313830C087366656E706F6500"),
        ("[1]", "05C1ED172B6B2605BFF0"),
        ("[5.5]", "05C1D7A771716C05C016"),
        ("[-123.25]", "05C181F17704053FA198"),
    ] {
        check("Hash", None, 1, header, expected);
    }
}

#[test]
fn hash_v1_cuts_long_strings() {
    let key = |string: &str| definition("Hash", None, 1).epk(&PartitionKey::from_iter([string]));
    assert_eq!(key(&"a".repeat(100)), key(&"a".repeat(150)), "only 100 characters count");
    assert_ne!(key(&"a".repeat(99)), key(&"a".repeat(100)));
    let wide = key(&"é".repeat(100));
    assert!(wide.to_string().ends_with(&"C4AA".repeat(3)) || wide.to_string().ends_with("C4"), "no terminator: {wide}");
    // Half a surrogate pair at the cut stands for the replacement character.
    let cut = format!("{}😀", "a".repeat(99));
    assert_eq!(key(&cut), key(&format!("{}\u{FFFD}", "a".repeat(99))));
}

#[test]
fn multi_hash_gives_the_keys_of_the_service() {
    check("MultiHash", Some(2), 3, r#"["contoso"]"#, "0A4BA22644167DA7161C260336FB5423");
    check(
        "MultiHash",
        Some(2),
        3,
        r#"["contoso","user-1","s-1"]"#,
        "0A4BA22644167DA7161C260336FB542317F831A32B85ABC84A1B2E0576A4641C13A64116527501DB5983FBF819099BFF",
    );
    check(
        "MultiHash",
        Some(2),
        3,
        r#"["contoso",null,5]"#,
        "0A4BA22644167DA7161C260336FB5423378867E4430E67857ACE5C908374FE1619C08621B135968252FB34B4CF66F811",
    );
}

#[test]
fn a_prefix_of_a_hierarchical_key_is_a_range() {
    let definition = definition("MultiHash", Some(2), 3);
    let range = definition.epk_range(&PartitionKey::parse_header(r#"["contoso"]"#).unwrap());
    assert_eq!(range.to_string(), "[0A4BA22644167DA7161C260336FB5423,0A4BA22644167DA7161C260336FB5423FF)");
    let everything = definition.epk_range(&PartitionKey::default());
    assert_eq!((everything.min, everything.max), (Epk::min(), Epk::max()));
}

#[test]
fn all_shared_vectors_agree() {
    let Some(text) = shared_data::read("cases/sql/epk.json") else {
        return;
    };
    let cases: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let of = &case["partitionKeyDefinition"];
        let paths =
            of["paths"].as_array().unwrap().iter().map(|path| PropertyPath::parse(path.as_str().unwrap()).unwrap());
        let version = of["version"].as_u64().map(|version| version as u8);
        let definition =
            PartitionKeyDefinition::try_new(of["kind"].as_str().unwrap(), version, paths.collect()).unwrap();
        let key = PartitionKey::parse_header(&case["partitionKeyValue"].to_string()).unwrap();
        assert_eq!(definition.epk(&key).to_string(), case["expectedEpk"].as_str().unwrap(), "{}", case["id"]);
    }
}
