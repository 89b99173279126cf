//! The properties of the service.

use serde::{Deserialize, Serialize};

use super::CorsRule;

/// What is set for all tables of an account. Logging and metrics are kept and given back, nothing more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceProperties {
    /// Which requests are logged.
    pub logging: Logging,
    /// Counters per hour.
    pub hour_metrics: Metrics,
    /// Counters per minute.
    pub minute_metrics: Metrics,
    /// Rules for scripts of other origins, the first that matches counts.
    pub cors: Vec<CorsRule>,
}

/// A change of [`ServiceProperties`]: what is none stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServicePropertiesChange {
    /// Replaces the settings of logging.
    pub logging: Option<Logging>,
    /// Replaces the settings of counters per hour.
    pub hour_metrics: Option<Metrics>,
    /// Replaces the settings of counters per minute.
    pub minute_metrics: Option<Metrics>,
    /// Replaces all rules.
    pub cors: Option<Vec<CorsRule>>,
}

/// Settings of logging.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logging {
    /// Version of the settings: `1.0`.
    pub version: String,
    /// Deletes are logged.
    pub delete: bool,
    /// Reads are logged.
    pub read: bool,
    /// Writes are logged.
    pub write: bool,
    /// How long logs are kept.
    pub retention: RetentionPolicy,
}

/// Settings of counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metrics {
    /// Version of the settings: `1.0`.
    pub version: String,
    /// Whether they count.
    pub enabled: bool,
    /// Whether operations are counted one by one; given if enabled.
    pub include_apis: Option<bool>,
    /// How long they are kept.
    pub retention: RetentionPolicy,
}

/// How many days something is kept, from 1 to 365; none for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionPolicy {
    /// The days, if they are counted.
    pub days: Option<u16>,
}

impl Default for Logging {
    fn default() -> Self {
        Logging {
            version: "1.0".to_owned(),
            delete: false,
            read: false,
            write: false,
            retention: RetentionPolicy::default(),
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics { version: "1.0".to_owned(), enabled: false, include_apis: None, retention: RetentionPolicy::default() }
    }
}

impl ServiceProperties {
    /// Makes a change.
    pub fn apply(&mut self, change: ServicePropertiesChange) {
        let ServicePropertiesChange { logging, hour_metrics, minute_metrics, cors } = change;
        self.logging = logging.unwrap_or_else(|| std::mem::take(&mut self.logging));
        self.hour_metrics = hour_metrics.unwrap_or_else(|| std::mem::take(&mut self.hour_metrics));
        self.minute_metrics = minute_metrics.unwrap_or_else(|| std::mem::take(&mut self.minute_metrics));
        self.cors = cors.unwrap_or_else(|| std::mem::take(&mut self.cors));
    }
}
