//! A key store of Java with certificates: the format that each version of Java reads (JKS).

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha1::{Digest, Sha1};

/// The first bytes of a store.
const MAGIC: [u8; 4] = [0xfe, 0xed, 0xfe, 0xed];

const VERSION: u32 = 2;

/// The mark of an entry that has a certificate, and no key.
const TRUSTED_CERTIFICATE: u32 = 2;

/// The time at which the certificates were added (ms), which no program needs.
const ADDED: u64 = 0;

/// The password of the stores that Java comes with: it is no secret, but a part of the digest.
const PASSWORD: &str = "changeit";

/// The text between the password and the store in the digest.
const WHITENER: &[u8] = b"Mighty Aphrodite";

/// Returns whether a file is a key store, of this format or of the newer one (PKCS #12): Java tells them
/// apart by their content, so a store of one format may stand in for one of the other.
pub(super) fn is_key_store(path: &Path) -> bool {
    let mut first = [0; 4];
    let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok();
    // PKCS #12 is a sequence of DER with a long length.
    is_read && (first == MAGIC || (first[0] == 0x30 && first[1] > 0x80))
}

/// Returns a key store with the certificates in a text (PEM).
pub(super) fn key_store(pem: &str) -> Vec<u8> {
    let certificates: Vec<Vec<u8>> = certificates_in(pem).collect();
    let mut store = MAGIC.to_vec();
    store.extend(VERSION.to_be_bytes());
    store.extend(length(certificates.len()));
    for (position, certificate) in certificates.iter().enumerate() {
        store.extend(TRUSTED_CERTIFICATE.to_be_bytes());
        push_text(&mut store, &position.to_string());
        store.extend(ADDED.to_be_bytes());
        push_text(&mut store, "X.509");
        store.extend(length(certificate.len()));
        store.extend(certificate);
    }
    let password: Vec<u8> = PASSWORD.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let digest = Sha1::new().chain_update(password).chain_update(WHITENER).chain_update(&store).finalize();
    store.extend(digest);
    store
}

fn length(count: usize) -> [u8; 4] {
    u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes()
}

/// Appends a short text of ASCII, as Java's `writeUTF` does.
fn push_text(store: &mut Vec<u8>, text: &str) {
    store.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
    store.extend(text.as_bytes());
}

/// Returns the certificates in a text (DER), without those that are malformed.
fn certificates_in(pem: &str) -> impl Iterator<Item = Vec<u8>> {
    pem.split("-----BEGIN CERTIFICATE-----")
        .skip(1)
        .filter_map(|rest| from_base64(rest.split_once("-----END")?.0))
        .filter(|der| der.first() == Some(&0x30))
}

/// Returns the bytes of a text in base64, with or without line breaks.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len() * 3 / 4), 0_u32, 0);
    for byte in text.trim_end().trim_end_matches('=').bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{from_base64, is_key_store, key_store};
    use crate::text::redact::base64_of;

    fn pem(der: &[u8]) -> String {
        let text = base64_of(der);
        let (first, second) = text.split_at(text.len() / 2);
        format!("Its name\n-----BEGIN CERTIFICATE-----\n{first}\r\n{second}\n-----END CERTIFICATE-----\n")
    }

    #[test]
    fn a_store_has_each_certificate_and_a_digest() {
        let (one, other) = ([0x30, 0x82, 1, 2, 3], [0x30, 0x81, 0xff]);
        let malformed = "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n";
        let store = key_store(&format!("{}{malformed}{}", pem(&one), pem(&other)));
        let entry = |alias: u8, der: &[u8]| {
            let mut entry = b"\0\0\0\x02\0\x01".to_vec();
            entry.push(alias);
            entry.extend(b"\0\0\0\0\0\0\0\0\0\x05X.509\0\0\0");
            entry.push(u8::try_from(der.len()).expect("short"));
            entry.extend(der);
            entry
        };
        let expected =
            [b"\xfe\xed\xfe\xed\0\0\0\x02\0\0\0\x02".to_vec(), entry(b'0', &one), entry(b'1', &other)]
                .concat();
        assert_eq!(store[..expected.len()], expected);
        assert_eq!(store.len(), expected.len() + 20);
    }

    #[test]
    fn base64_is_read_with_and_without_padding() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\xff\xfe\x00\x01"] {
            let text = base64_of(bytes);
            assert_eq!(from_base64(&text).as_deref(), Some(bytes));
            assert_eq!(from_base64(text.trim_end_matches('=')).as_deref(), Some(bytes));
        }
        assert_eq!(from_base64("YQ!="), None);
    }

    #[test]
    fn a_key_store_is_known_by_its_first_bytes() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("store");
        for (content, expected) in [
            (&b"\xfe\xed\xfe\xed\0\0\0\x02"[..], true),
            (b"\x30\x82\x01\x02", true),
            (b"0123", false),
            (b"-----BEGIN CERTIFICATE-----", false),
            (b"", false),
        ] {
            fs::write(&path, content).expect("it is written");
            assert_eq!(is_key_store(&path), expected, "{content:?}");
        }
        assert!(!is_key_store(directory.path()));
    }
}
