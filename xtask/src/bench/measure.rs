use std::fmt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Outcome;

/// Ratios of pairs that ran right after each other.
pub(super) struct Ratio {
    sorted: Vec<f64>,
}

impl Ratio {
    pub(super) fn new(mut ratios: Vec<f64>) -> Self {
        ratios.sort_by(f64::total_cmp);
        Self { sorted: ratios }
    }

    pub(super) fn median(&self) -> f64 {
        self.sorted[self.sorted.len() / 2]
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let median = self.median();
        let (least, most) = (self.sorted[0], self.sorted[self.sorted.len() - 1]);
        write!(f, "{median:.2} ({least:.2} to {most:.2})")
    }
}

/// The time of the first command divided by that of the second, pair by pair.
pub(super) fn paired_ratio(
    runs: usize,
    first: impl Fn() -> Command,
    second: impl Fn() -> Command,
) -> Outcome<Ratio> {
    // Once each to fill the caches.
    time(&mut first())?;
    time(&mut second())?;
    let mut ratios = Vec::new();
    for _ in 0..runs {
        let (a, b) = (time(&mut first())?, time(&mut second())?);
        ratios.push(a.as_secs_f64() / b.as_secs_f64());
    }
    Ok(Ratio::new(ratios))
}

pub(super) fn time(command: &mut Command) -> Outcome<Duration> {
    command.stdout(Stdio::null()).stdin(Stdio::null());
    let start = Instant::now();
    let status = command.status().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let elapsed = start.elapsed();
    if status.success() { Ok(elapsed) } else { Err(format!("{command:?} failed")) }
}

pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The kernel's own high-water mark, read as long as the process is there.
pub(super) fn peak_memory_mib(command: &mut Command) -> Outcome<f64> {
    command.stdout(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut peak: f64 = 0.0;
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(peak),
            // What does not do its work needs no memory.
            Some(_) => return Err(format!("{command:?} failed")),
            None => {}
        }
        peak = peak.max(high_water_mib(child.id()));
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// The most memory that a process has had; nothing once it is gone.
pub(super) fn high_water_mib(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}
