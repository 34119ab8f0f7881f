//! Directories of the host that a container can write to.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::policy::commands::{Field, Found};

/// The directories of the host that the commands of one command line mount.
#[derive(Debug, Default)]
pub(super) struct Volumes {
    /// The volumes of a command, by its index: a script in a container may have hundreds of commands.
    known: RefCell<HashMap<usize, Rc<[Volume]>>>,
}

impl Volumes {
    fn of(&self, place: usize, words: &[Field]) -> Rc<[Volume]> {
        Rc::clone(self.known.borrow_mut().entry(place).or_insert_with(|| volumes_of(words).into()))
    }
}

/// Returns a command in a container with the paths that it has on the host; `None` if it reaches none of them.
pub(super) fn on_host(command: &Found, all: &[Found], known: &Volumes) -> Option<Found> {
    let is_container = |name: &String| matches!(name.as_str(), "docker" | "podman" | "nerdctl");
    if !command.wrappers.iter().any(is_container) {
        return None;
    }
    let mut volumes: Vec<Rc<[Volume]>> = Vec::new();
    let mut parent = command.parent;
    while let Some((place, outer)) = parent.and_then(|(place, _)| Some((place, all.get(place)?))) {
        volumes.push(known.of(place, &outer.words));
        parent = outer.parent;
    }
    let path = |field: &Field| {
        volumes.iter().flat_map(|volumes| volumes.iter()).find_map(|volume| volume.on_host(&field.text))
    };
    let mut words = command.words.iter().skip(1);
    let mut targets = command.redirections.iter().map(|redirect| &redirect.target);
    if !words.any(|field| path(field).is_some()) && !targets.any(|field| path(field).is_some()) {
        return None;
    }
    let mut reached = command.clone();
    let redirections = reached.redirections.iter_mut().map(|redirect| &mut redirect.target);
    for field in reached.words.iter_mut().skip(1).chain(redirections) {
        if let Some(path) = path(field) {
            field.text = path;
        }
    }
    Some(reached)
}

/// A directory of the host, and its place in the container.
#[derive(Debug)]
struct Volume {
    source: String,
    target: String,
}

impl Volume {
    fn on_host(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(self.target.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", self.source))
    }

    /// Reads `source:target` and `source:target:options`.
    fn of_pair(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (source, target) = (parts.next()?, parts.next()?);
        source
            .starts_with(['/', '.', '~'])
            .then(|| Self { source: source.to_owned(), target: target.trim_end_matches('/').to_owned() })
    }

    /// Reads `type=bind,source=…,target=…`.
    fn of_mount(text: &str) -> Option<Self> {
        let value = |names: &[&str]| {
            let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(name, _)| names.contains(name)).map(|(_, value)| value.to_owned()).next()
        };
        let target = value(&["target", "dst", "destination"])?;
        Some(Self { source: value(&["source", "src"])?, target: target.trim_end_matches('/').to_owned() })
    }
}

fn volumes_of(words: &[Field]) -> Vec<Volume> {
    let volume = |(at, field): (usize, &Field)| {
        let next = || words.get(at + 1).map(|field| field.text.as_str());
        let text = field.text.as_str();
        match text {
            "-v" | "--volume" => Volume::of_pair(next()?),
            "--mount" => Volume::of_mount(next()?),
            _ => match text.split_once('=') {
                Some(("--volume", value)) => Volume::of_pair(value),
                Some(("--mount", value)) => Volume::of_mount(value),
                _ => Volume::of_pair(text.strip_prefix("-v")?),
            },
        }
    };
    words.iter().enumerate().filter_map(volume).collect()
}
