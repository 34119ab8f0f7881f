//! Generates command lines that compute a name from the values of variables, and run it.

use super::Random;

impl Random {
    /// Returns assignments and builtins that set variables, followed by a use of one of them.
    pub(super) fn values(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(3) {
            text.push_str(&self.statement());
            text.push_str(self.pick(&["; ", "; ", "; ", "\n", " && ", " || ", " | "]));
        }
        text + &self.used()
    }

    /// Returns a name with text before or after it.
    fn part(&mut self) -> String {
        let name = self.name();
        let before = self.pick(&["", "", "", "x", "a/", "q1,", "q2 ", "12", "*", "' '"]);
        let behind = self.pick(&["", "", "", "x", "/b", ",q1", " q2", ".c", "*", "' '"]);
        match self.below(3) {
            0 => format!("{before}{name}{behind}").replace(' ', ""),
            1 => format!("'{before}'{name}'{behind}'").replace("''' '", "' "),
            _ => name,
        }
    }

    fn statement(&mut self) -> String {
        let part = self.part();
        let other = self.name();
        match self.below(46) {
            0..=7 => format!("x={part}"),
            8..=11 => format!("a=({part} {other})"),
            12 => format!("a=('' {other})"),
            13 => format!("a+=({part})"),
            14 => format!("a=([1]={other} [0]={part})"),
            15 => format!("a[{}]={part}", self.pick(&["0", "1", "x", "-1", "i=1"])),
            16 => format!("x+={part}"),
            17 => format!("declare x+={part}"),
            18 => format!("declare 'a[0]={other}'"),
            19 => format!("declare -a a=({part} {other})"),
            20 => format!("readonly x={part}"),
            21 => self.pick(&["unset x", "unset a", "unset 'a[0]'", "unset -f x", "unset IFS"]).to_owned(),
            22 => format!("read {}x <<< {part}", self.pick(&["", "-r ", "-n2 ", "-d, ", "-a ", "y "])),
            23 => format!(
                "printf -v x {}",
                self.pick(&["%s q0", "q1", "'q\\x30'", "'q\\060'", "%b 'q\\0060'", "%.2s q0x"])
            ),
            24 => format!("printf -vx {other}"),
            25 => format!("x=$(echo {part})"),
            26 => format!("x=$(printf '%s{}' {other})", self.pick(&["", "\\n", " ", "x", "%%"])),
            27 => format!("f() {{ local x; {}; }}; f", self.used()),
            28 => format!("f() {{ {}; }}; x={part} f", self.used()),
            29 => format!("f() {{ x={part}; }}; f"),
            30 => format!("(x={other})"),
            31 => format!("false && x={other}"),
            32 => format!("if false; then x={other}; fi"),
            33 => format!("for x in {part} {other}; do :; done"),
            34 => format!("set -- {part} {other}"),
            35 => format!("{{ read y; read x; }} <<< {part}"),
            36 => format!("while read x; do :; done <<< {part}"),
            37 => format!("IFS={}", self.pick(&[",", "/", "''", "x", "', '", "q"])),
            38 => format!("eval x={part}"),
            39 => format!("export x={part}"),
            40 => format!("x=${{x{}}}", self.operator()),
            41 => format!("x=\"${{a[{}]}}\"", self.pick(&["0", "1", "@", "*"])),
            42 => format!("x={}", self.pick(&["$1", "\"$*\"", "\"$@\"", "$a", "${2}", "\"${a[*]}\""])),
            43 => format!("y={other}; x=$y{}", self.pick(&["", "x", "''"])),
            44 => format!("i={}", self.pick(&["1", "0", "2", "01"])),
            _ => format!(": ${{x:={other}}}"),
        }
    }

    /// Returns an operator that edits a value.
    fn operator(&mut self) -> &'static str {
        const OPERATORS: [&str; 40] = [
            "#x", "#a/", "#'a/'", "##*/", "##'*/'", "#*,", "#?", "#\\*", "#\"*\"", "%x", "%/*", "%\"/*\"",
            "%%/*", "%%,*", "%.*", "%\\*", "/x", "/x/", "//x", "/x/q", "/12/", "/a\\//", "/\"a/\"/",
            "//[ax]", "/#x", "/%x", "/q/&", ":2", ":02", ":0:2", ":$i", ": -2", ",,", "^^", "@Q", ":-q3",
            "-q3", ":+q3", ":=q3", ":1+1",
        ];
        OPERATORS[self.below(OPERATORS.len())]
    }

    /// Returns a command whose name is a value.
    fn used(&mut self) -> String {
        let operator = self.operator();
        let rest = self.name();
        match self.below(22) {
            0..=3 => format!("$x {rest}"),
            4 => format!("\"$x\" {rest}"),
            5 => format!("${{x}} {rest}"),
            6..=9 => format!("${{x{operator}}} {rest}"),
            10 => format!("\"${{x{operator}}}\" {rest}"),
            11 => format!("$a {rest}"),
            12 => format!("\"${{a[@]}}\" {rest}"),
            13 => format!("${{a[{}]}} {rest}", self.pick(&["0", "1", "*", "@", "-1", "$i"])),
            14 => format!("\"${{a[@]{operator}}}\" {rest}"),
            15 => format!("${{a{operator}}} {rest}"),
            16 => format!("$x{{{},}} {rest}", self.pick(&["x", "q1", "1", "/"])),
            17 => format!("{{$,}}x {rest}"),
            18 => format!("\"$@\" {rest}"),
            19 => format!("$1 {rest}"),
            20 => format!("${{@:2}} {rest}"),
            _ => format!("q{{{}}} {rest}", self.pick(&["0..2", "2..0", "00..1", "a..0", "1..5..2", "1,0"])),
        }
    }
}
