//! Variables through which a program can be made to run code.

use super::analysis::{ExpandedCommand, Obstacle, base_name};
use super::arguments::skip_options;
use super::field::{Field, UNKNOWN, is_any_text};
use crate::policy::paths::PathStyle;
use crate::policy::windows;

/// Names of variables that run code, or that name a program, a library or a file of settings.
const NAMES: &str = "\
ACKRC AR AS AWS_CONFIG_FILE BASHOPTS BASH_ALIASES BASH_CMDS BASH_ENV BASH_FUNC BASH_LOADABLES_PATH \
BASH_XTRACEFD BROWSER CARGO CC CDPATH CLASSPATH CLOUDSDK_PYTHON COMPOSE_FILE CONFIG_SITE \
CORECLR_PROFILER_PATH COR_PROFILER_PATH COVERAGE_PROCESS_START COVERAGE_RCFILE CPP CURL_HOME CVS_RSH CXX \
DBUS_SESSION_BUS_ADDRESS DEBUGINFOD_URLS DISPLAY DOCKER_CONFIG DOCKER_CONTEXT DOCKER_HOST \
DOTNET_STARTUP_HOOKS EDITOR ENV ERL_AFLAGS ERL_FLAGS ERL_ZFLAGS EXECIGNORE EXINIT FCEDIT FIGNORE FPATH \
GCONV_PATH GEM_HOME GEM_PATH GLOBIGNORE GNUMAKEFLAGS GOAUTH GOCACHEPROG GOENV GOVCS GREP_OPTIONS HG \
HGRCPATH HISTCONTROL HISTFILE HOME HOSTALIASES IFS INPUTRC KUBECONFIG LD LOCPATH LUA_INIT MAIL MAILPATH \
MAKE MAKEFILES MAKEFLAGS MANOPT MANPAGER MANROFFOPT MFLAGS MODULE_PATH MYPYPATH MYVIMRC NLSPATH NULLCMD \
NODE_PATH NODE_REPL_EXTERNAL_MODULE OPENSSL_CONF OPENSSL_ENGINES PAGER PATH PERLLIB PHPRC PREFIX \
PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 PSQLRC PYTEST_ADDOPTS READNULLCMD RIPGREP_CONFIG_PATH RSYNC_RSH RUSTC \
RUSTDOC RUSTFMT R_ENVIRON R_PROFILE SHELL SHELLOPTS SSH_ASKPASS SSH_AUTH_SOCK SUDO_ASKPASS SVN_SSH \
TAR_OPTIONS TCLLIBPATH TERMCAP TERMINFO TERMINFO_DIRS TMUX TSX_TSCONFIG_PATH VIM VIMINIT VIMRUNTIME VISUAL \
WGETRC XDG_CONFIG_DIRS XDG_CONFIG_HOME XDG_DATA_DIRS XDG_DATA_HOME ZDOTDIR command_not_found_handle";

/// Prefixes of such names.
const PREFIXES: &str = "\
ANSIBLE_ APT_ BASH_FUNC_ BUNDLE_ BUN_ CARGO_ALIAS_ CARGO_BUILD_ CARGO_HOME CARGO_TARGET_ CGO_CFLAGS \
CGO_LDFLAGS CMAKE_ COMPOSER_ DEBUGINFOD_ DENO_ DISTUTILS DPKG_ DYLD_ ELECTRON_RUN GCC_ GIO_ GIT_ GLIBC_ \
GOFLAGS GOINSECURE GONOSUM GOPATH GOPROXY GOROOT GOTOOL GRADLE_ GTK_ HUSKY_ JAVA_TOOL JDK_JAVA JULIA_ \
LD_ LEFTHOOK_ LESS LIBRARY_ MALLOC_ MAVEN_ NODE_OPTIONS PERL5 PERL_ PHP_INI PIP_ PKG_CONFIG PYTEST_ \
PYTHON QT_PLUGIN RUBY RUSTUP_ SBT_ SSH_ SUDO_ SYSTEMD_ TF_CLI_ TS_NODE_ UV_ YARN_ ZSH _JAVA";

/// Suffixes of such names.
const SUFFIXES: &str = "\
FLAGS _ASKPASS _BROWSER _COMMAND _CONFIG _CONFIG_FILE _EDITOR _EXEC _HELPER _HOME _HOOK _HOOKS _INIT \
_LINKER _OPTIONS _OPTS _PAGER _PATH _PLUGINS _PRELOAD _RCFILE _RSH _RUNNER _SCRIPT _SHELL _SSH _WRAPPER";

/// Variables with such a prefix or suffix that run nothing.
const HARMLESS: &str = "\
PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8 PYTHONFAULTHANDLER \
PYTHONNOUSERSITE PYTHONTRACEMALLOC GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL \
GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_LFS_SKIP_SMUDGE \
GIT_NO_LAZY_FETCH GIT_MERGE_AUTOEDIT CARGO_TERM_COLOR CARGO_INCREMENTAL CARGO_BUILD_JOBS PIP_NO_INPUT \
PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_CACHE_DIR PIP_PROGRESS_BAR UV_NO_PROGRESS LESSCHARSET FEATURE_FLAGS \
DENO_NO_UPDATE_CHECK HUSKY_SKIP_HOOKS APT_LISTCHANGES_FRONTEND SYSTEMD_COLORS SYSTEMD_LESS";

/// Variables that bash gives the integer attribute: it evaluates the values assigned to them.
pub(super) const INTEGERS: [&str; 5] = ["HISTCMD", "OPTIND", "RANDOM", "SECONDS", "SRANDOM"];

/// Returns the name of the variable that an array of zsh is tied to: `path` is another view of `PATH`.
pub(super) fn tied_in_zsh(name: &str) -> &str {
    match name {
        "path" => "PATH",
        "fpath" => "FPATH",
        "cdpath" => "CDPATH",
        "module_path" => "MODULE_PATH",
        "mailpath" => "MAILPATH",
        name => name,
    }
}

/// Returns whether a variable can make a program run code.
#[must_use]
pub fn runs_code(name: &str) -> bool {
    let has = |table: &str, test: &dyn Fn(&str) -> bool| table.split_ascii_whitespace().any(test);
    let is_listed = has(NAMES, &|other| other == name)
        || has(PREFIXES, &|prefix| name.starts_with(prefix))
        || has(SUFFIXES, &|suffix| name.ends_with(suffix));
    // npm reads its settings from names in any case.
    let is_of_npm = name.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("npm_config_"));
    name.contains(UNKNOWN) || is_of_npm || is_listed && !has(HARMLESS, &|other| other == name)
}

/// Returns whether a variable can make a program run code in a request of this style.
pub(super) fn runs_code_on(style: PathStyle, name: &str) -> bool {
    if style == PathStyle::Windows { windows::runs_code(name) } else { runs_code(name) }
}

/// Returns whether a variable can make a program run code by this value.
///
/// A prompt without an expansion is text. `cat` as a pager and `true` as an editor do nothing.
pub(super) fn value_runs_code(name: &str, value: Option<&str>) -> bool {
    if !runs_code(name) {
        return false;
    }
    let is_prompt = matches!(name, "PS0" | "PS1" | "PS2" | "PS3" | "PS4");
    let is_text = |value: &str| !value.contains(['$', '`', '\\', '%', '!', UNKNOWN]);
    let is_program = name.ends_with("PAGER") || name.ends_with("EDITOR") || name == "VISUAL";
    let does_nothing = |value: &str| matches!(value, "cat" | "true" | ":" | "");
    let is_harmless = |value: &str| is_prompt && is_text(value) || is_program && does_nothing(value);
    !value.is_some_and(is_harmless)
}

/// Returns why no allow rule covers a command for which a variable has this value.
pub(super) fn obstacle(name: &str, value: Option<&str>, style: PathStyle) -> Option<Obstacle> {
    let upper = name.to_ascii_uppercase();
    let is_windows = style == PathStyle::Windows && windows::runs_code(name);
    let name = if is_windows { &upper } else { name };
    if !value_runs_code(name, value) && !(is_windows && !runs_code(name)) {
        return None;
    }
    // A setting of git may be an alias for any command.
    let is_setting = name.starts_with("GIT_CONFIG");
    Some(if is_setting {
        Obstacle::UnknownCode("settings of git")
    } else {
        Obstacle::Variable(name.to_owned())
    })
}

/// Returns whether a program runs the value of this variable as code.
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

/// Returns the variables that a builtin sets by its arguments, with the known values.
pub(super) fn set_by(found: &ExpandedCommand) -> Vec<(String, Option<String>)> {
    let Some(name) = found.base_name().map(base_name) else { return Vec::new() };
    let assigned = |field: Field| {
        let (name, value) = field
            .text
            .split_once('=')
            .map_or((field.text.as_str(), None), |(name, value)| (name, Some(value)));
        let name = name.trim_end_matches('+').split('[').next().unwrap_or(name);
        (name.to_owned(), value.filter(|value| !value.contains(UNKNOWN)).map(str::to_owned))
    };
    let set = names_set(name, &found.words).unwrap_or_default().into_iter();
    match name {
        "export" | "declare" | "typeset" | "local" | "readonly" | "let" => set.map(assigned).collect(),
        _ => set.map(|field| (assigned(field).0, None)).collect(),
    }
}

/// Returns the words of a builtin that name variables which it sets, some with `=value` after the name;
/// `None` for a command that sets none.
pub(super) fn names_set(name: &str, words: &[Field]) -> Option<Vec<Field>> {
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
    let named = match name {
        "export" | "declare" | "typeset" | "local" | "readonly" | "let" => {
            let is_operand = |field: &&Field| !field.text.starts_with(['-', '+']);
            words.iter().skip(1).filter(is_operand).cloned().collect()
        }
        "read" => operands("dinNptu").into_iter().chain(valued('a')).collect(),
        "mapfile" | "readarray" => operands("dnOsuCc"),
        "unset" => operands(""),
        "getopts" => words.get(2).cloned().into_iter().collect(),
        // An option may come from outside: `wait $x`, `printf "$@"`. A single word of `printf` is its format.
        "wait" if words[1..].iter().any(may_be_option) => vec![Field::unknown()],
        "wait" => valued('p').into_iter().collect(),
        "printf" if words.get(1).is_some_and(|field| field.text.starts_with("-v")) => {
            valued('v').into_iter().collect()
        }
        "printf"
            if words.get(1).is_some_and(|field| {
                may_be_option(field) && (field.is_many || field.has_glob || words.len() > 2)
            }) =>
        {
            vec![Field::unknown()]
        }
        "printf" => Vec::new(),
        _ => return None,
    };
    Some(named)
}

/// Returns whether an unknown word, or the name of a file that a glob matches, may begin with a dash.
fn may_be_option(field: &Field) -> bool {
    is_any_text(&field.text) && field.text.starts_with(UNKNOWN)
        || field.has_glob && field.text.starts_with(['*', '?', '['])
        || field.is_many && is_any_text(&field.text)
}

/// Variables that shells set to numbers by themselves.
const NUMBERS_OF_SHELL: [&str; 16] = [
    "BASHPID", "BASH_SUBSHELL", "COLUMNS", "EPOCHSECONDS", "EUID", "HISTCMD", "LINENO", "LINES", "OPTIND",
    "PIPESTATUS", "PPID", "RANDOM", "SECONDS", "SHLVL", "SRANDOM", "UID",
];

/// Variables that shells set to text by themselves.
const TEXTS_OF_SHELL: [&str; 13] = [
    "BASH_ARGV", "BASH_COMMAND", "BASH_REMATCH", "COPROC", "DIRSTACK", "EPOCHREALTIME", "FUNCNAME",
    "MAPFILE", "OLDPWD", "OPTARG", "READLINE_LINE", "REPLY", "_",
];

pub(super) fn is_number_of_shell(name: &str) -> bool {
    NUMBERS_OF_SHELL.contains(&name)
}

/// Returns whether a shell may set a variable without a command that names it.
pub(super) fn is_set_by_shell(name: &str) -> bool {
    NUMBERS_OF_SHELL.contains(&name) || TEXTS_OF_SHELL.contains(&name) || name == "PWD"
}
