//! The default lists of protected, hidden and readable paths.

/// Paths below each writable directory that make programs of the host run commands, if they exist.
pub(super) const PROTECTED: [&str; 9] =
    [".envrc", ".vscode", ".idea", ".devcontainer", ".husky", ".claude", ".codex", ".cursor", ".mcp.json"];

/// Paths below the home with secrets.
pub(super) const HIDDEN_IN_HOME: [&str; 50] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".kube",
    ".docker/config.json",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".config/git/credentials",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    ".vault-token",
    ".terraform.d",
    ".password-store",
    ".local/share/keyrings",
    ".local/state/agent-bash",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/op",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".config/github-copilot",
    ".config/containers/auth.json",
    ".config/composer/auth.json",
    ".composer/auth.json",
    ".gem/credentials",
    ".pgpass",
    ".my.cnf",
    ".s3cfg",
    ".boto",
    ".oci",
    ".config/sops",
    ".config/rclone",
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".lesshst",
];

/// A hidden directory of the home, and the names of public files in it. The helper checks their content too.
pub(super) type PublicFiles = (&'static str, &'static [&'static str]);

pub(super) const PUBLIC_OF_SSH: PublicFiles =
    (".ssh", &["*.pub", "known_hosts*", "config*", "config.d/*", "allowed_signers"]);

/// The rings of public keys, for commands that reach the agent of `GnuPG`.
pub(super) const PUBLIC_OF_GNUPG: PublicFiles =
    (".gnupg", &["pubring.kbx", "pubring.gpg", "trustdb.gpg", "gpg.conf"]);

/// Paths of the system with secrets.
pub(super) const HIDDEN: [&str; 9] = [
    "/run/secrets",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/krb5.keytab",
];

/// The paths of the system that an isolated command reads: programs, libraries and settings.
pub(in crate::sandbox) const SYSTEM: [&str; 11] = [
    "/bin", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/opt", "/sbin", "/usr",
    "/run/current-system",
];
