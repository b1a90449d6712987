//! Addresses: what they decode to, where they lie, and whether they lead out of there.

use facets_markers::visible_letters;

/// Rounds of percent encoding that are looked through.
const ROUNDS: usize = 4;

/// One way to read an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Letter by letter.
    pub(crate) written: String,
    /// With plain signs for those that look like them, or that some readers fold into them.
    pub(crate) plain: String,
}

impl Reading {
    pub(crate) fn of(text: &str) -> Self {
        Self { written: text.to_owned(), plain: plain_signs(text) }
    }

    /// Both texts: an address has to lie where it seems to in either.
    pub(crate) fn both(&self) -> [&str; 2] {
        [&self.written, &self.plain]
    }

    fn leads_out(&self) -> bool {
        self.written.chars().any(char::is_control)
            || has_dot_segment(&self.plain)
            || has_wide_escape(&self.plain)
    }
}

/// What a server may take an address for: as it is, and decoded again and again. Nothing if it leads
/// out of where it seems to lie, or cannot be read.
pub(crate) fn readings(uri: &str) -> Option<Vec<Reading>> {
    let (mut readings, mut reading) = (Vec::new(), Reading::of(uri));
    for _ in 0..ROUNDS {
        if reading.leads_out() {
            return None;
        }
        let next = match (decoded(&reading.written), decoded(&reading.plain)) {
            (Decoded::NotUtf8, _) | (_, Decoded::NotUtf8) => return None,
            (Decoded::NoLayer, Decoded::NoLayer) => None,
            (written, plain) => Some(Reading {
                written: written.or(&reading.written),
                plain: plain_signs(&plain.or(&reading.plain)),
            }),
        };
        readings.push(reading);
        reading = match next {
            Some(next) => next,
            None => return Some(readings),
        };
    }
    // Addresses that are encoded so often hide something.
    None
}

/// A text with the plain signs of addresses for those that look like them, or that some readers
/// fold into them.
fn plain_signs(text: &str) -> String {
    let sign = |letter: char| match letter {
        '\u{2044}' | '\u{2215}' | '\u{2571}' | '\u{29f8}' => '/',
        '\u{2216}' | '\u{2572}' | '\u{29f5}' => '\\',
        '\u{3002}' | '\u{ff61}' | '\u{2024}' => '.',
        other => other,
    };
    if text.is_ascii() {
        text.to_owned()
    } else {
        visible_letters(text).chars().map(sign).collect()
    }
}

/// A step to the parent, or to the folder itself, with blanks around it or not.
fn has_dot_segment(text: &str) -> bool {
    let is_dots = |segment: &str| {
        let segment = segment.trim();
        let is_dot = |letter: char| letter == '.' || letter.is_whitespace();
        // Some systems drop dots and blanks at the end of a name.
        let is_path = !segment.is_empty() && segment.chars().all(is_dot);
        // Values of a query, and what follows a scheme, may be paths as well.
        let mut parts = segment.split(['?', '#', ':', '=', '&']);
        // A plus is a blank in the values of forms.
        let is_blank = |letter: char| letter == '+' || letter.is_whitespace();
        is_path || parts.any(|part| matches!(part.trim_matches(is_blank), "." | ".."))
    };
    text.split(['/', '\\', ';']).any(is_dots)
}

/// Whether it has the form `%u002e`, which some servers decode and the standard does not know.
fn has_wide_escape(text: &str) -> bool {
    let is_wide = |after: &str| {
        after.starts_with(['u', 'U'])
            && after.len() > 4
            && after.bytes().skip(1).take(4).all(|byte| byte.is_ascii_hexdigit())
    };
    text.split('%').skip(1).any(is_wide)
}

enum Decoded {
    Text(String),
    /// There is nothing to decode.
    NoLayer,
    /// Bytes that are no text, overlong forms of signs among them.
    NotUtf8,
}

impl Decoded {
    /// The text that was decoded, or another.
    fn or(self, other: &str) -> String {
        match self {
            Self::Text(text) => text,
            Self::NoLayer | Self::NotUtf8 => other.to_owned(),
        }
    }
}

/// Without one layer of percent encoding.
fn decoded(text: &str) -> Decoded {
    let bytes = text.as_bytes();
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2)));
        if let (b'%', (Some(high), Some(low))) = (*byte, pair) {
            out.push(u8::try_from(high * 16 + low).unwrap_or_default());
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    if out.len() == bytes.len() {
        return Decoded::NoLayer;
    }
    String::from_utf8(out).map_or(Decoded::NotUtf8, Decoded::Text)
}

/// An address up to its last segment. One that has no path is a place of its own: beside it lie
/// other hosts.
pub(crate) fn folder(uri: &str) -> &str {
    let path = &uri[..uri.find(['?', '#']).unwrap_or(uri.len())];
    let origin = origin(path);
    if origin.contains("//") {
        let segments = &path[origin.len()..];
        return &path[..origin.len() + segments.rfind('/').map_or(0, |at| at + 1)];
    }
    if is_web(uri) {
        return uri;
    }
    &path[..path.rfind(['/', ':']).map_or(0, |at| at + 1)]
}

/// Whether readers of the web find a host behind this scheme, with slashes or without.
fn is_web(uri: &str) -> bool {
    const SCHEMES: [&str; 6] = ["http", "https", "ws", "wss", "ftp", "file"];
    SCHEMES.iter().any(|known| scheme(uri).eq_ignore_ascii_case(known))
}

/// How many segments of a path are addresses of their own to readers of the web, which need no
/// slashes behind a scheme.
pub(crate) fn inner_schemes(uri: &str) -> usize {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let segments = path.split('/').skip(1);
    segments.filter(|segment| segment.contains(':') && is_web(segment.trim_start())).count()
}

/// Whether the authority behind this scheme is a host. Behind others it is any name: a table, an
/// account, a package.
pub(crate) fn leads_to_a_host(uri: &str) -> bool {
    const SCHEMES: &str = " afp amqp amqps bolt cassandra cifs clickhouse cockroachdb couchbase couchdb dav davs db2 dict \
        elasticsearch file ftp ftps git \
        gopher gophers grpc hdfs hive hive2 http https imap imaps irc ircs kafka ldap ldaps libsql mariadb memcached mongodb mqtt mqtts mssql \
        mysql mysqlx nats neo4j nfs nntp oracle pop3 pop3s postgres postgresql presto rdp redis rediss redshift rsync rtmp rtmps rtsp rtsps scp \
        sftp smb smbs smtp smtps snowflake sqlserver ssh svn tcp telnet teradata tftp trino udp vertica vnc webdav webdavs ws wss ";
    let schemes = uri.split("://").next().unwrap_or_default().to_ascii_lowercase();
    schemes.split(['+', ':']).any(|part| SCHEMES.contains(&format!(" {part} ")))
}

pub(crate) fn scheme(uri: &str) -> &str {
    uri.split(':').next().unwrap_or_default()
}

/// How many segments of an address of a file begin anew for some systems: at a drive, or at the
/// home of a user.
pub(crate) fn new_roots(uri: &str) -> usize {
    if !scheme(uri).eq_ignore_ascii_case("file") {
        return 0;
    }
    let path = &uri[scheme(uri).len()..];
    let homes = path.split('/').filter(|segment| segment.starts_with('~')).count();
    // Some readers take the letter before a colon or a bar for a drive, wherever it stands.
    let is_drive = |pair: &&[u8]| pair[0].is_ascii_alphabetic() && matches!(pair[1], b':' | b'|');
    homes + path.as_bytes().windows(2).filter(is_drive).count()
}

/// What an address stands for, however it is written.
pub(crate) fn last_reading(uri: &str) -> String {
    let uri = uri.split('#').next().unwrap_or_default();
    let is_file = scheme(uri).eq_ignore_ascii_case("file");
    let uri = if is_file { uri.split('?').next().unwrap_or_default() } else { uri };
    let uri = uri.strip_suffix('?').unwrap_or(uri);
    let last = readings(uri).and_then(|mut readings| readings.pop());
    let last = last.map_or_else(|| uri.to_owned(), |reading| reading.plain);
    // What was encoded may cut it off, too.
    let last = last.split('#').next().unwrap_or_default();
    let last = if is_file { last.split('?').next().unwrap_or_default() } else { last };
    // Readers leave blanks around an address out.
    let last = last.trim();
    if is_file { file_of(last) } else { last.to_owned() }
}

/// The address of a file without what makes it no other: a slash behind it, and this machine as its
/// host.
fn file_of(uri: &str) -> String {
    const LOCAL: &str = "file://localhost/";
    let uri = uri.trim_end_matches('/');
    match uri.get(..LOCAL.len()) {
        Some(host) if host.eq_ignore_ascii_case(LOCAL) => {
            format!("file:///{}", &uri[LOCAL.len()..])
        }
        _ => uri.to_owned(),
    }
}

/// Whether an address lies in a folder, directly, however it is decoded.
pub(crate) fn lies_in(uri: &str, of: &str) -> bool {
    let Some(name) = uri.strip_prefix(of).filter(|_| folder(uri) == of) else { return false };
    let has_path = of.ends_with(['/', ':']);
    let name = &name[..name.find(['?', '#']).unwrap_or(name.len())];
    // An opaque address has folders that end with a colon.
    let separators: &[char] = if of.contains("//") { &['/', '\\'] } else { &['/', '\\', ':'] };
    let is_plain = |text: &str| !text.contains(separators);
    let Some(all) = readings(uri) else { return false };
    readings(name).is_some_and(|names| names.iter().flat_map(Reading::both).all(is_plain))
        // The folder itself is none of what lies in it.
        && has_path != name.is_empty()
        && all.iter().flat_map(Reading::both).all(|text| {
            new_roots(text) == new_roots(of) && inner_schemes(text) == inner_schemes(of)
        })
}

/// Scheme and authority of an address: where it leads, whatever comes behind. A scheme may stand
/// in another, as in `jdbc:mysql://`.
pub(crate) fn origin(uri: &str) -> &str {
    let end = uri.find(['/', '?', '#', '\\']).unwrap_or(uri.len());
    let Some(after) = uri[end..].strip_prefix("//").filter(|_| uri[..end].ends_with(':')) else {
        let scheme = uri.find(':').map_or(0, |at| at + 1);
        return &uri[..scheme.min(end)];
    };
    &uri[..end + 2 + after.find(['/', '?', '#', '\\']).unwrap_or(after.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_all_but_the_last_segment() {
        assert_eq!(folder("file:///project/a.txt"), "file:///project/");
        assert_eq!(folder("mem:x"), "mem:");
        assert_eq!(folder("mem:a:x"), "mem:a:");
        assert_eq!(folder("x://a/b?c/d"), "x://a/");
        assert_eq!(folder("x://a/b#c/d"), "x://a/");
        assert_eq!(folder("http://a.example/"), "http://a.example/");
    }

    #[test]
    fn an_address_without_a_path_has_no_neighbours() {
        for (pinned, other) in [
            ("http://a.example", "http://evil.example"),
            ("http://a.example", "http://a.example.evil"),
            ("http://a.example:80", "http://a.example:80@evil.example"),
            ("http://a.example:80", "http://a.example:81"),
            ("note://1", "note://2"),
            ("http:x", "http:evil.example"),
            ("https:x", "https:/evil.example"),
            ("file:x", "file:y"),
            ("file:///a", "file:///C:"),
            ("file:///a/b", "file:///a/"),
            ("file:///a", "file:///~root"),
            ("view-source:https://a.example", "view-source:https://evil.example"),
            ("mem:a", "mem:secret%3Akey"),
        ] {
            assert!(!lies_in(other, folder(pinned)), "{pinned} {other}");
        }
        assert!(lies_in("http://a.example?page=2", folder("http://a.example")));
    }

    #[test]
    fn what_lies_in_a_folder_is_one_segment_however_it_is_decoded() {
        let folder = "file:///project/";
        for name in ["a.txt", "a%20b", "ü", "%C3%BC", "a?x=/y", "..a", "a..", "%25"] {
            assert!(lies_in(&format!("{folder}{name}"), folder), "{name}");
        }
        for name in [
            "a/b",
            "a%2Fb",
            "%2Fetc%2Fpasswd",
            "a%5Cb",
            "a\\b",
            "a%252Fb",
            "..",
            "%2e%2e",
            ".",
            "a%c0%afb",
            "%e0%80%af",
            "a\u{2215}b",
            "a\u{ff0f}b",
            "\u{ff0e}\u{ff0e}",
            "\u{2025}",
            "%ef%bc%8e%ef%bc%8e",
            "%u002e%u002e",
            "a%00b",
            "a\u{85}b",
            "\u{ff05}2e\u{ff05}2e",
        ] {
            assert!(!lies_in(&format!("{folder}{name}"), folder), "{name}");
        }
    }

    #[test]
    fn only_this_machine_is_left_out_of_the_address_of_a_file() {
        assert_eq!(last_reading("file://LocalHost/notes/a/"), "file:///notes/a");
        for other in ["file:///project/notes/a", "file://elsewhere/notes/a", "mem:localhost/a"] {
            assert_eq!(last_reading(other), other);
        }
    }

    #[test]
    fn an_origin_is_scheme_and_authority() {
        assert_eq!(origin("http://a.example:80/x?y"), "http://a.example:80");
        assert_eq!(origin("http://a.example\\@evil/"), "http://a.example");
        assert_eq!(origin("file:///x"), "file://");
        assert_eq!(origin("mem:x/y"), "mem:");
        assert_eq!(origin("jdbc:mysql://a.example/x"), "jdbc:mysql://a.example");
        assert_eq!(origin("nothing"), "");
    }
}
