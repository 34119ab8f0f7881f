//! Code that a shell reads from a file or a descriptor: it is judged where the command line gives its text.

use super::{allowed, dangerous, denied, harmless, never_allowed};

#[test]
fn the_output_of_a_process_substitution_is_code_of_the_shell_that_reads_it() {
    dangerous(&[
        "bash <(echo 'rm -rf /')",
        "sh <(printf '%s' 'rm -rf /')",
        "bash -x <(echo 'rm -rf /') a b",
        ". <(echo 'rm -rf ~')",
        "source <(printf 'rm -rf %s\\n' /)",
        "bash < <(echo 'rm -rf /')",
        "sudo bash <(echo 'rm -rf /')",
        "bash <(cat <<'E'\nrm -rf /\nE\n)",
        "bash <(cat <<< 'rm -rf /')",
        "bash <(echo 'rm -rf /*')",
        "bash <(echo 'rm -rf $1') /",
        "bash <(echo 'bash <(echo \"rm -rf /\")')",
    ]);
    denied(
        &["Bash(rm:*)"],
        &["bash <(echo 'rm x')", ". <(echo 'rm x')", "bash < <(echo 'rm x')", "sh <(cat <<< 'rm x')"],
    );
    never_allowed(
        &["Bash(rm:*)"],
        &["bash <(cat f)", ". <(echo \"$x\")", "bash <(echo *)", ". <(echo '$1 x') rm"],
    );
    allowed(&["Bash(echo:*)"], &["bash <(echo 'echo hi')", "bash < <(echo 'echo hi')"]);
    harmless(&[
        "bash <(echo 'echo hi')",
        "cat <(echo 'rm -rf /')",
        "diff <(echo 'rm -rf /') <(echo 'rm -rf ~')",
        "diff <(sort a) <(sort b)",
        "grep -f <(echo 'rm -rf /') f",
        "bash build.sh <(echo 'rm -rf /')",
        "while read -r x; do echo \"$x\"; done < <(echo 'rm -rf /')",
    ]);
}
