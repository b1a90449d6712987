//! The source scanner in its sandbox: source comes in on standard input, what it shows goes out.
//!
//! Hostile source can exhaust a parser's stack, which ends the process. So there is a process
//! for it, with limits, and whoever started it goes on with another.

use std::io::{self, BufRead, Read, Write};

use facets_launch::Stage;
use facets_scan::{Analyser, Analysis, Unreadable};
use rustix::process::{Resource, Rlimit, setrlimit};

/// Nested source takes stack; this much is reserved, and used only if it is needed.
const STACK: usize = 256 << 20;
/// Address space, the stack included.
const MEMORY: u64 = 2 << 30;
/// A file is no larger; its sender looks.
const MAX_SOURCE: u64 = 64 << 20;

/// The stage to register in `main`.
pub const SCAN_STAGE: Stage = Stage { name: "scan", run };

fn run() -> i32 {
    limit(Resource::As, MEMORY);
    // What crashes here is expected, and nobody needs a picture of it.
    limit(Resource::Core, 0);
    let scanner = std::thread::Builder::new().stack_size(STACK).spawn(serve);
    let served = scanner.map(|scanner| matches!(scanner.join(), Ok(Ok(()))));
    i32::from(!served.unwrap_or(false))
}

fn limit(resource: Resource, most: u64) {
    // The caller watches time and size all the same.
    let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
}

fn serve() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut analyser = Analyser::default();
    while let Some((path, source)) = read_question(&mut input)? {
        let answer = match analyser.analyse(&path, &source) {
            Ok(analysis) => analysis.encode(),
            Err(Unreadable::NotText) => b"-it is not UTF-8\n".to_vec(),
            Err(Unreadable::Syntax) => b"-it cannot be parsed\n".to_vec(),
        };
        output.write_all(&answer)?;
        output.flush()?;
    }
    Ok(())
}

/// Sends a file: two lengths, the name, the source.
pub(crate) fn write_question(out: &mut impl Write, path: &str, source: &[u8]) -> io::Result<()> {
    out.write_all(&(path.len() as u64).to_le_bytes())?;
    out.write_all(&(source.len() as u64).to_le_bytes())?;
    out.write_all(path.as_bytes())?;
    out.write_all(source)?;
    out.flush()
}

fn read_question(input: &mut impl Read) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut lengths = [0; 16];
    match input.read_exact(&mut lengths) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = |at: usize| {
        let bytes = lengths[at..].first_chunk().copied().unwrap_or_default();
        u64::from_le_bytes(bytes)
    };
    let mut take = |length: u64| {
        if length > MAX_SOURCE {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        input.read_exact(&mut bytes).map(|()| bytes)
    };
    let (path, source) = (take(length(0))?, take(length(8))?);
    Ok(Some((String::from_utf8_lossy(&path).into_owned(), source)))
}

/// Reads what the scanner says of a file: an analysis, or why there is none.
pub(crate) fn read_answer(input: &mut impl BufRead) -> io::Result<Result<Analysis, String>> {
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    match line.split_first() {
        Some((b'-', reason)) => Ok(Err(String::from_utf8_lossy(reason).trim().to_owned())),
        _ => Analysis::decode(&line).map(Ok).ok_or_else(|| io::ErrorKind::InvalidData.into()),
    }
}
