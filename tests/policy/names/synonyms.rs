//! Names and flags that mean the same.

use crate::{Mode, Verdict, all, denied, policy};

#[test]
fn npm_takes_other_names_and_abbreviations_of_its_subcommands() {
    denied(&["Bash(npm publish:*)"], &["npm pub", "npm publ", "npm -s pub x", "corepack npm publish"]);
    denied(&["Bash(npm install:*)"], &["npm i x", "npm inst x", "npm isnt x", "npm add x", "pnpm x; npm in"]);
    denied(&["Bash(npm i:*)"], &["npm install x", "npm add x", "npm i"]);
    denied(&["Bash(npm run:*)"], &["npm rum x", "npm run-script x", "npm urn x"]);
    denied(&["Bash(npm ci)"], &["npm clean-install", "npm ic"]);
    denied(&["Bash(npm config:*)"], &["npm c set a b", "npm conf set a b"]);
    let policy = policy(Mode::BypassPermissions, &["Bash(npm publish:*)", "Bash(npm install:*)"], &[], &[]);
    all(&["npm test", "npm run pub", "npm ls", "npm pack", "npm info x"], &policy, "allowed", |decision| {
        decision.verdict == Verdict::Allow
    });
}

#[test]
fn flags_and_names_that_mean_the_same_are_denied_both_ways() {
    for (rule, texts) in [
        ("Bash(git add -A:*)", &["git add --all", "git add --no-ignore-removal .", "git -C x add -vA"][..]),
        ("Bash(git add --all:*)", &["git add -A", "git add . -A"]),
        (
            "Bash(git branch --delete:*)",
            &["git branch -D x", "git branch -d x", "git branch --delete --force x"],
        ),
        (
            "Bash(git branch -D:*)",
            &["git branch --delete --force x", "git branch -df x", "git branch -f x -d"],
        ),
        ("Bash(git branch -M:*)", &["git branch --move --force a b"]),
        ("Bash(git push --delete:*)", &["git push -d origin x", "git push origin :x"]),
        ("Bash(git push -f:*)", &["git push --force", "git push origin +main"]),
        ("Bash(git commit --no-verify:*)", &["git commit -nm x", "git commit -m x -n"]),
        ("Bash(source:*)", &[". x", "source x"]),
        ("Bash(.:*)", &["source x", ". x"]),
        ("Bash(test:*)", &["[ -f x ]"]),
        ("Bash(docker compose up:*)", &["docker-compose up -d"]),
        ("Bash(docker-compose:*)", &["docker compose up"]),
        ("Bash(npm install -g:*)", &["npm i --global x", "npm install --location=global x"]),
    ] {
        denied(&[rule], texts);
    }
    let policy = policy(Mode::BypassPermissions, &["Bash(git branch -D:*)", "Bash(git add -A:*)"], &[], &[]);
    all(
        &["git branch -d x", "git branch -f x", "git add -a x", "git commit --all"],
        &policy,
        "allowed",
        |decision| decision.verdict == Verdict::Allow,
    );
}

#[test]
fn a_script_of_a_package_has_two_spellings() {
    denied(
        &["Bash(npm test:*)"],
        &[
            "npm test",
            "npm t x",
            "npm run test",
            "npm run-script test -- x",
            "npm run --silent test",
            "npm --prefix x run test",
        ],
    );
    denied(
        &["Bash(npm run test:*)", "Bash(npm run-script start)"],
        &["npm test", "npm tst x", "npm -s t", "npm start"],
    );
    denied(
        &["Bash(yarn run deploy:*)", "Bash(pnpm run deploy-it:*)", "Bash(bun run deploy:*)"],
        &[
            "yarn deploy x",
            "yarn -s deploy",
            "yarn workspace a deploy",
            "pnpm deploy-it",
            "pnpm -F a deploy-it",
            "bun deploy",
        ],
    );
    denied(
        &["Bash(yarn deploy:*)", "Bash(pnpm build)", "Bash(bun build-it:*)"],
        &[
            "yarn run deploy",
            "yarn workspace a run deploy",
            "pnpm run build",
            "pnpm run-script build",
            "bun run build-it x",
        ],
    );
    denied(&["Bash(npm run:*)", "Bash(yarn run:*)"], &["npm test", "yarn deploy"]);
}

#[test]
fn a_command_of_a_package_manager_is_no_script() {
    let rules =
        ["Bash(npm run:*)", "Bash(yarn run:*)", "Bash(pnpm run:*)", "Bash(bun run:*)", "Bash(yarn add:*)"];
    let policy = policy(Mode::BypassPermissions, &rules, &[], &[]);
    let commands = ["npm install", "npm ls", "yarn install", "pnpm add x", "bun install", "pnpm deploy x"];
    all(&commands, &policy, "allowed", |decision| decision.verdict == Verdict::Allow);
}
