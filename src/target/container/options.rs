//! The option `container` of a target.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::target::options::{check_name, check_text};

/// The default limits of a container that agent-bash makes: memory and `/tmp` (bytes), and processes.
const MEMORY: u64 = 2 << 30;
const TMP: u64 = 1 << 30;
const PIDS: u32 = 1024;

/// The container in which commands run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Given")]
pub enum Container {
    Running(RunningContainer),
    Own(Box<OwnContainer>),
}

/// A container that runs already, and stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningContainer {
    /// The program of the engine and its global arguments; `None` for the first that answers.
    pub engine: Option<Vec<String>>,
    pub name: String,
}

/// A container that agent-bash makes for this target and removes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnContainer {
    /// The program of the engine and its global arguments; `None` for the first that answers.
    pub engine: Option<Vec<String>>,
    pub image: String,
    /// Whether the engine downloads an image that is not here.
    pub pulls: bool,
    /// The directory here that is `/workspace` there.
    pub workspace: Option<String>,
    /// The paths of the workspace that are read-only there; `*` stands for any part of a name.
    pub protected: Vec<String>,
    pub mounts: Vec<Mount>,
    pub network: String,
    pub user: User,
    pub env: BTreeMap<String, String>,
    pub has_read_only_root: bool,
    /// The most memory (bytes), and the most processes.
    pub memory: u64,
    pub pids: u32,
    /// The number of processors, as the engine reads it.
    pub cpus: Option<String>,
    /// The size of `/tmp` (bytes).
    pub tmp: u64,
    /// Whether commands run although the engine has not applied a limit.
    pub ignores_limits: bool,
}

/// A directory or file of this machine in the container.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an object with source, target and readOnly"
)]
pub struct Mount {
    pub source: String,
    pub target: String,
    #[serde(default)]
    pub read_only: bool,
}

/// The user of the commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum User {
    /// The user of this process, so that new files of the workspace belong to it.
    Own,
    /// The one that the image names.
    Image,
    Named(String),
}

/// The option as JavaScript sends it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object with a name or an image")]
struct Given {
    engine: Option<Words>,
    name: Option<String>,
    image: Option<String>,
    pull: Option<String>,
    workspace: Option<Workspace>,
    protected: Option<Vec<String>>,
    mounts: Option<Vec<Mount>>,
    network: Option<String>,
    user: Option<String>,
    env: Option<BTreeMap<String, String>>,
    read_only_root: Option<bool>,
    memory: Option<u64>,
    pids: Option<u32>,
    cpus: Option<f64>,
    tmp: Option<u64>,
    on_limit_unavailable: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a program, or a list of a program and its arguments")]
enum Words {
    Program(String),
    List(Vec<String>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected an absolute path or false")]
enum Workspace {
    Is(bool),
    At(String),
}

impl TryFrom<Given> for Container {
    type Error = String;

    fn try_from(mut given: Given) -> Result<Self, String> {
        let engine = engine_of(given.engine.take())?;
        match (given.name.take(), given.image.take()) {
            (Some(name), None) => {
                check_name("container.name", &name)?;
                if given.has_any() {
                    let message = "container.name: expected no further option but engine; the container runs";
                    return Err(message.to_owned());
                }
                Ok(Self::Running(RunningContainer { engine, name }))
            }
            (None, Some(image)) => given.own(engine, image).map(|own| Self::Own(Box::new(own))),
            _ => Err("container: expected exactly one of name and image".to_owned()),
        }
    }
}

fn engine_of(words: Option<Words>) -> Result<Option<Vec<String>>, String> {
    let Some(words) = words else { return Ok(None) };
    let words = match words {
        Words::Program(program) => vec![program],
        Words::List(words) => words,
    };
    if words.is_empty() {
        return Err("container.engine: expected a program and its arguments".to_owned());
    }
    words.iter().try_for_each(|word| check_text("container.engine", word))?;
    // The client runs in a directory of its own.
    let is_usual =
        |program: &String| program.starts_with('/') || !program.starts_with('-') && !program.contains('/');
    if !words.first().is_some_and(is_usual) {
        return Err("container.engine: expected the name or the absolute path of a program".to_owned());
    }
    Ok(Some(words))
}

impl Given {
    /// Returns whether an option is given that a running container can't have.
    fn has_any(&self) -> bool {
        [
            self.pull.is_some(),
            self.workspace.is_some(),
            self.protected.is_some(),
            self.mounts.is_some(),
            self.network.is_some(),
            self.user.is_some(),
            self.env.is_some(),
            self.read_only_root.is_some(),
            self.memory.is_some(),
            self.pids.is_some(),
            self.cpus.is_some(),
            self.tmp.is_some(),
            self.on_limit_unavailable.is_some(),
        ]
        .contains(&true)
    }

    fn own(self, engine: Option<Vec<String>>, image: String) -> Result<OwnContainer, String> {
        check_name("container.image", &image)?;
        let workspace = match self.workspace {
            None | Some(Workspace::Is(false)) => None,
            Some(Workspace::At(path)) if is_absolute(&path) => Some(path),
            Some(_) => return Err("container.workspace: expected an absolute path or false".to_owned()),
        };
        if self.cpus.is_some_and(|cpus| !(cpus.is_finite() && cpus > 0.0)) {
            return Err("container.cpus: expected a number above 0".to_owned());
        }
        let own = OwnContainer {
            engine,
            image,
            pulls: one_of("container.pull", self.pull.as_deref(), ["never", "missing"])?,
            workspace,
            protected: self.protected.unwrap_or_default(),
            mounts: self.mounts.unwrap_or_default(),
            network: self.network.unwrap_or_else(|| "none".to_owned()),
            user: match self.user.as_deref() {
                None | Some("self") => User::Own,
                Some("image") => User::Image,
                Some(name) => User::Named(name.to_owned()),
            },
            env: self.env.unwrap_or_default(),
            has_read_only_root: self.read_only_root.unwrap_or(true),
            memory: self.memory.unwrap_or(MEMORY),
            pids: self.pids.unwrap_or(PIDS),
            cpus: self.cpus.map(|cpus| cpus.to_string()),
            tmp: self.tmp.unwrap_or(TMP),
            ignores_limits: one_of(
                "container.onLimitUnavailable",
                self.on_limit_unavailable.as_deref(),
                ["fail", "ignore"],
            )?,
        };
        own.check()?;
        Ok(own)
    }
}

impl OwnContainer {
    fn check(&self) -> Result<(), String> {
        check_name("container.network", &self.network)?;
        if let User::Named(user) = &self.user {
            check_name("container.user", user)?;
        }
        for path in &self.protected {
            let is_below = !path.is_empty() && path.split('/').all(|part| !["", ".", ".."].contains(&part));
            if !is_below || path.contains('\0') {
                return Err("container.protected: expected paths below the workspace".to_owned());
            }
        }
        for Mount { source, target, .. } in &self.mounts {
            if !is_absolute(source) || !is_absolute(target) {
                return Err("container.mounts: expected absolute paths as source and target".to_owned());
            }
        }
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Err(
                    "container.env: expected names without = and values without null bytes".to_owned()
                );
            }
        }
        for (name, is_positive) in
            [("memory", self.memory > 0), ("pids", self.pids > 0), ("tmp", self.tmp > 0)]
        {
            if !is_positive {
                return Err(format!("container.{name}: expected a number above 0"));
            }
        }
        Ok(())
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') && !path.contains('\0')
}

/// Returns whether the second of two words is given; the first is the default.
fn one_of(option: &str, word: Option<&str>, [usual, other]: [&str; 2]) -> Result<bool, String> {
    match word {
        None => Ok(false),
        Some(word) if word == usual => Ok(false),
        Some(word) if word == other => Ok(true),
        Some(_) => Err(format!("{option}: expected '{usual}' or '{other}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Container, User};

    fn parse(json: &str) -> Result<Container, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_missing_has_its_default() {
        let Ok(Container::Own(own)) = parse(r#"{"image":"i"}"#) else { panic!("expected a container") };
        assert_eq!((own.memory, own.pids, own.tmp), (2 << 30, 1024, 1 << 30));
        assert_eq!((own.network.as_str(), &own.user), ("none", &User::Own));
        assert!(
            own.protected.is_empty()
                && own.has_read_only_root
                && !own.pulls
                && !own.ignores_limits
                && own.workspace.is_none()
        );
    }

    #[test]
    fn an_engine_may_have_arguments() {
        let Ok(Container::Running(running)) = parse(r#"{"name":"n","engine":["podman","--remote"]}"#) else {
            panic!("expected a container")
        };
        assert_eq!(running.engine, Some(vec!["podman".to_owned(), "--remote".to_owned()]));
    }

    #[test]
    fn mistakes_are_named() {
        for (json, expected) in [
            ("{}", "container: expected exactly one of name and image"),
            (r#"{"name":"n","image":"i"}"#, "container: expected exactly one of name and image"),
            (r#"{"name":"n","pids":3}"#, "container.name: expected no further option but engine"),
            (r#"{"image":"-i"}"#, "container.image: expected a name without blanks"),
            (r#"{"image":"i","pull":"always"}"#, "container.pull: expected 'never' or 'missing'"),
            (
                r#"{"image":"i","workspace":"here"}"#,
                "container.workspace: expected an absolute path or false",
            ),
            (r#"{"image":"i","protected":["../x"]}"#, "container.protected: expected paths below"),
            (
                r#"{"image":"i","mounts":[{"source":"a","target":"/b"}]}"#,
                "container.mounts: expected absolute",
            ),
            (r#"{"image":"i","memory":0}"#, "container.memory: expected a number above 0"),
            (r#"{"image":"i","cpus":0}"#, "container.cpus: expected a number above 0"),
            (r#"{"image":"i","colour":0}"#, "unknown field `colour`"),
            (r#"{"image":"i","engine":[]}"#, "container.engine: expected a program"),
            (
                r#"{"image":"i","engine":"./podman"}"#,
                "container.engine: expected the name or the absolute path",
            ),
        ] {
            let error = parse(json).expect_err(json);
            assert!(error.contains(expected), "{error}");
        }
    }
}
