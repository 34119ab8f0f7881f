//! Micro-benchmarks of the code that sees every byte of output, or every command. Run them with
//! `cargo bench --no-default-features -- --quick`.

mod commands;
mod decoder;
mod kept;
mod plain;
mod policy;
mod samples;
#[path = "../../tests/policy/usual_commands.rs"]
mod usual_commands;
mod view;
mod wire;

use criterion::Criterion;

fn main() {
    // Not criterion's macros: they define public functions without documentation.
    let mut criterion = Criterion::default().configure_from_args();
    decoder::benches(&mut criterion);
    kept::benches(&mut criterion);
    plain::benches(&mut criterion);
    commands::benches(&mut criterion);
    policy::benches(&mut criterion);
    view::benches(&mut criterion);
    wire::benches(&mut criterion);
    criterion.final_summary();
}
