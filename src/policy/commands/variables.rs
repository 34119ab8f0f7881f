//! Variables through which a program can be made to run code.

use super::arguments::skip_options;
use super::field::{Field, UNKNOWN};
use super::found::{Found, base_name};

/// Names that run code by themselves, or name a program, a library or a file of settings.
const NAMES: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELL",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "MANPAGER",
    "PSQLRC",
    "PYTEST_ADDOPTS",
    "TSX_TSCONFIG_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "BASH_XTRACEFD",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "HOME",
    "CDPATH",
    "FPATH",
    "ZDOTDIR",
    "MAIL",
    "MAILPATH",
    "NODE_PATH",
    "CC",
    "CXX",
    "LD",
    "AR",
    "AS",
    "CPP",
    "RUSTC",
    "RUSTDOC",
    "MAKE",
    "MAKEFLAGS",
    "MFLAGS",
    "GNUMAKEFLAGS",
    "MAKEFILES",
    "TAR_OPTIONS",
    "CLASSPATH",
    "GEM_HOME",
    "GEM_PATH",
    "PHPRC",
    "TMUX",
    "INPUTRC",
    "TERMINFO",
    "TERMINFO_DIRS",
    "TERMCAP",
    "LOCPATH",
    "NLSPATH",
    "GCONV_PATH",
    "HOSTALIASES",
    "MANOPT",
    "MANROFFOPT",
    "GREP_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "ACKRC",
    "EXINIT",
    "VIMINIT",
    "MYVIMRC",
    "VIM",
    "VIMRUNTIME",
    "FCEDIT",
    "SUDO_ASKPASS",
    "SSH_ASKPASS",
    "DISPLAY",
    "WGETRC",
    "CURL_HOME",
    "RSYNC_RSH",
    "CVS_RSH",
    "SVN_SSH",
    "HGRCPATH",
    "HG",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "KUBECONFIG",
    "LUA_INIT",
    "R_PROFILE",
    "R_ENVIRON",
    "ERL_FLAGS",
    "ERL_AFLAGS",
    "ERL_ZFLAGS",
    "TCLLIBPATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "DOTNET_STARTUP_HOOKS",
    "CORECLR_PROFILER_PATH",
    "COR_PROFILER_PATH",
    "BASH_FUNC",
    "BASH_LOADABLES_PATH",
    "HISTFILE",
    "HISTCONTROL",
    "EXECIGNORE",
    "GLOBIGNORE",
    "FIGNORE",
    "command_not_found_handle",
    "DEBUGINFOD_URLS",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "BASH_CMDS",
    "BASH_ALIASES",
    "SSH_AUTH_SOCK",
    "AWS_CONFIG_FILE",
    "CLOUDSDK_PYTHON",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// Prefixes of such names.
const PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "PYTHON",
    "TS_NODE_",
    "PERL5",
    "PERL_",
    "RUBY",
    "NODE_OPTIONS",
    "NPM_CONFIG_",
    "npm_config_",
    "BASH_FUNC_",
    "LESS",
    "MALLOC_",
    "GLIBC_",
    "GCC_",
    "CARGO_BUILD_",
    "CARGO_TARGET_",
    "CARGO_ALIAS_",
    "CARGO_HOME",
    "RUSTUP_",
    "PIP_",
    "UV_",
    "BUNDLE_",
    "YARN_",
    "JAVA_TOOL",
    "_JAVA",
    "JDK_JAVA",
    "MAVEN_",
    "GRADLE_",
    "SBT_",
    "ELECTRON_RUN",
    "VSCODE_",
    "XDG_RUNTIME",
    "CMAKE_",
    "DISTUTILS",
    "ANSIBLE_",
    "TF_CLI_",
    "GOFLAGS",
    "GOROOT",
    "GOPATH",
    "GOTOOL",
    "GOPROXY",
    "GONOSUM",
    "GOINSECURE",
    "CGO_CFLAGS",
    "CGO_LDFLAGS",
    "PKG_CONFIG",
    "DENO_",
    "BUN_",
    "COMPOSER_",
    "PHP_INI",
    "LIBRARY_",
    "QT_PLUGIN",
    "GTK_",
    "GIO_",
    "SYSTEMD_",
    "DPKG_",
    "APT_",
    "DEBUGINFOD_",
    "JULIA_",
    "ZSH",
    "SUDO_",
    "SSH_",
];

/// Suffixes of such names.
const SUFFIXES: &[&str] = &[
    "_WRAPPER",
    "FLAGS",
    "_PAGER",
    "_EDITOR",
    "_BROWSER",
    "_SHELL",
    "_RSH",
    "_SSH",
    "_COMMAND",
    "_OPTIONS",
    "_OPTS",
    "_PRELOAD",
    "_ASKPASS",
    "_LINKER",
    "_RUNNER",
    "_PLUGINS",
    "_INIT",
    "_EXEC",
    "_LIBRARY_PATH",
];

/// Variables that bash gives the attribute of an integer: it evaluates what they are set to.
pub(super) const INTEGERS: [&str; 5] = ["HISTCMD", "OPTIND", "RANDOM", "SECONDS", "SRANDOM"];

/// Returns whether a variable can make a program run code.
#[must_use]
pub fn runs_code(name: &str) -> bool {
    NAMES.contains(&name)
        || name.contains(UNKNOWN)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) && !is_harmless(name)
}

/// Returns whether a variable can make a program run code by this value. A prompt without an expansion is text.
pub(super) fn value_runs_code(name: &str, value: Option<&str>) -> bool {
    let is_prompt = matches!(name, "PS0" | "PS1" | "PS2" | "PS3" | "PS4");
    let is_text = |value: &str| !value.contains(['$', '`', '\\', '%', '!', UNKNOWN]);
    runs_code(name) && !(is_prompt && value.is_some_and(is_text))
}

/// Returns whether a variable with one of the [`SUFFIXES`] runs nothing.
fn is_harmless(name: &str) -> bool {
    matches!(name, "FEATURE_FLAGS")
}

/// Returns whether the value of a variable is run as code.
pub(super) fn is_code_text(name: &str) -> bool {
    matches!(name, "BASH_CMDS" | "BASH_ALIASES")
        || name.starts_with("BASH_FUNC_")
        || matches!(
            name,
            "PROMPT_COMMAND"
                | "PS0"
                | "PS4"
                | "GIT_SSH_COMMAND"
                | "GIT_EXTERNAL_DIFF"
                | "GIT_EDITOR"
                | "GIT_PAGER"
                | "GIT_SEQUENCE_EDITOR"
                | "GIT_PROXY_COMMAND"
                | "GIT_ASKPASS"
                | "RSYNC_RSH"
                | "CVS_RSH"
                | "SVN_SSH"
                | "LESSOPEN"
                | "LESSCLOSE"
                | "EDITOR"
                | "VISUAL"
                | "PAGER"
                | "MANPAGER"
                | "BROWSER"
        )
}

/// Returns the variables that a builtin sets by its arguments, with their values where they are known.
pub(super) fn set_by(found: &Found) -> Vec<(String, Option<String>)> {
    let Some(name) = found.base_name().map(base_name) else { return Vec::new() };
    let assigned = |field: Field| {
        let (name, value) = field
            .text
            .split_once('=')
            .map_or((field.text.as_str(), None), |(name, value)| (name, Some(value)));
        let name = name.trim_end_matches('+').split('[').next().unwrap_or(name);
        (name.to_owned(), value.filter(|value| !value.contains(UNKNOWN)).map(str::to_owned))
    };
    let set = names_set(name, &found.words).into_iter();
    match name {
        "export" | "declare" | "typeset" | "local" | "readonly" | "let" => set.map(assigned).collect(),
        _ => set.map(|field| (assigned(field).0, None)).collect(),
    }
}

/// Returns the words of a builtin that name the variables which it sets, for some of them with a value behind the name.
pub(super) fn names_set(name: &str, words: &[Field]) -> Vec<Field> {
    let operands = |short: &str| words[skip_options(words, 1, short, &[]).min(words.len())..].to_vec();
    let valued = |letter: char| {
        words.iter().enumerate().skip(1).find_map(|(at, field)| {
            let letters = field.text.strip_prefix('-')?;
            let (_, value) = letters.split_once(letter)?;
            if value.is_empty() {
                return words.get(at + 1).cloned();
            }
            Some(Field { text: value.to_owned(), ..field.clone() })
        })
    };
    match name {
        "export" | "declare" | "typeset" | "local" | "readonly" | "let" => {
            let is_operand = |field: &&Field| !field.text.starts_with(['-', '+']);
            words.iter().skip(1).filter(is_operand).cloned().collect()
        }
        "read" => operands("dinNptu").into_iter().chain(valued('a')).collect(),
        "mapfile" | "readarray" => operands("dnOsuCc"),
        "unset" => operands(""),
        "getopts" => words.get(2).cloned().into_iter().collect(),
        "wait" => valued('p').into_iter().collect(),
        "printf" if words.get(1).is_some_and(|field| field.text.starts_with("-v")) => {
            valued('v').into_iter().collect()
        }
        _ => Vec::new(),
    }
}
