//! An address: the values of its headers are looked up.

use std::path::Path;

use facets_launch::{RemoteLaunch, Sandbox, value_of};
use facets_model::{AddressOrigin, HeaderSource, Origin};
use facets_wire::Header;

use crate::consent::{Consent, LaunchShown};
use crate::error::OpsError;
use crate::launch_options::LaunchOptions;

pub(super) fn prepare(
    origin: &Origin,
    address: &AddressOrigin,
    options: &LaunchOptions<'_>,
    consent: &dyn Consent,
) -> Result<RemoteLaunch, OpsError> {
    let sandbox = Sandbox::default();
    let directory = Path::new(".");
    let shown = LaunchShown {
        origin,
        program: None,
        directory,
        sandbox: &sandbox,
        artifact: None,
        package: None,
        grants: None,
    };
    consent.may_start(&shown).required()?;
    let sources =
        address.headers.iter().map(|(name, written)| (name, HeaderSource::parse(written)));
    let headers = sources.map(|(name, source)| header(name, source, options));
    Ok(RemoteLaunch {
        url: address.url.to_string(),
        headers: headers.collect::<Result<_, OpsError>>()?,
    })
}

fn header(
    name: &str,
    source: HeaderSource<'_>,
    options: &LaunchOptions<'_>,
) -> Result<Header, OpsError> {
    let variable = source.variable;
    let value = value_of(variable, &options.given).and_then(|value| value.into_string().ok());
    let value = value.ok_or_else(|| options.missing(variable))?;
    if !value.chars().all(|c| c == '\t' || (' '..='~').contains(&c)) {
        let (name, variable) = (name.to_owned(), variable.to_owned());
        return Err(OpsError::BadHeader { name, variable });
    }
    Ok(Header { name: name.to_owned(), value: source.value(&value) })
}
