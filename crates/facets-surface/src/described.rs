//! What the errors of this crate tell people.

use facets_failure::Describe;

use crate::contract_file::ContractError;
use crate::file::SurfaceFileError;
use crate::fusion::FusionError;

/// Every code of this crate.
pub const CODES: &[&str] = &[
    "contract-malformed",
    "fusion-locale-order",
    "fusion-malformed",
    "surface-file-edited",
    "surface-file-malformed",
    "surface-file-newer",
];

impl Describe for SurfaceFileError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotAsWritten => "surface-file-edited",
            Self::Newer { .. } => "surface-file-newer",
            _ => "surface-file-malformed",
        }
    }

    fn expected(&self) -> Option<String> {
        Some("a surface file as `facet inspect --save` writes it".to_owned())
    }

    fn actual(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Describe for ContractError {
    fn code(&self) -> &'static str {
        "contract-malformed"
    }

    fn expected(&self) -> Option<String> {
        Some("a contract, or an object with a contract for each tool".to_owned())
    }

    fn actual(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Describe for FusionError {
    fn code(&self) -> &'static str {
        match self {
            Self::LocaleOrder { .. } => "fusion-locale-order",
            _ => "fusion-malformed",
        }
    }

    fn expected(&self) -> Option<String> {
        Some("a ToolContract, or an object with a contract for each tool".to_owned())
    }

    fn actual(&self) -> Option<String> {
        Some(self.to_string())
    }
}
