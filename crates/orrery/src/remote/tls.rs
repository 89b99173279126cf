//! TLS to a server whose certificate no authority signed.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_rustls::TlsConnector;

use super::endpoint::Endpoint;

/// How to talk TLS to `endpoint`; none if it is plain http.
///
/// # Errors
/// If nothing says whom to trust, `insecure` is used for another machine, or the file holds no certificate.
pub(super) fn connector(
    endpoint: &Endpoint,
    ca: Option<&Path>,
    insecure: bool,
) -> anyhow::Result<Option<TlsConnector>> {
    ensure!(!insecure || endpoint.is_local(), "--insecure is for this machine only; for {endpoint} use --ca FILE");
    if !endpoint.tls {
        return Ok(None);
    }
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()?;
    let config = match ca {
        Some(file) => builder.with_root_certificates(roots(file)?).with_no_client_auth(),
        None if insecure => {
            let verifier = Arc::new(TakeAny { provider });
            builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
        }
        None => bail!(
            "for {endpoint} add --ca FILE with the server's certificate (cert.pem in its data folder){}",
            if endpoint.is_local() { ", or --insecure, or use http://, which the same port speaks" } else { "" }
        ),
    };
    Ok(Some(TlsConnector::from(Arc::new(config))))
}

fn roots(file: &Path) -> anyhow::Result<RootCertStore> {
    let unreadable = || format!("cannot read certificates from {}", file.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).with_context(unreadable)? {
        roots.add(certificate.with_context(unreadable)?).with_context(unreadable)?;
    }
    ensure!(!roots.is_empty(), "{} holds no certificate in PEM form", file.display());
    Ok(roots)
}

/// Takes every certificate, but checks that the server holds its key.
#[derive(Debug)]
struct TakeAny {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for TakeAny {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_must_be_said_and_insecure_stays_at_home() {
        let connect =
            |url, insecure| connector(&Endpoint::parse(url).unwrap(), None, insecure).map(|found| found.is_some());
        assert!(!connect("http://db.example.org", false).unwrap());
        assert!(connect("https://127.0.0.1:8081", true).unwrap());
        assert!(connect("https://db.example.org", true).unwrap_err().to_string().contains("this machine only"));
        assert!(connect("https://localhost:8081", false).unwrap_err().to_string().contains("--ca FILE"));
    }
}
