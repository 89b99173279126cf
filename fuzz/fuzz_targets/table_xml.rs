//! What is read from the service's XML documents is written as a document that reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_table::{ServiceProperties, ServicePropertiesChange, StoredPolicy};

fuzz_target!(|xml: &[u8]| {
    if let Ok(policies) = within_budget(|| StoredPolicy::parse_all(xml)) {
        assert_eq!(StoredPolicy::parse_all(&StoredPolicy::write_all(&policies)), Ok(policies));
    }
    if let Ok(change) = within_budget(|| ServicePropertiesChange::parse(xml)) {
        let mut properties = ServiceProperties::default();
        properties.apply(change);
        let mut again = ServiceProperties::default();
        again.apply(ServicePropertiesChange::parse(&properties.to_xml()).expect("it was written by this server"));
        assert_eq!(again, properties);
    }
});
