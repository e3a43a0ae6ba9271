surefire::recipe! {
    /// Implements a task, and reviews it until nothing is left to fix.
    pub recipe ImplementAndReview {
        initial: Implement,
        guardrails: { max_step_visits: 3 },

        step Implement {
            prompt: "Take the next task and implement it, with tests. Do not commit.",
            outcomes: [Complete, NoTasks],
            Complete => CodeRevew,
            NoTasks => exit NoTasksAvailable,
        }
        step CodeReview {
            prompt: "Review the changes. Do not change anything.",
            outcomes: [NoIssues, IssuesFound, Unsure],
            NoIssues => exit ChangesCommitted,
            IssuesFound => Fix,
        }
        step Fix { prompt: "Fix what the review found.", outcomes: [Complete], Complete => CodeReview }
    }
}

fn main() {}
