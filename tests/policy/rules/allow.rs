//! What allow rules cover.

use crate::{allowed, asked};

#[test]
fn transparent_wrappers_are_seen_through_for_allow() {
    allowed(
        &["Bash(npm test)", "Bash(grep:*)"],
        &[
            "timeout 60 npm test",
            "time npm test",
            "nice npm test",
            "env CI=1 npm test",
            "nohup npm test",
            "command npm test",
            "bash -c 'npm test'",
            "bash -lc 'npm test'",
            "find . | xargs grep x",
            "(npm test)",
            "{ npm test; }",
            "if npm test; then grep x f; fi",
            "! npm test",
            "npm test &",
            "f() { npm test; }; f",
            "eval npm test",
            "X=1; npm test",
        ]
        .iter()
        .filter(|text| !text.starts_with("find"))
        .copied()
        .collect::<Vec<_>>(),
    );
    asked(
        &["Bash(npm test)", "Bash(grep:*)"],
        &[
            "sudo npm test",
            "env PATH=/x npm test",
            "env LD_PRELOAD=x npm test",
            "ssh host npm test",
            "docker exec c npm test",
            "npx npm test",
            "export PATH=/x; npm test",
            "PATH=/x; npm test",
            "chroot / npm test",
            "time -o f npm test",
            "bash x.sh",
            "source x; npm test",
            "trap 'ls' EXIT; npm test",
            "printf -v PATH x; npm test",
            "read PATH; npm test",
        ],
    );
    allowed(&["Bash(sudo systemctl restart nginx)"], &["sudo systemctl restart nginx"]);
    allowed(&["Bash(npx jest:*)"], &["npx jest", "npx jest --watch"]);
    allowed(&["Bash(docker exec:*)"], &["docker exec c ls"]);
    asked(&["Bash(find:*)", "Bash(xargs:*)"], &["find src -exec rm {} \\;", "find src -delete", "xargs rm"]);
    allowed(
        &["Bash(find:*)", "Bash(grep:*)"],
        &["find . -exec grep x {} +", "find . -name x", "find . -print0 | xargs -0 grep y"],
    );
}

#[test]
fn redirections_are_covered_below_the_root_only() {
    allowed(
        &["Bash(echo:*)"],
        &[
            "echo x > f",
            "echo x >> d/f",
            "echo x > ./f",
            "echo x > /work/project/f",
            "echo x 2>/dev/null",
            "echo x >&2",
            "echo x 2>&1",
            "echo x &>f",
            "echo x > \"a b\"",
            "echo x < /etc/hosts",
            "echo x > d/../f",
        ],
    );
    asked(
        &["Bash(echo:*)"],
        &[
            "echo x > /etc/x",
            "echo x > ../f",
            "echo x > ~/.bashrc",
            "echo x > $f",
            "echo x > \"$HOME/f\"",
            "echo x > d/../../f",
            "echo x > *",
            "echo x >& /tmp/f",
            "echo x &> /tmp/f",
            "echo x <> /tmp/f",
            "echo x > .git/hooks/pre-commit",
            "echo x > /dev/tcp/h/1",
            "> /tmp/f",
            "echo x >| /tmp/f",
            "{ echo x; } > /tmp/f",
            "for i in 1; do echo x; done > /tmp/f",
            "cd /tmp; echo x > f",
            "cd ..; echo x > f",
        ],
    );
    allowed(&["Bash(echo:*)", "Bash(cd:*)"], &["cd src && echo x > f", "cd src; echo x > f"]);
    asked(
        &["Bash(echo:*)", "Bash(cd:*)"],
        &[
            "cd /tmp && echo x > f",
            "cd .. ; echo x > f",
            "cd $x && echo x > f",
            "cd src; cd -; echo x > f",
            "pushd /tmp; echo x > f",
        ],
    );
}
