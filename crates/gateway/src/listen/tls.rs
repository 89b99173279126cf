//! The TLS side of a port.

use std::fmt;
use std::sync::Arc;

use rustls::ServerConfig;
use tokio_rustls::TlsAcceptor;

use super::certificate::Certificate;

/// Protocols offered in the handshake, best first.
const ALPN_PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// TLS with one certificate; cheap to clone and shared by all ports.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
}

impl Tls {
    /// TLS 1.2 and 1.3 with `certificate`.
    pub fn try_new(certificate: &Certificate) -> Result<Tls, TlsError> {
        // Passed explicitly: a second provider anywhere in the tree makes the process default ambiguous.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chain = vec![certificate.der().clone()];
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, certificate.key())?;
        config.alpn_protocols = ALPN_PROTOCOLS.map(<[u8]>::to_vec).into();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Tls { acceptor })
    }

    pub(super) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tls")
    }
}

/// The certificate and its key do not work together.
#[derive(Debug, thiserror::Error)]
#[error("the certificate cannot be used for TLS: {0}")]
pub struct TlsError(#[from] rustls::Error);
