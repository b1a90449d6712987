//! Files: what is written, kept and removed, and what is in the way.

use facets_digest::Digest;
use facets_model::{AssetBase, AssetKind};
use facets_plan::{
    AssetAction, DiskView, InstalledFileView, OnDisk, Wanted, WriteReason, assets_in_the_way,
    plan_assets,
};

use super::support::{fixed, only, wanted};

fn digest(content: &str) -> Digest {
    Digest::of(content.as_bytes())
}

fn file(path: &str, content: &str) -> InstalledFileView {
    InstalledFileView {
        base: AssetBase::Project,
        path: path.to_owned(),
        digest: digest(content),
        facet: "tools".to_owned(),
        kind: AssetKind::Command,
        name: "ship".parse().unwrap(),
        client: "claude-code".to_owned(),
    }
}

fn disk(files: &[(&str, &str)]) -> DiskView {
    let place = |path: &str| (AssetBase::Project, path.to_owned());
    files.iter().map(|(path, text)| (place(path), OnDisk::File(digest(text)))).collect()
}

const PATH: &str = ".claude/commands/ship.md";

/// What happens to one path that was recorded, is wanted and is found with these contents.
fn action(recorded: Option<&str>, wanted: Option<&str>, found: Option<&str>) -> AssetAction {
    let files = |content: Option<&str>| Vec::from_iter(content.map(|content| file(PATH, content)));
    let on_disk = Vec::from_iter(found.map(|content| (PATH, content)));
    let steps = plan_assets(&files(recorded), &files(wanted), &disk(&on_disk));
    assert_eq!(steps.len(), 1);
    let (wanted, recorded) = (files(wanted), files(recorded));
    assert_eq!(Some(&steps[0].file), wanted.first().or(recorded.first()));
    steps[0].action
}

#[test]
fn a_file_is_written_where_there_is_none() {
    assert_eq!(action(None, Some("new"), None), AssetAction::Write(WriteReason::New));
}

#[test]
fn a_file_that_facet_wrote_and_nobody_edited_follows_its_asset() {
    let from = digest("old");
    let expected = AssetAction::Write(WriteReason::Changed { from });
    assert_eq!(action(Some("old"), Some("new"), Some("old")), expected);
}

#[test]
fn a_file_that_facet_wrote_and_that_is_gone_is_written_again() {
    let gone = AssetAction::Write(WriteReason::Gone);
    assert_eq!(action(Some("same"), Some("same"), None), gone);
    assert_eq!(action(Some("old"), Some("new"), None), gone);
}

#[test]
fn the_same_bytes_stay() {
    let keep = |is_recorded| AssetAction::Keep { is_recorded };
    assert_eq!(action(Some("same"), Some("same"), Some("same")), keep(true));
    assert_eq!(action(Some("old"), Some("new"), Some("new")), keep(true));
    assert_eq!(action(None, Some("same"), Some("same")), keep(false));
}

#[test]
fn a_file_that_the_user_edited_stays() {
    let kept = AssetAction::KeptEdited { found: digest("mine") };
    assert_eq!(action(Some("old"), Some("new"), Some("mine")), kept);
    assert_eq!(action(Some("same"), Some("same"), Some("mine")), kept);
}

#[test]
fn a_file_that_the_user_made_is_in_the_way() {
    assert_eq!(action(None, Some("new"), Some("mine")), AssetAction::InTheWay);
}

#[test]
fn what_is_no_file_is_in_the_way_and_never_removed() {
    let mut on_disk = disk(&[]);
    on_disk.insert((AssetBase::Project, PATH.to_owned()), OnDisk::NotAFile);
    let actions = |before: &[InstalledFileView], after: &[InstalledFileView]| {
        plan_assets(before, after, &on_disk)[0].action
    };
    let (old, new) = ([file(PATH, "old")], [file(PATH, "new")]);
    assert_eq!(actions(&[], &new), AssetAction::InTheWay);
    assert_eq!(actions(&old, &new), AssetAction::InTheWay);
    assert_eq!(actions(&old, &[]), AssetAction::KeptOnRemove);
}

#[test]
fn a_file_that_is_no_longer_wanted_is_removed_unless_the_user_edited_it() {
    assert_eq!(action(Some("old"), None, Some("old")), AssetAction::Remove);
    assert_eq!(action(Some("old"), None, Some("mine")), AssetAction::KeptOnRemove);
    assert_eq!(action(Some("old"), None, None), AssetAction::Forget);
}

#[test]
fn files_that_nobody_recorded_or_wants_are_no_part_of_a_plan() {
    assert_eq!(plan_assets(&[], &[], &disk(&[(PATH, "mine")])), []);
}

#[test]
fn the_same_path_below_another_base_is_another_file() {
    let before = InstalledFileView { base: AssetBase::Home, ..file(PATH, "old") };
    let steps = plan_assets(&[before], &[file(PATH, "old")], &disk(&[(PATH, "old")]));
    let actions: Vec<_> = steps.iter().map(|step| (step.file.base, step.action)).collect();
    assert_eq!(
        actions,
        [
            (AssetBase::Project, AssetAction::Keep { is_recorded: false }),
            (AssetBase::Home, AssetAction::Forget)
        ]
    );
}

#[test]
fn two_clients_may_share_a_file_but_not_one_with_other_bytes() {
    let of = |client: &str, content| InstalledFileView {
        client: client.to_owned(),
        ..file(PATH, content)
    };
    let steps = plan_assets(&[], &[of("codex", "same"), of("opencode", "same")], &disk(&[]));
    assert_eq!(steps.len(), 1);
    let steps = plan_assets(&[], &[of("codex", "one"), of("opencode", "two")], &disk(&[]));
    let mut actions: Vec<_> = steps.iter().map(|step| step.action).collect();
    assert_eq!(actions.remove(0), AssetAction::Write(WriteReason::New));
    assert_eq!(actions, [AssetAction::InTheWay]);
}

fn project() -> Wanted {
    let entry = r#""tools": {"source": "1.*", "materialization": {"commands": {"deliver": {"kind": "aliased", "as": "ship"}}}}"#;
    wanted(entry, "")
}

#[test]
fn an_asset_with_files_in_the_way_is_one_problem_with_the_alias_to_write() {
    let paths = [PATH, ".opencode/commands/ship.md"];
    let after = paths.map(|path| file(path, "new"));
    let on_disk = disk(&paths.map(|path| (path, "mine")));
    let wanted = project();
    let problems = assets_in_the_way(&wanted, &plan_assets(&[], &after, &on_disk));
    let problem = only(&problems);
    assert_eq!(
        problem.to_string(),
        "the command \"ship\" of facet \"tools\" would overwrite .claude/commands/ship.md, \
         .opencode/commands/ship.md, which facet did not write"
    );
    let texts: Vec<&str> = problem.fixes().iter().map(|fix| fix.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            r#""tools": {"source": "1.*", "materialization": {"commands": {"deliver": {"kind": "aliased", "as": "tools-deliver"}}}}"#
        ]
    );
    assert_eq!(fixed(&wanted, problem).facets.len(), 1);
}

#[test]
fn an_asset_of_its_own_name_is_aliased_by_that_name() {
    let agent =
        InstalledFileView { kind: AssetKind::Agent, ..file(".claude/agents/ship.md", "new") };
    let other = InstalledFileView { name: "tools-ship".parse().unwrap(), ..agent.clone() };
    let other = InstalledFileView { path: ".claude/agents/tools-ship.md".to_owned(), ..other };
    let on_disk = disk(&[(".claude/agents/ship.md", "mine")]);
    let steps = plan_assets(&[], &[agent, other], &on_disk);
    let problems = assets_in_the_way(&project(), &steps);
    let fix = &only(&problems).fixes()[0].text;
    let alias = r#""agents": {"ship": {"kind": "aliased", "as": "tools-ship-2"}}"#;
    assert!(fix.contains(alias), "{fix}");
}

#[test]
fn nothing_in_the_way_is_no_problem() {
    let steps = plan_assets(&[], &[file(PATH, "new")], &disk(&[]));
    assert_eq!(assets_in_the_way(&project(), &steps), []);
}
