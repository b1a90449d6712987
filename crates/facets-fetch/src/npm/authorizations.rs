//! Who is told what: the settings `//HOST/PATH/:_authToken` and those beside it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use url::Url;

use crate::error::FetchError;
use facets_http::{Authorization, Credentials};

use super::npmrc::{NpmSettings, Setting};

/// A registry whose address may have had credentials in it.
pub(super) struct Registry {
    /// Without them; its path ends with a slash.
    pub(super) url: Url,
    /// What they say.
    pub(super) authorization: Option<Authorization>,
}

impl Registry {
    /// From a setting, which is never quoted in an error: it may have a password.
    pub(super) fn read(setting: &Setting) -> Result<Self, FetchError> {
        let refused = || setting.refused("the registry is not an http or https address");
        let mut url = setting.last().parse::<Url>().map_err(|_| refused())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(refused());
        }
        let (user, password) = take_user(&mut url).ok_or_else(refused)?;
        let is_named = !(user.is_empty() && password.is_empty());
        let authorization = is_named.then_some(Authorization::Basic { user, password });
        url.set_query(None);
        url.set_fragment(None);
        let path = format!("{}/", url.path().trim_end_matches('/'));
        url.set_path(&path);
        Ok(Self { url, authorization })
    }
}

/// Takes the name and the password out of an address. Nothing if they are not UTF-8.
fn take_user(url: &mut Url) -> Option<(String, String)> {
    let user = percent_decoded(url.username())?;
    let password = percent_decoded(url.password().unwrap_or_default())?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some((user, password))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| byte == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let decoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

/// The settings that belong to one place, by the last part of their names.
pub(super) type PlaceSettings<'a> = BTreeMap<&'a str, &'a Setting>;

/// Settings such as `//HOST/PATH/:username`, by their places. One without a slash at its end comes
/// before the same one with it, which is stronger.
pub(super) fn by_place(settings: &NpmSettings) -> BTreeMap<&str, PlaceSettings<'_>> {
    let mut places: BTreeMap<&str, PlaceSettings<'_>> = BTreeMap::new();
    for (name, setting) in settings {
        let Some((place, last)) = name.rsplit_once(':').filter(|_| name.starts_with("//")) else {
            continue;
        };
        places.entry(place).or_default().insert(last, setting);
    }
    places
}

/// Every authorization that the settings name, and those that registries carry in their addresses.
pub(super) fn read_credentials(
    settings: &NpmSettings,
    registries: &[&Registry],
) -> Result<Credentials, FetchError> {
    let mut credentials = Credentials::default();
    for (place, named) in by_place(settings) {
        let Some((authorization, setting)) = authorization(&named)? else { continue };
        // A place has no scheme. A token goes out in the clear only to the host and port of a registry
        // that is configured without encryption; not by path, since files may lie beside a registry.
        let plain = place_url(place, "http", setting)?;
        if registries.iter().any(|registry| registry.url.origin() == plain.origin()) {
            credentials.add(&plain, authorization.clone());
        }
        credentials.add(&place_url(place, "https", setting)?, authorization);
    }
    let explicit = credentials.clone();
    for registry in registries {
        let authorization = registry.authorization.clone();
        let unnamed = authorization.filter(|_| explicit.for_url(&registry.url).is_none());
        if let Some(authorization) = unnamed {
            credentials.add(&registry.url, authorization);
        }
    }
    Ok(credentials)
}

/// The address of a place such as `//host/path/`.
pub(super) fn place_url(place: &str, scheme: &str, setting: &Setting) -> Result<Url, FetchError> {
    let url = format!("{scheme}:{place}").parse::<Url>().ok();
    let url = url.filter(|url| url.username().is_empty() && url.password().is_none());
    url.ok_or_else(|| setting.refused("the setting is not for a place such as `//host/path/`"))
}

/// npm prefers the token, then `_auth`, then the name with its password.
fn authorization<'a>(
    named: &PlaceSettings<'a>,
) -> Result<Option<(Authorization, &'a Setting)>, FetchError> {
    let text = |name: &str| named.get(name).and_then(|&setting| Some((setting, setting.text()?)));
    if let Some((setting, token)) = text("_authToken") {
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(setting.refused("the token has a character that a header cannot have"));
        }
        return Ok(Some((Authorization::Bearer(token.to_owned()), setting)));
    }
    if let Some((setting, encoded)) = text("_auth") {
        let decoded = base64_decoded(encoded);
        let both = decoded.as_deref().and_then(|decoded| decoded.split_once(':'));
        let (user, password) =
            both.ok_or_else(|| setting.refused("`_auth` is not the base64 of NAME:PASSWORD"))?;
        return Ok(Some((basic(user, password), setting)));
    }
    let (Some((_, user)), Some((setting, encoded))) = (text("username"), text("_password")) else {
        return Ok(None);
    };
    let password = base64_decoded(encoded);
    let password = password.ok_or_else(|| setting.refused("`_password` is not base64"))?;
    Ok(Some((basic(user, &password), setting)))
}

fn basic(user: &str, password: &str) -> Authorization {
    Authorization::Basic { user: user.to_owned(), password: password.to_owned() }
}

/// Of either alphabet and with or without padding, as Node.js takes it.
fn base64_decoded(text: &str) -> Option<String> {
    let standard = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    String::from_utf8(STANDARD_NO_PAD.decode(standard).ok()?).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::path::Path;

    use super::super::npmrc;
    use super::*;

    fn settings(text: &str) -> NpmSettings {
        npmrc::parse(text, Path::new("/f"), &BTreeMap::new()).map_err(|e| e.to_string()).unwrap()
    }

    fn registry(address: &str) -> Result<Registry, FetchError> {
        Registry::read(&Setting { values: vec![address.to_owned()], place: "/f:1".to_owned() })
    }

    /// What is sent to an address.
    fn sent(text: &str, registries: &[&str], address: &str) -> Option<String> {
        let registries: Vec<Registry> =
            registries.iter().map(|address| registry(address).ok().unwrap()).collect();
        let registries: Vec<&Registry> = registries.iter().collect();
        let credentials = read_credentials(&settings(text), &registries).unwrap();
        credentials.for_url(&address.parse().unwrap()).map(Authorization::header)
    }

    #[test]
    fn the_longest_path_decides_which_token_is_sent() {
        let text = "//h.example/:_authToken=root\n//h.example/a/:_authToken=a\n\
                    //h.example/a/b:_authToken=b\n//h.example/a/b/:_authToken=b-slash\n\
                    //h.example:8443/:_authToken=port\n";
        for (address, expected) in [
            ("https://h.example/x", Some("Bearer root")),
            ("https://h.example/a/x", Some("Bearer a")),
            ("https://h.example/a/b/x", Some("Bearer b-slash")),
            ("https://h.example/ab", Some("Bearer root")),
            ("https://h.example:8443/a/x", Some("Bearer port")),
            ("http://h.example:8443/a/x", None),
            ("http://h.example/x", None),
            ("https://other.example/a/", None),
        ] {
            assert_eq!(sent(text, &[], address).as_deref(), expected, "{address}");
        }
        let plain = sent(text, &["http://h.example/npm"], "http://h.example/x");
        assert_eq!(plain.as_deref(), Some("Bearer root"));
    }

    #[test]
    fn a_token_goes_out_in_the_clear_only_to_a_registry_that_is_configured_so() {
        let text = "//h.example:4873/:_authToken=t\n";
        let plain = "http://h.example:4873/x.tgz";
        let token = Some("Bearer t".to_owned());
        assert_eq!(sent(text, &["http://h.example:4873/npm/"], plain), token);
        for other in [
            "https://h.example:4873/",
            "https://h.example/",
            "http://h.example/",
            "http://h.example:4874/",
            "http://other.example:4873/",
        ] {
            assert_eq!(sent(text, &[other], plain), None, "{other}");
            assert_eq!(sent(text, &[other], "https://h.example:4873/x.tgz"), token, "{other}");
        }
    }

    #[test]
    fn a_token_is_preferred_to_auth_and_that_to_a_password() {
        let both = "Basic dXNlcjpwYXNzOndvcmQ=";
        let password = "//h/:username=user\n//h/:_password=cGFzczp3b3Jk\n";
        let auth = "//h/:_auth=YTpi\n";
        let token = "//h/:_authToken=t\n";
        let at = "https://h/x";
        assert_eq!(sent(password, &[], at).as_deref(), Some(both));
        assert_eq!(sent(&format!("{password}{auth}"), &[], at).as_deref(), Some("Basic YTpi"));
        assert_eq!(sent(&format!("{password}{auth}{token}"), &[], at).as_deref(), Some("Bearer t"));
        assert_eq!(sent("//h/:_auth=dXNlcjpwYXNzOndvcmQ\n", &[], at).as_deref(), Some(both));
        for nothing in
            ["//h/:username=user", "//h/:_authToken=", "//h/:_authToken=null", "//h/:x=y"]
        {
            assert_eq!(sent(nothing, &[], at), None, "{nothing}");
        }
    }

    #[test]
    fn credentials_in_an_address_are_taken_out_of_it() {
        let address = "https://us%40er:p%3Ass%zz@h.example/npm";
        let registry = registry(address).ok().unwrap();
        assert_eq!(registry.url.as_str(), "https://h.example/npm/");
        let expected = Authorization::Basic { user: "us@er".into(), password: "p:ss%zz".into() };
        assert_eq!(registry.authorization, Some(expected.clone()));
        let at = "https://h.example/npm/x";
        assert_eq!(sent("", &[address], at), Some(expected.header()));
        assert_eq!(sent("", &[address], "https://h.example/x"), None);
        let named = sent("//h.example/:_authToken=t", &[address], at);
        assert_eq!(named.as_deref(), Some("Bearer t"));
    }

    #[test]
    fn errors_name_the_place_and_no_secret() {
        for text in [
            "\n//h/:_auth=s3cret!",
            "\n//h/:_auth=czNjcmV0",
            "\n//h/:_authToken=\"s3cret\\r\\nX: y\"",
            "//h/:username=u\n//h/:_password=s3cret!",
            "\n//:_authToken=s3cret",
            "\n//u:s3cret@h/:_authToken=s3cret",
        ] {
            let error = read_credentials(&settings(text), &[]).unwrap_err().to_string();
            assert!(error.starts_with("/f:2: "), "{error}");
            assert!(!error.contains("s3cret") && !error.contains("czNj"), "{error}");
        }
        for address in ["h.example/s3cret", "ftp://u:s3cret@h/", "https://u:%ffs3cret@h/", "https:"]
        {
            let error = registry(address).err().unwrap().to_string();
            assert_eq!(error, "/f:1: the registry is not an http or https address");
        }
    }
}
