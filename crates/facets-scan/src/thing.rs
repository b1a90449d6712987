//! What an expression can stand for, and what its members are.

use crate::words::{
    GLOBAL_OBJECTS, Gives, LISTENERS, built_in_name, builtin, gives_itself, is_harmless, is_stream,
};

/// Where a way to a capability begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root<'a> {
    /// The global object.
    Global,
    /// A global name.
    Name(&'a str),
    /// A module.
    Module(&'a str),
    /// A function that loads modules, made by `createRequire`.
    Loader,
}

impl Root<'_> {
    /// Whether a path leads to an object of the class of modules.
    fn is_a_module(self, path: &[&str]) -> bool {
        matches!(
            (self, path),
            (Self::Name("module"), [] | ["parent", ..]) | (Self::Name("require"), ["main", ..])
        )
    }
}

/// What an expression stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thing<'a> {
    /// A root, and the members that were taken of it one after the other.
    Path(Root<'a>, Vec<&'a str>),
    /// Something else of the program's own.
    Data,
    /// A function of the program.
    Function,
    /// What made something: of a function, that evaluates code.
    Constructor { of_function: bool },
    /// A member under a name that is not known, of what may be a function: perhaps what makes
    /// functions of texts.
    Lookup,
    /// What a call of such a member gave: perhaps a function of a text.
    Made,
}

/// What a name means that the program does not define.
pub(crate) fn global(name: &str) -> Thing<'_> {
    let root = match name {
        _ if GLOBAL_OBJECTS.contains(&name) => Root::Global,
        "__non_webpack_require__" => Root::Name("require"),
        name => Root::Name(name),
    };
    Thing::Path(root, Vec::new())
}

/// A module, by the name under which the tables know it; nothing if it gives nothing, or if
/// somebody wrote it: then it is read itself.
pub(crate) fn module(specifier: &str) -> Option<Thing<'_>> {
    let root = match built_in_name(specifier)? {
        "process" => Root::Name("process"),
        "bun" => Root::Name("Bun"),
        "module" => Root::Module("module"),
        "tty" => Root::Module("tty"),
        "async_hooks" => Root::Module("async_hooks"),
        plain if builtin(plain)? == Gives::Nothing => return None,
        plain => Root::Module(plain),
    };
    Some(Thing::Path(root, Vec::new()))
}

impl<'a> Thing<'a> {
    /// A member of it.
    pub(crate) fn member(self, name: &'a str) -> Self {
        let Self::Path(root, mut path) = self else {
            return self.member_of_value(name);
        };
        match (root, name) {
            (Root::Global, name) => global(name),
            // The constructor of a module loads others; other constructors make functions.
            (root, "constructor") if !root.is_a_module(&path) => {
                Self::Constructor { of_function: true }
            }
            (Root::Module(_), "default") if path.is_empty() => Self::Path(root, path),
            _ => {
                path.push(name);
                Self::Path(root, path).shortened()
            }
        }
    }

    /// A member of what is no root.
    fn member_of_value(self, name: &str) -> Self {
        // What can be done with a function without calling it, and is still that function.
        const SAME: &[&str] = &["call", "apply", "bind", "valueOf", "value"];
        match self {
            Self::Function | Self::Constructor { .. } if name == "constructor" => {
                Self::Constructor { of_function: true }
            }
            Self::Data if name == "constructor" => Self::Constructor { of_function: false },
            Self::Lookup if name == "constructor" => Self::Constructor { of_function: false },
            same @ (Self::Constructor { .. } | Self::Function | Self::Lookup | Self::Made)
                if SAME.contains(&name) =>
            {
                same
            }
            // It may be anything that a function of the runtime gives, such as a descriptor.
            Self::Made => Self::Lookup,
            _ => Self::Data,
        }
    }

    /// Whether calling it gives `process` back.
    pub(crate) fn gives_process(&self) -> bool {
        matches!(self, Self::Path(Root::Name("process"), path)
            if matches!(path.as_slice(), [method] if LISTENERS.contains(method)))
    }

    /// The stream that calling it gives back.
    pub(crate) fn gives_stream(&self) -> Option<&'a str> {
        match self {
            Self::Path(Root::Name("process"), path) => match path.as_slice() {
                [stream, method] if is_stream(stream) && gives_itself(method) => Some(stream),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it leads anywhere, so that it is followed from where its name stands.
    pub(crate) fn is_followed(&self) -> bool {
        match self {
            Self::Constructor { .. }
            | Self::Lookup
            | Self::Made
            | Self::Path(Root::Global | Root::Loader | Root::Module(_), _) => true,
            Self::Path(Root::Name(name), _) => !is_harmless(name),
            Self::Data | Self::Function => false,
        }
    }

    /// Whether its constructor makes functions of texts: it is a function itself, or one of
    /// the runtime's own things.
    pub(crate) fn is_function(&self) -> bool {
        match self {
            Self::Function | Self::Constructor { .. } | Self::Path(..) => true,
            Self::Data | Self::Lookup | Self::Made => false,
        }
    }

    /// Whether it came by a name that is not known.
    pub(crate) fn is_looked_up(&self) -> bool {
        matches!(self, Self::Lookup | Self::Made)
    }

    /// Other names for `require`.
    fn shortened(self) -> Self {
        let Self::Path(Root::Name(name), path) = &self else { return self };
        match (*name, path.as_slice()) {
            ("module", ["require"]) => global("require"),
            ("import.meta", ["require"]) => Self::Path(Root::Loader, Vec::new()),
            ("Bun", ["default"]) => global("Bun"),
            ("process", ["default"]) => global("process"),
            _ => self,
        }
    }

    /// Whether calling it gives a module.
    pub(crate) fn loads_modules(&self) -> bool {
        let Self::Path(root, path) = self else { return false };
        match root {
            Root::Loader => path.is_empty(),
            Root::Name("require") => path.is_empty(),
            Root::Name("process") => path == &["getBuiltinModule"],
            _ => false,
        }
    }

    /// Whether calling it gives a function that loads modules.
    pub(crate) fn creates_loader(&self) -> bool {
        let Self::Path(Root::Module(module), path) = self else { return false };
        *module == "module"
            && matches!(path.as_slice(), ["createRequire"] | ["Module", "createRequire"])
    }
}
