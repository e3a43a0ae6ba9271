//! Forwarding the last output line of a command while it works.

use std::convert::Infallible;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::control::CommandEvent;
use crate::gate::printable::printable_line;
use crate::process::Observer;

/// How often a line is forwarded.
const LINE_INTERVAL: Duration = Duration::from_millis(200);

const MAX_LINE_CHARS: usize = 300;

/// Keeps the last line only: the whole output is in its file.
#[derive(Debug)]
pub(super) struct LastLine(watch::Sender<Vec<u8>>);

/// Receives the last line.
#[derive(Debug)]
pub(super) struct LiveLines {
    last: watch::Receiver<Vec<u8>>,
    not_before: Instant,
}

/// An observer, and the receiver of its lines.
pub(super) fn last_line() -> (LastLine, LiveLines) {
    let (sender, last) = watch::channel(Vec::new());
    (LastLine(sender), LiveLines { last, not_before: Instant::now() })
}

impl Observer for LastLine {
    /// A full event channel would block reading the output, so there are no events.
    type Event = Infallible;

    fn line(&mut self, line: &[u8]) -> Vec<Infallible> {
        if !line.trim_ascii().is_empty() {
            self.0.send_modify(|last| {
                last.clear();
                last.extend_from_slice(line);
            });
        }
        Vec::new()
    }
}

impl LiveLines {
    /// Waits for the next line to show, and forwards it. Pending forever once there are no more.
    pub(super) async fn pass_on(&mut self, events: &mpsc::Sender<CommandEvent>) {
        tokio::time::sleep_until(self.not_before).await;
        if self.last.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        let Ok(room) = events.reserve().await else {
            // The receiver is gone.
            return std::future::pending().await;
        };
        // Read only now: newer lines may have arrived while the channel was full.
        let line = printable_line(
            &String::from_utf8_lossy(&self.last.borrow_and_update()),
            MAX_LINE_CHARS,
        );
        if !line.is_empty() {
            room.send(CommandEvent::Line(line));
        }
        self.not_before = Instant::now() + LINE_INTERVAL;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn next(events: &mut mpsc::Receiver<CommandEvent>) -> String {
        match events.recv().await {
            Some(CommandEvent::Line(line)) => line,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_last_line_is_forwarded() {
        let (mut observer, mut live) = last_line();
        let (sender, mut events) = mpsc::channel(1);
        let passing = tokio::spawn(async move {
            loop {
                live.pass_on(&sender).await;
            }
        });
        let began = Instant::now();
        observer.line(b"first");
        assert_eq!(next(&mut events).await, "first");
        for number in 0..1000 {
            observer.line(format!("line \x1b[1m{number}").as_bytes());
        }
        observer.line(b" \r");
        assert_eq!(next(&mut events).await, "line 999");
        assert!(began.elapsed() >= LINE_INTERVAL);
        passing.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_does_not_read_gets_the_latest_line() {
        let (mut observer, mut live) = last_line();
        let (sender, mut events) = mpsc::channel(1);
        observer.line(b"one");
        live.pass_on(&sender).await;
        observer.line(b"two");
        let waiting = tokio::spawn(async move { live.pass_on(&sender).await });
        tokio::time::sleep(2 * LINE_INTERVAL).await;
        observer.line(b"three");
        assert_eq!(next(&mut events).await, "one");
        assert_eq!(next(&mut events).await, "three");
        waiting.await.unwrap();
    }
}
