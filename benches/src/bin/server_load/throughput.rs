//! Small messages from many clients: a ping that is answered with a pong, compared with one that
//! is echoed.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::client::Client;
use crate::servers::{Contender, Serving};
use crate::{CLIENTS, Result, figures};

const PING: &[u8] = br#"{"type":"ping"}"#;
/// A frame with such a short text has a header of two bytes; a pong is as long as a ping.
const ANSWER: usize = 2 + PING.len();

/// The servers are measured alternately, this often each, and the median counts.
const TURNS: usize = 5;
const WARM_UP: Duration = Duration::from_millis(500);
const TURN: Duration = Duration::from_secs(2);

/// With counted instructions: the number of clients, and two numbers of messages to compare.
const COUNTED_CLIENTS: usize = 10;
const COUNTED: [i64; 2] = [500, 2500];

pub(crate) async fn measure(below: &Path) -> Result<()> {
    let (ours, stock) =
        (Serving::start(Contender::Ours, below)?, Serving::start(Contender::Stock, below)?);
    let mut our_clients = connect(&ours, CLIENTS).await?;
    let mut stock_clients = connect(&stock, CLIENTS).await?;
    for (in_flight, wanted_rate, wanted_cpu) in [(1, "≥ 2", "≤ 0.4"), (4, "≥ 1.8", "≤ 0.5")]
    {
        let (mut our_turns, mut stock_turns) = (Turns::default(), Turns::default());
        for _ in 0..TURNS {
            our_clients = our_turns.take(&ours, our_clients, in_flight).await?;
            stock_clients = stock_turns.take(&stock, stock_clients, in_flight).await?;
        }
        let what = |figure: &str| format!("{CLIENTS} clients, {in_flight} in flight: {figure}");
        let compare = |figure: &str, unit, ours: &mut [f64], stock: &mut [f64], wanted| {
            figures::compare(
                &what(figure),
                unit,
                figures::median(ours),
                figures::median(stock),
                wanted,
            );
        };
        let (ours, stock) = (&mut our_turns, &mut stock_turns);
        let rate = "messages/s, with the clients on the same cores";
        compare(rate, "", &mut ours.rates, &mut stock.rates, wanted_rate);
        compare("server's CPU time per message", "µs", &mut ours.cpu, &mut stock.cpu, wanted_cpu);
        compare("of that, in the server", "µs", &mut ours.user, &mut stock.user, "");
        compare("of that, in the kernel", "µs", &mut ours.kernel, &mut stock.kernel, "");
    }
    Ok(())
}

#[derive(Default)]
struct Turns {
    rates: Vec<f64>,
    /// Microseconds per message: in all, in the server's own code, and in the kernel for it.
    cpu: Vec<f64>,
    user: Vec<f64>,
    kernel: Vec<f64>,
}

impl Turns {
    async fn take(
        &mut self,
        server: &Serving,
        clients: Vec<TcpStream>,
        in_flight: usize,
    ) -> Result<Vec<TcpStream>> {
        let load = Arc::new(Load::of(i64::MAX));
        let talking = tokio::spawn(all_talk(clients, in_flight, Arc::clone(&load)));
        tokio::time::sleep(WARM_UP).await;
        let (begun, before, answered) = (Instant::now(), server.cpu()?, load.answered());
        tokio::time::sleep(TURN).await;
        let answered = (load.answered() - answered) as f64;
        self.rates.push(answered / begun.elapsed().as_secs_f64());
        let after = server.cpu()?;
        let a_message = |spent: Duration| spent.as_secs_f64() * 1e6 / answered;
        let (user, kernel) = (after.user - before.user, after.kernel - before.kernel);
        self.cpu.push(a_message(user + kernel));
        self.user.push(a_message(user));
        self.kernel.push(a_message(kernel));
        load.end();
        talking.await?
    }
}

pub(crate) async fn count_instructions(below: &Path) -> Result<()> {
    let mut a_message = Vec::new();
    for contender in [Contender::Ours, Contender::Stock] {
        let mut counts = Vec::new();
        for messages in COUNTED {
            let server = Serving::counted(contender, below)?;
            let clients = connect(&server, COUNTED_CLIENTS).await?;
            all_talk(clients, 1, Arc::new(Load::of(messages))).await?;
            counts.push(server.instructions()? as f64);
        }
        a_message.push((counts[1] - counts[0]) / (COUNTED[1] - COUNTED[0]) as f64);
    }
    let what = "instructions per message in user space, counted by callgrind";
    figures::compare(what, "", a_message[0], a_message[1], "≤ 0.38");
    Ok(())
}

/// Connects as a client, and returns the bare sockets: the frames never change, and the less a
/// client does, the less it distorts the measurement.
async fn connect(server: &Serving, count: usize) -> Result<Vec<TcpStream>> {
    let clients = Client::many(server, count).await?;
    Ok(clients.into_iter().map(|client| client.socket.into_inner()).collect())
}

/// The number of messages that all clients together still have to send, and that were answered.
struct Load {
    left: AtomicI64,
    answered: AtomicU64,
}

impl Load {
    fn of(messages: i64) -> Self {
        Self { left: messages.into(), answered: 0.into() }
    }

    fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    fn end(&self) {
        self.left.store(0, Ordering::Relaxed);
    }
}

async fn all_talk(
    clients: Vec<TcpStream>,
    in_flight: usize,
    load: Arc<Load>,
) -> Result<Vec<TcpStream>> {
    let mut talking = JoinSet::new();
    for client in clients {
        talking.spawn(talk(client, in_flight, Arc::clone(&load)));
    }
    let mut clients = Vec::new();
    while let Some(client) = talking.join_next().await {
        clients.push(client??);
    }
    Ok(clients)
}

/// Sends a message for each answer, so that the number of messages in flight stays the same.
async fn talk(
    mut client: TcpStream,
    in_flight: usize,
    load: Arc<Load>,
) -> std::io::Result<TcpStream> {
    let frames = ping().repeat(in_flight);
    let (mut may_say, mut unanswered, mut part) = (in_flight, 0, 0);
    let mut answers = [0; 1024];
    loop {
        let left = load.left.fetch_sub(may_say as i64, Ordering::Relaxed);
        if left > 0 {
            client.write_all(&frames[..frames.len() / in_flight * may_say]).await?;
            unanswered += may_say;
        } else {
            load.end();
        }
        if unanswered == 0 {
            return Ok(client);
        }
        let bytes = part + client.read(&mut answers).await?;
        may_say = bytes / ANSWER;
        part = bytes % ANSWER;
        unanswered -= may_say;
        load.answered.fetch_add(may_say as u64, Ordering::Relaxed);
    }
}

/// The ping as a client's frame: final, text, masked with zeroes.
fn ping() -> Vec<u8> {
    let mut frame = vec![0x81, 0x80 | PING.len() as u8, 0, 0, 0, 0];
    frame.extend_from_slice(PING);
    frame
}
