//! Every setting.

/// A setting: a flag `--NAME`, a variable `FACET_REGISTRY_NAME`, and a key `NAME` of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// The flag without its dashes.
    pub(crate) name: &'static str,
    /// What holds if it is not given; none if there is no fixed default.
    pub(crate) default: Option<&'static str>,
    /// What may be given, for an error message.
    pub(crate) expected: &'static str,
}

const fn setting(
    name: &'static str,
    default: Option<&'static str>,
    expected: &'static str,
) -> Setting {
    Setting { name, default, expected }
}

const REQUESTS: &str = "a number of requests, 0 for no limit";
const SWITCH: &str = "true or false";
const LENGTH: &str = "a duration such as 30s, 5m or 1h";
const SIZE: &str = "a size such as 500kB, 5MB or 64MiB";
const SOME_LENGTH: &str = "a duration above 0, such as 30s, 5m or 1h";
const SOME_SIZE: &str = "a size above 0, such as 500kB, 5MB or 64MiB";
const COUNT: &str = "a number of 1 or more";
const FILE: &str = "a file";

/// All of them, in the order of the help.
pub(crate) const SETTINGS: &[Setting] = &[
    setting("data", None, "a directory"),
    setting("database", None, "postgres://USER:PASSWORD@HOST/NAME"),
    setting("database-file", None, FILE),
    setting("blobs", None, "a directory, or s3://BUCKET/PREFIX?endpoint=URL&region=REGION"),
    setting("s3-access-key-file", None, FILE),
    setting("s3-secret-key-file", None, FILE),
    setting("listen", Some("127.0.0.1:8080"), "HOST:PORT; port 0 picks a free one"),
    setting("public-url", None, "an address such as https://registry.example.org"),
    setting("tls-cert", None, FILE),
    setting("tls-key", None, FILE),
    setting("private", Some("false"), SWITCH),
    setting("trust-proxy", Some("false"), SWITCH),
    setting("read-rate", Some("6000"), REQUESTS),
    setting("read-burst", Some("2000"), COUNT),
    setting("write-rate", Some("60"), REQUESTS),
    setting("write-burst", Some("60"), COUNT),
    setting("connections", Some("4096"), COUNT),
    setting("connections-per-address", None, "a number of connections, 0 for no limit"),
    setting("header-timeout", Some("10s"), SOME_LENGTH),
    setting("idle-timeout", Some("60s"), SOME_LENGTH),
    setting("body-timeout", Some("10m"), SOME_LENGTH),
    setting("body-rate", Some("8KiB"), SIZE),
    setting("shutdown-wait", Some("30s"), LENGTH),
    setting("facet-size", Some("5MiB"), SOME_SIZE),
    setting("server-size", Some("64MiB"), SOME_SIZE),
    setting("uploads-at-once", Some("64"), COUNT),
    setting("upload-rate", Some("128KiB"), "a size such as 64KiB or 1MiB, 0 for no limit"),
    setting("upload-window", Some("5s"), SOME_LENGTH),
    setting("archives-at-once", Some("2"), COUNT),
    setting("probes-at-once", Some("2"), COUNT),
    setting("queued-per-owner", Some("20"), COUNT),
    setting("probe-wait", Some("15s"), LENGTH),
    setting("cache-size", Some("16MiB"), SIZE),
    setting("threads", Some("0"), "a number of threads up to 256, 0 for one per processor"),
    setting("log", Some("json"), "human, json or off"),
];

impl Setting {
    /// The setting of this name.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Whether it is true or false. Set to nothing, such a variable could mean either.
    pub(crate) fn is_switch(&self) -> bool {
        self.expected == SWITCH
    }

    /// The variable of the environment that gives it.
    pub(crate) fn variable(&self) -> String {
        format!("FACET_REGISTRY_{}", self.name.replace('-', "_").to_ascii_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_stand_once_and_have_their_variables() {
        let names: BTreeSet<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        assert_eq!(names.len(), SETTINGS.len());
        let variable = Setting::find("s3-access-key-file").map(Setting::variable);
        assert_eq!(variable.as_deref(), Some("FACET_REGISTRY_S3_ACCESS_KEY_FILE"));
    }
}
