//! What bun makes of large source files, kept so that it is not made at each start. Bun itself would keep it in the user's
//! home and run it without comparing it with anything: here it is made once, in a sandbox without network, and is a tree
//! of the store like any other.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use facets_digest::{Digest, Hasher};
use facets_launch::{Launcher, Network};
use facets_store::{FileMode, Store, StoredTree, TreeKey, TreePin, Verified};

use crate::error::PackageError;
use crate::npm_resolver::private_folder;
use crate::resolver_run::{ResolverRun, text_of};
use crate::wheel_tree::unwritable;

/// The variable that tells bun where it lies.
pub const CACHE_VARIABLE: &str = "BUN_RUNTIME_TRANSPILER_CACHE_PATH";

/// Servers that take longer to say something are stopped; what was made until then is kept.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server answers this when all of its modules are loaded.
const FIRST_QUESTION: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\
    \"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\
    \"clientInfo\":{\"name\":\"facet\",\"version\":\"0\"}}}\n";

/// What a cache is made from.
#[derive(Clone, Copy, Debug)]
pub struct Transpiling<'t> {
    /// The files of all packages.
    pub tree: &'t Path,
    /// The digest of these.
    pub tree_digest: &'t Digest,
    /// Bun.
    pub bun: &'t Path,
    /// The digest of that.
    pub bun_digest: &'t Digest,
    /// The words between bun and the arguments of the server.
    pub words: &'t [std::ffi::OsString],
}

impl Transpiling<'_> {
    fn key(&self) -> TreeKey {
        let mut hasher = Hasher::with_domain("transpiled");
        let words: Vec<String> =
            self.words.iter().map(|word| word.to_string_lossy().into()).collect();
        let (tree, bun) = (self.tree_digest, self.bun_digest);
        hasher.update(format!("{tree}\n{bun}\n{}\n", words.join("\n")).as_bytes());
        TreeKey::Closure(hasher.finish())
    }

    /// The cache, if there is one.
    pub fn find(&self, store: &Store) -> Result<Option<Verified<StoredTree>>, PackageError> {
        Ok(store.get_tree(&self.key(), TreePin::AsStored)?)
    }

    /// Starts the server once, without network, arguments, variables or files of the user, and keeps what bun made.
    pub fn make(
        &self,
        store: &Store,
        launcher: &Launcher,
    ) -> Result<Verified<StoredTree>, PackageError> {
        let folder = private_folder()?;
        let cache = folder.path().join("cache");
        fs::create_dir(&cache).map_err(unwritable(&cache))?;
        self.start(launcher, folder.path(), &cache)?;
        store.put_tree(&self.key(), TreePin::AsStored, |writer| {
            for path in files_of(&cache)? {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let file = fs::File::open(&path).map_err(unwritable(&path))?;
                writer.file(&name, FileMode::Plain, file)?;
            }
            Ok::<(), PackageError>(())
        })
    }

    fn start(&self, launcher: &Launcher, folder: &Path, cache: &Path) -> Result<(), PackageError> {
        let run = ResolverRun {
            launcher,
            program: self.bun,
            args: self.words.to_vec(),
            folder,
            read: vec![self.bun.to_owned(), self.tree.to_owned()],
            variables: BTreeMap::from([(CACHE_VARIABLE.to_owned(), text_of(cache))]),
            network: Network::Closed,
            starts_others: false,
            patience: PATIENCE,
        };
        let mut running = launcher.start(&run.launch())?;
        let Some((stdout, mut stdin)) = running.take_streams() else { return Ok(()) };
        // One that ends at once, because it lacks arguments or variables, has loaded its modules before that.
        let _ = stdin.write_all(FIRST_QUESTION.as_bytes());
        let (answered, answer) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let _ = BufReader::new(stdout).read_line(&mut line);
            let _ = answered.send(());
        });
        let _ = answer.recv_timeout(PATIENCE);
        drop(stdin);
        running.stop();
        Ok(())
    }
}

/// The files directly in a folder, in order; bun makes no others.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, PackageError> {
    let entries = fs::read_dir(folder).map_err(unwritable(folder))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.symlink_metadata().is_ok_and(|data| data.is_file())).collect();
    files.sort();
    Ok(files)
}
