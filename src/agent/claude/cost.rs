//! The cost of one turn, from the CLI's result.

use super::event::Envelope;

/// The cost of one process, and so of one turn.
///
/// Newer versions (2.1.325) report `total_cost_usd` for the whole conversation, including forks,
/// and the usage since the previous result, which is summed here. Older ones (2.1.197) report
/// `total_cost_usd` for the process, so the last result includes the others.
#[derive(Debug, Default)]
pub(super) struct Cost {
    since_last_usd: Option<f64>,
    total_usd: Option<f64>,
}

impl Cost {
    /// Adds one result of the process.
    pub(super) fn add(&mut self, envelope: &Envelope) {
        if let Some(cost) = envelope.cost_since_last_usd {
            *self.since_last_usd.get_or_insert(0.0) += cost;
        }
        self.total_usd = envelope.total_cost_usd.or(self.total_usd);
    }

    /// The cost of the turn, as far as it is known.
    pub(super) fn of_the_turn(&self) -> Option<f64> {
        self.since_last_usd.or(self.total_usd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(total_cost_usd: f64, cost_since_last_usd: Option<f64>) -> Envelope {
        Envelope {
            total_cost_usd: Some(total_cost_usd),
            cost_since_last_usd,
            ..Envelope::default()
        }
    }

    fn cost(results: &[Envelope]) -> Option<f64> {
        let mut cost = Cost::default();
        for result in results {
            cost.add(result);
        }
        cost.of_the_turn()
    }

    #[test]
    fn five_turns_cost_the_same_in_both_formats() {
        let turns = |one: &dyn Fn(u32) -> Envelope| {
            (1..=5).filter_map(|turn| cost(&[one(turn)])).sum::<f64>()
        };
        let newer = turns(&|turn| result(0.024 * f64::from(turn), Some(0.024)));
        let older = turns(&|_| result(0.024, None));
        for sum in [newer, older] {
            assert!((sum - 0.12).abs() < 1e-9, "{sum}");
        }
    }

    #[test]
    fn a_turn_with_two_results_costs_both() {
        assert_eq!(cost(&[result(1.0, Some(0.25)), result(1.5, Some(0.5))]), Some(0.75));
        assert_eq!(cost(&[result(0.25, None), result(0.75, None)]), Some(0.75));
        assert_eq!(cost(&[result(0.25, None), Envelope::default()]), Some(0.25));
        assert_eq!(cost(&[Envelope::default()]), None);
        assert_eq!(cost(&[]), None);
    }
}
