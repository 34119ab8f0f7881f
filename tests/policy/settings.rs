//! Commands that programs find in files of settings and tasks, which the same command line writes or names.

use super::{allowed, asked, dangerous, denied, harmless};

#[test]
fn a_hook_of_git_is_judged_where_it_is_written() {
    dangerous(&[
        "echo 'rm -rf /' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git commit -m x",
        "printf '#!/bin/sh\\nrm -rf ~\\n' > .git/hooks/post-checkout",
        "cat > .git/hooks/commit-msg <<'E'\n#!/usr/bin/env bash\nset -e\nrm -rf /\nE\nchmod +x .git/hooks/*",
        "git config core.hooksPath h; mkdir h; echo 'rm -rf /' > h/post-checkout; git checkout x",
        "echo 'rm -rf /' > .githooks/pre-push; git -c core.hooksPath=.githooks push",
        "echo 'rm -rf /' | tee .git/hooks/pre-commit",
        "echo 'rm -rf /' > x; cp x .git/hooks/pre-commit",
        "cd .git/hooks && printf 'rm -rf ' > pre-commit && printf / >> pre-commit",
        "{ echo '#!/bin/sh'; echo 'rm -rf /'; } > .git/hooks/pre-rebase",
        "echo 'rm -rf /' > \"$(git rev-parse --git-dir)/hooks/pre-commit\"",
        "sudo tee .git/hooks/pre-commit <<< 'rm -rf /'",
        "f() { echo 'rm -rf /' > .git/hooks/pre-commit; }; f",
        "echo \"echo 'rm -rf /' > .git/hooks/pre-commit\" > x.sh; sh x.sh",
        "ln -s \"$PWD/x\" .git/hooks/pre-commit; echo 'rm -rf /' > x; cp x .git/hooks/pre-push",
    ]);
    denied(&["Bash(rm:*)"], &["echo 'rm x' > .git/hooks/pre-commit"]);
    harmless(&[
        "echo 'npm test' > .husky/pre-commit",
        "printf '#!/bin/sh\\n. \"$(dirname \"$0\")/_/husky.sh\"\\n\\nnpx lint-staged\\n' > .husky/pre-commit",
        "cat > .git/hooks/pre-commit <<'E'\n#!/bin/sh\nset -e\ncargo fmt --check\nrm -rf target/tmp\nE\nchmod +x .git/hooks/pre-commit",
        "cat > .git/hooks/pre-commit <<'E'\n#!/usr/bin/env python3\nx = 1\nrm -rf /\nE\nchmod +x .git/hooks/pre-commit",
        "curl -Lo .git/hooks/commit-msg https://x/tools/hooks/commit-msg",
        "cp .git/hooks/pre-commit.sample .git/hooks/pre-commit",
        "echo 'rm -rf /' > docs/pre-commit.md",
    ]);
}

#[test]
fn settings_of_git_are_judged_wherever_they_stand() {
    dangerous(&[
        "GIT_CONFIG_PARAMETERS=\"'core.pager=rm -rf /'\" git log",
        "GIT_CONFIG_PARAMETERS=\"'core.pager'='rm -rf /'\" git log",
        "export GIT_CONFIG_PARAMETERS=\"'alias.x=!rm -rf /'\"; git x",
        "V='rm -rf /' git --config-env=core.pager=V log",
        "export V='!rm -rf /'; git --config-env alias.x=V x",
        "printf '[core]\\n\\tpager = rm -rf /\\n' > f; GIT_CONFIG_GLOBAL=f git log",
        "printf '[core]\\n\\tpager = rm -rf /\\n' > f; export GIT_CONFIG_SYSTEM=$PWD/f; git log",
        "printf '[core]\\n\\tpager = rm -rf /\\n' > f; git -c include.path=f log",
        "printf '[alias]\\n x = !rm -rf /\\n' >> .git/config; git x",
        "printf '[alias]\\n x = \"!echo \\\\\"a\\\\\"; rm -rf /\"\\n' >> ~/.gitconfig",
        "cat >> ~/.config/git/config <<'E'\n[core]\n  sshCommand = rm -rf ~\nE",
        "git config alias.x '!rm -rf /'; git x",
        "git config --global alias.x '!rm -rf /'",
        "git config --file f alias.x '!rm -rf /'",
        "git config -f f core.pager 'rm -rf /'",
        "git config set --global core.pager 'rm -rf /'",
    ]);
    harmless(&[
        "GIT_CONFIG_PARAMETERS=\"'user.name=rm -rf /'\" git log",
        "V=cat git --config-env=core.pager=V log",
        "printf '[user]\\n\\tname = Ann\\n[alias]\\n\\tst = status\\n\\tlg = !git log --oneline | head\\n' >> ~/.gitconfig",
        "printf '[core]\\n\\tpager = rm -rf /\\n' > f; git log",
        "printf '[core]\\n\\tpager = less -R\\n' > f; GIT_CONFIG_GLOBAL=f git log",
        "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null git log",
        "git config -f .gitmodules submodule.x.url ../x",
        "git config --file f user.name 'rm -rf /'",
    ]);
}

#[test]
fn arguments_and_the_input_of_make_are_judged() {
    dangerous(&[
        "make SHELL='rm -rf /'",
        "make SHELL='rm -rf / #' all",
        "make .SHELLFLAGS='-c \"rm -rf /\"'",
        "make --eval='$(shell rm -rf /)'",
        "make --eval 'x:;rm -rf /' x",
        "make -E 'x := $(shell rm -rf /)'",
        "make X='$(shell rm -rf /)'",
        "make X!='rm -rf /'",
        "make CFLAGS='; rm -rf / #'",
        "printf 'all:\\n\\trm -rf /\\n' | make -f -",
        "make -f - <<'E'\nall:\n\trm -rf /\nE",
        "make -f /dev/stdin <<< 'x := $(shell rm -rf /)'",
        "exec 3<<<'x := $(shell rm -rf /)'; make -f /dev/fd/3",
        "printf 'x := $(shell rm -rf /)\\nall:\\n' > Makefile; make",
        "printf 'x != rm -rf /\\nall:\\n' > Makefile; make",
        "printf 'SHELL = rm -rf /\\nall:\\n\\techo (a\\n' > Makefile; make",
        "printf 'all:\\n\\trm -rf \\\\\\n\\t/\\n' > Makefile; make",
    ]);
    harmless(&[
        "make SHELL=/bin/bash",
        "make CFLAGS='-O2 -g' PREFIX=/usr/local install",
        "make -f - <<'E'\nall:\n\tcc -o a a.c\nE",
        "cat > Makefile <<'E'\nBUILD ?= build\nclean:\n\trm -rf $(BUILD)/* $(BUILD) $(DESTDIR)/etc/x *.o\n\tcd .. && ls\n\tfor d in a b; do rm -rf $$d/build; done\nE\nmake clean",
        "make --eval='print-%:;@echo $($*)' print-X",
        "cat > Makefile <<'E'\nVERSION := $(shell git describe)\nSRC = $(wildcard *.c)\n.PHONY: all clean\nall: $(SRC)\n\t@echo \"(a\"\n\tcc -o a $(SRC)\nclean:\n\trm -rf build a\nE\nmake",
    ]);
}

#[test]
fn scripts_of_other_languages_are_judged() {
    dangerous(&[
        "echo '1e rm -rf /' > s; sed -f s f",
        "echo 's/a/rm -rf \\//e' > s; sed -nf s f",
        "echo 'e rm -rf /' > s; sed --file=s f",
        "sed -f - f <<< '1e rm -rf /'",
        "echo '1e rm -rf /' > s; sed -fs f",
        "echo 'BEGIN { system(\"rm -rf /\") }' > a; awk -f a",
        "echo 'BEGIN { print \"rm -rf /\" | \"sh\" }' > a; awk -f a",
        "echo 'BEGIN { \"rm -rf /\" | getline }' > a; awk -fa f",
        "echo 'system(\"rm -rf /\")' > a.pl; perl a.pl",
        "echo 'import os; os.system(\"rm -rf /\")' > a.py; python3 a.py",
        "echo 'require(\"child_process\").execSync(\"rm -rf /\")' > a.js; node a.js",
        "echo 'system(\"rm -rf /\")' > a.rb; ruby a.rb",
    ]);
    harmless(&[
        "echo 's/rm -rf /x/' > s; sed -f s f",
        "echo '1e date' > s; sed -f s f",
        "echo 'BEGIN { print \"rm -rf /\" }' > a; awk -f a",
        "echo 'BEGIN { \"date\" | getline x; print x }' > a; awk -f a",
        "echo '1e rm -rf /' > s; cat s; sed -f other f",
    ]);
}

#[test]
fn startup_files_of_shells_are_judged() {
    dangerous(&[
        "echo 'rm -rf /' > f; BASH_ENV=f bash -c true",
        "echo 'rm -rf /' > f; export BASH_ENV=f; bash -c true",
        "echo 'rm -rf /' > f; BASH_ENV=$PWD/f ./build.sh",
        "echo 'rm -rf /' > f; export BASH_ENV=f; npm test",
        "echo 'rm -rf /' > f; env BASH_ENV=f bash -c true",
        "BASH_ENV='$(rm -rf /)' bash -c true",
        "exec 3<<<'rm -rf /'; BASH_ENV=/dev/fd/3 bash -c true",
        "exec 3< <(echo 'rm -rf /'); BASH_ENV=/proc/self/fd/3 bash -c true",
        "echo 'rm -rf /' > f; ENV=f sh -i",
        "echo 'rm -rf /' > f; export ENV=./f; sh -i",
        "echo 'rm -rf /' > f; bash --rcfile f -i",
        "echo 'rm -rf /' > f; bash --init-file f -i",
        "bash --rcfile <(echo 'rm -rf /') -i",
        "echo 'rm -rf /' > .zshenv; ZDOTDIR=. zsh -c true",
        "echo 'rm -rf /' >> ~/.bashrc; bash -i",
        "echo 'rm -rf /' >> ~/.bashrc",
        "echo 'rm -rf ~' | tee -a ~/.profile",
        "echo \"alias ls='rm -rf /'\" >> ~/.zshrc",
        "echo 'rm -rf /' > /etc/profile.d/x.sh",
    ]);
    harmless(&[
        "echo 'export A=1' > f; BASH_ENV=f bash -c true",
        "exec 3<<<'export A=1'; BASH_ENV=/dev/fd/3 bash -c true",
        "echo 'rm -rf /' > f; BASH_ENV=g bash -c true",
        "echo 'rm -rf /' > f; bash --rcfile g -i",
        "echo 'export PATH=\"$HOME/bin:$PATH\"' >> ~/.bashrc",
        "echo 'eval \"$(starship init bash)\"' >> ~/.bashrc && source ~/.bashrc",
        "echo 'source <(kubectl completion bash)' >> ~/.bashrc",
        "echo \"alias ll='ls -la'\" >> ~/.zshrc",
        "cat >> ~/.zshrc <<'E'\nexport NVM_DIR=\"$HOME/.nvm\"\n[ -s \"$NVM_DIR/nvm.sh\" ] && \\. \"$NVM_DIR/nvm.sh\"\nE",
        "echo 'rm -rf /' > notes.bashrc",
    ]);
}

#[test]
fn tables_of_cron_and_at_are_judged() {
    dangerous(&[
        "echo '0 3 * * * rm -rf /' > f; crontab f",
        "echo '@daily rm -rf /' > f; crontab -u ann f",
        "echo '@reboot rm -rf /' | crontab -",
        "(crontab -l; echo '* * * * * rm -rf /') | crontab -",
        "echo 'rm -rf /' > f; at -f f now",
        "echo 'rm -rf /' > f; at -ff now",
        "echo 'rm -rf /' > f; batch < f",
        "echo 'rm -rf /' | at now",
    ]);
    harmless(&[
        "echo '0 3 * * * /usr/bin/backup --all' > f; crontab f",
        "echo '0 3 * * * rm -rf /' > f; crontab -l",
        "echo 'make test' > f; at -f f now",
        "(crontab -l; echo '0 4 * * * cd /srv/app && ./sync.sh') | crontab -",
    ]);
}

#[test]
fn tasks_of_runners_are_judged() {
    dangerous(&[
        "echo '{\"scripts\":{\"x\":\"rm -rf /\"}}' > package.json; npm run x",
        "echo '{\"scripts\":{\"x\":\"echo \\\"a\\\" && rm -rf /\"}}' > package.json; npm run x",
        "cat > package.json <<'E'\n{\n  \"name\": \"don't\",\n  \"scripts\": {\n    \"test\": \"rm -rf ~\"\n  }\n}\nE\nyarn test",
        "echo '{\"scripts\":{\"postinstall\":\"rm -rf /\"}}' > package.json; npm install",
        "echo '{\"scripts\":{\"x\":\"rm -rf /\"}}' > package.json; pnpm x",
        "echo '{\"scripts\":{\"x\":\"rm -rf /\"}}' > package.json; bun run x",
        "echo 'rm -rf /' > x.sh; echo '{\"scripts\":{\"x\":\"./x.sh\"}}' > package.json; npm run x",
        "echo 'rm -rf /' > x.sh; printf 'all:\\n\\t./x.sh\\n' > Makefile; make",
        "printf 'all:\\n\\trm -rf /\\n' > sub/Makefile; make -C sub",
        "echo '{\"scripts\":{\"x\":\"rm -rf /\"}}' > sub/package.json; npm --prefix sub run x",
        "echo '{\"scripts\":{\"x\":\"rm -rf /\"}}' > sub/package.json; pnpm -C sub x",
        "npx -p cowsay -c 'rm -rf /'",
        "npm pkg set scripts.x='rm -rf /'; npm run x",
        "npm pkg set 'scripts.x=rm -rf /'",
        "printf 'x:\\n\\trm -rf /\\n' > justfile; just x",
        "printf 'x:\\n    @rm -rf /\\n' > Justfile; just",
        "printf 'x:\\n\\trm -rf /\\n' > f; just -f f x",
        "printf 'x:\\n\\trm -rf /\\n' > f; just --justfile=f x",
        "printf 'version: 3\\ntasks:\\n  x:\\n    cmds:\\n      - rm -rf /\\n' > Taskfile.yml; task x",
        "echo '{\"tasks\":{\"x\":\"rm -rf /\"}}' > deno.json; deno task x",
        "echo '{\"scripts\":{\"x\":[\"rm -rf /\"]}}' > composer.json; composer run x",
        "npm exec -c 'rm -rf /'",
        "npx -c 'rm -rf /'",
        "yarn exec 'rm -rf /'",
        "yarn exec rm -rf /",
        "pnpm -c exec 'rm -rf /'",
        "pnpm exec -c 'rm -rf /'",
        "pnpm exec rm -rf /",
        "just --command rm -rf /",
        "just -c rm -rf /",
    ]);
    denied(&["Bash(rm:*)"], &["echo '{\"scripts\":{\"x\":\"rm y\"}}' > package.json; npm run x"]);
    asked(
        &["Bash(npm run x)", "Bash(echo:*)"],
        &["echo '{\"scripts\":{\"x\":\"ls\"}}' > package.json; npm run x"],
    );
    allowed(
        &["Bash(npm run x)", "Bash(echo:*)"],
        &["echo '{\"scripts\":{\"x\":\"ls\"}}' > a.json; npm run x"],
    );
    harmless(&[
        "echo '{\"scripts\":{\"x\":\"rm -rf /\"}}' > a.json; npm run x",
        "echo '{\"scripts\":{\"x\":\"rm -rf /\"}}' > package.json; cat package.json",
        "cat > package.json <<'E'\n{\n  \"name\": \"rimraf\",\n  \"description\": \"A deep deletion module for node (like `rm -rf`)\",\n  \"files\": [\"dist\"],\n  \"scripts\": {\n    \"clean\": \"rm -rf dist build\",\n    \"build\": \"tsc -p . && cp -r assets dist/\",\n    \"test\": \"node --test 'tests/**/*.js'\"\n  }\n}\nE\nnpm install && npm test",
        "npm pkg set scripts.test='node --test'",
        "npm pkg set name='rm -rf /'",
        "cat > justfile <<'E'\nset shell := [\"bash\", \"-c\"]\nversion := `git describe`\n\n# Builds it\nbuild target='all':\n    cargo build --target {{target}}\n    rm -rf target/tmp\nE\njust build",
        "printf 'x:\\n\\trm -rf /\\n' > justfile; cat justfile",
        "just --list",
    ]);
}

#[test]
fn files_that_run_later_are_judged_however_they_are_written() {
    dangerous(&[
        "mkdir -p .git/hooks && cat <<'E' | tee .git/hooks/pre-commit > /dev/null\n#!/bin/sh\nrm -rf /\nE",
        "printf '[alias]\\n\\tx = \"!f() { rm -rf /; }; f\"\\n' >> .git/config",
        "echo '[core] fsmonitor = rm -rf /' >> .git/config",
        "printf '[core]\\n\\thooksPath = h\\n' >> .git/config; echo 'rm -rf /' > h/pre-commit",
        "(cd sub; echo 'rm -rf /' > .git/hooks/pre-commit)",
        "bash -c \"echo 'rm -rf /' >> ~/.bashrc\"",
        "for f in pre-commit pre-push; do echo 'rm -rf /' > .git/hooks/$f; done",
        "echo \"trap 'rm -rf /' EXIT\" >> ~/.bash_profile",
        "HOME=/x; echo 'rm -rf /' >> $HOME/.bashrc",
        "echo 'rm -rf /' > f; sh -c 'BASH_ENV=f bash -c true'",
        "cat > Makefile <<'E'\nall:\n\t@if true; then \\\n\t  rm -rf /; \\\n\tfi\nE\nmake",
        "cat > justfile <<'E'\nx:\n    #!/usr/bin/env bash\n    set -e\n    rm -rf /\nE\njust x",
        "echo 'rm -rf /' > x.sh; echo '{\"scripts\":{\"x\":\"sh x.sh\"}}' > package.json; npm run x",
        "cat > package.json <<'E'\n{\"scripts\":{\"a\":\"npm run b\",\"b\":\"rm -rf /\"}}\nE\nnpm run a",
        "echo '{\"scripts\":{\"x\":\"rm -rf /\"}}' | tee package.json; npm t",
        "printf '{\"scripts\":{\"x\":\"rm -rf /\"}}' > p; mv p package.json; npm start",
    ]);
}

#[test]
fn usual_settings_and_tasks_are_harmless() {
    harmless(&[
        "ENV=production npm test",
        "ENV=dev ./run.sh",
        "BASH_ENV=~/.bashenv bash -c 'ls'",
        "npm init -y && npm pkg set type=module scripts.build='tsc' && npm i -D typescript",
        "git config --global user.name 'rm -rf /'",
        "cat > .husky/commit-msg <<'E'\nnpx --no -- commitlint --edit \"$1\"\nE\nchmod +x .husky/commit-msg",
        "cat > .git/hooks/pre-push <<'E'\n#!/bin/bash\nwhile read local_ref local_sha remote_ref remote_sha; do\n  if [ \"$remote_ref\" = refs/heads/main ]; then exit 1; fi\ndone\nrm -rf \"$TMPDIR/x\"\nE",
        "cat > Makefile <<'E'\n.PHONY: all clean install\nPREFIX ?= /usr/local\nall:\n\t$(CC) -o a a.c\ninstall: all\n\tinstall -m 755 a $(DESTDIR)$(PREFIX)/bin/a\nuninstall:\n\trm -f $(DESTDIR)$(PREFIX)/bin/a\nclean:\n\trm -rf ./build *.o\n# rm -rf / would be bad\nhelp:\n\t@echo \"make clean: removes build\"\nE\nmake && make install",
        "cat > package.json <<'E'\n{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"prebuild\": \"rimraf dist/*\",\n    \"clean\": \"rm -rf node_modules/* .cache/*\",\n    \"docker\": \"docker run --rm -v $PWD:/app x\",\n    \"dev\": \"concurrently \\\"npm:a\\\" \\\"npm:b\\\"\"\n  },\n  \"repository\": \"https://github.com/x/y\",\n  \"dependencies\": {\"a\": \"^1.0.0 || ^2\"}\n}\nE\nnpm install",
        "cat >> ~/.bashrc <<'E'\n# >>> conda initialize >>>\n__conda_setup=\"$('/opt/conda/bin/conda' 'shell.bash' 'hook' 2> /dev/null)\"\nif [ $? -eq 0 ]; then\n    eval \"$__conda_setup\"\nfi\nunset __conda_setup\nalias rmf='rm -rf'\nmkcd() { mkdir -p \"$1\" && cd \"$1\"; }\nextract() { tar xf \"$1\" && rm -rf \"$1\"; }\nE\nsource ~/.bashrc",
        "curl -o- https://x/install.sh -o install.sh; echo 'export NVM_DIR=~/.nvm' >> ~/.zshrc",
        "echo 'eval \"$(ssh-agent -s)\" > /dev/null' >> ~/.profile",
        "echo 'export X=$(curl -s https://x/ip)' >> ~/.bashrc",
        "(crontab -l; echo \"0 2 * * * find /var/log/app -name '*.log' -mtime +7 -delete\") | crontab -",
        "printf '# it must never run: rm -rf /\\n0 3 * * * make\\n' | crontab -",
        "cat > justfile <<'E'\ndefault:\n  @just --list\nclean:\n  rm -rf {{justfile_directory()}}/target\ntest *ARGS:\n  cargo test {{ARGS}}\nE\njust test",
        "cat > Taskfile.yml <<'E'\nversion: '3'\ntasks:\n  build:\n    desc: \"Builds: all\"\n    cmds:\n      - go build ./...\n      - rm -rf ./tmp\nE\ntask build",
        "printf '[submodule \"x\"]\\n\\tpath = x\\n\\turl = https://x/y\\n' > .gitmodules",
        "printf '[url \"git@github.com:\"]\\n\\tinsteadOf = https://github.com/\\n' >> ~/.gitconfig",
        "GIT_CONFIG_GLOBAL=$(mktemp) git init",
        "sed -f fix.sed f > g; awk -f a.awk f",
        "make -j$(nproc) CFLAGS=\"$CFLAGS -Wall\"",
        "make VERSION=$(git describe) SHELL=/bin/bash test",
        "cat > deno.json <<'E'\n{\"tasks\": {\"dev\": \"deno run -A main.ts\"}}\nE\ndeno task dev",
    ]);
}
