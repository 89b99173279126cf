//! What is set for a table or for all of them by XML documents.

mod acl;
mod cors;
mod properties;
mod properties_xml;
mod stats;
mod xml;

pub use acl::{MAX_POLICIES, StoredPolicy};
pub use cors::{CorsRule, MAX_CORS_RULES};
pub use properties::{Logging, Metrics, RetentionPolicy, ServiceProperties, ServicePropertiesChange};
pub use stats::write_stats;
