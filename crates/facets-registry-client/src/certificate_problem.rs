//! What is wrong with a certificate, in words.

/// What the library for TLS has an identifier for, and no sentence.
const NAMED: &[(&str, &str)] = &[
    ("BadEncoding", "it cannot be read"),
    ("BadSignature", "its signature is invalid"),
    ("CaUsedAsEndEntity", "it is the certificate of an authority, and not of a server"),
    ("Expired", "it has expired"),
    ("InvalidPurpose", "it is not for servers"),
    ("NotValidForName", "it is for another name"),
    ("NotValidYet", "it is not valid yet"),
    ("Revoked", "it was revoked"),
    ("UnknownIssuer", "it is signed by an authority that is not trusted here"),
];

/// The reason that the library gives, in words.
pub(crate) fn certificate_problem(reason: &str) -> String {
    let last = reason.rsplit(": ").next().unwrap_or(reason);
    let inner = last.strip_prefix("Other(OtherError(").and_then(|rest| rest.strip_suffix("))"));
    let name = inner.unwrap_or(last);
    match (NAMED.iter().find(|(named, _)| *named == name), inner) {
        (Some((_, words)), _) => (*words).to_owned(),
        (None, Some(name)) => format!("it is invalid ({name})"),
        (None, None) => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_become_words_and_sentences_stay() {
        for (reason, words) in [
            (
                "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
                "it is the certificate of an authority, and not of a server",
            ),
            (
                "invalid peer certificate: UnknownIssuer",
                "it is signed by an authority that is not trusted here",
            ),
            ("invalid peer certificate: Other(OtherError(Odd))", "it is invalid (Odd)"),
            (
                "invalid peer certificate: certificate not valid for name \"a\"; certificate is only valid for b",
                "invalid peer certificate: certificate not valid for name \"a\"; certificate is only valid for b",
            ),
            ("", ""),
        ] {
            assert_eq!(certificate_problem(reason), words);
        }
    }
}
