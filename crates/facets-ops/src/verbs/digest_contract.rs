//! `facet digest contract` and `facet digest compare`: behaviour as one digest (spec 6).

use std::collections::BTreeMap;

use facets_surface::fusion::{
    self, FusionComparison, FusionContracts, FusionDigest, FusionError, FusionServerDigest, Js,
    Mismatch,
};
use facets_surface::{
    Contract, ContractDigest, Contracts, Part, ServerContract, compare_contracts,
    parse_surface_file,
};

pub use crate::contract_input::Mode;
use crate::contract_input::{MAX_INPUT, is_surface, mode_of, read_v1};
use crate::error::OpsError;
use crate::input::Input;

/// What to digest.
#[derive(Debug)]
pub struct DigestContractRequest {
    /// One contract, contracts by name, or a surface file.
    pub input: Input,
    /// Whose digest.
    pub mode: Mode,
}

/// The digests of a document.
#[derive(Debug)]
pub enum DigestContractReport {
    /// Of one contract.
    One(String, ContractDigest),
    /// Of a server.
    Server(ServerContract),
    /// Of one contract of MCP Fusion.
    FusionOne(FusionDigest, Warned),
    /// Of a server of MCP Fusion.
    FusionServer(FusionServerDigest, Warned),
}

/// Whether a member called `__proto__` was left out, as the reference does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warned {
    /// Everything is in the digest.
    Nothing,
    /// Something is not.
    Hidden,
}

/// Digests contracts.
pub fn digest_contract(request: &DigestContractRequest) -> Result<DigestContractReport, OpsError> {
    let bytes = request.input.read(MAX_INPUT)?;
    match request.mode {
        Mode::V1 => Ok(match read_v1(&bytes, &request.input)? {
            Contracts::One(contract) => {
                DigestContractReport::One(contract.name().to_owned(), contract.digest())
            }
            Contracts::Server(contracts) => DigestContractReport::Server(server(&contracts)),
        }),
        Mode::FusionV1 => {
            let document = read_fusion(&bytes, &request.input)?;
            if matches!(document.get("lockfileVersion"), Some(Js::Number(_))) {
                return Err(fusion_error(&request.input, FusionError::Lockfile));
            }
            let hidden = if document.hides_something() { Warned::Hidden } else { Warned::Nothing };
            let digests = fusion::digest_contracts(&document);
            Ok(match digests.map_err(|source| fusion_error(&request.input, source))? {
                FusionContracts::One(digest) => DigestContractReport::FusionOne(digest, hidden),
                FusionContracts::Server(server) => {
                    DigestContractReport::FusionServer(server, hidden)
                }
            })
        }
    }
}

fn server(contracts: &[Contract]) -> ServerContract {
    let digests = contracts.iter().map(|one| (one.name().to_owned(), one.digest()));
    ServerContract::of(digests.collect())
}

fn read_fusion<'b>(bytes: &'b [u8], input: &Input) -> Result<Js<'b>, OpsError> {
    fusion::parse(bytes).map_err(|source| OpsError::Json { path: input.name(), source })
}

fn fusion_error(input: &Input, source: FusionError) -> OpsError {
    match source {
        FusionError::Json(source) => OpsError::Json { path: input.name(), source },
        source => OpsError::Fusion { path: input.name(), source },
    }
}

/// What to compare.
#[derive(Debug)]
pub struct DigestCompareRequest {
    /// The first.
    pub before: Input,
    /// The second.
    pub after: Input,
}

/// What became of the tools.
#[derive(Debug)]
pub struct DigestCompareReport {
    /// Whose digests were compared.
    pub mode: Mode,
    /// The server digests.
    pub digests: [String; 2],
    /// Whether those say that the two differ.
    pub differs: bool,
    /// Only in the second.
    pub added: Vec<String>,
    /// Only in the first.
    pub removed: Vec<String>,
    /// In both, with the parts that differ where they are known.
    pub changed: Vec<(String, Vec<Part>)>,
    /// In both, and the same.
    pub unchanged: Vec<String>,
    /// What a lockfile says and the other side does not.
    pub mismatches: Vec<Mismatch>,
    /// The scanners behind the entitlements, where they are known.
    pub scanners: [Option<u32>; 2],
}

impl DigestCompareReport {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_same(&self) -> bool {
        !self.differs
            && self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.mismatches.is_empty()
    }
}

/// Compares two servers, or two contracts, by their digests.
pub fn digest_compare(request: &DigestCompareRequest) -> Result<DigestCompareReport, OpsError> {
    if request.before == Input::Stdin && request.after == Input::Stdin {
        return Err(OpsError::StdinTwice);
    }
    let before = request.before.read(MAX_INPUT)?;
    let after = request.after.read(MAX_INPUT)?;
    let modes = (mode_of(&before), mode_of(&after));
    match modes {
        (Mode::V1, Mode::V1) => {
            let scanners = [scanner_of(&before), scanner_of(&after)];
            let before = whole(read_v1(&before, &request.before)?);
            let after = whole(read_v1(&after, &request.after)?);
            Ok(DigestCompareReport { scanners, ..compare_v1(&before, &after) })
        }
        (Mode::FusionV1, Mode::FusionV1) => compare_fusion(request, &before, &after),
        (Mode::V1, Mode::FusionV1) => Err(OpsError::ModesDiffer { fusion: request.after.name() }),
        (Mode::FusionV1, Mode::V1) => Err(OpsError::ModesDiffer { fusion: request.before.name() }),
    }
}

/// The version of the scanner behind a surface file; none if nobody looked, or nobody says.
fn scanner_of(bytes: &[u8]) -> Option<u32> {
    if !is_surface(bytes) {
        return None;
    }
    parse_surface_file(bytes).ok()?.source.entitlements?.scanner
}

fn whole(contracts: Contracts) -> ServerContract {
    match contracts {
        Contracts::One(contract) => server(&[contract]),
        Contracts::Server(contracts) => server(&contracts),
    }
}

fn compare_v1(before: &ServerContract, after: &ServerContract) -> DigestCompareReport {
    let comparison = compare_contracts(before, after);
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    DigestCompareReport {
        mode: Mode::V1,
        differs: before.digest != after.digest,
        digests: [before.digest.to_string(), after.digest.to_string()],
        added: owned(comparison.added),
        removed: owned(comparison.removed),
        changed: comparison
            .changed
            .into_iter()
            .map(|(name, parts)| (name.to_owned(), parts))
            .collect(),
        unchanged: owned(comparison.unchanged),
        mismatches: Vec::new(),
        scanners: [None, None],
    }
}

/// One side of a comparison.
enum FusionSide<'b> {
    Lockfile(fusion::FusionLockfile<'b>),
    Contracts(Js<'b>, FusionServerDigest),
}

fn side<'b>(input: &Input, bytes: &'b [u8]) -> Result<FusionSide<'b>, OpsError> {
    let document = read_fusion(bytes, input)?;
    let refused = |source| fusion_error(input, source);
    if matches!(document.get("lockfileVersion"), Some(Js::Number(_))) {
        return fusion::parse_lockfile(bytes).map(FusionSide::Lockfile).map_err(refused);
    }
    // One contract is a server of one tool.
    let name = document.get("surface").and_then(|surface| surface.get("name"));
    let document = match name.and_then(Js::text).map(str::to_owned) {
        Some(name) => Js::Object(vec![(name.into(), document)]),
        None => document,
    };
    match fusion::digest_contracts(&document).map_err(refused)? {
        FusionContracts::Server(server) => Ok(FusionSide::Contracts(document, server)),
        FusionContracts::One(_) => Err(refused(FusionError::NotALockfile)),
    }
}

impl FusionSide<'_> {
    fn digests(&self) -> fusion::Digests<'_> {
        match self {
            Self::Contracts(_, server) => server.digests(),
            Self::Lockfile(lock) => {
                let tools =
                    lock.tools.iter().map(|tool| (tool.name.as_str(), tool.digest.as_str()));
                let digest = &lock.integrity_digest;
                (digest.strip_prefix("sha256:").unwrap_or(digest), tools.collect())
            }
        }
    }

    /// The digests of the components of each tool, where they are known.
    fn components(&self) -> BTreeMap<&str, &[String; 4]> {
        match self {
            Self::Lockfile(_) => BTreeMap::new(),
            Self::Contracts(_, server) => {
                server.tools.iter().map(|(name, tool)| (name.as_str(), &tool.components)).collect()
            }
        }
    }
}

fn compare_fusion(
    request: &DigestCompareRequest,
    before: &[u8],
    after: &[u8],
) -> Result<DigestCompareReport, OpsError> {
    let (before, after) = (side(&request.before, before)?, side(&request.after, after)?);
    let FusionComparison { added, removed, changed, unchanged, .. } =
        fusion::compare(&before.digests(), &after.digests());
    let mismatches = match (&before, &after) {
        (FusionSide::Lockfile(lock), FusionSide::Contracts(contracts, _))
        | (FusionSide::Contracts(contracts, _), FusionSide::Lockfile(lock)) => {
            let check = fusion::check_lockfile(lock, contracts);
            check.map_err(|source| fusion_error(&request.before, source))?.mismatches
        }
        (FusionSide::Lockfile(old), FusionSide::Lockfile(new)) => {
            fusion::compare_lockfiles(old, new)
        }
        (FusionSide::Contracts(..), FusionSide::Contracts(..)) => Vec::new(),
    };
    // The digest of a lockfile may cover prompts, too; it was checked against its own entries.
    let mixed = matches!(
        (&before, &after),
        (FusionSide::Lockfile(_), FusionSide::Contracts(..))
            | (FusionSide::Contracts(..), FusionSide::Lockfile(_))
    );
    let digests = [before.digests().0.to_owned(), after.digests().0.to_owned()];
    let (old, new) = (before.components(), after.components());
    let parts = |name: &str| match (old.get(name), new.get(name)) {
        (Some(old), Some(new)) => Part::ALL
            .into_iter()
            .filter(|part| old[*part as usize] != new[*part as usize])
            .collect(),
        _ => Vec::new(),
    };
    let changed = changed.into_iter().map(|name| {
        let parts = parts(&name);
        (name, parts)
    });
    Ok(DigestCompareReport {
        mode: Mode::FusionV1,
        differs: !mixed && digests[0] != digests[1],
        digests,
        added,
        removed,
        changed: changed.collect(),
        unchanged,
        mismatches,
        scanners: [None, None],
    })
}
