//! What branches and tags of a repository stand for by now. Nothing is fetched.

use std::time::Duration;

use super::git_program::{GitLimits, git_remote, output_limited};
use super::git_repository::GitRepository;

/// More than the references that are asked for ever have.
const LIMITS: GitLimits = GitLimits { time: Duration::from_secs(30), bytes: 16 << 20 };

/// The commit of a branch or a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteCommit {
    /// In lower-case hex.
    pub(crate) commit: String,
    /// Whether it is that of a tag.
    pub(crate) is_tag: bool,
}

/// The commit that `git fetch` would take for a name, or for none. An error is in words.
pub(super) fn remote_commit(url: &str, reference: Option<&str>) -> Result<RemoteCommit, String> {
    let repository = GitRepository::empty()?;
    let names = full_names(reference);
    let mut list = git_remote(&repository.directory());
    list.args(["ls-remote", "--quiet", "--end-of-options", url]).args(&names);
    // What an annotated tag is of.
    list.args(names.iter().map(|name| format!("{name}^{{}}")));
    let listed = output_limited(list, repository.folder(), &LIMITS)?;
    found(&String::from_utf8_lossy(&listed), &names).ok_or_else(|| match reference {
        Some(reference) => format!("it has no branch or tag {reference:?}"),
        None => "it has no default branch".to_owned(),
    })
}

/// What a name may stand for, in the order of git.
fn full_names(reference: Option<&str>) -> Vec<String> {
    match reference {
        None => vec!["HEAD".to_owned()],
        Some(name) => ["", "refs/", "refs/tags/", "refs/heads/"]
            .iter()
            .map(|above| format!("{above}{name}"))
            .collect(),
    }
}

/// The first of the names that is listed. Git takes names for patterns, and lists more than was asked for.
fn found(listed: &str, names: &[String]) -> Option<RemoteCommit> {
    let lines: Vec<(&str, &str)> =
        listed.lines().filter_map(|line| line.split_once('\t')).collect();
    let commit_of = |name: &str| {
        let line = lines.iter().find(|(_, other)| *other == name);
        line.map(|(commit, _)| commit.to_ascii_lowercase()).filter(|commit| is_commit(commit))
    };
    names.iter().find_map(|name| {
        let commit = commit_of(&format!("{name}^{{}}")).or_else(|| commit_of(name))?;
        Some(RemoteCommit { commit, is_tag: name.starts_with("refs/tags/") })
    })
}

/// Whether a text is a whole hash of a commit.
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_comes_before_a_branch_and_is_what_it_is_of() {
        let (one, two, three) = ("1".repeat(40), "2".repeat(40), "3".repeat(40));
        let listed = format!(
            "{one}\trefs/heads/v1\n{two}\trefs/tags/v1\n{three}\trefs/tags/v1^{{}}\n{one}\trefs/heads/x/main\n"
        );
        let ask = |name| found(&listed, &full_names(Some(name)));
        assert_eq!(ask("v1"), Some(RemoteCommit { commit: three, is_tag: true }));
        let branch = Some(RemoteCommit { commit: one, is_tag: false });
        assert_eq!(ask("heads/v1"), branch);
        assert_eq!(ask("refs/heads/v1"), branch);
        assert_eq!(ask("main"), None);
        assert_eq!(found("x\tHEAD\n", &full_names(None)), None);
    }
}
