//! The address of a server.

use std::net::IpAddr;

use anyhow::{Context, bail, ensure};

/// `http://host:port` or `https://host:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Whether TLS is spoken.
    pub tls: bool,
    /// Name or address, without the brackets of IPv6.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl Endpoint {
    /// Reads a URL without a path.
    ///
    /// # Errors
    /// If it is none, or has more than scheme, host and port.
    pub fn parse(text: &str) -> anyhow::Result<Endpoint> {
        let example = "an endpoint looks like http://localhost:8081";
        let uri: http::Uri = text.trim().parse().with_context(|| format!("'{text}' is no URL; {example}"))?;
        let tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => bail!("'{text}' begins with neither http:// nor https://; {example}"),
        };
        ensure!(matches!(uri.path(), "" | "/") && uri.query().is_none(), "'{text}' has a path; {example}");
        let host =
            uri.host().filter(|host| !host.is_empty()).with_context(|| format!("'{text}' names no host; {example}"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Endpoint { tls, host, port: uri.port_u16().unwrap_or(if tls { 443 } else { 80 }) })
    }

    /// Whether it is on this machine.
    pub fn is_local(&self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// `host:port`, for the `host` header.
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}://{}", if self.tls { "https" } else { "http" }, self.authority())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_urls_without_a_path() {
        let endpoint = Endpoint::parse("https://localhost:8081/").unwrap();
        assert_eq!(endpoint, Endpoint { tls: true, host: "localhost".into(), port: 8081 });
        assert!(endpoint.is_local());
        let endpoint = Endpoint::parse("http://[::1]:99").unwrap();
        assert_eq!((endpoint.to_string(), endpoint.is_local()), ("http://[::1]:99".into(), true));
        let endpoint = Endpoint::parse("http://db.example.org").unwrap();
        assert_eq!((endpoint.port, endpoint.is_local()), (80, false));
        for wrong in ["localhost:8081", "ftp://localhost", "http://localhost/dbs", "http://", "not a url"] {
            assert!(Endpoint::parse(wrong).unwrap_err().to_string().contains("looks like"), "{wrong}");
        }
    }
}
