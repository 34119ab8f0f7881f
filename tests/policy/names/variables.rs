//! Each variable that can run code.

use crate::{allowed, asked};

#[test]
fn a_variable_that_can_run_code_is_covered_by_no_allow_rule() {
    const VARIABLES: &[&str] = &[
        "PATH",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "IFS",
        "GIT_DIR",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_GLOBAL",
        "GIT_EXTERNAL_DIFF",
        "GIT_PAGER",
        "PAGER",
        "EDITOR",
        "VISUAL",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "PYTHONINSPECT",
        "PERL5OPT",
        "PERL5LIB",
        "PERL5DB",
        "RUBYOPT",
        "RUBYLIB",
        "LESSOPEN",
        "LESSCLOSE",
        "MANPAGER",
        "BROWSER",
        "PROMPT_COMMAND",
        "SHELLOPTS",
        "BASHOPTS",
        "HOME",
        "XDG_CONFIG_HOME",
        "npm_config_script_shell",
        "NPM_CONFIG_PREFIX",
        "CARGO_HOME",
        "RUSTC_WRAPPER",
        "RUSTFLAGS",
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
        "CC",
        "CFLAGS",
        "LDFLAGS",
        "MAKEFLAGS",
        "MAKEFILES",
        "JAVA_TOOL_OPTIONS",
        "_JAVA_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "MAVEN_OPTS",
        "GRADLE_OPTS",
        "GOFLAGS",
        "CGO_CFLAGS",
        "PYTEST_ADDOPTS",
        "PYTEST_PLUGINS",
        "PIP_INDEX_URL",
        "RIPGREP_CONFIG_PATH",
        "GREP_OPTIONS",
        "TAR_OPTIONS",
        "RSYNC_RSH",
        "DOCKER_HOST",
        "KUBECONFIG",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "AWS_CONFIG_FILE",
        "BUNDLE_GEMFILE",
        "COMPOSER_HOME",
        "LUA_INIT",
        "TERMINFO",
        "GCONV_PATH",
        "PHP_INI_SCAN_DIR",
        "DOTNET_STARTUP_HOOKS",
        "ELECTRON_RUN_AS_NODE",
        "VIMINIT",
        "EXINIT",
        "SYSTEMD_EDITOR",
        "SYSTEMD_PAGER",
        "GH_PAGER",
        "GH_EDITOR",
        "GH_BROWSER",
        "AWS_PAGER",
        "BAT_PAGER",
        "DELTA_PAGER",
        "FZF_DEFAULT_COMMAND",
        "FZF_DEFAULT_OPTS",
        "FCEDIT",
        "CDPATH",
        "GLOBIGNORE",
        "OPENSSL_CONF",
        "PSQL_PAGER",
        "PSQLRC",
        "TSX_TSCONFIG_PATH",
        "TS_NODE_PROJECT",
    ];
    let mut texts = Vec::new();
    for name in VARIABLES {
        texts.push(format!("{name}=/tmp/x npm test"));
        texts.push(format!("export {name}=/tmp/x; npm test"));
        texts.push(format!("env {name}=/tmp/x npm test"));
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    asked(&["Bash(npm test:*)", "Bash(export:*)", "Bash(env:*)"], &texts);
}

#[test]
fn a_variable_that_a_program_only_reads_needs_no_question() {
    let names = [
        "CI", "DEBUG", "NODE_ENV", "FORCE_COLOR", "NO_COLOR", "TZ", "LANG", "LC_ALL", "RUST_BACKTRACE",
        "RUST_LOG", "PORT", "HOST", "API_URL", "DATABASE_URL", "TEST_TIMEOUT", "FOO", "x", "LOG_LEVEL",
        "DJANGO_SETTINGS_MODULE", "AWS_REGION", "AWS_PROFILE", "GITHUB_TOKEN", "CGO_ENABLED", "GOOS",
        "GOARCH", "CARGO_TERM_COLOR", "TERM", "COLUMNS", "VITE_MODE", "UPDATE_SNAPSHOTS", "BABEL_ENV",
        "JEST_WORKERS", "HEADLESS", "COVERAGE", "VERBOSE", "V",
    ];
    let texts: Vec<String> = names.iter().map(|name| format!("{name}=1 npm test")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    allowed(&["Bash(npm test:*)"], &texts);
}
