//! Copies whose connections are cut.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use agent_bash::engine::engine;
use agent_bash::process::files::request::RootedPath;
use agent_bash::process::helper_program;
use agent_bash::process::registry::Owner;
use agent_bash::target::files::Files;
use agent_bash::target::files::copy::{Copy, CopyPlan};
use tokio::sync::watch;

use crate::place::Place;
use crate::support::HELPER;

const MIB: usize = 1024 * 1024;

/// The start of a transport that passes 10 MiB from the target over its first connection, 4 MiB over the
/// second one, and everything over each later one.
const CUTS: &str = r#"echo >>"$HOME/connections"
case $(wc -l <"$HOME/connections") in
1) most=10M ;;
2) most=4M ;;
*) exec "$@" ;;
esac
"$@" | stdbuf -o0 head -c $most
exit"#;

fn path(path: &Path) -> RootedPath {
    RootedPath { path: path.as_os_str().as_bytes().to_vec(), ..RootedPath::default() }
}

#[test]
fn bytes_that_were_not_sent_again_count_once_however_often_the_connection_is_cut() {
    helper_program::use_path(HELPER.into());
    let place = Place::with_start_file(CUTS, "");
    let (from, to) = (place.home().join("from"), place.home().join("to"));
    fs::write(&from, vec![b'x'; 16 * MIB]).expect("written");
    let engine = engine().expect("an engine");
    let files = Arc::new(Files::new(engine, Owner::default(), Arc::clone(&place.target)));
    let plan = CopyPlan { here: path(&to), there: path(&from), is_to_target: false };
    let (_cancel, cancelled) = watch::channel(false);
    let copied = Copy::new(files, plan, cancelled, Box::new(|_| ())).run().expect("a copy");
    assert_eq!(fs::read(place.home().join("connections")).expect("a list").len(), 3);
    assert_eq!((copied.files, copied.bytes), (1, 16 * MIB as u64));
    // The last connection sent what the others had not, which have passed 14 MiB together.
    let sent_before = (12 * MIB as u64)..(14 * MIB as u64);
    assert!(sent_before.contains(&copied.resumed), "{copied:?}");
    drop(place.target.dispose().blocking_recv());
}
