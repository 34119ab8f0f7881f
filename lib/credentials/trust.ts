// The certificates that clients in a sandbox trust, and the variables by which they find them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';

/** The file of the certificates in a sandbox with rules. */
const BUNDLE = '/dev/agent-bash/ca.pem';

/** The files in which systems have all certificates that they trust. */
const OF_SYSTEMS = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Arch, Alpine, NixOS
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem', // Fedora, RHEL
  '/etc/pki/tls/certs/ca-bundle.crt', // older ones
  '/etc/ssl/ca-bundle.pem', // openSUSE
  '/etc/ssl/cert.pem', // others with OpenSSL or LibreSSL
] as const;

/** The key stores that several machines of Java share. */
const SHARED_STORES = [
  '/etc/ssl/certs/java/cacerts', // Debian
  '/etc/pki/ca-trust/extracted/java/cacerts', // Fedora, RHEL
] as const;

/** The folder in which systems install machines of Java. */
const JVMS = '/usr/lib/jvm';

/** The key store below the home of a machine of Java: since Java 9, and before. */
const STORES = ['lib/security/cacerts', 'jre/lib/security/cacerts'] as const;

/** The variables that name a bundle: of OpenSSL, curl, Python, git, cargo, AWS, Node.js, gRPC and others. */
const VARIABLES = [
  'SSL_CERT_FILE',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'GIT_SSL_CAINFO',
  'CARGO_HTTP_CAINFO',
  'AWS_CA_BUNDLE',
  'NODE_EXTRA_CA_CERTS',
  'DENO_CERT',
  'NIX_SSL_CERT_FILE',
  'CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
  'npm_config_cafile', // stands above a file of the user's settings
] as const;

const TRUST_VARIABLES: readonly [string, string][] = VARIABLES.map((name) => [name, BUNDLE]);

/**
 * Returns the files of the system with certificates that programs trust: bundles, and the key stores of Java,
 * whose programs read no variable.
 */
function trustFiles(): string[] {
  return [...OF_SYSTEMS, ...SHARED_STORES, ...javaHomes().flatMap(storesOf)];
}

/**
 * Returns the homes of the machines of Java that the system has. Those below the home of the user may be
 * hidden in a sandbox.
 */
function javaHomes(): string[] {
  const own = process.env.JAVA_HOME;
  const isOfUser = own === undefined || `${own}/`.startsWith(`${homedir()}/`);
  return [...foldersIn(JVMS), ...(isOfUser ? [] : [own])];
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const storesOf = (home: string) =>
  STORES.map((store) => join(home, store)).filter((file) => existsSync(file));

/**
 * Returns the certificates by which servers are verified (PEM): those of the system, else of Node.js, and
 * those of `NODE_EXTRA_CA_CERTS`.
 */
function trustedRoots(): string {
  const own = process.env.NODE_EXTRA_CA_CERTS;
  const system = firstOf(OF_SYSTEMS) ?? rootCertificates.join('\n');
  return `${system}\n${(own && firstOf([own])) || ''}\n`;
}

/** Returns the text of the first file that can be read and has certificates. */
function firstOf(files: readonly string[]): string | undefined {
  for (const file of files) {
    try {
      const text = readFileSync(file, 'latin1');
      if (text.includes('BEGIN CERTIFICATE')) return text;
    } catch {
      // The system may have the next file of the list.
    }
  }
  return undefined;
}

export { TRUST_VARIABLES, trustedRoots, trustFiles };
