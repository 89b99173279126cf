//! The properties of the service as XML.

use super::xml::{Element, Writer, invalid};
use super::{CorsRule, Logging, Metrics, RetentionPolicy, ServiceProperties, ServicePropertiesChange};
use crate::Error;

const ROOT: &str = "StorageServiceProperties";
const MAX_RETENTION_DAYS: u16 = 365;

impl ServiceProperties {
    /// Writes a document `StorageServiceProperties`.
    pub fn to_xml(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.element(ROOT, |writer| {
            writer.element("Logging", |writer| self.logging.write(writer));
            writer.element("HourMetrics", |writer| self.hour_metrics.write(writer));
            writer.element("MinuteMetrics", |writer| self.minute_metrics.write(writer));
            writer.element("Cors", |writer| self.cors.iter().for_each(|rule| rule.write(writer)));
        });
        writer.finish()
    }
}

impl ServicePropertiesChange {
    /// Reads a document `StorageServiceProperties`.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidXmlDocument`](crate::ErrorCode::InvalidXmlDocument)
    pub fn parse(xml: &[u8]) -> Result<Self, Error> {
        let document = Element::parse(xml, ROOT)?;
        let mut change = ServicePropertiesChange::default();
        for element in &document.children {
            match element.name.as_str() {
                "Logging" => change.logging = Some(Logging::read(element)?),
                // The second name is of an earlier version.
                "HourMetrics" | "Metrics" => change.hour_metrics = Some(Metrics::read(element)?),
                "MinuteMetrics" => change.minute_metrics = Some(Metrics::read(element)?),
                "Cors" => change.cors = Some(CorsRule::read_all(element)?),
                other => return Err(invalid(format_args!("{ROOT} has {other}."))),
            }
        }
        Ok(change)
    }
}

impl Logging {
    fn read(element: &Element) -> Result<Self, Error> {
        Ok(Logging {
            version: version(element)?,
            delete: element.required("Delete")?.flag()?,
            read: element.required("Read")?.flag()?,
            write: element.required("Write")?.flag()?,
            retention: RetentionPolicy::read(element.required("RetentionPolicy")?)?,
        })
    }

    fn write(&self, writer: &mut Writer) {
        writer.text("Version", &self.version);
        for (name, flag) in [("Delete", self.delete), ("Read", self.read), ("Write", self.write)] {
            write_flag(name, flag, writer);
        }
        self.retention.write(writer);
    }
}

impl Metrics {
    fn read(element: &Element) -> Result<Self, Error> {
        let enabled = element.required("Enabled")?.flag()?;
        let include_apis = element.child("IncludeAPIs").map(Element::flag).transpose()?;
        if enabled && include_apis.is_none() {
            return Err(invalid(format_args!("{} has no IncludeAPIs.", element.name)));
        }
        let retention = element.required("RetentionPolicy")?;
        Ok(Metrics {
            version: version(element)?,
            enabled,
            include_apis: include_apis.filter(|_| enabled),
            retention: RetentionPolicy::read(retention)?,
        })
    }

    fn write(&self, writer: &mut Writer) {
        writer.text("Version", &self.version);
        write_flag("Enabled", self.enabled, writer);
        if let Some(include_apis) = self.include_apis {
            write_flag("IncludeAPIs", include_apis, writer);
        }
        self.retention.write(writer);
    }
}

impl RetentionPolicy {
    fn read(element: &Element) -> Result<Self, Error> {
        if !element.required("Enabled")?.flag()? {
            return Ok(RetentionPolicy { days: None });
        }
        let days = element.required("Days")?.text().parse().ok().filter(|days| (1..=MAX_RETENTION_DAYS).contains(days));
        match days {
            Some(days) => Ok(RetentionPolicy { days: Some(days) }),
            None => Err(invalid(format_args!("Days must be from 1 to {MAX_RETENTION_DAYS}."))),
        }
    }

    fn write(self, writer: &mut Writer) {
        writer.element("RetentionPolicy", |writer| {
            write_flag("Enabled", self.days.is_some(), writer);
            if let Some(days) = self.days {
                writer.text("Days", &days.to_string());
            }
        });
    }
}

fn version(element: &Element) -> Result<String, Error> {
    let version = element.required("Version")?.text();
    if version == "1.0" { Ok(version.to_owned()) } else { Err(invalid("Version must be 1.0.")) }
}

fn write_flag(name: &str, flag: bool, writer: &mut Writer) {
    writer.text(name, if flag { "true" } else { "false" });
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOGGING: &str = "<Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>true</Write><RetentionPolicy><Enabled>true</Enabled><Days>5</Days></RetentionPolicy></Logging>";
    const METRICS: &str = "<Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>";
    const RULE: &str = "<CorsRule><AllowedOrigins>http://a.example, *</AllowedOrigins><AllowedMethods>GET,PUT</AllowedMethods><AllowedHeaders></AllowedHeaders><ExposedHeaders>x-ms-*</ExposedHeaders><MaxAgeInSeconds>200</MaxAgeInSeconds></CorsRule>";

    fn parsed(inner: &str) -> Result<ServicePropertiesChange, Error> {
        ServicePropertiesChange::parse(
            format!("<StorageServiceProperties>{inner}</StorageServiceProperties>").as_bytes(),
        )
    }

    #[test]
    fn a_change_leaves_alone_what_it_does_not_name() {
        let mut properties = ServiceProperties::default();
        properties.apply(parsed(&format!("{LOGGING}<Cors>{RULE}</Cors>")).unwrap());
        properties.apply(parsed(&format!("<HourMetrics>{METRICS}</HourMetrics>")).unwrap());
        assert!(properties.logging.delete && !properties.logging.read && properties.hour_metrics.enabled);
        assert_eq!(properties.logging.retention.days, Some(5));
        assert_eq!(properties.cors[0].allowed_origins, ["http://a.example", "*"]);
        assert_eq!(properties.minute_metrics, Metrics::default());
        let mut again = ServiceProperties::default();
        again.apply(ServicePropertiesChange::parse(&properties.to_xml()).unwrap());
        assert_eq!(again, properties);
        properties.apply(parsed("<Cors/>").unwrap());
        assert!(properties.cors.is_empty() && properties.logging.delete);
        let json = serde_json::to_string(&properties).unwrap();
        assert_eq!(serde_json::from_str::<ServiceProperties>(&json).unwrap(), properties);
    }

    #[test]
    fn what_breaks_the_rules_is_refused() {
        let six = RULE.repeat(6);
        for bad in [
            &LOGGING.replace(">5<", ">366<"),
            &LOGGING.replace(">5<", ">0<"),
            &LOGGING.replace("<Days>5</Days>", ""),
            &LOGGING.replace("1.0", "2.0"),
            &LOGGING.replace("<Read>false</Read>", ""),
            &LOGGING.replace("<Read>false", "<Read>False"),
            &format!("<HourMetrics>{}</HourMetrics>", METRICS.replace("<IncludeAPIs>true</IncludeAPIs>", "")),
            &format!("<Cors>{six}</Cors>"),
            &format!("<Cors>{}</Cors>", RULE.replace("GET", "GRAB")),
            &format!("<Cors>{}</Cors>", RULE.replace("200", "-1")),
            &format!("<Cors>{}</Cors>", RULE.replace("http://a.example, *", "")),
            "<Cors><Rule/></Cors>",
            "<Unknown/>",
        ] {
            assert_eq!(parsed(bad).map_err(|error| error.code), Err(crate::ErrorCode::InvalidXmlDocument), "{bad}");
        }
    }
}
