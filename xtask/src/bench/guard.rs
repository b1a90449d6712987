//! What a guarded session costs beyond a direct one, both measured in turn.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::measure::median;
use super::talker::Talker;
use super::{Row, Scale};
use crate::Outcome;
use crate::run;

/// What the guard may add to a small call, in multiples of what a relay adds that only copies. Times alone
/// hold on one kind of machine; a relay is slow where the guard is. Both take each message through one
/// process more in each direction: it is woken, reads and writes. The guard also waits for several
/// streams with a call of its own before it reads, finds out what the message is, and decides: all of that
/// may cost as much again as the way.
const MEDIAN_LIMIT: f64 = 2.0;
/// The same for the 99th of a hundred, which also meets the thread of the guard that writes decisions down.
const TAIL_LIMIT: f64 = 3.0;
/// A pause that is none of ours if the direct run has it, too.
const PAUSE: Duration = Duration::from_millis(2);

pub(super) fn rows(facet: &Path, folder: &Path, scale: &Scale) -> Outcome<Vec<Row>> {
    let runs = scale.runs;
    let server = facet.with_file_name("echo-server");
    let relay = facet.with_file_name("facets-bench");
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
    let relayed = || Talker::start(Command::new(&relay).arg("relay").arg(&server));
    let guarded = || Talker::start(&mut facet_command(&["run", "s"]));
    let judged = || Talker::start(&mut facet_command(&["run", "p"]));
    // Where the scheduler puts the processes decides over more than what they do: small calls
    // are measured on one processor.
    let everywhere = rustix::thread::sched_getaffinity(None).map_err(|error| error.to_string())?;
    let mut one = rustix::thread::CpuSet::new();
    one.set(0);
    let place = |set| rustix::thread::sched_setaffinity(None, set).map_err(|e| e.to_string());
    place(&one)?;
    // These machines have slow spells: of several turns that one counts in which the direct calls
    // took least.
    let turn = |_| SmallCalls::measure([direct()?, relayed()?, guarded()?], runs);
    let turns = (0..3).map(turn).collect::<Outcome<Vec<SmallCalls>>>()?;
    let quietest = turns.iter().min_by(|a, b| a.direct.p50.total_cmp(&b.direct.p50));
    let mut rows = quietest.map(SmallCalls::rows).unwrap_or_default();
    rows.push(judged_arguments(&mut guarded()?, &mut judged()?, runs)?);
    place(&everywhere)?;
    rows.push(many_calls(&mut direct()?, &mut guarded()?, runs)?);
    rows.push(large_results(&mut direct()?, &mut guarded()?, runs)?);
    rows.push(first_reply(&direct, &guarded, runs)?);
    rows.push(memory(&mut guarded()?)?);
    Ok(rows)
}

/// Times of small calls: the median, the 99th of a hundred, the longest, and how many were pauses.
struct Spread {
    p50: f64,
    p99: f64,
    most: Duration,
    pauses: usize,
}

fn spread(mut times: Vec<Duration>) -> Spread {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e6;
    Spread {
        p50: at(50),
        p99: at(99),
        most: times.last().copied().unwrap_or_default(),
        pauses: times.iter().filter(|time| **time > PAUSE).count(),
    }
}

/// Small calls of one server: without anything between, behind a relay, behind the guard.
struct SmallCalls {
    count: usize,
    direct: Spread,
    relayed: Spread,
    guarded: Spread,
}

impl SmallCalls {
    /// The three in turn, so that a slow spell slows all of them.
    fn measure(mut talkers: [Talker; 3], runs: usize) -> Outcome<Self> {
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for talker in &mut talkers {
            for _ in 0..200 {
                talker.small()?;
            }
        }
        for _ in 0..runs * 10 {
            for (talker, times) in talkers.iter_mut().zip(&mut times) {
                for _ in 0..500 {
                    times.push(talker.small()?);
                }
            }
        }
        let count = times[0].len();
        let [direct, relayed, guarded] = times.map(spread);
        Ok(Self { count, direct, relayed, guarded })
    }

    fn rows(&self) -> Vec<Row> {
        let Self { count, direct, relayed, guarded } = self;
        let relay = relayed.p50 - direct.p50;
        let what = "what `facet run` adds to a small call";
        let median = added_row(
            format!("{what} on one processor, median of {count}"),
            (direct.p50, relay, guarded.p50 - direct.p50),
            MEDIAN_LIMIT,
            "the best known peer adds 63 to 125 µs",
        );
        let tail = added_row(
            format!("{what}, 99th of a hundred"),
            // A relay that happens to have no tail still has its way.
            (direct.p99, relay.max(relayed.p99 - direct.p99), guarded.p99 - direct.p99),
            TAIL_LIMIT,
            "the peer adds 305 µs",
        );
        vec![median, tail, self.pauses()]
    }

    fn pauses(&self) -> Row {
        let Self { count, direct, guarded, .. } = self;
        Row {
            what: "pauses over 2 ms".to_owned(),
            baseline: "the same server without a guard".to_owned(),
            ratio: format!(
                "{} against {} (longest {:.1} ms against {:.1} ms)",
                guarded.pauses,
                direct.pauses,
                guarded.most.as_secs_f64() * 1e3,
                direct.most.as_secs_f64() * 1e3
            ),
            target: "no more than one in a thousand calls beyond the direct run".to_owned(),
            met: guarded.pauses <= direct.pauses + count / 1000,
        }
    }
}

/// What the guard adds to a direct call, compared with what a relay adds (microseconds).
fn added_row(what: String, (direct, relay, guard): (f64, f64, f64), limit: f64, peer: &str) -> Row {
    let ratio = guard / relay;
    Row {
        what,
        baseline: "what a relay adds that only copies".to_owned(),
        ratio: format!(
            "{ratio:.2} ({guard:.1} µs against {relay:.1} µs, a direct call takes {direct:.1} µs)"
        ),
        target: format!("at most {limit:.1}; {peer}"),
        met: ratio <= limit,
    }
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
