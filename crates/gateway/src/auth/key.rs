//! Account keys.

use std::fmt;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ring::hmac;
use subtle::ConstantTimeEq;

use super::Signature;

/// The key of the official emulator. Public: every client's test settings contain it.
pub const EMULATOR_KEY: &str =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

/// The account of the official emulators of storage.
pub const STORAGE_EMULATOR_ACCOUNT: &str = "devstoreaccount1";
/// Its key, which is as public.
pub const STORAGE_EMULATOR_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Longest accepted key in base64; the service's own have 88 characters.
const MAX_KEY_CHARS: usize = 1024;
/// Shorter keys are mistakes (an account name, an empty variable), not keys.
const MIN_KEY_BYTES: usize = 16;

/// Base64 as clients write it: with or without padding.
pub(super) const LENIENT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A key ready to sign: the hash state after the key's own blocks, which saves two of the rounds per signature.
#[derive(Clone)]
pub struct Key {
    keyed: hmac::Key,
}

impl Key {
    /// A key from its base64 form.
    pub fn from_base64(text: &str) -> Result<Key, KeyError> {
        let text = text.trim();
        if text.len() > MAX_KEY_CHARS {
            return Err(KeyError::TooLong);
        }
        let bytes = LENIENT_BASE64.decode(text).map_err(|_| KeyError::NotBase64)?;
        if bytes.len() < MIN_KEY_BYTES {
            return Err(KeyError::TooShort { bytes: bytes.len() });
        }
        Ok(Key::from_bytes(&bytes))
    }

    /// A key from its bytes.
    pub fn from_bytes(bytes: &[u8]) -> Key {
        Key { keyed: hmac::Key::new(hmac::HMAC_SHA256, bytes) }
    }

    /// HMAC-SHA256 over the concatenation of `parts`.
    pub fn sign(&self, parts: &[&[u8]]) -> Signature {
        let mut mac = hmac::Context::with_key(&self.keyed);
        for part in parts {
            mac.update(part);
        }
        mac.sign().as_ref().try_into().expect("an HMAC-SHA256 has 32 bytes")
    }

    /// Whether `signature` is this key's over `parts`, in a time that does not depend on where they differ.
    pub fn verify(&self, parts: &[&[u8]], signature: &Signature) -> bool {
        self.sign(parts).ct_eq(signature).into()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(..)")
    }
}

/// The keys of an account.
#[derive(Debug, Clone)]
pub struct Keys {
    /// Allows everything.
    pub primary: Key,
    /// Allows everything; there to replace the primary without a gap.
    pub secondary: Option<Key>,
    /// Allows reads and queries.
    pub primary_readonly: Option<Key>,
    /// Allows reads and queries.
    pub secondary_readonly: Option<Key>,
}

impl Keys {
    /// An account with one key.
    pub fn single(primary: Key) -> Keys {
        Keys { primary, secondary: None, primary_readonly: None, secondary_readonly: None }
    }

    /// The keys there are, most used first.
    pub fn each(&self) -> impl Iterator<Item = (KeyRole, &Key)> {
        [
            (KeyRole::Primary, Some(&self.primary)),
            (KeyRole::Secondary, self.secondary.as_ref()),
            (KeyRole::PrimaryReadonly, self.primary_readonly.as_ref()),
            (KeyRole::SecondaryReadonly, self.secondary_readonly.as_ref()),
        ]
        .into_iter()
        .filter_map(|(role, key)| Some((role, key?)))
    }
}

/// Which key signed a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRole {
    /// The primary key.
    Primary,
    /// The secondary key.
    Secondary,
    /// The primary read-only key.
    PrimaryReadonly,
    /// The secondary read-only key.
    SecondaryReadonly,
}

impl KeyRole {
    /// Whether the key allows more than reads and queries.
    pub fn can_write(self) -> bool {
        match self {
            KeyRole::Primary | KeyRole::Secondary => true,
            KeyRole::PrimaryReadonly | KeyRole::SecondaryReadonly => false,
        }
    }
}

/// Why a text is no account key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Not base64.
    #[error("the account key is not base64")]
    NotBase64,
    /// Too few bytes to be a secret.
    #[error("the account key has {bytes} bytes, at least {MIN_KEY_BYTES} are needed")]
    TooShort {
        /// How many there are.
        bytes: usize,
    },
    /// Longer than any key.
    #[error("the account key is longer than {MAX_KEY_CHARS} characters")]
    TooLong,
}
