use super::*;

/// Names that a reader takes for one another.
const TWINS: &[(&str, &str)] = &[
    // other alphabets
    ("read_file", "re\u{430}d_file"),
    ("read_file", "read_f\u{456}le"),
    ("copy", "\u{441}\u{43e}\u{440}\u{443}"),
    ("echo", "e\u{441}h\u{43e}"),
    ("HTTP", "\u{41d}\u{422}\u{422}\u{420}"),
    ("open", "\u{3bf}pen"),
    ("save", "sa\u{3bd}e"),
    ("cat", "\u{3f2}at"),
    ("run", "ru\u{3b7}"),
    ("hub", "\u{570}ub"),
    ("join", "\u{575}oin"),
    ("DATA", "\u{13a0}ATA"),
    ("SELECT", "\u{13da}ELECT"),
    ("Mail", "\u{a4df}ail"),
    ("fetch", "fet\u{2ca5}h"),
    ("list", "\u{4cf}ist"),
    ("Ill", "\u{4c0}ll"),
    ("go", "g\u{966}"),
    // other Latin letters
    ("file", "f\u{131}le"),
    ("search", "\u{17f}earch"),
    ("list", "\u{a781}ist"),
    ("list", "\u{1c0}ist"),
    ("login", "\u{142}ogin"),
    ("get", "\u{261}et"),
    ("bash", "\u{253}ash"),
    ("Bash", "\u{181}ash"),
    ("Add", "\u{23a}dd"),
    ("bash", "\u{183}ash"),
    ("cat", "\u{23c}at"),
    ("add", "ad\u{18c}"),
    ("get", "g\u{25b}t"),
    ("run", "ru\u{14b}"),
    ("RUN", "RU\u{14a}"),
    ("query", "\u{24b}uery"),
    ("Get", "Ge\u{23e}"),
    ("URL", "\u{1b1}RL"),
    ("BODY", "BOD\u{194}"),
    ("backup", "bac\u{212a}up"),
    // forms and marks
    ("read_file", "read_\u{ff46}ile"),
    ("read", "\u{1d42b}ead"),
    ("read", "\u{24e1}ead"),
    ("read", "\u{1f181}ead"),
    ("read", "\u{280}ead"),
    ("READ", "\u{1f1f7}\u{1f1ea}\u{1f1e6}\u{1f1e9}"),
    ("echo", "e\u{301}cho"),
    ("caf\u{e9}", "cafe\u{301}"),
    ("d\u{323}elete", "delete"),
    // invisible
    ("read_file", "read\u{200d}_file"),
    ("read_file", "read_file\u{fe0f}"),
    ("read_file", "read_file\u{e0061}\u{e0062}"),
    ("read_file", "\u{202e}read_file"),
    ("read_file", "read\u{ad}_file"),
    ("read_file", "read\u{3164}_file"),
    ("read_file", "read_file "),
    // case, and what joins words
    ("read_file", "Read_File"),
    ("readFile", "readfile"),
    ("read_file", "read-file"),
    ("read_file", "read file"),
    ("read_file", "read\u{a0}file"),
    ("read_file", "read__file"),
    ("read_file", "read.file"),
    ("read-file", "read\u{2010}file"),
    ("_read", "read"),
    // shapes
    ("get_all", "get_a11"),
    ("get_all", "get_aIl"),
    ("list", "Iist"),
    ("foo", "f00"),
    ("GO", "G0"),
    ("get_mail", "get_rnail"),
    ("view", "vievv"),
    ("write", "vvrite"),
    ("Write", "VVrite"),
    ("VIEW", "VIEVV"),
    ("get_mail", "Get_rnail"),
    ("get_all", "Get_aIl"),
    ("read-file", "read\u{2500}file"),
    ("read_file", "read+file"),
    ("facet", "fac\u{212e}t"),
    ("sampling", "\u{10448}ampling"),
    ("file", "\u{ab35}ile"),
    ("mix", "mi\u{d7}"),
    // marks of other alphabets
    ("save_note", "save\u{5c4}_note"),
    ("save_note", "save\u{64b}_note"),
    ("save_note", "save\u{653}_note"),
    ("save_note", "save\u{93c}_note"),
    ("save_note", "save\u{e31}_note"),
    ("save_note", "save\u{a66f}_note"),
    ("save_note", "save\u{2cef}_note"),
    ("save_note", "save\u{fb1e}_note"),
    ("save_note", "save_\u{3099}note"),
    ("save_note", "s\u{430}\u{5c4}ve_note"),
    ("page_2", "page_2\u{5c4}"),
    ("read", "\u{1d42b}\u{5c4}ead"),
    // invisible in names
    ("read_file", "read\u{13430}_file"),
    ("read_file", "read\u{16fe4}_file"),
    ("read_file", "read\u{1d159}_file"),
    ("read_file", "read\u{1107f}_file"),
    ("read_file", "read\u{2d7f}_file"),
    ("read_file", "read\u{70f}_file"),
    ("read_file", "read\u{fffe}_file"),
    ("read_file", "read\u{1ffff}_file"),
    ("read_file", "read\u{fdd0}_file"),
    ("read_file", "read\u{e000}_file"),
    ("read_file", "read\u{10fffd}_file"),
    // any signs
    ("read_file", "read;file"),
    ("read_file", "read=file"),
    ("read_file", "read|file"),
    ("get_all", "get_a||"),
    ("read_file", "read\\file"),
    ("read_file", "read*file"),
    ("read_file", "read'file"),
    ("read_file", "read \u{2192} file"),
    ("read_file", "read\u{2bc}file"),
    ("read_file", "read\u{2cd}file"),
    ("read_file", "read\u{a789}file"),
    ("read_file", "read\u{2236}file"),
    ("read_file", "read\u{4e00}file"),
    ("read_file", "read\u{4e00}\u{4e00}file"),
    ("read_file", "read\u{30fc}file"),
    ("read_file", "read\u{ff70}file"),
    ("read_file", "read\u{3161}file"),
    ("read_file", "read\u{27cb}file"),
    ("read_file", "read\u{2022}file"),
    ("read_file", "read\u{3002}file"),
    ("read_file", "read\u{23af}file"),
    ("read_file", "read_file;"),
    ("read_file", "read_file'"),
    ("read_file", "(read) file"),
    ("c++", "C++"),
    ("c++", "c\u{ff0b}+"),
    ("c#", "c_# "),
    // two letters in one
    ("aero", "\u{e6}ro"),
    ("AERO", "\u{c6}RO"),
    ("aero", "\u{1e3}ro"),
    ("oeuvre", "\u{153}uvre"),
    ("OEUVRE", "\u{152}UVRE"),
    ("pass", "pa\u{df}"),
    ("PASS", "PA\u{1e9e}"),
    ("gets", "ge\u{2a6}"),
    ("tools", "t\u{a74f}ls"),
    ("TOOLS", "T\u{a74e}LS"),
];

/// Names that stand beside each other for good reasons.
const NEIGHBOURS: &[(&str, &str)] = &[
    ("read_file", "readFile"),
    ("read_file", "read_files"),
    ("read_file", "read_text_file"),
    ("read_file", "file_read"),
    ("read_file", "write_file"),
    ("get_user", "get_users"),
    ("API-get-user", "API-get-users"),
    ("git_diff_staged", "git_diff_unstaged"),
    ("list_mail", "list_mall"),
    ("fill", "file"),
    ("tail", "tall"),
    ("ui", "ul"),
    ("step_1", "step_2"),
    ("v1", "v2"),
    ("v1", "vi"),
    ("item_1", "item_11"),
    ("page_0", "page_8"),
    ("s5", "ss"),
    ("z2", "zz"),
    ("form", "from"),
    ("warm", "wam"),
    ("new", "nev"),
    ("\u{43c}\u{438}\u{440}", "\u{43c}\u{43e}\u{440}"),
    ("\u{3ba}\u{3b1}\u{3b9}", "\u{3ba}\u{3b1}\u{3bd}"),
    ("\u{8aad}\u{3080}", "\u{66f8}\u{304f}"),
    ("\u{304b}", "\u{304c}"),
    ("\u{915}\u{93f}", "\u{915}\u{940}"),
    ("\u{915}", "\u{915}\u{93c}"),
    // One that looks like an `o`, with two vowels.
    ("\u{101d}\u{102d}", "\u{101d}\u{102e}"),
    ("\u{5d1}\u{5b8}", "\u{5d1}\u{5b9}"),
    ("\u{30c7}\u{30fc}\u{30bf}", "\u{30c7}\u{30bf}"),
    ("step\u{4e00}", "step\u{4e8c}"),
    ("step\u{4e00}", "step"),
    ("step\u{4e00}_run", "step_run"),
    ("API\u{4e00}\u{89a7}", "API_\u{89a7}"),
    ("vote_\u{1f44d}", "vote_\u{1f44e}"),
    ("task_clone", "task_done"),
    ("get_clock", "get_dock"),
    ("clear", "dear"),
    ("run_c", "run_c++"),
    ("run_c", "run_c+"),
    ("run_c+", "run_c++"),
    ("c", "c#"),
    ("c#", "c++"),
    ("save", "save!"),
    ("", "a"),
    ("a", "b"),
];

#[test]
fn twins_resemble_each_other() {
    for (name, twin) in TWINS {
        assert!(resembles(name, twin), "{name:?} {twin:?} {:?}", skeletons(twin));
        assert!(resembles(twin, name), "{twin:?} {name:?}");
    }
}

#[test]
fn neighbours_do_not() {
    for (name, other) in NEIGHBOURS {
        assert!(!resembles(name, other), "{name:?} {other:?} {:?}", skeletons(name));
    }
}

#[test]
fn a_name_does_not_resemble_itself() {
    for (name, twin) in TWINS.iter().chain(NEIGHBOURS) {
        assert!(!resembles(name, name) && !resembles(twin, twin));
    }
}

#[test]
fn disguised_names_are_told_from_honest_ones() {
    for name in [
        "a\u{200b}",
        "\u{202e}elif",
        "a\tb",
        "a\u{a0}b",
        "a\u{e0041}",
        "a\u{fe0f}",
        "a\u{13430}",
        "a\u{13441}",
        "a\u{16fe4}",
        "a\u{1d159}",
        "a\u{1107f}",
        "a\u{2d7f}",
        "a\u{70f}",
        "a\u{fffe}",
        "a\u{ffff}",
        "a\u{2fffe}",
        "a\u{fdd0}",
        "a\u{fffc}",
        "\u{e000}",
        "\u{f0000}",
    ] {
        assert_eq!(disguise(name), Some(Disguise::Invisible), "{name:?}");
    }
    for name in [
        "re\u{430}d_file",
        "read_\u{441}",
        "\u{441}\u{43e}\u{440}\u{443}",
        "get\u{444}\u{430}\u{439}\u{43b}",
        "\u{13a0}ata",
        "\u{ff52}ead",
        "\u{ff52}\u{ff45}",
        "\u{1d42b}ead",
        "\u{e9}\u{430}",
        "save\u{5c4}_note",
        "a\u{a789}b",
        "get_a\u{2502}\u{2502}",
        "f\u{5e1}o",
        "read\u{4e00}file",
    ] {
        assert_eq!(disguise(name), Some(Disguise::Alphabets), "{name:?}");
    }
    for name in [
        "read_file",
        "read file",
        "caf\u{e9}",
        "\u{447}\u{438}\u{442}\u{430}\u{442}\u{44c}_\u{441}_\u{434}\u{438}\u{441}\u{43a}\u{430}",
        "get_\u{444}\u{430}\u{439}\u{43b}",
        "\u{67e5}\u{8be2}SQL",
        "get\u{5929}\u{6c14}",
        "\u{30c7}\u{30fc}\u{30bf}",
        "",
    ] {
        assert_eq!(disguise(name), None, "{name:?}");
    }
}

#[test]
fn names_are_spelled_out() {
    assert_eq!(spelled_out("re\u{430}d\u{200b} file"), "re\\u{430}d\\u{200b} file");
    assert_eq!(spelled_out("read_file"), "read_file");
    assert_eq!(spelled_out("\u{5929}"), "\u{5929}");
    // Signs, marks, and what stands in a word where it does not belong.
    assert_eq!(spelled_out("git\u{2010}push"), "git\\u{2010}push");
    assert_eq!(spelled_out("f\u{5e1}o_\u{5e1}"), "f\\u{5e1}o_\u{5e1}");
    assert_eq!(spelled_out("save\u{5c4}"), "save\\u{5c4}");
    assert_eq!(spelled_out("2\u{5c4}\u{93f}"), "2\\u{5c4}\\u{93f}");
    assert_eq!(spelled_out("e\u{301}"), "e\\u{301}");
    assert_eq!(spelled_out("a\u{e000}\u{7f}"), "a\\u{e000}\\u{7f}");
    assert_eq!(spelled_out("a\u{df}"), "a\\u{df}");
    assert_eq!(spelled_out("read\u{4e00}file"), "read\\u{4e00}file");
    // Words of other alphabets, with their marks, and pictures.
    for name in ["\u{915}\u{93c}\u{94d}", "\u{5d1}\u{5b8}", "get_\u{444}", "\u{1f44d}", "a+b c#"] {
        assert_eq!(spelled_out(name), name);
    }
}

/// How honest servers spell a name differently has nothing but ASCII.
#[test]
fn signs_that_look_like_others_are_no_spelling() {
    for other in ["git-push", "Git_Push", "git push", "git.push", "git::push", "_git+push"] {
        assert_eq!(plain_spelling(other), "git_push");
    }
    for disguised in ["git\u{2010}push", "git\u{a789}push", "git\u{2215}push", "git\u{a0}push"] {
        assert!(resembles(disguised, "git-push"), "{disguised:?}");
        assert_ne!(plain_spelling(disguised), "git_push", "{disguised:?}");
    }
}

#[test]
fn addresses_keep_case_digits_and_signs() {
    for address in ["file:///A-b_c/0O1lI.md", "demo://{resourceId}", "\u{416}\u{436}"] {
        assert_eq!(visible_letters(address), address);
    }
    assert_eq!(visible_letters("f\u{456}le:///\u{410}\u{200b}.md"), "file:///A.md");
}

/// What is left of a name looks like what is left.
#[test]
fn skeletons_are_stable() {
    for character in (0..=0x2_ffff).filter_map(char::from_u32) {
        let seen = visible_letters(&character.to_string());
        assert_eq!(visible_letters(&seen), seen, "{character:?}");
    }
}
