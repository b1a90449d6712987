//! The sessions of this user: what runs, what it said, and how to reach it.

use std::cmp::Reverse;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use facets_digest::json::{self, Limits, Provenance, Value, quoted};

use crate::error::ProjectError;
use crate::files::io;
use crate::followed_log::FollowedLog;
use crate::user_directory::UserDirectory;

/// Sessions that have ended and whose words are kept.
const KEPT: usize = 20;
/// Bytes of a log before it begins anew; one older part is kept.
const LOG_SIZE: u64 = 1 << 20;
/// Whoever does not answer in this time is not asked again.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// The name of the server.
    pub name: String,
    /// Where its project lies.
    pub project: String,
    /// The process that guards it.
    pub pid: u32,
    /// Seconds since 1970.
    pub started: u64,
    /// What is started or called.
    pub launch: String,
}

impl RunRecord {
    fn to_json(&self) -> String {
        format!(
            "{{\"launch\":{},\"name\":{},\"pid\":{},\"project\":{},\"started\":{}}}\n",
            quoted(&self.launch),
            quoted(&self.name),
            self.pid,
            quoted(&self.project),
            self.started
        )
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let value = json::parse(bytes, Provenance::Authored, Limits::DEFINITION).ok()?;
        let Value::Object(object) = value else { return None };
        let text = |name: &str| match object.get(name) {
            Some(Value::String(text)) => Some(text.to_string()),
            _ => None,
        };
        let number = |name: &str| match object.get(name) {
            Some(value @ Value::Number(_)) => {
                String::from_utf8(value.to_canonical()).ok()?.parse::<u64>().ok()
            }
            _ => None,
        };
        Some(Self {
            name: text("name")?,
            project: text("project")?,
            pid: u32::try_from(number("pid")?).ok()?,
            started: number("started")?,
            launch: text("launch")?,
        })
    }
}

/// The folder of all sessions of this user.
#[derive(Clone, Debug)]
pub struct Runs {
    folder: PathBuf,
}

/// A session that is going on, as its own process sees it. Dropping it strikes it off.
#[derive(Debug)]
pub struct RunEntry {
    folder: PathBuf,
    pid: u32,
    /// Held as long as the session lasts: whoever can lock it knows that it has ended.
    _file: File,
    /// Where others knock.
    pub listener: UnixListener,
}

impl Runs {
    /// The sessions of this user.
    pub fn of_this_user() -> Result<Self, ProjectError> {
        Self::in_directory(&UserDirectory::of_person()?)
    }

    /// The sessions in a user's directory.
    pub fn in_directory(user: &UserDirectory) -> Result<Self, ProjectError> {
        Ok(Self { folder: user.made("runs")? })
    }

    /// Enters a session of this process.
    pub fn enter(&self, record: &RunRecord) -> Result<RunEntry, ProjectError> {
        self.sweep();
        let path = self.path(record.pid, "json");
        // One of the same number that was killed.
        for extension in ["json", "sock", "log", "log.1"] {
            let _ = fs::remove_file(self.path(record.pid, extension));
        }
        let file = OpenOptions::new().create_new(true).read(true).write(true).open(&path);
        let mut file = file.map_err(io("write", &path))?;
        file.try_lock().map_err(|_| io("lock", &path)(std::io::ErrorKind::WouldBlock.into()))?;
        file.write_all(record.to_json().as_bytes()).map_err(io("write", &path))?;
        let socket = self.path(record.pid, "sock");
        let listener = at_short_path(&socket, |path| UnixListener::bind(path))
            .map_err(io("write", &socket))?;
        Ok(RunEntry { folder: self.folder.clone(), pid: record.pid, _file: file, listener })
    }

    fn path(&self, pid: u32, extension: &str) -> PathBuf {
        self.folder.join(format!("{pid}.{extension}"))
    }

    /// All records, the newest first, and whether each session is still going on.
    #[must_use]
    pub fn all(&self) -> Vec<(RunRecord, bool)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let records = entries
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "json"));
        let found = records.filter_map(|entry| {
            let (record, is_running) = read_record(&entry.path())?;
            // Several may begin within a second; a record is written once, when its session begins.
            let written = entry.metadata().and_then(|data| data.modified()).ok();
            Some((Reverse((record.started, written)), record, is_running))
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|(begun, record, _)| (*begun, record.pid));
        found.into_iter().map(|(_, record, is_running)| (record, is_running)).collect()
    }

    /// Asks a session how it stands; with a word, also for something.
    pub fn ask(&self, pid: u32, word: &str) -> Result<String, ProjectError> {
        let path = self.path(pid, "sock");
        let stream = at_short_path(&path, |path| UnixStream::connect(path));
        let mut stream = stream.map_err(io("read", &path))?;
        let mut answer = String::new();
        let asked = stream
            .set_read_timeout(Some(PATIENCE))
            .and_then(|()| stream.write_all(format!("{word}\n").as_bytes()))
            .and_then(|()| (&mut stream).take(1 << 20).read_to_string(&mut answer));
        asked.map_err(io("read", &path))?;
        Ok(answer)
    }

    /// What a session has written down, the older part first.
    #[must_use]
    pub fn log(&self, pid: u32) -> Vec<u8> {
        let read = |extension: &str| fs::read(self.path(pid, extension)).unwrap_or_default();
        let mut log = read("log.1");
        log.extend(read("log"));
        log
    }

    /// The same while it is written.
    #[must_use]
    pub fn follow(&self, pid: u32) -> FollowedLog {
        FollowedLog::new(self.path(pid, "log"))
    }

    /// Whether a session is still going on.
    #[must_use]
    pub fn is_running(&self, record: &RunRecord) -> bool {
        let now = read_record(&self.path(record.pid, "json"));
        now.is_some_and(|(now, is_running)| is_running && now == *record)
    }

    /// Removes what is left of sessions that ended long ago.
    fn sweep(&self) {
        let ended = self.all().into_iter().filter(|(_, is_running)| !is_running);
        for (record, _) in ended.skip(KEPT) {
            for extension in ["json", "sock", "log", "log.1"] {
                let _ = fs::remove_file(self.path(record.pid, extension));
            }
        }
    }
}

fn read_record(path: &Path) -> Option<(RunRecord, bool)> {
    let mut file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    (&mut file).take(1 << 20).read_to_end(&mut bytes).ok()?;
    let record = RunRecord::parse(&bytes)?;
    let is_running = file.try_lock_shared().is_err();
    Some((record, is_running))
}

impl RunEntry {
    /// Where the words of this session go.
    pub fn log(&self) -> Result<RunLog, ProjectError> {
        let path = self.folder.join(format!("{}.log", self.pid));
        let file = File::create(&path).map_err(io("write", &path))?;
        Ok(RunLog { path, file, written: 0 })
    }
}

impl Drop for RunEntry {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.folder.join(format!("{}.sock", self.pid)));
    }
}

/// A file that does not grow without end.
#[derive(Debug)]
pub struct RunLog {
    path: PathBuf,
    file: File,
    written: u64,
}

impl RunLog {
    /// Appends, as well as it can: a full disk is no reason to end a session.
    pub fn append(&mut self, bytes: &[u8]) {
        if self.written > LOG_SIZE {
            let _ = fs::rename(&self.path, self.path.with_extension("log.1"));
            let Ok(file) = File::create(&self.path) else { return };
            self.file = file;
            self.written = 0;
        }
        if self.file.write_all(bytes).is_ok() {
            self.written += bytes.len() as u64;
        }
    }
}

/// Seconds since 1970.
#[must_use]
pub fn seconds_now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

/// The names of sockets have hardly a hundred bytes; through its folder any of them is short.
fn at_short_path<T>(
    path: &Path,
    act: impl FnOnce(&Path) -> std::io::Result<T>,
) -> std::io::Result<T> {
    use std::os::fd::AsRawFd as _;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return act(path);
    };
    let folder = File::open(folder)?;
    act(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}
