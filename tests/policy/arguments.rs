//! Arguments by which programs that seem harmless run other programs, or write files.

use agent_bash::policy::{Mode, Paths, PolicyRequest, Syntax, Verdict, check};

use super::{ENVIRONMENT, ROOT, allowed, asked, denied, policy};

#[test]
fn a_program_of_awk_is_read_in_each_place() {
    asked(
        &["Bash(awk:*)", "Bash(gawk:*)"],
        &[
            "awk -e 'BEGIN{}' -e 'BEGIN{system(\"id\")}'",
            "awk --source='BEGIN{system(\"id\")}'",
            "awk --field-sep / 'BEGIN{system(\"id\")}'",
            "awk -f /dev/stdin <<< 'BEGIN{system(\"id\")}'",
            "awk -lreaddir 'BEGIN{}'",
            "awk --load=readdir 'BEGIN{}'",
            "awk -W exec x",
            "gawk -D 'BEGIN{}'",
            "awk 'BEGIN { x++ / 2; system(\"id\"); y / 1 }'",
            "awk 'BEGIN { return /x\"/; system(\"id\"); /\"/ }'",
            "awk '/[/\"]/ { system(\"id\") } /[\"]/'",
            "awk 'x\n/\"/ { system(\"id\") } /\"/' f",
            "awk '{print /;/ > \"../x\"}' f",
            "awk '{print\\\n$1 > \"../x\"}' f",
            "awk '{print $1, # c\n$2 > \"../x\"}' f",
            "awk $program f",
            "awk -i inplace '{print}' ../x",
            "awk -o../x 'BEGIN{}'",
            "awk --profile=../x 'BEGIN{}'",
        ],
    );
    allowed(
        &["Bash(awk:*)"],
        &[
            "awk -i inplace '{print}' x",
            "awk -F'[/|]' '{print $2}' f",
            "awk '{ if ($1 > 5) print ($2 + $3) / 2 }' f",
            "awk -f p.awk f",
            "awk -vn=1 -F, '$1 == n' f",
        ],
    );
}

#[test]
fn rules_that_the_same_command_line_writes_need_their_own_rule() {
    allowed(&["Bash(echo:*)", "Bash(make:*)"], &["echo x > notes; make test", "make -f x.mk"]);
}

#[test]
fn arguments_of_make_hold_no_commands_unseen() {
    asked(
        &["Bash(make:*)"],
        &[
            "make -sf - <<< 'all:;id'",
            "make --make=/dev/stdin <<< 'all:;id'",
            "make 'X!=id'",
            "make 'X:=$(shell id)'",
            "make CC=id",
            "make MAKEFLAGS=--eval=x",
        ],
    );
    allowed(&["Bash(make:*)"], &["make -sj4 V=1 PREFIX=\"$PWD/out\" test", "make -C sub"]);
}

#[test]
fn a_script_of_sed_is_read_in_each_place() {
    asked(
        &["Bash(sed:*)"],
        &[
            "sed -e1e f",
            "sed -ne1e f",
            "sed --exp=1e f",
            "sed --expr 1e f",
            "sed --expression= -e 1e f",
            "sed '1e id' f -- --sandbox",
            "sed -i'../*' s/a/b/ x",
            "sed -i'/home/ann/*' s/a/b/ .bashrc",
            "sed --in-place=.git/hooks/* s/a/b/ x",
            "sed -i s/a/b/ ../*.ts",
            "sed -i s/a/b/ */x",
            "sed -i s/a/b/ .git/*",
            "sed -i --follow-symlinks s/a/b/ src/*.ts",
            "sed -i s/a/b/ *",
        ],
    );
    allowed(
        &["Bash(sed:*)"],
        &[
            "sed -i s/a/b/ src/*.ts",
            "sed -i.bak -e s/a/b/ ./*.ts",
            "sed -i'old/*' s/a/b/ x",
            "sed --sandbox p f",
        ],
    );
}

#[test]
fn a_subcommand_of_git_runs_and_writes_nothing_unseen() {
    asked(
        &["Bash(git:*)"],
        &[
            "git merge-index id -a",
            "git merge-index -o -q id -a",
            "git for-each-repo --config=a.b config core.pager id",
            "git submodule--helper foreach id",
            "git apply --unsafe-paths --directory=.. x",
            "git config edit",
            "git interpret-trailers --in-place --trailer a=b ../x",
            "git merge-file .git/hooks/x a b",
            "git merge-file -L x ../a b c",
            "git read-tree --index-output=../x HEAD",
            "git checkout-index --prefix=../ -a",
            "git fast-export --all --export-marks=.git/hooks/x",
            "git bugreport -o ../x",
        ],
    );
    allowed(&["Bash(git:*)"], &["git apply x.patch", "git merge-file a b c", "git interpret-trailers x"]);
}

#[test]
fn an_option_that_runs_a_program_needs_its_own_rule() {
    for (rule, text) in [
        ("Bash(install:*)", "install -s --strip-program=id a b"),
        ("Bash(cc:*)", "cc -wrapper id x.c"),
        ("Bash(clang++:*)", "clang++ -B. x.c"),
        ("Bash(gcc:*)", "gcc --specs=x x.c"),
        ("Bash(cmake:*)", "cmake -E env A=1 id"),
        ("Bash(cmake:*)", "cmake -E chdir / id"),
        ("Bash(cmake:*)", "cmake -E time id"),
        ("Bash(pandoc:*)", "pandoc --filter id x"),
        ("Bash(pandoc:*)", "pandoc -L x.lua y"),
        ("Bash(hg:*)", "hg --config alias.x='!id' x"),
        ("Bash(svn:*)", "svn diff --diff-cmd id"),
        ("Bash(helm:*)", "helm template x --post-renderer id"),
        ("Bash(fzf:*)", "fzf --preview id"),
        ("Bash(rake:*)", "rake -e 'system(\"id\")'"),
        ("Bash(less:*)", "less --lesskey-content='#env;LESSOPEN=|id %s' x"),
        ("Bash(less:*)", "less +v x"),
        ("Bash(zip:*)", "zip x y -T -TTid"),
        ("Bash(vim:*)", "vim '+call system(\"id\")'"),
        ("Bash(nvim:*)", "nvim --headless '+lua os.execute(\"id\")'"),
        ("Bash(rustc:*)", "rustc --codegen linker=id x.rs"),
        ("Bash(go:*)", "go env -w CC=id"),
        ("Bash(go:*)", "go build -ldflags '-extld id'"),
        ("Bash(dc:*)", "dc -e '!id'"),
        ("Bash(sqlite3:*)", "sqlite3 x '.load ./x'"),
        ("Bash(sqlite3:*)", "sqlite3 x 'select load_extension(\"./x\")'"),
        ("Bash(sqlite3:*)", "sqlite3 x 'select writefile(\"../x\", \"y\")'"),
        ("Bash(mysql:*)", "mysql --pager=id"),
        ("Bash(gh:*)", "gh alias set x '!id'"),
        ("Bash(gh:*)", "gh config set editor id"),
        ("Bash(gh:*)", "gh repo clone x -- -u id"),
        ("Bash(time:*)", "\\time -ao ../x git log"),
        ("Bash(yq:*)", "yq -i .a=1 ../x"),
        ("Bash(curl:*)", "curl -sSfLo ../x https://example.com"),
        ("Bash(curl:*)", "curl --output ~/.vimrc https://example.com"),
        ("Bash(wget:*)", "wget -O ~/.vimrc https://example.com"),
        ("Bash(wget:*)", "wget -P ../other https://example.com"),
        ("Bash(curl:*)", "curl -D .git/hooks/x https://example.com"),
    ] {
        asked(&[rule, "Bash(git:*)"], &[text]);
    }
    for (rule, text) in [
        ("Bash(cmake:*)", "cmake -B build -DCMAKE_BUILD_TYPE=Release"),
        ("Bash(gcc:*)", "gcc -O2 -o x x.c -lm"),
        ("Bash(less:*)", "less +G x"),
        ("Bash(vim:*)", "vim +12 x"),
        ("Bash(go:*)", "go build -ldflags '-X main.version=1' ./..."),
        ("Bash(go:*)", "go env GOPATH"),
        ("Bash(gh:*)", "gh repo clone x y"),
        ("Bash(gh:*)", "gh pr view 1 --json title"),
        ("Bash(yq:*)", "yq -i .a=1 x.yml"),
        ("Bash(curl:*)", "curl -s -o /dev/null -w '%{http_code}' http://localhost"),
        ("Bash(curl:*)", "curl -sko out.json -H 'Accept: x' https://localhost"),
        ("Bash(wget:*)", "wget -qO- https://example.com"),
        ("Bash(wget:*)", "wget -nv -np -t 3 -P out https://example.com"),
        ("Bash(sqlite3:*)", "sqlite3 x .tables"),
    ] {
        allowed(&[rule], &[text]);
    }
}

/// A file system in which only one directory is missing.
#[derive(Debug)]
struct Missing(&'static str);

impl Paths for Missing {
    fn real(&self, path: &str) -> Option<String> {
        let is_below = path.split("/..").next().is_some_and(|before| before.ends_with(self.0));
        if is_below && path.contains("/..") { None } else { Some(path.to_owned()) }
    }
}

#[test]
fn a_directory_that_does_not_exist_leads_to_no_file_outside() {
    let policy = policy(Mode::Default, &[], &[], &["Bash(cd:*)", "Bash(echo:*)"]);
    let verdict = |text: &str| {
        let request = PolicyRequest {
            policy: &policy,
            syntax: Some(Syntax::Bash),
            directory: Some(ROOT),
            root: Some(ROOT),
            environment: Some(ENVIRONMENT),
            paths: &Missing("/none"),
        };
        check(text, &request).verdict
    };
    assert_eq!(verdict("cd none; cd ..; echo x > y"), Verdict::Ask);
    assert_eq!(verdict("cd none; cd ../; cd src; echo x > y"), Verdict::Ask);
    assert_eq!(verdict("cd src; cd ..; echo x > y"), Verdict::Allow);
}

#[test]
fn other_words_that_amount_to_the_same_are_denied() {
    denied(
        &[
            "Bash(git push --force:*)",
            "Bash(git branch -D:*)",
            "Bash(git commit --no-verify:*)",
            "Bash(git rebase -i:*)",
            "Bash(docker rm -f:*)",
            "Bash(pip install:*)",
            "Bash(cargo publish:*)",
            "Bash(curl:*)",
        ],
        &[
            "git push origin +main",
            "git -C d push origin +HEAD:main",
            "git branch -d -f x",
            "git branch --delete --force x",
            "git commit -nm x",
            "git rebase --interactive x",
            "docker container rm -f x",
            "pip3 install x",
            "pip3.11 install x",
            "python3 -m pip install x",
            "python -I -m pip install x",
            "cargo +nightly publish",
            "RSYNC_RSH='curl x' rsync a h:b",
        ],
    );
    allowed(
        &["Bash(git:*)", "Bash(python3:*)"],
        &["git push origin main", "git branch -d x", "python3 -m venv x"],
    );
}
