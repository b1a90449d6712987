//! What a guarded session costs beyond a direct one, both measured in turn.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::Row;
use super::measure::median;
use crate::Outcome;
use crate::run;

/// What the best known peer adds to a small call at its median, at the least (microseconds).
const PEER_ADDS: f64 = 63.0;
/// A pause that is none of ours if the direct run has it, too.
const PAUSE: Duration = Duration::from_millis(2);

/// A process that is asked and answers.
pub(super) struct Talker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
    id: u64,
}

impl Talker {
    pub(super) fn start(command: &mut Command) -> Outcome<Self> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawned.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("no pipes")?;
        let output = BufReader::with_capacity(256 << 10, output);
        let mut talker = Self { child, input, output, line: Vec::new(), id: 0 };
        let params = "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\
                      \"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}";
        talker.ask("initialize", params)?;
        talker.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(talker)
    }

    fn say(&mut self, text: &str) -> Outcome {
        self.input.write_all(text.as_bytes()).map_err(|error| error.to_string())
    }

    fn hear(&mut self) -> Outcome {
        self.line.clear();
        match self.output.read_until(b'\n', &mut self.line) {
            Ok(1..) => Ok(()),
            _ => Err("the session ended".to_owned()),
        }
    }

    fn request(&mut self, method: &str, params: &str) -> String {
        self.id += 1;
        let id = self.id;
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
    }

    pub(super) fn ask(&mut self, method: &str, params: &str) -> Outcome<Duration> {
        let line = self.request(method, params);
        let start = Instant::now();
        self.say(&line)?;
        self.hear()?;
        Ok(start.elapsed())
    }

    fn small(&mut self) -> Outcome<Duration> {
        self.echo(100)
    }

    fn echo(&mut self, length: usize) -> Outcome<Duration> {
        let text = "x".repeat(length);
        self.ask(
            "tools/call",
            &format!("{{\"name\":\"echo\",\"arguments\":{{\"text\":\"{text}\"}}}}"),
        )
    }

    fn large(&mut self, size: usize) -> Outcome<Duration> {
        self.ask("tools/call", &format!("{{\"name\":\"echo\",\"arguments\":{{\"size\":{size}}}}}"))
    }

    /// Many calls at once; the time until all are answered.
    fn many(&mut self, count: usize) -> Outcome<Duration> {
        let call = "{\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}";
        let lines: String = (0..count).map(|_| self.request("tools/call", call)).collect();
        let mut input = self.input.try_clone_writer()?;
        let start = Instant::now();
        let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
        for _ in 0..count {
            self.hear()?;
        }
        let elapsed = start.elapsed();
        writer.join().ok();
        Ok(elapsed)
    }

    fn peak_mib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kib.unwrap_or_default() / 1024.0
    }
}

impl Drop for Talker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Another handle on the same pipe, for a thread that writes.
trait TryCloneWriter {
    fn try_clone_writer(&self) -> Outcome<std::fs::File>;
}

impl TryCloneWriter for ChildStdin {
    fn try_clone_writer(&self) -> Outcome<std::fs::File> {
        use std::os::fd::AsFd as _;
        let owned = self.as_fd().try_clone_to_owned().map_err(|error| error.to_string())?;
        Ok(owned.into())
    }
}

pub(super) fn rows(facet: &Path, folder: &Path, runs: usize) -> Outcome<Vec<Row>> {
    let server = facet.with_file_name("echo-server");
    let project = folder.join("guarded");
    std::fs::create_dir_all(&project).map_err(|error| error.to_string())?;
    let facet_command = |arguments: &[&str]| {
        let mut command = Command::new(facet);
        command.args(arguments).current_dir(&project).env("FACET_DIR", run::user_folder("bench"));
        command
    };
    run::output(facet_command(&["add", "s", "--yes", "--"]).arg(&server))?;
    run::output(facet_command(&["add", "p", "--yes", "--"]).arg(&server))?;
    run::output(&mut facet_command(&["grant", "p", "arguments=pinned"]))?;
    let direct = || Talker::start(&mut Command::new(&server));
    let guarded = || Talker::start(&mut facet_command(&["run", "s"]));
    let judged = || Talker::start(&mut facet_command(&["run", "p"]));
    // Where the scheduler puts three processes decides over more than what they do: small calls
    // are measured on one processor.
    let everywhere = rustix::thread::sched_getaffinity(None).map_err(|error| error.to_string())?;
    let mut one = rustix::thread::CpuSet::new();
    one.set(0);
    let place = |set| rustix::thread::sched_setaffinity(None, set).map_err(|e| e.to_string());
    place(&one)?;
    // These machines have slow spells: of several turns that one counts in which the direct calls
    // took least.
    let turns = (0..3).map(|_| small_calls(&mut direct()?, &mut guarded()?, runs));
    let turns = turns.collect::<Outcome<Vec<(f64, Vec<Row>)>>>()?;
    let quietest = turns.into_iter().min_by(|(one, _), (other, _)| one.total_cmp(other));
    let mut rows = quietest.map(|(_, rows)| rows).unwrap_or_default();
    rows.push(judged_arguments(&mut guarded()?, &mut judged()?, runs)?);
    place(&everywhere)?;
    rows.push(many_calls(&mut direct()?, &mut guarded()?, runs)?);
    rows.push(large_results(&mut direct()?, &mut guarded()?, runs)?);
    rows.push(first_reply(&direct, &guarded, runs)?);
    rows.push(memory(&mut guarded()?)?);
    Ok(rows)
}

/// Times of small calls: the median, the 99th of a hundred, and the longest.
struct Spread {
    p50: f64,
    p99: f64,
    most: Duration,
}

fn spread(mut times: Vec<Duration>) -> Spread {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e6;
    Spread { p50: at(50), p99: at(99), most: times.last().copied().unwrap_or_default() }
}

/// What the direct calls took, and the rows.
fn small_calls(direct: &mut Talker, guarded: &mut Talker, runs: usize) -> Outcome<(f64, Vec<Row>)> {
    let (mut bare, mut through) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        direct.small()?;
        guarded.small()?;
    }
    for _ in 0..runs * 10 {
        for _ in 0..500 {
            bare.push(direct.small()?);
        }
        for _ in 0..500 {
            through.push(guarded.small()?);
        }
    }
    let count = bare.len();
    let pauses = |times: &[Duration]| times.iter().filter(|time| **time > PAUSE).count();
    let (few, many) = (pauses(&bare), pauses(&through));
    let (bare, through) = (spread(bare), spread(through));
    let added = through.p50 - bare.p50;
    let limit = PEER_ADDS / 4.0;
    let median = Row {
        what: format!("small call through `facet run` on one processor, median of {count}"),
        baseline: "the same server without a guard".to_owned(),
        ratio: format!("{added:.1} µs more ({:.1} against {:.1})", through.p50, bare.p50),
        target: format!("at most {limit:.1} µs: a quarter of the best known peer's 63 to 125"),
        met: added <= limit,
    };
    let added = through.p99 - bare.p99;
    let tail = Row {
        what: "small call, 99th of a hundred".to_owned(),
        baseline: "the same server without a guard".to_owned(),
        ratio: format!("{added:.0} µs more ({:.0} against {:.0})", through.p99, bare.p99),
        target: "at most 76 µs: a quarter of the peer's 305".to_owned(),
        met: added <= 76.0,
    };
    let pause = Row {
        what: "pauses over 2 ms".to_owned(),
        baseline: "the same server without a guard".to_owned(),
        ratio: format!(
            "{many} against {few} (longest {:.1} ms against {:.1} ms)",
            through.most.as_secs_f64() * 1e3,
            bare.most.as_secs_f64() * 1e3
        ),
        target: "no more than one in a thousand calls beyond the direct run".to_owned(),
        met: many <= few + count / 1000,
    };
    Ok((bare.p50, vec![median, tail, pause]))
}

/// What `arguments=pinned` costs, with arguments of two sizes.
fn judged_arguments(any: &mut Talker, pinned: &mut Talker, runs: usize) -> Outcome<Row> {
    let mut costs = Vec::new();
    for length in [100, 10_000] {
        let (mut bare, mut through) = (Vec::new(), Vec::new());
        for _ in 0..runs * 500 {
            bare.push(any.echo(length)?);
            through.push(pinned.echo(length)?);
        }
        let [bare, through] = [bare, through].map(|times| median(times).as_secs_f64() * 1e6);
        costs.push((bare, through));
    }
    let [(bare, through), (long_bare, long)] = costs[..] else {
        return Err("two sizes".to_owned());
    };
    let (ratio, long_ratio) = (through / bare, long / long_bare);
    Ok(Row {
        what: "call with `arguments=pinned`, 100 and 10,000 bytes of arguments".to_owned(),
        baseline: "the same call with `arguments=any`".to_owned(),
        ratio: format!(
            "{ratio:.2} and {long_ratio:.2} ({through:.1} against {bare:.1} µs, {long:.1} against {long_bare:.1} µs)"
        ),
        target: "at most 2.0 each".to_owned(),
        met: ratio <= 2.0 && long_ratio <= 2.0,
    })
}

fn many_calls(direct: &mut Talker, guarded: &mut Talker, runs: usize) -> Outcome<Row> {
    let (mut bare, mut through) = (Vec::new(), Vec::new());
    guarded.small()?;
    for _ in 0..runs {
        bare.push(direct.many(20_000)?);
        through.push(guarded.many(20_000)?);
    }
    let [bare, through] = [bare, through].map(|times| median(times).as_secs_f64());
    let ratio = through / bare;
    Ok(Row {
        what: "20,000 calls at once".to_owned(),
        baseline: "the same server without a guard".to_owned(),
        ratio: format!("{ratio:.2} ({:.0} calls/s against {:.0})", 2e4 / through, 2e4 / bare),
        target: "at most 2.0".to_owned(),
        met: ratio <= 2.0,
    })
}

fn large_results(direct: &mut Talker, guarded: &mut Talker, runs: usize) -> Outcome<Row> {
    const SIZE: usize = 4 << 20;
    let (mut bare, mut through) = (Vec::new(), Vec::new());
    for _ in 0..runs * 10 {
        bare.push(direct.large(SIZE)?);
        through.push(guarded.large(SIZE)?);
    }
    let [bare, through] = [bare, through].map(|times| median(times).as_secs_f64());
    let ratio = through / bare;
    Ok(Row {
        what: "results of 4 MiB".to_owned(),
        baseline: "the same server without a guard".to_owned(),
        ratio: format!("{ratio:.2} ({:.1} ms against {:.1} ms)", through * 1e3, bare * 1e3),
        target: "at most 1.3; the peer needs 9 to 12".to_owned(),
        met: ratio <= 1.3,
    })
}

fn first_reply(
    direct: &dyn Fn() -> Outcome<Talker>,
    guarded: &dyn Fn() -> Outcome<Talker>,
    runs: usize,
) -> Outcome<Row> {
    let time = |start: &dyn Fn() -> Outcome<Talker>| {
        let begin = Instant::now();
        let talker = start()?;
        let elapsed = begin.elapsed();
        drop(talker);
        Ok::<Duration, String>(elapsed)
    };
    let (mut bare, mut through) = (Vec::new(), Vec::new());
    for _ in 0..runs * 5 {
        bare.push(time(direct)?);
        through.push(time(guarded)?);
    }
    let [bare, through] = [bare, through].map(|times| median(times).as_secs_f64() * 1e3);
    let added = through - bare;
    Ok(Row {
        what: "start until `initialize` is answered".to_owned(),
        baseline: "the same server without a guard".to_owned(),
        ratio: format!("{added:.1} ms more ({through:.1} against {bare:.1})"),
        target: "at most 12 ms: the peer adds 12 to 32".to_owned(),
        met: added <= 12.0,
    })
}

fn memory(guarded: &mut Talker) -> Outcome<Row> {
    guarded.small()?;
    let before = guarded.peak_mib();
    guarded.large(64 << 20)?;
    let after = guarded.peak_mib();
    let growth = after - before;
    Ok(Row {
        what: "memory of `facet run` after a result of 64 MiB".to_owned(),
        baseline: "its memory before".to_owned(),
        ratio: format!("{growth:.1} MiB more ({after:.1} against {before:.1})"),
        target: "less than 32 MiB; 23 MiB in all".to_owned(),
        met: growth < 32.0 && after < 23.0,
    })
}
