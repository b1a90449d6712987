//! Archives to publish.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use facets_archive::{ArchiveLimits, PackRequest, SourceTree, pack_facet, pack_server};
use facets_model::ArtifactPath;
use facets_model::tree::ManifestFormat;

const USAGE: &str = "pack-facets FOLDER COUNT, or pack-servers FOLDER COUNT BYTES";

/// A file of a server that makes its archive as large as it is to be.
const ASSET: &str = "asset.bin";
/// Compressing what cannot be compressed takes a second for 20 MiB.
const THREADS: usize = 2;

/// Bytes that look like chance, the same in every run.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Writes small facets, each into a file with its name.
pub(crate) fn facets(folder: &str, count: &str) {
    let (folder, count) = (Path::new(folder), parse(count));
    let source = make_folders(folder);
    fs::create_dir_all(source.join("skills/review")).expect("a directory can be made");
    write(&source.join("skills/review/SKILL.md"), b"# Review\n\nRead the code twice.\n");
    let tree = SourceTree::open(&source).expect("the source can be opened");
    for number in 0..count {
        let name = format!("published-{number:05}");
        let manifest = format!(
            r#"{{"name":"{name}","version":"1.0.0","description":"Reviews code","skills":{{"review":{{"description":"Reviews code"}}}}}}"#
        );
        write(&source.join("facet.json"), manifest.as_bytes());
        let packed =
            pack_facet(&tree, ManifestFormat::Json, &ArchiveLimits::SPEC, create(folder, &name));
        packed.expect("a facet can be packed");
    }
    fs::remove_dir_all(source).expect("the source can be removed");
}

/// Writes servers that cannot be compressed, each into a file with its name.
pub(crate) fn servers(folder: &str, count: &str, size: &str) {
    let (folder, count) = (Path::new(folder), parse(count));
    let source = make_folders(folder);
    write(&source.join("index.ts"), b"console.error(\"it is published, and never started\");\n");
    write(&source.join(ASSET), &noise(parse(size)));
    std::thread::scope(|scope| {
        for first in 0..THREADS {
            let source = &source;
            scope.spawn(move || {
                for number in (first..count).step_by(THREADS) {
                    pack_one_server(source, folder, &format!("large-{number:02}"));
                }
            });
        }
    });
    fs::remove_dir_all(source).expect("the source can be removed");
}

fn pack_one_server(source: &Path, folder: &Path, name: &str) {
    let manifest = format!("name: {name}\nversion: 1.0.0\nruntime: bun\nentry: index.ts\n");
    let path: ArtifactPath = "server.yaml".parse().expect("it is a path");
    let request = PackRequest {
        // Chance can look like a secret.
        allowed_secrets: BTreeSet::from([ASSET.to_owned()]),
        generated: BTreeMap::from([(path, manifest.into_bytes())]),
    };
    let tree = SourceTree::open(source).expect("the source can be opened");
    let packed = pack_server(&tree, &request, &ArchiveLimits::SPEC, create(folder, name));
    packed.expect("a server can be packed");
}

/// Makes the directory of the archives, and one beside it for what is packed.
fn make_folders(folder: &Path) -> PathBuf {
    let source = folder.with_extension("source");
    fs::create_dir_all(folder).expect("a directory can be made");
    fs::create_dir_all(&source).expect("a directory can be made");
    source
}

fn create(folder: &Path, name: &str) -> BufWriter<File> {
    BufWriter::new(File::create(folder.join(name)).expect("an archive can be written"))
}

fn write(path: &Path, content: &[u8]) {
    fs::write(path, content).expect("a file can be written");
}

fn parse(number: &str) -> usize {
    number.parse().expect(USAGE)
}
