//! Which shell runs the command.

use std::path::Path;

use crate::job::plan::Invocation;

/// `/bin/zsh -c`, else `/bin/bash -lc`, else `sh -c` from PATH.
#[must_use]
pub fn invocation(command: String) -> Invocation {
    choose(command, |path| Path::new(path).exists())
}

fn choose(command: String, exists: impl Fn(&str) -> bool) -> Invocation {
    let (program, flag) = if exists("/bin/zsh") {
        ("/bin/zsh", "-c")
    } else if exists("/bin/bash") {
        ("/bin/bash", "-lc")
    } else {
        ("sh", "-c")
    };
    Invocation::Shell { program: program.to_owned(), flags: vec![flag.to_owned()], command }
}

#[cfg(test)]
mod tests {
    use super::choose;
    use crate::job::plan::Invocation;

    fn chosen(present: &[&str]) -> (String, Vec<String>) {
        match choose("x".to_owned(), |path| present.contains(&path)) {
            Invocation::Shell { program, flags, .. } => (program, flags),
            Invocation::Program { .. } => unreachable!("a shell was asked for"),
        }
    }

    #[test]
    fn zsh_comes_first() {
        assert_eq!(chosen(&["/bin/zsh", "/bin/bash"]), ("/bin/zsh".to_owned(), vec!["-c".to_owned()]));
    }

    #[test]
    fn bash_is_a_login_shell() {
        assert_eq!(chosen(&["/bin/bash"]), ("/bin/bash".to_owned(), vec!["-lc".to_owned()]));
    }

    #[test]
    fn sh_is_searched_in_path() {
        assert_eq!(chosen(&[]), ("sh".to_owned(), vec!["-c".to_owned()]));
    }
}
