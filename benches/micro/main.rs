//! What the parts cost that see every byte of output, or every command. Run by
//! `cargo bench --no-default-features -- --quick`.

mod commands;
mod decoder;
mod kept;
mod plain;
mod samples;

use criterion::Criterion;

fn main() {
    // Not the macros of criterion: they make public functions that have no text.
    let mut criterion = Criterion::default().configure_from_args();
    decoder::benches(&mut criterion);
    kept::benches(&mut criterion);
    plain::benches(&mut criterion);
    commands::benches(&mut criterion);
    criterion.final_summary();
}
