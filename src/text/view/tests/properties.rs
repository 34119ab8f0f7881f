use proptest::prelude::*;

use super::{any_options, any_stream, check, selected};
use crate::text::view::{ExitKind, Source, ViewBuilder, view};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_view_keeps_its_budget_and_accounts_for_every_line(
        stream in any_stream(), options in any_options(), well: bool,
    ) {
        let ending = if well { ExitKind::Well } else { ExitKind::Failed };
        for source in [Source::NotKept, Source::File("/tmp/a file"), Source::Beginning("/tmp/f", 7)] {
            let view = view(&stream, &options, ending, &source);
            check(&stream, &options, &view);
            if !view.complete {
                prop_assert_eq!(selected(&stream, &options, ending, &source), view);
            }
        }
    }

    #[test]
    fn the_pieces_in_which_a_stream_comes_change_nothing(
        stream in any_stream(),
        options in any_options(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        let mut builder = ViewBuilder::new(&options);
        let mut start = 0;
        for cut in cuts {
            builder.push(&stream[start..cut], None);
            start = cut;
        }
        builder.push(&stream[start..], None);
        let whole = view(&stream, &options, ExitKind::Failed, &Source::NotKept);
        prop_assert_eq!(builder.view(ExitKind::Failed, &Source::NotKept), whole);
    }
}
