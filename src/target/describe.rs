//! The paragraph about a target for a model.

use std::fmt::Write;

use super::container::options::{Container, OwnContainer, RunningContainer};
use super::exec::Exec;
use super::options::TargetOptions;
use super::ssh::options::Ssh;

/// Returns the paragraph that tells a model where its commands run.
pub(super) fn paragraph(options: &TargetOptions) -> String {
    match (&options.container, &options.ssh) {
        (Some(Container::Running(RunningContainer { name, .. })), _) => {
            format!("Commands run in the container '{name}', not on the machine of this tool.")
        }
        (Some(Container::Own(own)), _) => of_own(own),
        (None, Some(Ssh { host, .. })) => {
            format!("Commands run on the machine '{host}', over ssh, not on the machine of this tool.")
        }
        (None, None) => match options.exec.as_ref().and_then(Exec::given_name) {
            Some(name) => format!("Commands run in the {name}, not on the machine of this tool."),
            None => "Commands run on another machine than this tool.".to_owned(),
        },
    }
}

fn of_own(own: &OwnContainer) -> String {
    let mut text = "Commands run in a container.".to_owned();
    if let Some(workspace) = own.workspace_there() {
        let _ = write!(text, " The project is in {workspace}, where they start");
        let protected: Vec<String> = own.protected.iter().map(|path| format!("{workspace}/{path}")).collect();
        match protected.as_slice() {
            [] => text.push('.'),
            [one] => drop(write!(text, "; {one} is read-only for them.")),
            more => drop(write!(text, "; {} are read-only for them.", more.join(", "))),
        }
    }
    text.push_str(if own.has_read_only_root {
        " Outside of it, only /tmp can be written, and its files are lost with the container."
    } else {
        " Files outside of it are lost with the container."
    });
    if own.network == "none" {
        text.push_str(" There is no network.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::paragraph;
    use crate::target::options::TargetOptions;

    fn of(json: &str) -> String {
        paragraph(&TargetOptions::parse(json).expect("options"))
    }

    #[test]
    fn a_model_reads_where_its_commands_run() {
        assert_eq!(
            of(r#"{"container":{"image":"i","workspace":"/w","protected":["memo"]}}"#),
            "Commands run in a container. The project is in /workspace, where they start; /workspace/memo is \
             read-only for them. Outside of it, only /tmp can be written, and its files are lost with the \
             container. There is no network."
        );
        assert!(
            of(r#"{"container":{"image":"i","workspace":"/w"}}"#).contains(", where they start. Outside")
        );
        assert!(of(r#"{"container":{"name":"box"}}"#).starts_with("Commands run in the container 'box'"));
        assert!(of(r#"{"ssh":{"host":"h"}}"#).starts_with("Commands run on the machine 'h', over ssh"));
        let named = r#"{"exec":{"argv":["x"],"join":false,"name":"pod 'web'"}}"#;
        assert_eq!(of(named), "Commands run in the pod 'web', not on the machine of this tool.");
        assert_eq!(of(r#"{"exec":["x"]}"#), "Commands run on another machine than this tool.");
    }
}
