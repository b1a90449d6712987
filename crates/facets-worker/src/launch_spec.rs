use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::verified_path::VerifiedPath;

/// Whether a server may use the network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// As the user may.
    #[default]
    Open,
    /// No sockets of any kind.
    Closed,
    /// TCP to these, each a host and a port, through a proxy that the environment names.
    Hosts(Vec<String>),
}

/// Whether a server may start other programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Subprocess {
    /// As the user may.
    #[default]
    Open,
    /// Threads only; and what it becomes is one of these files.
    Closed {
        /// What can be executed, so that the server itself can be started.
        execute: Vec<PathBuf>,
    },
}

/// Which files a server may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Filesystem {
    /// As the user may.
    #[default]
    Open,
    /// These, the system's programs and libraries, and a scratch directory of its own.
    Listed {
        /// To read and execute.
        read: Vec<PathBuf>,
        /// Folders to list, with all below: names, and nothing else.
        names: Vec<PathBuf>,
        /// To read and write.
        write: Vec<PathBuf>,
    },
}

impl Filesystem {
    /// Whether anything of a file or directory is opened that no other server has: the system's own files do
    /// not count.
    #[must_use]
    pub fn opens_part_of(&self, found: &Path) -> bool {
        let touches = |path: &PathBuf| found.starts_with(path) || path.starts_with(found);
        match self {
            Self::Open => true,
            Self::Listed { read, write, .. } => read.iter().chain(write).any(touches),
        }
    }
}

/// What a server is kept from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// The network.
    pub network: Network,
    /// Files.
    pub filesystem: Filesystem,
    /// Other programs.
    pub subprocess: Subprocess,
}

impl Sandbox {
    /// Whether it keeps the server from anything.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }
}

/// How much a server may use. One that uses more is ended with everything that it has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Bytes of memory that its processes together have resident.
    pub resident: u64,
    /// Processes and threads.
    pub tasks: u32,
    /// Bytes of its scratch directory, and of each file that it writes.
    pub written: u64,
}

/// What is started inside the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A file, found already.
    File(PathBuf),
    /// A stage of our own binary, by its name.
    Stage(String),
}

/// What the supervisor starts, and how: everything is decided, nothing is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSpec {
    /// The program.
    pub program: Program,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment, but for what is scratch.
    pub env: Vec<(OsString, OsString)>,
    /// Names of variables whose values are new folders that go with the process.
    pub scratch: Vec<OsString>,
    /// Where it starts.
    pub directory: PathBuf,
    /// What it is kept from.
    pub sandbox: Sandbox,
    /// What it is started from, where that was verified.
    pub verified: Vec<VerifiedPath>,
    /// How much it may use; none for as much as the user may.
    pub limits: Option<ResourceLimits>,
}

/// The bytes are not a launch specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the launch specification is malformed")]
pub struct LaunchSpecError;

impl LaunchSpec {
    /// A list of lists, each text with its length before it: nothing needs escaping.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let env = self.env.iter().flat_map(|(name, value)| [name.as_os_str(), value.as_os_str()]);
        let none = Vec::new();
        let (network, hosts) = match &self.sandbox.network {
            Network::Open => ("open", &none),
            Network::Closed => ("closed", &none),
            Network::Hosts(hosts) => ("hosts", hosts),
        };
        let empty = Vec::new();
        let (subprocess, execute) = match &self.sandbox.subprocess {
            Subprocess::Open => ("open", &empty),
            Subprocess::Closed { execute } => ("closed", execute),
        };
        let (listed, files) = match &self.sandbox.filesystem {
            Filesystem::Open => ("open", [&empty; 3]),
            Filesystem::Listed { read, names, write } => ("listed", [read, names, write]),
        };
        let (kind, program) = match &self.program {
            Program::File(path) => ("file", path.as_os_str()),
            Program::Stage(name) => ("stage", OsStr::new(name)),
        };
        let mut out = Vec::new();
        put(&mut out, [OsStr::new(kind), program].into_iter());
        put(&mut out, std::iter::once(self.directory.as_os_str()));
        put(&mut out, self.args.iter().map(OsString::as_os_str));
        put(&mut out, env);
        put(&mut out, self.scratch.iter().map(OsString::as_os_str));
        put(&mut out, [OsStr::new(network), OsStr::new(listed)].into_iter());
        put(&mut out, hosts.iter().map(OsStr::new));
        put(&mut out, std::iter::once(OsStr::new(subprocess)));
        put(&mut out, execute.iter().map(|path| path.as_os_str()));
        for paths in files {
            put(&mut out, paths.iter().map(|path| path.as_os_str()));
        }
        let verified =
            self.verified.iter().flat_map(|one| [one.path.as_os_str(), OsStr::new(&one.identity)]);
        put(&mut out, verified);
        let limits = self.limits.map(limit_texts);
        put(&mut out, limits.iter().flatten().map(OsStr::new));
        out
    }

    /// The reverse of [`Self::encode`].
    pub fn decode(mut bytes: &[u8]) -> Result<Self, LaunchSpecError> {
        let [kind, program] = pair(take(&mut bytes)?)?;
        let program = match kind.to_str() {
            Some("file") => Program::File(program.into()),
            Some("stage") => Program::Stage(program.into_string().map_err(|_| LaunchSpecError)?),
            _ => return Err(LaunchSpecError),
        };
        let directory = take(&mut bytes)?.pop().ok_or(LaunchSpecError)?;
        let args = take(&mut bytes)?;
        let env = take(&mut bytes)?;
        let scratch = take(&mut bytes)?;
        let [network, listed] = pair(take(&mut bytes)?)?;
        let hosts = take(&mut bytes)?;
        let subprocess = take(&mut bytes)?;
        let execute = take(&mut bytes)?;
        let paths = |list: Vec<OsString>| list.into_iter().map(PathBuf::from).collect();
        let [read, names, write] =
            [paths(take(&mut bytes)?), paths(take(&mut bytes)?), paths(take(&mut bytes)?)];
        let verified = verified_paths(&take(&mut bytes)?)?;
        let limits = parse_limits(&take(&mut bytes)?)?;
        let filesystem = match listed.to_str() {
            Some("listed") => Filesystem::Listed { read, names, write },
            Some("open") => Filesystem::Open,
            _ => return Err(LaunchSpecError),
        };
        let network = match network.to_str() {
            Some("closed") => Network::Closed,
            Some("open") => Network::Open,
            Some("hosts") => {
                let hosts = hosts.into_iter().map(OsString::into_string);
                Network::Hosts(hosts.collect::<Result<_, _>>().map_err(|_| LaunchSpecError)?)
            }
            _ => return Err(LaunchSpecError),
        };
        let subprocess = match subprocess.first().and_then(|word| word.to_str()) {
            Some("closed") => Subprocess::Closed { execute: paths(execute) },
            Some("open") => Subprocess::Open,
            _ => return Err(LaunchSpecError),
        };
        Ok(Self {
            program,
            args,
            env: env.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect(),
            scratch,
            directory: directory.into(),
            sandbox: Sandbox { network, filesystem, subprocess },
            verified,
            limits,
        })
    }
}

/// Each as a number in decimal.
fn limit_texts(limits: ResourceLimits) -> [String; 3] {
    [limits.resident, limits.tasks.into(), limits.written].map(|limit| limit.to_string())
}

/// The reverse of [`limit_texts`]; an empty list for none.
fn parse_limits(list: &[OsString]) -> Result<Option<ResourceLimits>, LaunchSpecError> {
    let [resident, tasks, written] = list else {
        return if list.is_empty() { Ok(None) } else { Err(LaunchSpecError) };
    };
    let number = |text: &OsString| {
        text.to_str().and_then(|text| text.parse::<u64>().ok()).ok_or(LaunchSpecError)
    };
    let (resident, written) = (number(resident)?, number(written)?);
    let tasks = u32::try_from(number(tasks)?).map_err(|_| LaunchSpecError)?;
    Ok(Some(ResourceLimits { resident, tasks, written }))
}

/// Each is a path and the text of its identity.
fn verified_paths(list: &[OsString]) -> Result<Vec<VerifiedPath>, LaunchSpecError> {
    let pairs = list.chunks(2).map(|pair| match pair {
        [path, identity] => {
            let identity = identity.to_str().ok_or(LaunchSpecError)?.to_owned();
            Ok(VerifiedPath { path: path.into(), identity })
        }
        _ => Err(LaunchSpecError),
    });
    pairs.collect()
}

fn put<'t>(out: &mut Vec<u8>, texts: impl Iterator<Item = &'t OsStr>) {
    let texts: Vec<&OsStr> = texts.collect();
    out.extend_from_slice(&(texts.len() as u64).to_le_bytes());
    for text in texts {
        out.extend_from_slice(&(text.len() as u64).to_le_bytes());
        out.extend_from_slice(text.as_bytes());
    }
}

fn take(bytes: &mut &[u8]) -> Result<Vec<OsString>, LaunchSpecError> {
    let count = take_number(bytes)?;
    (0..count)
        .map(|_| {
            let length = take_number(bytes)?;
            let (text, rest) = bytes.split_at_checked(length).ok_or(LaunchSpecError)?;
            *bytes = rest;
            Ok(OsString::from_vec(text.to_vec()))
        })
        .collect()
}

fn take_number(bytes: &mut &[u8]) -> Result<usize, LaunchSpecError> {
    let (number, rest) = bytes.split_first_chunk().ok_or(LaunchSpecError)?;
    *bytes = rest;
    usize::try_from(u64::from_le_bytes(*number)).map_err(|_| LaunchSpecError)
}

fn pair(list: Vec<OsString>) -> Result<[OsString; 2], LaunchSpecError> {
    list.try_into().map_err(|_| LaunchSpecError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_specification_arrives_as_it_was_sent() {
        let spec = LaunchSpec {
            program: Program::File("/usr/bin/env".into()),
            args: vec!["a b".into(), "".into(), OsString::from_vec(vec![0xff, b'\n'])],
            env: vec![("A".into(), "1\n2".into()), ("B".into(), "".into())],
            scratch: vec!["TMPDIR".into()],
            directory: "/".into(),
            sandbox: Sandbox {
                network: Network::Hosts(vec!["a.example:443".to_owned()]),
                filesystem: Filesystem::Listed {
                    read: vec!["/x".into()],
                    names: vec!["/y".into()],
                    write: vec![],
                },
                subprocess: Subprocess::Closed { execute: vec!["/bin/sh".into()] },
            },
            verified: vec![VerifiedPath { path: "/t".into(), identity: "1:2 3.4".to_owned() }],
            limits: Some(ResourceLimits { resident: 1 << 40, tasks: 7, written: 0 }),
        };
        let bytes = spec.encode();
        assert_eq!(LaunchSpec::decode(&bytes), Ok(spec));
        for end in 0..bytes.len() {
            assert_eq!(LaunchSpec::decode(&bytes[..end]), Err(LaunchSpecError));
        }
    }

    #[test]
    fn limits_are_all_or_none() {
        let parsed = |texts: &[&str]| {
            let list: Vec<OsString> = texts.iter().map(OsString::from).collect();
            parse_limits(&list)
        };
        assert_eq!(parsed(&[]), Ok(None));
        let limits = ResourceLimits { resident: 1, tasks: 2, written: 3 };
        assert_eq!(parsed(&["1", "2", "3"]), Ok(Some(limits)));
        for bad in [&["1"][..], &["1", "2", "-3"], &["1", "4294967296", "3"], &["1", "", "3"]] {
            assert_eq!(parsed(bad), Err(LaunchSpecError), "{bad:?}");
        }
    }

    #[test]
    fn a_file_is_opened_in_part_by_what_lies_in_it_or_around_it() {
        let path = Path::new("/a/node_modules");
        let listed = |read: &[&str], write: &[&str]| {
            let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect();
            Filesystem::Listed { read: paths(read), names: Vec::new(), write: paths(write) }
        };
        assert!(Filesystem::Open.opens_part_of(path));
        assert!(listed(&["/a"], &[]).opens_part_of(path));
        assert!(listed(&[], &["/a/node_modules/left-pad"]).opens_part_of(path));
        assert!(!listed(&["/a/tree"], &["/b"]).opens_part_of(path));
    }
}
