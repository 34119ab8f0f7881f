//! Links out of the root, and files outside of it.

use agent_bash::policy::Paths;

use crate::{Mode, NoLinks, OnDanger, Policy, PolicyRequest, ROOT, Syntax, Verdict, check, does_more, reads};

/// A file system in which `out` in the root is a link to `/etc`, and `in` a link to the directory `a` of the
/// root.
#[derive(Debug)]
struct Links;

impl Paths for Links {
    fn real(&self, path: &str) -> Option<String> {
        let path = NoLinks.real(path)?;
        let behind = |link: &str| {
            let rest = path.strip_prefix(&format!("{ROOT}/{link}"))?;
            (rest.is_empty() || rest.starts_with('/')).then_some(rest)
        };
        Some(match (behind("out"), behind("in")) {
            (Some(rest), _) => format!("/etc{rest}"),
            (_, Some(rest)) => format!("{ROOT}/a{rest}"),
            _ => path,
        })
    }
}

fn reads_with_links(text: &str) -> bool {
    let policy = Policy::new(Mode::ReadOnly, OnDanger::Deny, &[], &[], &[]).expect("a policy");
    let request = PolicyRequest {
        policy: &policy,
        syntax: Some(Syntax::Bash),
        directory: Some(ROOT),
        root: Some(ROOT),
        environment: None,
        paths: &Links,
    };
    check(text, &request).verdict == Verdict::Allow
}

#[test]
fn a_link_out_of_the_root_is_refused_where_the_command_names_it() {
    for text in
        ["cat out/passwd", "ls out", "ls out/", "cat ./a/../out/x", "cat < out/passwd", "cd out; cat x"]
    {
        assert!(!reads_with_links(text), "{text}");
    }
    for text in ["cat in/x", "ls in", "cat a/out", "cat outer/x"] {
        assert!(reads_with_links(text), "{text}");
    }
}

#[test]
fn a_glob_is_judged_by_the_directory_before_it() {
    for text in
        ["cat out/*", "cat out/pass[w]d", "for f in out/*; do echo $f; done", "cat */../../x", "ls o*/.."]
    {
        assert!(!reads_with_links(text), "{text}");
    }
    // The check does not expand the glob, so these commands read the target of the link.
    for text in ["cat *", "cat */x", "cat o*/passwd", "cat in/*"] {
        assert!(reads_with_links(text), "{text}");
    }
}

#[test]
fn a_file_outside_of_the_root_is_read_by_no_option_or_module() {
    does_more(&[
        "ls | xargs -a /etc/passwd echo",
        "xargs --arg-file=../x echo",
        "jq -n 'import #\n\"x\" as $x {search: \"/etc\"}; $x'",
        "jq -n 'include#\n\"x\"; .'",
        "jq modulemeta x",
        "diff --context ../x y",
        "[ ../x -nt y ]",
        "[ -a ../x ]",
    ]);
    reads(&["ls | xargs basename -a", "diff --context=3 x y", "[ x -nt y ]", "jq '.important' x"]);
}
