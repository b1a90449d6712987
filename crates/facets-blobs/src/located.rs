//! Where blobs are: a directory, or a bucket.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use url::Url;

/// Where blobs are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlobsUrl {
    /// In a directory.
    Files(PathBuf),
    /// In a bucket of S3 or a service that speaks like it.
    S3 {
        /// The bucket.
        bucket: String,
        /// What stands before every key; may be empty.
        prefix: String,
        /// The address of the service, if it is not Amazon's.
        endpoint: Option<String>,
        /// The region.
        region: String,
    },
}

/// Why a text does not say where blobs are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a place for blobs: {reason}")]
pub struct BlobsUrlError {
    /// The text.
    pub text: String,
    /// What is wrong.
    pub reason: &'static str,
}

/// With which a bucket is opened. Never shown.
#[derive(Clone)]
pub struct S3Credentials {
    /// The name of the key.
    pub access_key: String,
    /// The key.
    pub secret_key: String,
    /// The token of a session, if it is one.
    pub session: Option<String>,
}

impl fmt::Debug for S3Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("S3Credentials").finish_non_exhaustive()
    }
}

/// The region that services other than Amazon's are content with.
const USUAL_REGION: &str = "us-east-1";

impl FromStr for BlobsUrl {
    type Err = BlobsUrlError;

    /// A path, or `s3://BUCKET/PREFIX?endpoint=URL&region=REGION`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = |reason| BlobsUrlError { text: text.to_owned(), reason };
        let Some((scheme, _)) = text.split_once("://") else {
            return match text {
                "" => Err(refuse("it is empty")),
                path => Ok(Self::Files(path.into())),
            };
        };
        if scheme != "s3" {
            return Err(refuse("it must be a path or begin with s3://"));
        }
        let url = Url::parse(text).map_err(|_| refuse("it is not a URL"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("credentials belong into files or the environment"));
        }
        let bucket = url.host_str().filter(|host| !host.is_empty());
        let bucket = bucket.ok_or_else(|| refuse("it names no bucket"))?.to_owned();
        let prefix = url.path().trim_matches('/').to_owned();
        let (mut endpoint, mut region) = (None, USUAL_REGION.to_owned());
        for (name, value) in url.query_pairs() {
            match &*name {
                "endpoint" => {
                    endpoint = Some(endpoint_of(&value).ok_or_else(|| {
                        refuse("`endpoint` must be https, or http to a loopback address")
                    })?)
                }
                "region" => region = value.into_owned(),
                _ => {
                    return Err(refuse(
                        "it has a parameter that is neither `endpoint` nor `region`",
                    ));
                }
            }
        }
        Ok(Self::S3 { bucket, prefix, endpoint, region })
    }
}

/// An address without a path. Keys are signed and not sent, but what is stored would be readable on the way.
fn endpoint_of(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_loopback = match url.host()? {
        url::Host::Domain(name) => name == "localhost",
        url::Host::Ipv4(address) => address.is_loopback(),
        url::Host::Ipv6(address) => address.is_loopback(),
    };
    let is_allowed = url.scheme() == "https" || (url.scheme() == "http" && is_loopback);
    is_allowed.then(|| text.trim_end_matches('/').to_owned())
}

impl fmt::Display for BlobsUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(path) => write!(out, "{}", path.display()),
            Self::S3 { bucket, prefix, endpoint, .. } => {
                write!(out, "s3://{bucket}/{prefix}")?;
                match endpoint {
                    Some(endpoint) => write!(out, " at {endpoint}"),
                    None => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_or_a_bucket_is_read() {
        assert_eq!("/srv/blobs".parse(), Ok(BlobsUrl::Files("/srv/blobs".into())));
        let bucket = "s3://facets/live?endpoint=http://127.0.0.1:9000/&region=eu-central-1";
        let expected = BlobsUrl::S3 {
            bucket: "facets".to_owned(),
            prefix: "live".to_owned(),
            endpoint: Some("http://127.0.0.1:9000".to_owned()),
            region: "eu-central-1".to_owned(),
        };
        assert_eq!(bucket.parse(), Ok(expected.clone()));
        assert_eq!(expected.to_string(), "s3://facets/live at http://127.0.0.1:9000");
    }

    #[test]
    fn what_cannot_be_a_place_is_refused_with_the_reason() {
        for (text, reason) in [
            ("", "it is empty"),
            ("gs://bucket", "it must be a path or begin with s3://"),
            ("s3:///prefix", "it names no bucket"),
            ("s3://key:secret@bucket", "credentials belong into files or the environment"),
            (
                "s3://b?endpoint=http://example.com",
                "`endpoint` must be https, or http to a loopback address",
            ),
            ("s3://b?colour=red", "it has a parameter that is neither `endpoint` nor `region`"),
        ] {
            let refused = text.parse::<BlobsUrl>().unwrap_err();
            assert_eq!(refused.reason, reason, "{text}");
        }
    }
}
