//! A closure, and the file that holds it: one line a package, made for review in a pull request.

use facets_digest::Digest;
use facets_digest::json::{Limits, Number, Provenance, Value, parse, quoted};
use facets_model::Ecosystem;

use crate::error::ClosureError;
use crate::format_version::VERSION;
use crate::npm::NpmClosure;
use crate::pypi::PypiClosure;
use crate::read_line::{Line, bad};

/// A server of a thousand packages has some 300 kB.
const LIMITS: Limits = Limits { bytes: 32 << 20, depth: 16, values: 2_000_000 };

/// Every package that a server is installed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closure {
    /// Packages of npm, by their places in the tree.
    Npm(NpmClosure),
    /// Wheels of PyPI, by machine, interpreter and package.
    Pypi(PypiClosure),
}

impl Closure {
    /// Where its packages are published.
    #[must_use]
    pub const fn ecosystem(&self) -> Ecosystem {
        match self {
            Self::Npm(_) => Ecosystem::Npm,
            Self::Pypi(_) => Ecosystem::Pypi,
        }
    }

    /// How many packages it has.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Npm(closure) => closure.packages.len(),
            Self::Pypi(closure) => closure.wheels.len(),
        }
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file. The same closure gives the same bytes.
    #[must_use]
    pub fn to_text(&self) -> String {
        let lines = match self {
            Self::Npm(closure) => closure.lines(),
            Self::Pypi(closure) => closure.lines(),
        };
        let lines: Vec<String> = lines.into_iter().map(|line| format!("    {line}")).collect();
        format!(
            "{{\n  \"closureVersion\": {VERSION},\n  \"ecosystem\": {},\n  \"packages\": [\n{}\n  ]\n}}\n",
            quoted(self.ecosystem().name()),
            lines.join(",\n")
        )
    }

    /// The digest of the file, which the lock has.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_text().as_bytes())
    }

    /// Reads a file. One that is not written exactly as facet writes it is refused.
    pub fn parse(bytes: &[u8]) -> Result<Self, ClosureError> {
        let closure = read(bytes)?;
        if closure.to_text().as_bytes() == bytes {
            return Ok(closure);
        }
        Err(ClosureError::NotCanonical)
    }
}

/// Reads a document, however it is written.
fn read(bytes: &[u8]) -> Result<Closure, ClosureError> {
    let source = |source| ClosureError::Json { what: "the closure file", source };
    let document = parse(bytes, Provenance::Authored, LIMITS).map_err(source)?;
    let Value::Object(document) = &document else {
        return Err(bad("closureVersion", "an object"));
    };
    match document.get("closureVersion") {
        Some(Value::Number(version)) if literal(version) == VERSION => {}
        Some(Value::Number(version)) => {
            return Err(ClosureError::Newer { found: literal(version) });
        }
        _ => return Err(bad("closureVersion", "a number")),
    }
    let Some(Value::Array(packages)) = document.get("packages") else {
        return Err(bad("packages", "a list"));
    };
    let mut lines = packages.iter().enumerate().map(|(index, package)| match package {
        Value::Object(package) => Ok(Line { index, package }),
        _ => Err(bad(&format!("packages[{index}]"), "an object")),
    });
    match document.get("ecosystem") {
        Some(Value::String(name)) if name == "npm" => lines
            .try_fold(NpmClosure::default(), |closure, line| closure.with_line(&line?))
            .map(Closure::Npm),
        Some(Value::String(name)) if name == "pypi" => lines
            .try_fold(PypiClosure::default(), |closure, line| closure.with_line(&line?))
            .map(Closure::Pypi),
        _ => Err(bad("ecosystem", "`npm` or `pypi`")),
    }
}

fn literal(number: &Number<'_>) -> String {
    let mut out = Vec::new();
    number.write_to(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}
