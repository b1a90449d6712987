//! Who sends a request, and whether that is enough.

use facets_registry::Caller;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::app::App;
use super::exchange::Exchange;
use super::refusal::Refusal;
use crate::config::ReadAccess;

/// Longer headers are no tokens.
const LONGEST: usize = 512;

/// The caller of a request that needs one.
pub(crate) async fn require_caller(
    app: &App,
    exchange: &Exchange,
    headers: &HeaderMap,
) -> Result<Caller, Refusal> {
    let caller = app.registry.authenticate(bearer(headers)?).await?;
    exchange.set_owner(caller.owner.as_str());
    Ok(caller)
}

/// The caller of a change, counted.
pub(crate) async fn require_writer(
    app: &App,
    exchange: &Exchange,
    headers: &HeaderMap,
) -> Result<Caller, Refusal> {
    let caller = require_caller(app, exchange, headers).await?;
    app.admit_change(&caller)?;
    Ok(caller)
}

/// Lets readers pass. An open registry does not look at tokens of readers.
pub(crate) async fn require_reader(
    app: &App,
    exchange: &Exchange,
    headers: &HeaderMap,
) -> Result<(), Refusal> {
    if app.access == ReadAccess::Everyone {
        return Ok(());
    }
    let caller = require_caller(app, exchange, headers).await?;
    if caller.may_read() { Ok(()) } else { Err(Refusal::may_not_read()) }
}

/// The token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, Refusal> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Err(Refusal::unauthorized("no token was sent")) };
    let malformed = || Refusal::unauthorized("the header `Authorization` is not `Bearer TOKEN`");
    if values.next().is_some() || value.len() > LONGEST {
        return Err(malformed());
    }
    let (scheme, token) =
        value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(malformed)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(token.trim()) } else { Err(malformed()) }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_token_is_read_from_its_header() {
        let token = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, HeaderValue::from_static(value));
            }
            bearer(&headers).map(str::to_owned).map_err(|refusal| refusal.status())
        };
        assert_eq!(token(&["Bearer abc"]), Ok("abc".to_owned()));
        assert_eq!(token(&["bearer  abc"]), Ok("abc".to_owned()));
        for values in [&[][..], &["abc"], &["Basic abc"], &["Bearer a", "Bearer b"], &["Bearer"]] {
            assert_eq!(token(values), Err(401), "{values:?}");
        }
    }
}
