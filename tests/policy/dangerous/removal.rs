//! Removal of the system, of home directories and of the project, however the paths are computed.

use crate::{dangerous, harmless};

#[test]
fn removal_of_what_is_protected_is_dangerous() {
    dangerous(&[
        "rm -rf /",
        "rm -rf /*",
        "rm -r -f -v /",
        "rm -rf --no-preserve-root /",
        "rm --recursive --force /",
        "rm --rec --fo /",
        "rm -fr //",
        "rm -rf /.",
        "rm -rf /./",
        "rm -rf /tmp/..",
        "rm -Rf /etc",
        "rm -rf /usr /opt",
        "rm -rf /home",
        "rm -rf /home/ann",
        "rm -rf ~",
        "rm -rf ~/",
        "rm -rf ~/*",
        "rm -rf ~ann",
        "rm -rf ~root",
        "rm -rf $HOME",
        "rm -rf \"$HOME\"",
        "rm -rf ${HOME}/",
        "rm -rf $HOME/*",
        "rm -rf ${HOME:?}",
        "rm -rf .",
        "rm -rf ./",
        "rm -rf *",
        "rm -rf ./*",
        "rm -rf .* *",
        "rm -rf ..",
        "rm -rf ../",
        "rm -rf ../..",
        "rm -rf /work/project",
        "rm -rf $PWD",
        "rm -rf \"$(pwd)\"",
        "rm -rf `pwd`",
        "cd / && rm -rf *",
        "cd ~; rm -rf ./*",
        "cd /etc; rm -rf .",
        "cd .. && rm -rf project",
        "sudo rm -rf /",
        "env rm -rf /",
        "nohup rm -rf / &",
        "timeout 9 rm -rf /",
        "bash -c 'rm -rf /'",
        "sh -c \"rm -rf ~\"",
        "eval 'rm -rf /'",
        "'rm' '-rf' '/'",
        "r\\m -rf /",
        "$'rm' -rf /",
        "rm -rf \"/\"",
        "rm -rf '/'",
        "rm -r${x}f /",
        "x=/; rm -rf $x",
        "a=/ b=etc; rm -rf $a$b",
        "d=~; rm -rf $d",
        "c=rm; $c -rf /",
        "$(echo rm) -rf /",
        "rm -rf $(echo /)",
        "for d in / /etc; do rm -rf $d; done",
        "/bin/rm -rf /",
        "busybox rm -rf /",
        "\\rm -rf /",
        "command rm -rf /",
        "if true; then rm -rf /; fi",
        "false || rm -rf /",
        "ls; rm -rf /",
        "echo $(rm -rf /)",
        "(rm -rf /)",
        "{ rm -rf /; }",
        "rm -rf / --no-preserve-root",
        "rm -rf a b /",
        "rm -rf -- /",
        "rm -rf {/,a}",
        "rm -rf /{bin,etc}",
        "rm -rf /e*",
        "rm -rf /[a-z]*",
        "rm -rf /???",
        "rm -rf /home/*",
        "find / -delete",
        "find / -type f -delete",
        "find ~ -delete",
        "find . -delete",
        "find . -exec rm -rf {} \\;",
        "find / -name '*' -exec rm {} +",
        "find /etc -exec rm -f {} \\;",
        "find ~ -type f -print0 | xargs -0 rm -f | true; find ~ -print0 | xargs -0 rm",
        "ls -d /* | xargs rm -rf; echo / | xargs rm -rf",
        "xargs rm -rf <<< /",
        "mv / /dev/null",
        "mv ~ /dev/null",
        "mv /etc /dev/null",
        "mv /etc /tmp/x",
        "mv * /dev/null",
        "rsync -a --delete empty/ /",
        "rsync -a --delete empty/ ~/",
        "rsync --archive --delete-before e/ /home/ann",
        "git -C / clean -fdx",
        "cd / && git clean -fdx",
        "git -C ~ clean -ffdx",
        "perl -e 'use File::Path; rmtree(\"/\")'",
        "python3 -c \"import shutil; shutil.rmtree('/')\"",
        "python3 -c 'import os; os.system(\"rm -rf /\")'",
        "node -e \"require('fs').rmSync('/', {recursive: true})\"",
        "ruby -e 'require \"fileutils\"; FileUtils.rm_rf(\"/\")'",
        "php -r 'system(\"rm -rf /\");'",
        "awk 'BEGIN { system(\"rm -rf /\") }'",
        "ssh h 'rm -rf /'",
        "trap 'rm -rf /' EXIT",
        "bash <<E\nrm -rf /\nE",
        "echo 'rm -rf /' | sh",
        "tar -cf a.tar --remove-files /",
        "unlink /etc/passwd",
        "rm /etc/passwd",
        "rm -f /etc/shadow",
        "rm /bin/sh",
        "rm -rf /boot/*",
        "rm -rf /var/lib/dpkg",
        "rm -rf /lib/modules",
        "shred -u /etc/passwd",
        "rm -rf /System /Users",
        "env -C / rm -rf etc usr",
        "env --chdir=/ rm -rf usr",
        "sudo -D / rm -rf usr",
        "rm -rf /System/Library",
    ]);
}

#[test]
fn removal_of_each_file_that_ls_lists_is_dangerous() {
    harmless(&[
        "ls build | xargs -I{} rm -rf build/{}",
        "ls old | xargs -I{} rm -rf {}",
        "ls *.log | xargs -I{} rm {}",
        "ls | xargs -I{} rm {}",
        "cat list | xargs -I{} rm -rf dist/{}",
        "ls /etc | xargs -I{} echo /etc/{}",
    ]);
}

#[test]
fn removal_of_a_path_that_programs_compute_is_dangerous() {
    harmless(&[
        "rm -rf \"$(dirname build/x)\"",
        "rm -rf \"$(realpath build)\"",
        "rm -rf \"$(cd build && pwd)/out\"",
        "x=a/b.txt; rm -rf \"${x%/*}\"",
    ]);
}

#[test]
fn removal_of_any_file_in_a_directory_of_the_system_is_dangerous() {
    harmless(&[
        "rm -rf build/$(cat f)",
        "rm -rf ./build/$(cat f)",
        "rm -rf \"$TMP/x\"",
        "rm -rf \"$(cat f)\"",
        "rm -rf /tmp/$(cat f)",
        "rm -rf \"/var/tmp/$(cat f)\"",
        "rm -rf ~/.cache/$(cat f)",
        "rm -rf \"/opt/app/releases/$(cat f)\"",
        "rm -rf /usr/src/linux-headers-$(uname -r)",
        "rm -f /etc/nginx/$(cat f)",
        "for x in $(ls /etc); do cat \"/etc/$x\"; done",
        "for x in $(ls build); do rm -rf \"build/$x\"; done",
    ]);
}

#[test]
fn removal_of_the_content_of_a_temporary_directory_is_harmless() {
    harmless(&["rm -rf /tmp/$x", "rm -rf \"/tmp/$x/\"", "rm -rf /var/cache/$x", "rm -rf /tmp/*"]);
    dangerous(&["rm -rf /tmp", "rm -rf /tmp/", "x=/tmp; rm -rf $x"]);
}

#[test]
fn removal_of_all_that_a_listing_names_is_dangerous() {
    harmless(&[
        "for x in $(ls templates); do rm -rf \"$x\"; cp -r templates/$x .; done",
        "for x in $(ls); do rm -rf \"$x/dist\"; done",
        "for x in $(ls | grep old); do rm -rf \"$x\"; done",
        "for x in $(find . -name '*.pyc'); do rm -rf \"$x\"; done",
        "cd build && rm -rf $(ls)",
        "rm -rf $(ls build)",
        "rm -rf $(ls -d build-*)",
        "rm -rf $(find . -name node_modules)",
        "find . -xtype l -delete",
        "cp $(find . -name '*.o') out/",
        "chown -R ann $(ls)",
    ]);
}

#[test]
fn a_loop_that_renames_files_is_harmless() {
    harmless(&[
        "for f in *; do mv \"$f\" \"old_$f\"; done",
        "for f in $(ls); do mv \"$f\" \"old_$f\"; done",
        "for f in $(find . -type f); do mv \"$f\" \"$f.bak\"; done",
        "ls | while read f; do mv \"$f\" \"x/$f\"; done",
        "mv -t /tmp a b",
        "mv -t . a/x",
    ]);
    dangerous(&["for f in *; do mv \"$f\" /dev/null; done", "mv -t /tmp /etc", "mv -vt /tmp ~"]);
}

#[test]
fn removal_of_the_project_that_git_names_is_dangerous() {
    harmless(&[
        "rm -rf \"$(git rev-parse --show-toplevel)/build\"",
        "cd \"$(git rev-parse --show-toplevel)\" && rm -rf build",
        "cd \"$(git rev-parse --show-toplevel)\" && git clean -fdx",
        "cd \"$(git rev-parse --show-toplevel)/build\" && rm -rf *",
        "cd \"$BUILD\" && rm -rf *",
        "cd \"$(mktemp -d)\" && rm -rf *",
    ]);
}

#[test]
fn a_command_in_strings_of_its_own_and_a_move_hide_no_removal() {
    dangerous(&["mv /bin/sh /bin/sh.bak", "mv /etc/passwd ."]);
    harmless(&["node -e 'spawnSync(\"rm\", [\"-rf\", \"build\"])'", "mv sh passwd"]);
}

#[test]
fn a_removal_of_each_file_that_fd_finds_is_dangerous() {
    dangerous(&[
        "fd . / -x rm -rf",
        "fd . ~ --exec rm",
        "fd -H . /etc -X rm -f",
        "fd a / -x rm -rf",
        "cd / && fd -x rm -rf",
        "cd ~; fd -x rm -rf {}",
        "fd . / -x sh -c 'rm -rf {}'",
    ]);
    harmless(&[
        "fd . / -x ls",
        "fd . build -x rm -rf",
        "fd '\\.pyc$' -x rm",
        "fd -e pyc -x rm",
        "fd -e tmp . ~ -x rm",
        "fd passwd /etc",
        "cd /tmp/x && fd -x rm -rf",
    ]);
}

#[test]
fn a_loop_that_removes_what_find_prints_is_a_removal() {
    harmless(&[
        "find . -type f -name '*.o' | while read -r f; do rm -f \"$f\"; done",
        "find build -type f | while read -r f; do rm -f \"$f\"; done",
        "while read -r f; do rm -f \"$f\"; done < <(find /tmp/x -type f)",
        "find / -type f | while read -r f; do file \"$f\"; done",
        "find . -type f | while read -r f; do mv \"$f\" \"$f.bak\"; done",
        "ls | while read -r f; do rm -f \"build/$f\"; done",
        "rm -f build/**",
    ]);
}

#[test]
fn commands_of_sed_and_lines_for_parallel_are_judged() {
    harmless(&[
        "sed 's/x/rm -rf \\//' f",
        "sed -e 's/e/rm -rf \\//g' -e '5i\\rm -rf /' f",
        "echo a | sed 's/a/date/e'",
        "sed -n '/rm -rf/p' f | tee log",
        "printf 'echo a\\necho b\\n' | parallel -j2",
        "printf '%s\\n' a b | parallel rm -rf build/{}",
        "parallel gzip ::: *.log",
    ]);
}
