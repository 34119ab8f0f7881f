//! The enums of messages: each variant is a number.

use super::malformed::Malformed;

/// Defines an enum without data, written as a number.
macro_rules! numbered {
    ($(#[$meta:meta])* $name:ident: $number:ty { $($(#[$variant_meta:meta])* $variant:ident = $value:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_meta])* $variant = $value,)* }

        impl $name {
            /// Returns the number of the variant.
            #[must_use]
            pub const fn number(self) -> $number {
                self as $number
            }

            /// Returns the variant with this number.
            ///
            /// # Errors
            ///
            /// When no variant has the number.
            pub const fn from_number(number: $number) -> Result<Self, Malformed> {
                match number { $($value => Ok(Self::$variant),)* _ => Err(Malformed) }
            }
        }
    };
}

numbered! {
    /// An output of a command.
    Output: u8 {
        Stdout = 1,
        Stderr = 2,
        /// What the shell of a session reports.
        Control = 3,
    }
}

numbered! {
    /// The processes that a signal is for.
    Scope: u32 {
        Leader = 0,
        /// The leader's process group.
        Group = 1,
        /// All processes of the command.
        Tree = 2,
        /// All processes of the command, to end them: a stopped process also gets SIGCONT, and in a terminal,
        /// a process that ignores the signal also gets SIGHUP.
        End = 3,
    }
}

numbered! {
    /// The steps at which the start of a command can fail.
    FailedStep: u8 {
        Plan = 1,
        Pipe = 2,
        Fork = 3,
        Directory = 4,
        Root = 5,
        Limit = 6,
        Terminal = 7,
        Execute = 8,
        /// Too many commands run already.
        TooMany = 9,
        /// The command had started, and its reaper was killed: the processes are dead, the exit is unknown.
        Lost = 10,
    }
}

numbered! {
    /// The processes that a list has.
    Listed: u8 {
        /// All processes except the leader.
        All = 0,
        /// The processes that a living leader does not wait for.
        Background = 1,
    }
}
