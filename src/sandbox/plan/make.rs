//! Makes the plan from the options. Reads the file system, and changes nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use super::error::PlanError;
use super::error::wrong;
use super::git::InnerRepositories;
use super::machine::Machine;
use super::parts::LANDLOCK_SCOPES;
use super::paths::{BasePaths, existing, granted, list, real};
use super::protection::Protection;
use super::sockets::{self, PlannedSocket};
use super::visibility::{Hidden, hidden, readable};
use super::watch::Watch;
use super::{AttachedFile, Level, NetworkMode, Part, Place, SandboxPlan, Source, Tier, hardlinks, parts};
use crate::sandbox::network::allow::{self, AllowedDestination};
use crate::sandbox::options::{Escalate, Home, Network, OnUnavailable, SandboxOptions, Tmp, UsualNetwork};
use crate::sandbox::private::PrivatePaths;

/// The size of `/tmp` at the level `read-only` (bytes).
const SMALL_TMP: u64 = 64 << 20;

/// The size of a new `/tmp` for each command (bytes). It takes memory only as it is filled.
const TMP: u64 = 2 << 30;

/// A plan, and the facts about it for the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    pub plan: SandboxPlan,
    /// The requested parts that are applied.
    pub applied: Vec<Part>,
    /// The requested parts that are not applied. Without `onUnavailable: 'weaker'`, only the home and the
    /// process table can be missing.
    pub missing: Vec<Part>,
    /// The paths that are checked again after the command.
    pub watch: Watch,
}

/// Makes a plan.
///
/// # Errors
///
/// A wrong option, a path that is missing or can't be protected, or parts that this machine lacks.
pub fn make(options: &SandboxOptions, machine: &Machine<'_>) -> Result<Made, PlanError> {
    let base = BasePaths { root: machine.root, home: machine.home };
    check_options(options, base)?;
    if machine.overlay.is_some() {
        check_with_overlay(options)?;
    }
    let (network, allowed) = network(&options.network)?;
    let mut places = places(options, machine, base)?;
    let writable: Vec<PathBuf> = host_places(&places);
    let listed = list("sandbox.protected", &options.protected, base)?;
    let mut paths = Protection::default();
    let mut inner = InnerRepositories::default();
    for workspace in &writable {
        paths.add_defaults(workspace, options.git, machine.home, &mut places, &mut inner);
    }
    if machine.overlay.is_some() {
        // The directory of a linked worktree's repository is not covered.
        places.retain(|place| place.source != Source::Host || place.path.starts_with(machine.root));
    }
    paths.remove(&listed.removed);
    let writable = host_places(&places);
    let sockets = sockets(options, machine.tier, base, &places)?;
    for path in listed.added.iter().filter(|path| !listed.removed.contains(path)) {
        paths.add_named(path, &writable)?;
    }
    let (mut protected, mut stubs, watched) = paths.finish();
    if options.level == Level::ReadOnly && is_in_tmp(machine.root) {
        // Stubs, which programs of the host would see, are not needed either.
        protected = vec![machine.root.to_owned()];
        stubs.clear();
    }
    let mut readable = readable(options, base, &writable)?;
    let shown: Vec<&Path> = readable.iter().flatten().chain(&writable).map(PathBuf::as_path).collect();
    let Hidden { paths: hidden, shown } = hidden(options, machine, base, &shown)?;
    let files = machine.files.iter().filter_map(|path| real(path));
    let (own, kept): (Vec<PathBuf>, Vec<PathBuf>) = files.partition(|path| path.is_dir());
    places.extend(own.into_iter().map(|path| Place { path, source: Source::Host }));
    if machine.tier == Tier::Landlock {
        // There a path below a private directory is seen without a place of its own.
        if let Some(paths) = &mut readable {
            paths.extend(kept.iter().cloned());
        }
    } else {
        places.extend(kept.iter().map(|path| Place { path: path.clone(), source: Source::Host }));
        protected.extend(kept);
    }
    places.sort_by_key(|place| place.path.components().count());
    check_attached(machine, &places)?;
    let mut missing = parts::missing(options.level, machine.tier, machine.landlock, !hidden.is_empty());
    if wants_private_home(options, machine.home)
        && machine.private.home.is_none()
        && !missing.contains(&Part::Home)
    {
        missing.push(Part::Home);
    }
    if machine.tier == Tier::Landlock && matches!(network, NetworkMode::Loopback | NetworkMode::Allow) {
        missing.push(Part::Network);
    }
    if machine.tier == Tier::Landlock && machine.overlay.is_some() {
        missing.push(Part::Overlay);
    }
    let weaker = parts::is_weaker(&missing, machine.tier, machine.landlock);
    // Landlock can't tell the host's loopback or allowed hosts from other addresses, so these networks have
    // no weaker form, and neither has an overlay.
    let has_no_weaker = missing.contains(&Part::Network) || missing.contains(&Part::Overlay);
    if weaker && (options.on_unavailable == OnUnavailable::Fail || has_no_weaker) {
        return Err(PlanError::Unavailable { level: options.level, missing });
    }
    if machine.tier != Tier::Landlock
        && let Some(found) = hardlinks::find(&protected, &writable)
    {
        if options.on_unavailable == OnUnavailable::Fail {
            return Err(PlanError::Protected(found));
        }
        missing.push(Part::Protected);
    }
    let asked = parts::of(options.level).iter().copied().chain(machine.overlay.map(|_| Part::Overlay));
    let applied = asked.filter(|part| !missing.contains(part)).collect();
    let plan = SandboxPlan {
        level: options.level,
        tier: machine.tier,
        needs_landlock: options.on_unavailable == OnUnavailable::Fail,
        readable,
        journal: (!stubs.is_empty()).then(|| machine.journal.to_owned()),
        places,
        protected,
        stubs,
        hidden,
        shown,
        network,
        allowed,
        asks: options.asks && network == NetworkMode::Allow,
        sockets,
        attached: machine.attached.to_vec(),
        overlay: machine.overlay.cloned(),
    };
    Ok(Made { plan, applied, missing, watch: Watch::new(watched, &writable, &mut inner) })
}

/// Makes the plan of a machine with every mechanism, for a description. Probes nothing, and creates no
/// directory.
///
/// # Errors
///
/// An option that is wrong, or a path that is missing.
pub fn outline(options: &SandboxOptions, root: &Path, home: Option<&Path>) -> Result<SandboxPlan, PlanError> {
    let nowhere = PathBuf::from("/nonexistent");
    // With `onUnavailable: 'weaker'`, the home may be read-only.
    let has_home = options.on_unavailable == OnUnavailable::Fail;
    let private = PrivatePaths {
        directory: nowhere.clone(),
        tmp: nowhere.clone(),
        home: has_home.then(|| (nowhere.clone(), nowhere.clone())),
        empty_home: nowhere.clone(),
    };
    let (tier, landlock) = (Tier::Namespaces, LANDLOCK_SCOPES);
    let machine = Machine {
        root,
        home,
        tier,
        landlock,
        private: &private,
        journal: &nowhere,
        files: &[],
        attached: &[],
        durable: &[],
        overlay: None,
    };
    // A second name of a protected file, or a server that does not run, is an error of each command, but not
    // of the description.
    let options =
        SandboxOptions { on_unavailable: OnUnavailable::Weaker, sockets: Vec::new(), ..options.clone() };
    make(&options, &machine).map(|made| made.plan)
}

/// Checks the options without reading the file system.
///
/// # Errors
///
/// The option that is wrong.
pub fn check(options: &SandboxOptions, root: &Path, home: Option<&Path>) -> Result<(), PlanError> {
    check_options(options, BasePaths { root, home })?;
    sockets::check(&options.sockets, BasePaths { root, home })?;
    network(&options.network).map(|_| ())
}

/// Checks the options of a sandbox whose workspace is that of an overlay.
///
/// # Errors
///
/// A wrong option: one that lets commands change files of the host, or none at all.
pub fn check_with_overlay(options: &SandboxOptions) -> Result<(), PlanError> {
    if options.level == Level::ReadOnly {
        return Err(wrong("sandbox", "expected level 'workspace-write' or 'isolated' next to an overlay"));
    }
    if !options.writable.is_empty() || !options.granted.writable.is_empty() {
        return Err(wrong(
            "sandbox.writable",
            "expected none next to an overlay, which covers the root alone",
        ));
    }
    if options.tmp == Some(Tmp::Host) {
        return Err(wrong("sandbox.tmp", "expected 'root' or 'command' next to an overlay"));
    }
    if options.escalate == Escalate::Ask {
        return Err(wrong(
            "sandbox.escalate",
            "expected 'never' next to an overlay: what is granted beyond the sandbox would be written for real",
        ));
    }
    Ok(())
}

fn check_options(options: &SandboxOptions, base: BasePaths<'_>) -> Result<(), PlanError> {
    let is_above_home = base.home.is_some_and(|home| home.starts_with(base.root));
    if base.root == Path::new("/") || is_above_home {
        let root = base.root.display();
        return Err(wrong(
            "root",
            format!(
                "'{root}' can't be the workspace of a sandbox: expected a directory that is neither / nor the home directory nor above it"
            ),
        ));
    }
    let asks_to_read = !options.visible.is_empty() || !options.granted.visible.is_empty();
    if asks_to_read && options.level != Level::Isolated {
        return Err(wrong(
            "sandbox.visible",
            "expected level 'isolated'; at other levels everything is visible",
        ));
    }
    let asks_to_write = !options.writable.is_empty() || !options.granted.writable.is_empty();
    if asks_to_write && options.level == Level::ReadOnly {
        return Err(wrong("sandbox.writable", "expected level 'workspace-write' or 'isolated'"));
    }
    Ok(())
}

fn network(network: &Network) -> Result<(NetworkMode, Vec<AllowedDestination>), PlanError> {
    let mode = match network {
        Network::Usual(UsualNetwork::Off) => NetworkMode::Off,
        Network::Usual(UsualNetwork::Loopback) => NetworkMode::Loopback,
        Network::Usual(UsualNetwork::On) => NetworkMode::On,
        Network::Allow { allow } => {
            let hosts = allow::parse(allow).map_err(|error| wrong("sandbox.network.allow", error))?;
            return Ok((NetworkMode::Allow, hosts));
        }
    };
    Ok((mode, Vec::new()))
}

/// Checks that the files of credentials are there, or can be made in a private home.
fn check_attached(machine: &Machine<'_>, places: &[Place]) -> Result<(), PlanError> {
    let home = machine.home.and_then(real);
    let Some(home) = home else { return Ok(()) };
    let is_private = places.iter().any(|place| place.path == home && place.source != Source::Host);
    let missing = |file: &&AttachedFile| file.path.starts_with(&home) && !file.path.exists();
    match machine.attached.iter().find(missing).filter(|_| !is_private) {
        None => Ok(()),
        Some(file) => {
            let path = file.path.display();
            Err(wrong("credentials", format!("'{path}' of files does not exist, and the home is read-only")))
        }
    }
}

/// Finds the listed sockets, which only the sandbox init can tell from others.
fn sockets(
    options: &SandboxOptions,
    tier: Tier,
    base: BasePaths<'_>,
    places: &[Place],
) -> Result<Vec<PlannedSocket>, PlanError> {
    if tier == Tier::Landlock && !options.sockets.is_empty() {
        return Err(PlanError::Socket(
            "sandbox.sockets needs namespaces, and this machine has Landlock alone: `agent-bash probe` says why"
                .to_owned(),
        ));
    }
    let writable: Vec<&Path> = places
        .iter()
        .filter(|place| place.source == Source::Host)
        .map(|place| place.path.as_path())
        .collect();
    sockets::resolve(&options.sockets, base, &options.variables, &writable)
}

/// Returns the directories and files of the host that can be written.
fn host_places(places: &[Place]) -> Vec<PathBuf> {
    let host = places.iter().filter(|place| place.source == Source::Host && place.path != tmp_path());
    host.map(|place| place.path.clone()).collect()
}

fn tmp_path() -> PathBuf {
    real(Path::new("/tmp")).unwrap_or_else(|| PathBuf::from("/tmp"))
}

fn is_in_tmp(root: &Path) -> bool {
    root.starts_with(tmp_path())
}

/// Returns whether commands get a private copy of the home.
pub(crate) fn wants_private_home(options: &SandboxOptions, home: Option<&Path>) -> bool {
    options.level == Level::WorkspaceWrite
        && options.home != Some(Home::ReadOnly)
        && home.is_some_and(Path::is_dir)
}

fn places(
    options: &SandboxOptions,
    machine: &Machine<'_>,
    base: BasePaths<'_>,
) -> Result<Vec<Place>, PlanError> {
    let private = machine.private;
    let tmp = match (options.level, options.tmp) {
        (Level::ReadOnly, _) => Source::Memory(SMALL_TMP),
        (_, None | Some(Tmp::Root)) => Source::Directory(private.tmp.clone()),
        (_, Some(Tmp::Command)) => Source::Memory(TMP),
        (_, Some(Tmp::Host)) => Source::Host,
    };
    let mut places = vec![Place { path: tmp_path(), source: tmp }];
    if let Some(home) = machine.home.and_then(real) {
        if options.level == Level::Isolated && options.home != Some(Home::ReadOnly) {
            places.push(Place { path: home, source: Source::Directory(private.empty_home.clone()) });
        } else if let Some((upper, work)) =
            private.home.clone().filter(|_| wants_private_home(options, machine.home))
        {
            places.push(Place { path: home, source: Source::Overlay { upper, work } });
        }
    }
    if options.level == Level::ReadOnly {
        // The private `/tmp` would hide the path. It is protected, so that commands can't write it.
        places.extend(
            is_in_tmp(machine.root).then(|| Place { path: machine.root.to_owned(), source: Source::Host }),
        );
        return Ok(places);
    }
    let writable = writable(options, machine, base)?;
    // A path below another one needs no mount of its own: files could not be renamed across it. But the root
    // needs one, so that no command can replace it by a link, which would choose the workspace of the next
    // command.
    let is_needed = |path: &&PathBuf| {
        path.as_path() == machine.root || !path.ancestors().skip(1).any(|parent| writable.contains(parent))
    };
    let needed = writable.iter().filter(is_needed);
    places.extend(needed.map(|path| Place { path: path.clone(), source: Source::Host }));
    Ok(places)
}

/// Returns the real paths of the workspace and of all further writable paths.
fn writable(
    options: &SandboxOptions,
    machine: &Machine<'_>,
    base: BasePaths<'_>,
) -> Result<BTreeSet<PathBuf>, PlanError> {
    const OPTION: &str = "sandbox.writable";
    let listed = list(OPTION, &options.writable, base)?;
    let named: Vec<PathBuf> = listed.added.iter().filter_map(|path| real(path)).collect();
    let of_grant = &options.granted.writable;
    let others = || std::iter::once(machine.root).chain(named.iter().chain(of_grant).map(PathBuf::as_path));
    let own = std::iter::once(machine.root.to_owned()).chain(listed.added);
    let own = own.map(|path| existing(OPTION, path, others()));
    let mut writable = BTreeSet::new();
    for path in own.chain(of_grant.iter().map(|path| granted(OPTION, path))) {
        let path = path?;
        if path == Path::new("/") || machine.home.and_then(real).is_some_and(|home| home.starts_with(&path)) {
            let path = path.display();
            return Err(wrong(
                OPTION,
                format!("'{path}': expected a path that is neither / nor the home directory nor above it"),
            ));
        }
        writable.insert(path);
    }
    Ok(writable)
}
