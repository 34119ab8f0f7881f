//! Directories of the host that a container can write to.

use crate::policy::commands::{Field, Found};

/// Returns a command in a container with the paths that it has on the host; `None` if it reaches none of them.
pub(super) fn on_host(command: &Found, all: &[Found]) -> Option<Found> {
    let is_container = |name: &String| matches!(name.as_str(), "docker" | "podman" | "nerdctl");
    if !command.wrappers.iter().any(is_container) {
        return None;
    }
    let mut volumes = Vec::new();
    let mut parent = command.parent;
    while let Some(outer) = parent.and_then(|(place, _)| all.get(place)) {
        volumes.extend(volumes_of(&outer.words));
        parent = outer.parent;
    }
    let mut reached = command.clone();
    let mut is_reached = false;
    let redirections = reached.redirections.iter_mut().map(|redirect| &mut redirect.target);
    for field in reached.words.iter_mut().skip(1).chain(redirections) {
        if let Some(path) = volumes.iter().find_map(|volume| volume.on_host(&field.text)) {
            field.text = path;
            is_reached = true;
        }
    }
    is_reached.then_some(reached)
}

/// A directory of the host, and its place in the container.
struct Volume {
    source: String,
    target: String,
}

impl Volume {
    fn on_host(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(self.target.trim_end_matches('/'))?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", self.source))
    }

    /// Reads `source:target` and `source:target:options`.
    fn of_pair(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (source, target) = (parts.next()?, parts.next()?);
        source
            .starts_with(['/', '.', '~'])
            .then(|| Self { source: source.to_owned(), target: target.to_owned() })
    }

    /// Reads `type=bind,source=…,target=…`.
    fn of_mount(text: &str) -> Option<Self> {
        let value = |names: &[&str]| {
            let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(name, _)| names.contains(name)).map(|(_, value)| value.to_owned()).next()
        };
        Some(Self { source: value(&["source", "src"])?, target: value(&["target", "dst", "destination"])? })
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
