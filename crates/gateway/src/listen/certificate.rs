//! The server's self-signed certificate: made at first start, kept in the data folder.
//!
//! It is an end-entity certificate (`CA:FALSE`, serverAuth) that serves as its own trust anchor, like
//! the development certificates of .NET. OpenSSL (Python, Node), Go, Java and rustls clients all accept
//! such a certificate once it is trusted; rustls refuses to be served one that says `CA:TRUE`.

use std::fs;
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, SanType,
};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

/// The certificate's file in the data folder.
pub const CERTIFICATE_FILE: &str = "cert.pem";
/// The private key's file, readable by its owner only.
pub const KEY_FILE: &str = "key.pem";

/// Apple's platforms refuse certificates valid for more than 825 days.
const VALIDITY: Duration = Duration::from_secs(820 * 24 * 3600);
/// Clients whose clock is behind must accept a new certificate.
const BACKDATING: Duration = Duration::from_secs(24 * 3600);
/// A kept certificate that ends sooner is remade at start.
const RENEWAL_MARGIN: Duration = Duration::from_secs(30 * 24 * 3600);
const COMMON_NAME: &str = "Orrery";
const MAX_PEM_BYTES: u64 = 64 * 1024;

/// A certificate and its private key.
pub struct Certificate {
    pem: String,
    der: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
    key_pem: String,
}

/// Why no certificate is at hand.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A wanted name is neither a DNS name nor an IP address.
    #[error("'{name}' is neither a host name nor an IP address")]
    BadName {
        /// The name as given.
        name: String,
    },
    /// Making it failed.
    #[error("the certificate could not be made: {0}")]
    Make(#[from] rcgen::Error),
    /// The data folder could not be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file in question.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Certificate {
    /// A certificate that is kept nowhere, for an in-memory server.
    pub fn ephemeral(extra_names: &[String]) -> Result<Certificate, CertificateError> {
        Certificate::make(&wanted_names(extra_names)?, SystemTime::now())
    }

    /// The certificate in `folder`, made anew if it is missing, damaged, about to expire, or lacks a wanted name.
    /// Wanted are `localhost`, the loopback addresses, the host's name and `extra_names`.
    pub fn load_or_make(folder: &Path, extra_names: &[String]) -> Result<Certificate, CertificateError> {
        let names = wanted_names(extra_names)?;
        let now = SystemTime::now();
        match Certificate::load(folder) {
            Some(kept) if kept.serves(&names, now + RENEWAL_MARGIN) => return Ok(kept),
            Some(_) => tracing::info!("the certificate lacks a name or expires soon: making another"),
            None => {}
        }
        let made = Certificate::make(&names, now)?;
        made.store(folder)?;
        Ok(made)
    }

    /// The certificate as PEM text, for clients that want to trust it.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// The certificate as DER.
    pub fn der(&self) -> &CertificateDer<'static> {
        &self.der
    }

    pub(super) fn key(&self) -> PrivateKeyDer<'static> {
        self.key.clone_key()
    }

    fn make(names: &[Name], now: SystemTime) -> Result<Certificate, CertificateError> {
        // P-256: made in well under a millisecond, and every client knows it.
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let mut params = CertificateParams::default();
        params.not_before = (now - BACKDATING).into();
        params.not_after = (now + VALIDITY).into();
        params.subject_alt_names = names.iter().map(Name::to_san).collect::<Result<_, _>>()?;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, COMMON_NAME);
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = params.self_signed(&key)?;
        Ok(Certificate {
            pem: certificate.pem(),
            der: certificate.der().clone(),
            key: PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            key_pem: key.serialize_pem(),
        })
    }

    /// `None` when either file is missing, too long or not PEM: all of which making another one cures.
    fn load(folder: &Path) -> Option<Certificate> {
        let pem = read_bounded(&folder.join(CERTIFICATE_FILE))?;
        let key_pem = read_bounded(&folder.join(KEY_FILE))?;
        let der = CertificateDer::from_pem_slice(pem.as_bytes()).ok()?;
        let key = PrivateKeyDer::from_pem_slice(key_pem.as_bytes()).ok()?;
        Some(Certificate { pem, der, key, key_pem })
    }

    /// Whether a client that trusts this certificate accepts it for every name at `moment`, and the key is its own.
    fn serves(&self, names: &[Name], moment: SystemTime) -> bool {
        let Ok(since_epoch) = moment.duration_since(SystemTime::UNIX_EPOCH) else {
            return false;
        };
        let mut roots = RootCertStore::empty();
        if roots.add(self.der.clone()).is_err() {
            return false;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let Ok(verifier) = verifier.build() else {
            return false;
        };
        let moment = UnixTime::since_unix_epoch(since_epoch);
        let accepted = |name: &Name| {
            let checked = verifier.verify_server_cert(&self.der, &[], &name.server, &[], moment);
            checked.is_ok()
        };
        names.iter().all(accepted) && super::Tls::try_new(self).is_ok()
    }

    fn store(&self, folder: &Path) -> Result<(), CertificateError> {
        replace_file(folder, KEY_FILE, self.key_pem.as_bytes())?;
        replace_file(folder, CERTIFICATE_FILE, self.pem.as_bytes())
    }
}

impl std::fmt::Debug for Certificate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Certificate").field("pem", &self.pem).finish_non_exhaustive()
    }
}

/// A name the certificate must answer to.
struct Name {
    text: String,
    server: ServerName<'static>,
}

impl Name {
    fn parse(text: &str) -> Result<Name, CertificateError> {
        match ServerName::try_from(text.to_owned()) {
            Ok(server) => Ok(Name { text: text.to_owned(), server }),
            Err(_) => Err(CertificateError::BadName { name: text.to_owned() }),
        }
    }

    fn to_san(&self) -> Result<SanType, rcgen::Error> {
        match self.text.parse::<IpAddr>() {
            Ok(address) => Ok(SanType::IpAddress(address)),
            Err(_) => Ok(SanType::DnsName(self.text.as_str().try_into()?)),
        }
    }
}

fn wanted_names(extra_names: &[String]) -> Result<Vec<Name>, CertificateError> {
    let mut names = vec![Name::parse("localhost")?, Name::parse("127.0.0.1")?, Name::parse("::1")?];
    // A host name that is no DNS name (with an underscore, say) cannot be served anyway.
    names.extend(host_name().and_then(|host| Name::parse(&host).ok()));
    for extra in extra_names {
        names.push(Name::parse(extra)?);
    }
    Ok(names)
}

fn host_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| fs::read_to_string("/etc/hostname"))
        .or_else(|_| std::env::var("COMPUTERNAME").or_else(|_| std::env::var("HOSTNAME")))
        .ok()?;
    let name = name.trim().to_ascii_lowercase();
    (!name.is_empty()).then_some(name)
}

fn read_bounded(path: &Path) -> Option<String> {
    let length = fs::metadata(path).ok()?.len();
    if length > MAX_PEM_BYTES {
        return None;
    }
    fs::read_to_string(path).ok()
}

/// Writes beside the file and renames, so that a crash leaves the old file or the new one.
fn replace_file(folder: &Path, name: &str, content: &[u8]) -> Result<(), CertificateError> {
    let path = folder.join(name);
    let draft = folder.join(format!("{name}.new"));
    write_private(&draft, content)
        .and_then(|()| fs::rename(&draft, &path))
        .map_err(|source| CertificateError::File { path, source })
}

fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    // A draft left by a crash might have other permissions.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if path.ends_with(format!("{KEY_FILE}.new")) { 0o600 } else { 0o644 });
    }
    options.open(path)?.write_all(content)
}
