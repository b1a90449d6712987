//! Modules that a program loads by their names.

use oxc_ast::ast::{
    ImportDeclaration, ImportDeclarationSpecifier, ImportOrExportKind, StringLiteral, WithClause,
};
use oxc_span::Span;

use super::Judge;
use crate::words::{self, Gives};
use crate::{Category, Import};

impl<'a> Judge<'a, '_, '_> {
    pub(super) fn import(&mut self, import: &'a ImportDeclaration<'a>) {
        let is_type = |specifier: &ImportDeclarationSpecifier<'_>| {
            matches!(specifier, ImportDeclarationSpecifier::ImportSpecifier(one)
                if one.import_kind == ImportOrExportKind::Type)
        };
        let only_types = import
            .specifiers
            .as_ref()
            .is_some_and(|all| !all.is_empty() && all.iter().all(is_type));
        self.attributes(import.with_clause.as_deref());
        // With other settings a file is loaded for its types, too.
        let erased = only_types && words::built_in_name(&import.source.value).is_some();
        if import.import_kind != ImportOrExportKind::Type && !erased {
            self.loads(&import.source);
        }
    }

    /// Any attribute but `json` may make a program of a file.
    pub(super) fn attributes(&mut self, with: Option<&WithClause<'_>>) {
        if let Some(with) = with
            && with.with_entries.iter().any(|entry| entry.value.value != "json")
        {
            self.doubt("chooses how an import is loaded", with.span);
        }
    }

    pub(super) fn loads(&mut self, source: &'a StringLiteral<'a>) {
        self.load(source.value.as_str(), source.span, false);
    }

    /// A module is loaded: one of the runtime's is judged here, others by whoever has the files.
    pub(super) fn load(&mut self, specifier: &'a str, span: Span, by_require: bool) {
        if let Some(plain) = words::built_in_name(specifier) {
            let gives = words::builtin(plain).unwrap_or(Gives::Unknown);
            self.gives(gives, plain, span, &[]);
            if !words::is_runtime(specifier) {
                return;
            }
        }
        // Runtimes take it as a URL, however it is written, and never as a package.
        if specifier.contains(':') && !specifier.starts_with(['.', '/', '#']) {
            return self.load_url(specifier, span);
        }
        let line = self.lines.of(span.start);
        let specifier = specifier.to_owned();
        self.found.imports.push(Import { specifier, line, by_require });
    }

    fn load_url(&mut self, url: &str, span: Span) {
        let scheme = url.trim().split(':').next().unwrap_or_default().to_ascii_lowercase();
        match scheme.as_str() {
            "data" | "blob" => self.gives(Gives::AnyCode, "import of code in a URL", span, &[]),
            "http" | "https" => {
                self.gives(Gives::One(Category::Network), "import of a URL", span, &[]);
                self.gives(Gives::AnyCode, "import of a URL", span, &[]);
            }
            _ => self.doubt(&format!("imports {url}, which is not a package"), span),
        }
    }
}
