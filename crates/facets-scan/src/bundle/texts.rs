//! The helpers that bun writes into a bundle, word for word.

/// What a helper is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HelperRole {
    /// `Object.create`
    Create,
    /// `Object.getPrototypeOf`
    PrototypeOf,
    /// `Object.defineProperty`
    Define,
    /// `Object.getOwnPropertyNames`
    OwnNames,
    /// `Object.getOwnPropertyDescriptor`
    OwnDescriptor,
    /// `Object.prototype.hasOwnProperty`
    HasOwn,
    /// A variable without a value, for a `WeakMap`.
    Cache,
    /// Gives a member of its `this`.
    Access,
    /// Gives its argument back.
    Identity,
    /// Replaces what an export gives.
    ExportSetter,
    /// Makes a function that runs a `CommonJS` module once and gives its exports.
    CommonJs,
    /// Makes a module namespace of the exports of a `CommonJS` module.
    ToEsm,
    /// Makes the exports of a `CommonJS` module of a module namespace.
    ToCommonJs,
    /// Copies the members of a module to another.
    ReExport,
    /// Defines the members of a module namespace.
    Export,
    /// Defines those of a `CommonJS` module that was not wrapped.
    ExportCjs,
}

/// Names of the texts below that are declared outside of a helper. All others that begin with `$`
/// are its own variables; a bundle may have other words for both.
const OUTER: &[(&str, HelperRole)] = &[
    ("$create", HelperRole::Create),
    ("$prototypeOf", HelperRole::PrototypeOf),
    ("$define", HelperRole::Define),
    ("$ownNames", HelperRole::OwnNames),
    ("$ownDescriptor", HelperRole::OwnDescriptor),
    ("$hasOwn", HelperRole::HasOwn),
    ("$nodeCache", HelperRole::Cache),
    ("$esmCache", HelperRole::Cache),
    ("$moduleCache", HelperRole::Cache),
    ("$access", HelperRole::Access),
    ("$identity", HelperRole::Identity),
    ("$exportSetter", HelperRole::ExportSetter),
];

/// The texts, each after those that it uses.
pub(super) const TEXTS: &[(HelperRole, &str)] = &[
    (HelperRole::Access, "function $self($key) { return this[$key]; }"),
    (HelperRole::Identity, "($value) => $value"),
    (
        HelperRole::ExportSetter,
        "function $self($name, $value) { this[$name] = $identity.bind(null, $value); }",
    ),
    (
        HelperRole::CommonJs,
        "($run, $mod) => () => ($mod || $run(($mod = { exports: {} }).exports, $mod), $mod.exports)",
    ),
    (HelperRole::ToEsm, TO_ESM),
    (HelperRole::ToCommonJs, TO_COMMON_JS),
    (HelperRole::ReExport, RE_EXPORT),
    (
        HelperRole::Export,
        "($target, $all) => {
           for (var $name in $all)
             $define($target, $name, {
               get: $all[$name],
               enumerable: true,
               configurable: true,
               set: $exportSetter.bind($all, $name)
             });
         }",
    ),
    (
        HelperRole::ExportCjs,
        "($target, $getters, $setters) => {
           for (var $name in $getters)
             $define($target, $name, {
               get: $getters[$name],
               set: $setters[$name],
               enumerable: true,
               configurable: true
             });
         }",
    ),
];

const TO_ESM: &str = r#"($mod, $isNodeMode, $target) => {
  var $canCache = $mod != null && typeof $mod === "object";
  if ($canCache) {
    var $cache = $isNodeMode ? $nodeCache ??= new $WeakMap : $esmCache ??= new $WeakMap;
    var $cached = $cache.get($mod);
    if ($cached)
      return $cached;
  }
  $target = $mod != null ? $create($prototypeOf($mod)) : {};
  const $to = $isNodeMode || !$mod || !$mod.__esModule || !$hasOwn.call($mod, "default")
    ? $define($target, "default", { value: $mod, enumerable: true }) : $target;
  if ($mod && typeof $mod === "object" || typeof $mod === "function") {
    for (let $key of $ownNames($mod))
      if (!$hasOwn.call($to, $key))
        $define($to, $key, {
          get: $access.bind($mod, $key),
          enumerable: true
        });
  }
  if ($canCache)
    $cache.set($mod, $to);
  return $to;
}"#;

const TO_COMMON_JS: &str = r#"($from) => {
  var $entry = ($moduleCache ??= new $WeakMap).get($from), $desc;
  if ($entry)
    return $entry;
  $entry = $define({}, "__esModule", { value: true });
  if ($from && typeof $from === "object" || typeof $from === "function") {
    for (var $key of $ownNames($from))
      if (!$hasOwn.call($entry, $key))
        $define($entry, $key, {
          get: $access.bind($from, $key),
          enumerable: !($desc = $ownDescriptor($from, $key)) || $desc.enumerable
        });
  }
  $moduleCache.set($from, $entry);
  return $entry;
}"#;

const RE_EXPORT: &str = r#"($target, $mod, $secondTarget) => {
  var $keys = $mod && typeof $mod === "object" || typeof $mod === "function" ? $ownNames($mod) : [];
  for (let $key of $keys)
    if (!$hasOwn.call($target, $key) && $key !== "default")
      $define($target, $key, {
        get: $access.bind($mod, $key),
        enumerable: true
      });
  if ($secondTarget) {
    for (let $key of $keys)
      if (!$hasOwn.call($secondTarget, $key) && $key !== "default")
        $define($secondTarget, $key, {
          get: $access.bind($mod, $key),
          enumerable: true
        });
    return $secondTarget;
  }
}"#;

/// The runtime's own, in the texts above.
const WEAK_MAP: &str = "$WeakMap";

/// Whether a text is that of a helper, but for blanks and the words that its names are. `is_role`
/// says whether a word is the helper that a text uses; names that the text does not declare lead
/// there, because no name of its own is the same word.
pub(super) fn is_text(
    helper: &'static str,
    text: &str,
    is_role: impl Fn(&str, HelperRole) -> bool,
) -> bool {
    let Some(names) = renamed(helper, text) else { return false };
    names.into_iter().all(|(name, word)| {
        if name == WEAK_MAP {
            return word == "WeakMap";
        }
        let outer = OUTER.iter().find(|(outer, _)| *outer == name);
        outer.is_none_or(|(_, role)| is_role(word, *role))
    })
}

/// The word for each name, one to one; none if the texts differ in anything else.
fn renamed<'t>(helper: &'static str, text: &'t str) -> Option<Vec<(&'static str, &'t str)>> {
    let mut names: Vec<(&'static str, &'t str)> = Vec::new();
    let mut words = HelperWords::new(text);
    for wanted in HelperWords::new(helper) {
        let word = words.next()?;
        if !wanted.starts_with('$') {
            if wanted != word {
                return None;
            }
            continue;
        }
        let known = names.iter().copied().find(|(name, other)| *name == wanted || *other == word);
        match known {
            Some(known) if known == (wanted, word) => {}
            None if word.starts_with(is_name_start) => names.push((wanted, word)),
            _ => return None,
        }
    }
    words.next().is_none().then_some(names)
}

/// The words and signs of a text. What stands in a comment, in other quotes or in letters beyond
/// ASCII comes apart, so that it equals nothing.
struct HelperWords<'t> {
    rest: &'t str,
    is_after_return: bool,
}

impl<'t> HelperWords<'t> {
    fn new(text: &'t str) -> Self {
        Self { rest: text, is_after_return: false }
    }
}

impl<'t> Iterator for HelperWords<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let blanks = &self.rest[..self.rest.len() - rest.len()];
        let first = rest.chars().next()?;
        let length = if self.is_after_return && blanks.contains(['\n', '\r']) {
            // `return` before the end of a line gives nothing back: an empty word equals nothing.
            0
        } else if is_name_part(first) {
            rest.find(|c: char| !is_name_part(c)).unwrap_or(rest.len())
        } else if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else {
            first.len_utf8()
        };
        let (word, rest) = rest.split_at(length);
        self.rest = rest;
        self.is_after_return = word == "return";
        Some(word)
    }
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_access(text: &str) -> bool {
        is_text(TEXTS[0].1, text, |_, _| false)
    }

    #[test]
    fn blanks_and_names_may_differ() {
        assert!(is_access("function __accessProp(key) {\n  return this[key];\n}"));
        assert!(is_access("function a(b){return this[b];}"));
        assert!(is_access("function $1(key2) { return\tthis[key2]; }"));
    }

    #[test]
    fn nothing_else_may_differ() {
        for text in [
            "",
            "function a(b) { return this[b] }",
            "function a(b) { return\n this[b]; }",
            "function a(b) { return this[a]; }",
            "function a(a) { return this[a]; }",
            "function a(b) { return self[b]; }",
            "function a(b) { return this[b]; } x",
            "function a(b) { return this[b];",
            "function a(b) { /**/ return this[b]; }",
            "function a(b) { return this['b']; }",
            "function a(\u{e9}) { return this[\u{e9}]; }",
            "function a(b) { return this[b\\u0062]; }",
            "function a(1) { return this[1]; }",
            "async function a(b) { return this[b]; }",
            "function* a(b) { return this[b]; }",
        ] {
            assert!(!is_access(text), "{text}");
        }
    }

    #[test]
    fn names_of_other_helpers_are_those_helpers() {
        let setter = "function s(n, v) { this[n] = r.bind(null, v); }";
        let text = TEXTS[2].1;
        assert!(is_text(text, setter, |word, role| word == "r" && role == HelperRole::Identity));
        assert!(!is_text(text, setter, |_, _| false));
    }

    #[test]
    fn every_text_is_like_itself() {
        for (role, text) in TEXTS {
            let written = text.replace("$WeakMap", "WeakMap");
            assert!(is_text(text, &written, |_, _| true), "{role:?}");
            let own = text.replace("$WeakMap", "Map");
            assert_eq!(is_text(text, &own, |_, _| true), !text.contains("$WeakMap"), "{role:?}");
        }
    }
}
