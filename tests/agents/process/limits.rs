//! Time and space are bounded.

use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use surefire::process::{Control, End, Observer, OutputLimit};
use surefire_testkit::sandbox::ProcessSandbox;

#[tokio::test]
async fn silence_is_noticed() {
    let sandbox =
        ProcessSandbox::with(|limits| limits.silence_timeout = Duration::from_millis(100));
    let (report, _) = sandbox.run(sandbox.shell("echo one; sleep 600")).await;
    assert_eq!(report.end, End::Silent);
    assert_eq!(sandbox.alive(), [0; 0]);
}

#[tokio::test]
async fn a_process_that_never_ends_is_ended_although_it_writes() {
    let sandbox = ProcessSandbox::with(|limits| limits.total_timeout = Duration::from_millis(200));
    let (report, _) =
        sandbox.run(sandbox.shell("while :; do echo alive >&2; sleep 0.01; done")).await;
    assert_eq!(report.end, End::TimedOut);
    assert_eq!(sandbox.alive(), [0; 0]);
}

#[tokio::test]
async fn huge_output_is_capped() {
    const MAX_BYTES: u64 = 1 << 20;
    let sandbox = ProcessSandbox::with(|limits| limits.max_output_bytes = MAX_BYTES);
    let (report, _) = sandbox.run(sandbox.shell("yes 'a line that comes again and again'")).await;
    assert_eq!(report.end, End::TooMuchOutput(OutputLimit::Total { max_bytes: MAX_BYTES }));
    assert_eq!(sandbox.alive(), [0; 0]);
}

#[tokio::test]
async fn huge_output_is_capped_even_if_no_event_is_received() {
    let sandbox = ProcessSandbox::with(|limits| limits.max_output_bytes = 1 << 20);
    let watched = sandbox.supervise(sandbox.shell("yes")).await;
    let report = watched.watching.await.unwrap();
    assert!(
        matches!(report.end, End::TooMuchOutput(OutputLimit::Total { .. })),
        "{:?}",
        report.end
    );
}

#[tokio::test]
async fn a_line_is_capped() {
    for (bytes, fits) in [(1000, true), (1001, false)] {
        let sandbox = ProcessSandbox::with(|limits| limits.max_line_bytes = 1000);
        let script = format!("head -c {bytes} /dev/zero | tr '\\0' x; echo");
        let (report, _) = sandbox.run(sandbox.shell(&script)).await;
        let too_long = End::TooMuchOutput(OutputLimit::Line { max_bytes: 1000 });
        assert_eq!(report.end, if fits { End::Exited } else { too_long });
    }
}

#[tokio::test]
async fn the_end_of_a_huge_standard_error_is_kept() {
    let sandbox = ProcessSandbox::with(|limits| limits.kept_stderr_bytes = 64 << 10);
    let (report, _) =
        sandbox.run(sandbox.shell("head -c 32000000 /dev/zero >&2; echo >&2; echo last >&2")).await;
    assert!(report.stderr.ends_with("\nlast"), "{}", report.stderr.len());
    let file = sandbox.files().directory().join("stderr.log");
    let room = 512 * std::fs::metadata(file).unwrap().blocks();
    assert!(room <= 1 << 20, "{room} bytes are on disk");
}

/// Takes the first line for the answer.
struct First(Option<Vec<u8>>);

impl Observer for First {
    type Event = ();

    fn line(&mut self, line: &[u8]) -> Vec<()> {
        self.0.get_or_insert(line.to_vec());
        Vec::new()
    }

    fn has_answer(&self) -> bool {
        self.0.is_some()
    }
}

#[tokio::test]
async fn a_process_that_answered_and_stays_is_ended() {
    let sandbox = ProcessSandbox::with(|limits| limits.linger_timeout = Duration::from_millis(50));
    let command = sandbox.shell("echo answer; sleep 600");
    let held = command.start(sandbox.files(), sandbox.limits, First(None)).await.unwrap();
    let (control, _events) = Control::new(1);
    let report = held.release(Vec::new()).await.unwrap().watch(&control).await;
    assert_eq!((report.end, report.observer.0.unwrap()), (End::Lingered, b"answer".to_vec()));
    assert_eq!(sandbox.alive(), [0; 0]);
}
