//! The authority of one scope: its key never leaves this process, and its certificate is good only for the
//! hosts that have rules.

use std::collections::HashMap;
use std::fmt::{self, Debug, Formatter};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose, NameConstraints, PKCS_ECDSA_P256_SHA256,
    SerialNumber,
};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::CertifiedKey;

use crate::sandbox::network::destination::Destination;
use crate::text::redact::base64_of;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The time for which the certificate of an authority is valid.
const AUTHORITY_LIFE: Duration = Duration::from_secs(365 * DAY.as_secs());

/// The time for which the certificate of a host is valid.
const LEAF_LIFE: Duration = Duration::from_secs(7 * DAY.as_secs());

/// The time before its end from which on a certificate is replaced by a new one.
const RENEWAL: Duration = DAY;

/// The time by which certificates are valid before they were made, for clocks that differ.
const EARLIER: Duration = DAY;

/// The most certificates that are kept: a scope may have a rule for all names of a domain.
const MAX_KEPT: usize = 256;

/// An authority, and the certificates that it has signed.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
    provider: Arc<CryptoProvider>,
    leaves: Mutex<HashMap<String, (SystemTime, Arc<CertifiedKey>)>>,
}

impl Authority {
    /// Creates an authority for these hosts: names, `*.` with a name, or addresses.
    ///
    /// # Errors
    ///
    /// The library's reason, such as a name that no certificate can have.
    pub fn new<'a>(hosts: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let provider = Arc::new(ring::default_provider());
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(text)?;
        let mut params = CertificateParams::default();
        let mut name = DistinguishedName::new();
        name.push(DnType::OrganizationName, "agent-bash");
        // Clients that look an issuer up by its name must not find the authority of another scope.
        let number = u128::from_be_bytes(random(&provider)?);
        name.push(DnType::CommonName, format!("agent-bash rules {number:x}"));
        params.distinguished_name = name;
        params.serial_number = Some(SerialNumber::from_slice(&random(&provider)?));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.name_constraints = Some(constraints(hosts));
        set_life(&mut params, SystemTime::now(), AUTHORITY_LIFE);
        let certificate = pem(params.self_signed(&key).map_err(text)?.der());
        Ok(Self { issuer: Issuer::new(params, key), certificate, provider, leaves: Mutex::default() })
    }

    /// Returns the certificate of the authority (PEM), which clients trust.
    #[must_use]
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Returns the certificate of a host and its key.
    ///
    /// # Errors
    ///
    /// The library's reason, such as a name that no certificate can have.
    pub fn leaf(&self, host: &Destination) -> Result<Arc<CertifiedKey>, String> {
        let name = match host {
            Destination::Name(name) => name.clone(),
            Destination::Address(address) => address.to_string(),
        };
        let now = SystemTime::now();
        let mut leaves = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((until, leaf)) = leaves.get(&name)
            && *until > now
        {
            return Ok(Arc::clone(leaf));
        }
        leaves.retain(|_, (until, _)| *until > now);
        if leaves.len() >= MAX_KEPT {
            leaves.clear();
        }
        let leaf = Arc::new(self.sign(&name, now)?);
        leaves.insert(name, (now + LEAF_LIFE - RENEWAL, Arc::clone(&leaf)));
        Ok(leaf)
    }

    fn sign(&self, name: &str, now: SystemTime) -> Result<CertifiedKey, String> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(text)?;
        let mut params = CertificateParams::new([name.to_owned()]).map_err(text)?;
        // The names are in the alternative names. A common name has at most 64 characters.
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::OrganizationName, "agent-bash");
        params.serial_number = Some(SerialNumber::from_slice(&random(&self.provider)?));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        set_life(&mut params, now, LEAF_LIFE);
        let certificate = params.signed_by(&key, &self.issuer).map_err(text)?;
        let chain: Vec<CertificateDer<'static>> = vec![certificate.der().clone()];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        CertifiedKey::from_der(chain, key, &self.provider).map_err(|error| error.to_string())
    }
}

impl Debug for Authority {
    /// Shows no key.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Authority").finish_non_exhaustive()
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn text(error: rcgen::Error) -> String {
    error.to_string()
}

/// Returns the bytes of a serial number: positive, and not the number of any other certificate.
fn random(provider: &CryptoProvider) -> Result<[u8; 16], String> {
    let mut bytes = [0; 16];
    provider.secure_random.fill(&mut bytes).map_err(|_| "no random bytes".to_owned())?;
    bytes[0] = bytes[0] & 0x7f | 0x40;
    Ok(bytes)
}

/// Returns a certificate as PEM.
fn pem(certificate: &[u8]) -> String {
    let text = base64_of(certificate);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}

fn set_life(params: &mut CertificateParams, now: SystemTime, life: Duration) {
    params.not_before = (now - EARLIER).into();
    params.not_after = (now + life).into();
}

/// Returns the constraints by which clients refuse the authority for any other host. A kind of names that no
/// host has is excluded whole: without that, it would be free.
fn constraints<'a>(hosts: impl Iterator<Item = &'a str>) -> NameConstraints {
    let (mut names, mut addresses) = (Vec::new(), Vec::new());
    for host in hosts {
        if let Ok(address) = host.parse::<IpAddr>() {
            let bits = if address.is_ipv4() { 32 } else { 128 };
            addresses.push(GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(address, bits)));
        } else {
            names.push(GeneralSubtree::DnsName(host.strip_prefix("*.").unwrap_or(host).to_owned()));
        }
    }
    let mut excluded = Vec::new();
    if names.is_empty() {
        excluded.push(GeneralSubtree::DnsName(String::new()));
    }
    if addresses.is_empty() {
        excluded.push(GeneralSubtree::IpAddress(CidrSubnet::V4([0; 4], [0; 4])));
        excluded.push(GeneralSubtree::IpAddress(CidrSubnet::V6([0; 16], [0; 16])));
    }
    names.append(&mut addresses);
    NameConstraints { permitted_subtrees: names, excluded_subtrees: excluded }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::RootCertStore;
    use rustls::client::WebPkiServerVerifier;
    use rustls::client::danger::ServerCertVerifier;
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

    use super::{Authority, Destination};

    /// Returns whether a client that trusts the authority accepts its certificate for a host.
    fn is_accepted(authority: &Authority, host: &str) -> bool {
        let mut roots = RootCertStore::empty();
        let certificate = CertificateDer::from_pem_slice(authority.certificate().as_bytes()).expect("PEM");
        roots.add(certificate).expect("a root");
        let provider = Arc::clone(&authority.provider);
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        let destination =
            host.parse().map_or_else(|_| Destination::parse(host).expect("a host"), Destination::Address);
        let leaf = authority.leaf(&destination).expect("a certificate");
        let name = ServerName::try_from(host.to_owned()).expect("a name");
        let result =
            verifier.expect("a verifier").verify_server_cert(&leaf.cert[0], &[], &name, &[], UnixTime::now());
        result.is_ok()
    }

    #[test]
    fn a_client_accepts_the_authority_for_hosts_with_rules_alone() {
        let authority = Authority::new(["a.example", "*.b.example"].into_iter()).expect("an authority");
        for host in ["a.example", "x.b.example"] {
            assert!(is_accepted(&authority, host), "{host}");
        }
        for host in ["example", "c.example", "aa.example", "10.0.0.1", "::1"] {
            assert!(!is_accepted(&authority, host), "{host}");
        }
        let addresses = Authority::new(["10.0.0.1", "::1"].into_iter()).expect("an authority");
        assert!(is_accepted(&addresses, "10.0.0.1") && is_accepted(&addresses, "::1"));
        assert!(!is_accepted(&addresses, "10.0.0.2") && !is_accepted(&addresses, "a.example"));
        let both = Authority::new(["10.0.0.1", "a.example"].into_iter()).expect("an authority");
        assert!(is_accepted(&both, "10.0.0.1") && is_accepted(&both, "a.example"));
        assert!(!is_accepted(&both, "10.0.0.2") && !is_accepted(&both, "b.example"));
        assert!(!is_accepted(&both, "::1"));
    }

    #[test]
    fn a_host_keeps_its_certificate_and_others_have_their_own() {
        let authority = Authority::new(["*.example"].into_iter()).expect("an authority");
        let host = |name: &str| Destination::parse(name).expect("a name");
        let one = authority.leaf(&host("a.example")).expect("a certificate");
        assert!(Arc::ptr_eq(&one, &authority.leaf(&host("a.example")).expect("a certificate")));
        let other = authority.leaf(&host("b.example")).expect("a certificate");
        assert_ne!(one.cert, other.cert);
        for number in 0..300 {
            assert!(authority.leaf(&host(&format!("n{number}.example"))).is_ok());
        }
    }

    #[test]
    fn two_authorities_have_different_names_and_show_no_key() {
        let one = Authority::new(["a.example"].into_iter()).expect("an authority");
        let other = Authority::new(["a.example"].into_iter()).expect("an authority");
        assert_ne!(one.certificate(), other.certificate());
        assert_eq!(format!("{one:?}"), "Authority { .. }");
    }
}
