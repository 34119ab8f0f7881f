//! Random command lines.

use std::fmt::Write as _;

use super::{NAMES, PROGRAMS};

pub(super) struct Random(pub(crate) u64);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % limit
    }

    pub(super) fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    pub(super) fn name(&mut self) -> String {
        let plain = if self.below(4) == 0 { self.pick(&PROGRAMS) } else { self.pick(&NAMES) };
        let (first, last) = plain.split_at(1);
        match self.below(12) {
            0 => format!("'{plain}'"),
            1 => format!("\"{plain}\""),
            2 => format!("\\{plain}"),
            3 => format!("{first}''{last}"),
            4 => {
                let escape = self.pick(&["\\x", "\\x{", "\\u", "\\u00"]);
                format!("$'{first}{escape}{:x}'", last.as_bytes()[0])
            }
            5 => format!("{first}\\\n{last}"),
            6 => format!("{{{plain},x}}"),
            7 => format!("{first}\"{last}\""),
            _ => plain.to_owned(),
        }
    }

    fn word(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .pick(&[
                    "a", "b", "1", "''", "-n", "$u", "\"$u\"", "*", "~", "x=1", "#", "a#b", "!", "{}", "\\;",
                    "-",
                ])
                .to_owned();
        }
        let depth = depth - 1;
        match self.below(30) {
            0 => format!("$({})", self.list(depth)),
            1 => format!("\"$({})\"", self.list(depth)),
            2 => format!("`{}`", self.flat(depth)),
            3 => format!("\"a `{}` b\"", self.flat(depth)),
            4 => format!("<({})", self.list(depth)),
            5 => format!(">({})", self.list(depth)),
            6 => format!("${{u:-{}}}", self.word(depth)),
            7 => format!("\"${{u:-{}}}\"", self.word(depth)),
            8 => format!("${{u:={}}}", self.word(depth)),
            9 => format!("${{h:+{}}}", self.word(depth)),
            10 => format!("${{h/{}/x}}", self.word(depth)),
            11 => format!("${{h#{}}}", self.word(depth)),
            12 => format!("$((1 + $({})))", self.list(depth)),
            13 => format!("$(({}))", self.pick(&["1+2", "(1)*2", "q0 q1", "1 )", "x[$(q1)]", "`q2`"])),
            14 => format!("${{a[$({})]}}", self.list(depth)),
            15 => format!("'{}'", self.list(0).replace('\'', "")),
            16 => format!("\"{}\"", self.word(0).replace('"', "")),
            17 => format!("$( ({}) )", self.list(depth)),
            18 => format!("$((q{}) | cat)", self.below(6)),
            19 => format!("$\\\n({})", self.list(depth)),
            20 => format!("\"x$\\\n({})\"", self.list(depth)),
            21 => format!("{}{}", self.word(depth), self.word(depth)),
            22 => format!("${{u:-'{}'}}", self.pick(&["}", "$(q1)", "a"])),
            23 => format!("\"${{u:-\"{}\"}}\"", self.word(0).replace('"', "")),
            24 => format!("$'{}'", self.pick(&["a\\'b", "\\n", "$(q0)", "\\\\"])),
            25 => format!("${{u-$({})}}", self.list(depth)),
            26 => format!("$(case {} in a) {};; esac)", self.word(0), self.simple(depth)),
            27 => format!("$(cat <<E\n$({})\nE\n)", self.list(depth)),
            28 => format!("$(cat <<'E'\n$({}) ' ) `\nE\n)", self.list(0)),
            _ => self.word(0),
        }
    }

    /// Returns text for backticks, which has no backticks itself.
    fn flat(&mut self, depth: usize) -> String {
        let list = self.list(depth.min(1));
        if list.contains(['`', '\\']) { self.name() } else { list }
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut text = String::new();
        if self.below(5) == 0 {
            let name = self.pick(&["A", "B", "u", "h", "a[0]", "A+", "IFS"]);
            let _ = write!(text, "{name}={} ", self.word(depth));
        }
        if self.below(10) == 0 {
            text.push_str(self.pick(&["<in ", ">out ", "2>&1 ", "&>out ", ">|out ", "{fd}>out ", "3<&0 "]));
        }
        match self.below(26) {
            0 => text = format!("v={}; $v", self.name()),
            13 => return self.values(),
            1 => text.push_str(self.pick(&[
                "eval ", "command ", "builtin command ", "exec ", "env ", "env A=1 ", "env -u A ", "nice ",
                "nohup ", "timeout 5 ", "setsid -w ", "stdbuf -oL ", "time ", "! ", "command -p ",
            ])),
            2 => {
                let code = self.list(depth.min(1)).replace('\'', "");
                let shell = self.pick(&[
                    "bash -c", "sh -c", "eval", "bash -ec", "timeout 5 bash -c", "env -S",
                    "bash -o pipefail -c", "trap",
                ]);
                let tail = if shell == "trap" { " EXIT" } else { "" };
                return format!("{text}{shell} '{code}'{tail}");
            }
            3 => return format!("{text}echo {} | xargs -n1 {}", self.word(0), self.pick(&PROGRAMS)),
            4 => return format!("{text}find . -maxdepth 0 -exec {} {{}} \\;", self.pick(&PROGRAMS)),
            5 => return format!("{text}set -- {} {}; \"$@\"", self.name(), self.word(0)),
            6 => return format!("{text}echo '{}' | bash", self.pick(&NAMES)),
            7 => return format!("{text}bash <<< '{}'", self.pick(&NAMES)),
            8 => return format!("{text}cat <<{}\n$({})\n{}", "E", self.list(depth.saturating_sub(1)), "E"),
            9 => return format!("{text}bash <<E\n{}\nE", self.pick(&NAMES)),
            10 => return format!("{text}$(echo {}) {}", self.name(), self.word(0)),
            11 => {
                return format!(
                    "{text}cat <<'E' <<F\n$({})\nE\n$({})\nF",
                    self.pick(&NAMES),
                    self.pick(&NAMES)
                );
            }
            12 => return format!("{text}cat <<-E\n\t`{}`\n\tE", self.pick(&NAMES)),
            _ => {}
        }
        text.push_str(&self.name());
        for _ in 0..self.below(3) {
            text.push(' ');
            text.push_str(&self.word(depth));
        }
        if self.below(8) == 0 {
            text.push_str(self.pick(&[" >out", " 2>nul", " <in", " >&2", " # q5", " <<<x", " &>>out"]));
        }
        text
    }

    fn compound(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let depth = depth - 1;
        let separator = self.pick(&["; ", "\n", " \\\n; "]).to_owned();
        match self.below(26) {
            0 => format!("({})", self.list(depth)),
            1 => format!("( ({}) )", self.list(depth)),
            2 => format!("{{ {}{separator}}}", self.list(depth)),
            3 => format!(
                "if {}{separator}then {}{separator}else {}{separator}fi",
                self.list(depth),
                self.list(depth),
                self.list(depth)
            ),
            4 => format!(
                "for i in {} {}{separator}do {}{separator}done",
                self.word(depth),
                self.word(depth),
                self.list(depth)
            ),
            5 => format!(
                "while {}{separator}do {}{separator}break{separator}done",
                self.list(depth),
                self.list(depth)
            ),
            6 => format!(
                "case {} in a|b) {};; ({}) {};; *) {};; esac",
                self.word(depth),
                self.list(depth),
                self.word(0),
                self.list(depth),
                self.list(depth)
            ),
            7 => format!("f() {{ {}{separator}}}; f {}", self.list(depth), self.word(depth)),
            8 => format!("function g {{ {}{separator}}}; g", self.list(depth)),
            9 => format!("h() ( {} ); h", self.list(depth)),
            10 => format!("[[ {} == {} ]]", self.word(depth), self.word(depth)),
            11 => format!("[[ -n {} && {} =~ ^(a|b) ]]", self.word(depth), self.word(0)),
            12 => format!("(( $({}) + 1 ))", self.list(depth)),
            13 => format!("(({}))", self.pick(&["q0", "1+1", "q1 x", "a[$(q2)]=1"])),
            14 => format!("for ((i=$({});i<1;i++)); do {}; done", self.list(depth), self.list(depth)),
            15 => format!("a=({} {})", self.word(depth), self.word(depth)),
            16 => format!("a[$({})]={}", self.list(depth), self.word(depth)),
            17 => format!("until {}; do {}; break; done", self.list(depth), self.list(depth)),
            18 => format!("coproc {}", self.simple(depth)),
            19 => format!("f() {{ \"$@\"; }}; f {} {}", self.name(), self.word(0)),
            20 => format!("x={}", self.word(depth)),
            21 => format!("declare x={}", self.word(depth)),
            22 => format!("for c in {} {}; do $c; done", self.name(), self.name()),
            _ => self.simple(depth),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        let mut text = self.compound(depth);
        for _ in 0..self.below(3) {
            text.push_str(
                self.pick(&["; ", " && ", " || ", " | ", "\n", " |& ", " & ", ";", "&&", " |\n", " &\\\n& "]),
            );
            text.push_str(&self.compound(depth));
        }
        text
    }

    /// Returns a command line, sometimes with a character inserted or removed.
    pub(super) fn case(&mut self) -> String {
        let depth = 1 + self.below(3);
        let mut text = if self.below(5) == 0 { self.values() } else { self.list(depth) };
        if self.below(4) == 0 {
            let mut places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
            places.push(text.len());
            let place = places[self.below(places.len())];
            if self.below(3) == 0 && place < text.len() {
                text.remove(place);
            } else {
                text.insert_str(
                    place,
                    self.pick(&[
                        "'", "\"", "`", "$", "(", ")", "{", "}", "\\", "\n", ";", "&", "|", "<", ">", "#",
                        " ", "[", "]", "!", "=", "*", "\\\n", "$(", "${", "((", "))", "<<", "\t",
                    ]),
                );
            }
        }
        text
    }
}
