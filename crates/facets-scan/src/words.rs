//! The names at which every capability begins.

mod gives;
mod members;

use crate::Category;
pub(crate) use gives::Gives;
use members::{bun_member, deno_member, process_member};

use Category::{CodeEvaluation, Crypto, Environment, Filesystem, Network, Subprocess};
use Gives::{AnyCode, Nothing, One, Two, Unknown};

/// A module that the runtime brings, without `node:`; none if it is somebody's package.
pub(crate) fn builtin(name: &str) -> Option<Gives> {
    Some(match name {
        "fs" | "fs/promises" | "sqlite" | "bun:sqlite" => One(Filesystem),
        "http" | "https" | "http2" | "net" | "tls" | "dgram" | "dns" | "dns/promises" | "quic"
        | "_http_agent" | "_http_client" | "_http_common" | "_http_incoming" | "_http_outgoing"
        | "_http_server" | "_tls_common" | "_tls_wrap" => One(Network),
        "child_process" | "worker_threads" | "cluster" => One(Subprocess),
        "crypto" => One(Crypto),
        "vm" | "repl" | "inspector" | "inspector/promises" | "bun:ffi" | "bun:jsc" => AnyCode,
        "wasi" => Two(CodeEvaluation, Filesystem),
        "assert" | "assert/strict" | "async_hooks" | "buffer" | "console" | "constants"
        | "diagnostics_channel" | "domain" | "events" | "os" | "path" | "path/posix"
        | "path/win32" | "perf_hooks" | "punycode" | "querystring" | "readline"
        | "readline/promises" | "stream" | "stream/consumers" | "stream/promises"
        | "stream/web" | "string_decoder" | "sys" | "timers" | "timers/promises" | "tty"
        | "url" | "util" | "util/types" | "zlib" | "_stream_duplex" | "_stream_passthrough"
        | "_stream_readable" | "_stream_transform" | "_stream_writable"
        // Judged by the members that are used.
        | "module" | "process" | "bun" => Nothing,
        // Files and processes beside what they are for.
        "v8" | "_stream_wrap" | "test" | "test/reporters" | "trace_events" | "sea" | "bun:test" => Unknown,
        _ => return None,
    })
}

/// The built-in module that a specifier means, without `node:`. Some have no other name, so that
/// without it they are packages.
pub(crate) fn built_in_name(specifier: &str) -> Option<&str> {
    const ONLY_WITH_PREFIX: &[&str] = &["quic", "sea", "sqlite", "test", "test/reporters"];
    let plain = match specifier.strip_prefix("node:") {
        Some(plain) => plain,
        None if ONLY_WITH_PREFIX.contains(&specifier) => return None,
        None => specifier,
    };
    builtin(plain).map(|_| plain)
}

/// Whether one runtime brings a module that is a package for others.
pub(crate) fn is_runtime(specifier: &str) -> bool {
    specifier == "bun"
}

/// Well-known packages, for when their source is not there to be read.
pub(crate) fn package(name: &str) -> Option<Gives> {
    Some(match name {
        "axios" | "got" | "node-fetch" | "undici" | "ws" | "superagent" | "request" | "ky"
        | "needle" | "socket.io" | "socket.io-client" | "express" | "fastify" | "koa" | "hono"
        | "@hono/node-server" | "pg" | "mysql" | "mysql2" | "redis" | "ioredis" | "mongodb"
        | "nodemailer" | "cross-fetch" | "isomorphic-fetch" | "eventsource" | "ssh2"
        | "@octokit/rest" | "openai" | "@anthropic-ai/sdk" => One(Network),
        "execa" | "cross-spawn" | "shelljs" | "zx" | "tinyexec" | "node-pty"
        | "foreground-child" | "spawn-rx" => One(Subprocess),
        "puppeteer" | "puppeteer-core" | "playwright" | "playwright-core" | "simple-git" => {
            Two(Network, Subprocess)
        }
        "fs-extra" | "graceful-fs" | "glob" | "fast-glob" | "globby" | "rimraf" | "mkdirp"
        | "chokidar" | "better-sqlite3" | "sqlite3" | "tmp" | "write-file-atomic" | "del"
        | "proper-lockfile" => One(Filesystem),
        "jsonwebtoken" | "jose" | "bcrypt" | "bcryptjs" | "tweetnacl" | "node-forge"
        | "crypto-js" => One(Crypto),
        "vm2" | "isolated-vm" | "quickjs-emscripten" => AnyCode,
        _ => return None,
    })
}

/// The names of the global object.
pub(crate) const GLOBAL_OBJECTS: &[&str] =
    &["globalThis", "global", "self", "window", "root", "top", "parent", "frames"];

/// Whether a name means something that is watched, where no variable hides it.
pub(crate) fn is_watched(name: &str) -> bool {
    matches!(
        name,
        "globalThis"
            | "global"
            | "self"
            | "window"
            | "root"
            | "top"
            | "parent"
            | "frames"
            | "fetch"
            | "WebSocket"
            | "WebSocketStream"
            | "XMLHttpRequest"
            | "EventSource"
            | "WebTransport"
            | "RTCPeerConnection"
            | "Worker"
            | "SharedWorker"
            | "crypto"
            | "Crypto"
            | "CryptoKey"
            | "SubtleCrypto"
            | "localStorage"
            | "sessionStorage"
            | "caches"
            | "indexedDB"
            | "eval"
            | "ShadowRealm"
            | "execScript"
            | "importScripts"
            | "Function"
            | "require"
            | "module"
            | "process"
            | "Bun"
            | "Deno"
            | "navigator"
            | "WebAssembly"
    )
}

/// A global name; none if no runtime that we know has it.
pub(crate) fn global(name: &str) -> Option<Gives> {
    Some(match name {
        "fetch" | "WebSocket" | "WebSocketStream" | "XMLHttpRequest" | "EventSource"
        | "WebTransport" | "RTCPeerConnection" => One(Network),
        "Worker" | "SharedWorker" => One(Subprocess),
        "crypto" | "Crypto" | "CryptoKey" | "SubtleCrypto" => One(Crypto),
        "localStorage" | "sessionStorage" | "caches" | "indexedDB" => One(Filesystem),
        "eval" | "ShadowRealm" | "execScript" => AnyCode,
        "importScripts" => AnyCode,
        // Judged by how they are used.
        "Function"
        | "require"
        | "module"
        | "process"
        | "Bun"
        | "Deno"
        | "navigator"
        | "__non_webpack_require__" => Nothing,
        "WebAssembly" => One(CodeEvaluation),
        // What the global object inherits gives it back, or lets others see it.
        "valueOf" | "__proto__" | "__lookupGetter__" | "__lookupSetter__" | "__defineGetter__"
        | "__defineSetter__" => Unknown,
        // Some runtimes serve with them; and a worker talks with who started it.
        "addEventListener" | "onmessage" | "onerror" | "postMessage" => Unknown,
        _ if HARMLESS.binary_search(&name).is_ok() => Nothing,
        // In scripts that are typed in, built-in modules are globals.
        _ => match builtin(name) {
            Some(Nothing) | None => return None,
            gives => return gives,
        },
    })
}

/// Globals that reach nothing. Sorted.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "AbortController", "AbortSignal", "AggregateError", "Array", "ArrayBuffer",
    "AsyncDisposableStack", "AsyncIterator", "Atomics", "BigInt", "BigInt64Array", "BigUint64Array",
    "Blob", "Boolean", "BroadcastChannel", "Buffer", "BuildError", "BuildMessage",
    "ByteLengthQueuingStrategy", "CloseEvent", "CompressionStream", "CountQueuingStrategy",
    "CustomEvent", "DOMException", "DataView", "Date", "DecompressionStream", "DisposableStack",
    "Error", "ErrorEvent", "EvalError", "Event", "EventTarget", "File", "FinalizationRegistry",
    "Float16Array", "Float32Array", "Float64Array", "FormData", "HTMLRewriter", "Headers",
    "Infinity", "Int16Array", "Int32Array", "Int8Array", "Intl", "Iterator", "JSON", "Map", "Math",
    "MessageChannel", "MessageEvent", "MessagePort", "NaN", "Number", "Object", "Performance",
    "PerformanceEntry", "PerformanceMark", "PerformanceMeasure", "PerformanceObserver",
    "PerformanceObserverEntryList", "PerformanceResourceTiming", "PerformanceServerTiming",
    "PerformanceTiming", "Promise", "Proxy", "RangeError", "ReadableByteStreamController",
    "ReadableStream", "ReadableStreamBYOBReader", "ReadableStreamBYOBRequest",
    "ReadableStreamDefaultController", "ReadableStreamDefaultReader", "ReferenceError", "Reflect",
    "RegExp", "Request", "ResolveError", "ResolveMessage", "Response", "Set", "SharedArrayBuffer",
    "String", "SuppressedError", "Symbol", "SyntaxError", "Temporal", "TextDecoder",
    "TextDecoderStream", "TextEncoder", "TextEncoderStream", "TransformStream",
    "TransformStreamDefaultController", "TypeError", "URIError", "URL", "URLPattern",
    "URLSearchParams", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap",
    "WeakRef", "WeakSet", "WritableStream", "WritableStreamDefaultController",
    "WritableStreamDefaultWriter", "__dirname", "__filename", "alert", "atob", "btoa",
    "clearImmediate", "clearInterval", "clearTimeout", "confirm", "console", "decodeURI",
    "decodeURIComponent", "define", "dispatchEvent", "encodeURI", "encodeURIComponent", "escape",
    "exports", "gc", "isFinite", "isNaN", "parseFloat", "parseInt", "performance", "prompt",
    "queueMicrotask", "removeEventListener", "reportError", "setImmediate", "setInterval",
    "setTimeout", "structuredClone", "undefined", "unescape",
];

/// Whether a runtime has a global of this name.
pub(crate) fn is_known_global(name: &str) -> bool {
    GLOBAL_OBJECTS.contains(&name) || global(name).is_some()
}

/// Members that every object has and that give it back, or let others see it.
pub(crate) const REVEALING: &[&str] = &[
    "valueOf",
    "__proto__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__defineGetter__",
    "__defineSetter__",
];

/// Whether a global reaches nothing, however it is used.
pub(crate) fn is_harmless(name: &str) -> bool {
    HARMLESS.binary_search(&name).is_ok()
        && !TIMERS.contains(&name)
        && !["Proxy", "Reflect", "exports"].contains(&name)
}

/// Globals that a proof relies on, so that no program may replace them.
pub(crate) fn is_relied_on(name: &str) -> bool {
    matches!(
        name,
        "Array"
            | "ArrayBuffer"
            | "BigInt"
            | "Boolean"
            | "DataView"
            | "Date"
            | "Error"
            | "JSON"
            | "Map"
            | "Math"
            | "Number"
            | "Object"
            | "RangeError"
            | "Reflect"
            | "RegExp"
            | "Set"
            | "String"
            | "Symbol"
            | "TypeError"
            | "URL"
            | "URLSearchParams"
            | "Uint8Array"
            | "WeakMap"
            | "WeakSet"
            | "console"
            | "isNaN"
            | "parseFloat"
            | "parseInt"
    )
}

/// Methods of `process` that give it back, and call listeners with it as `this`.
pub(crate) const LISTENERS: &[&str] = &[
    "addListener",
    "off",
    "on",
    "once",
    "prependListener",
    "prependOnceListener",
    "removeAllListeners",
    "removeListener",
    "setMaxListeners",
];

/// Whether a member of `process` is a standard stream, which may be a socket.
pub(crate) fn is_stream(member: &str) -> bool {
    ["stdin", "stdout", "stderr"].contains(&member)
}

/// Whether a method of a stream gives the stream back.
pub(crate) fn gives_itself(method: &str) -> bool {
    const METHODS: &[&str] = &[
        "destroy",
        "end",
        "pause",
        "pipe",
        "ref",
        "resetAndDestroy",
        "resume",
        "setDefaultEncoding",
        "setEncoding",
        "setKeepAlive",
        "setNoDelay",
        "setRawMode",
        "setTimeout",
        "unpipe",
        "unref",
        "valueOf",
        "wrap",
    ];
    METHODS.contains(&method) || LISTENERS.contains(&method)
}

/// Whether a member of `process` is a socket, and is used as one.
pub(crate) fn is_socket(stream: &str, members: &[&str]) -> bool {
    is_stream(stream) && members.contains(&"connect")
}

/// Members that lead where their object does not show: to whoever called a function, to the
/// streams behind a console, and to native code.
pub(crate) fn leads_away(member: &str) -> bool {
    is_stream_behind(member) || defines_accessor(member) || is_telling(member) || member == "caller"
}

/// Names by which the runtime is told to show the functions that called one, or to load native
/// code. Nobody else uses them, so they are doubted wherever they are written.
pub(crate) fn is_telling(name: &str) -> bool {
    matches!(
        name,
        "prepareStackTrace"
            | "clientCertEngine"
            | "privateKeyEngine"
            | "loadExtension"
            | "enableLoadExtension"
            | "setCustomSQLite"
    )
}

/// A method of `Error` that may be given a constructor, so that no program may replace it.
pub(crate) const LEAVES_OUT: &str = "captureStackTrace";

/// Whether a text of this name may be used to reach a member that matters.
pub(crate) fn is_judged_text(text: &str) -> bool {
    text == "constructor" || text == LEAVES_OUT || is_telling(text)
}

/// The streams behind a console.
pub(crate) fn is_stream_behind(member: &str) -> bool {
    matches!(member, "_stdout" | "_stderr")
}

/// What puts an accessor on anything, and so on what every function inherits.
pub(crate) fn defines_accessor(member: &str) -> bool {
    matches!(member, "__defineGetter__" | "__defineSetter__")
}

/// Names under which an object is made to inherit from another, which may be a function.
pub(crate) fn changes_heirs(name: &str) -> bool {
    matches!(name, "__proto__" | "setPrototypeOf")
}

/// The method of every object that gives accessors.
pub(crate) const LOOKS_UP: &str = "__lookupGetter__";

/// Functions that show or define members under any name.
pub(crate) fn describes(name: &str) -> bool {
    matches!(name, "getOwnPropertyDescriptor" | "getOwnPropertyDescriptors" | "defineProperty")
}

/// Functions that call what they are given, and would evaluate a text.
pub(crate) const TIMERS: &[&str] = &["setTimeout", "setInterval", "setImmediate"];

/// A member of an object that the runtime brings.
pub(crate) fn member(object: &str, name: &str) -> Gives {
    match object {
        "process" => process_member(name),
        "Bun" => bun_member(name),
        "Deno" => deno_member(name),
        "navigator" => match name {
            "sendBeacon" => One(Network),
            "userAgent" | "hardwareConcurrency" | "language" | "languages" | "platform" => Nothing,
            _ => Unknown,
        },
        "import.meta" => match name {
            "env" => One(Environment),
            "url" | "dirname" | "filename" | "dir" | "path" | "file" | "main" | "resolve"
            | "hot" | "webpack" => Nothing,
            _ => Unknown,
        },
        "module" => match name {
            "exports" | "id" | "filename" | "loaded" | "path" => Nothing,
            _ => Unknown,
        },
        "require" => match name {
            "resolve" | "main" => Nothing,
            _ => Unknown,
        },
        "Function" => match name {
            "prototype" | "name" | "length" | "toString" => Nothing,
            _ => AnyCode,
        },
        "tty" => match name {
            "isatty" => Nothing,
            // Their prototypes are sockets.
            _ => Unknown,
        },
        "node:module" => match name {
            "isBuiltin" | "builtinModules" | "findPackageJSON" | "SourceMap" | "findSourceMap" => {
                Nothing
            }
            "enableCompileCache" | "getCompileCacheDir" | "flushCompileCache" => One(Filesystem),
            "register" | "registerHooks" => AnyCode,
            _ => Unknown,
        },
        _ => Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_harmless_globals_can_be_searched() {
        assert!(HARMLESS.is_sorted());
        assert_eq!(global("undefined"), Some(Nothing));
        assert_eq!(global("noSuchThing"), None);
        assert!(GLOBAL_OBJECTS.iter().all(|name| is_watched(name)));
        assert!(!HARMLESS.iter().any(|name| is_watched(name)));
    }

    /// A global that no table has would count as the program's own once something assigns it.
    #[test]
    fn every_global_of_the_runtimes_is_known() {
        for runtime in ["node", "bun"] {
            let Some(program) = facets_testkit::component(runtime) else { continue };
            let folder = tempfile::tempdir().expect("a folder");
            let script = folder.path().join("globals.mjs");
            let print = "console.log(Object.getOwnPropertyNames(globalThis).join(' '))";
            std::fs::write(&script, print).expect("writes");
            let run = std::process::Command::new(program).arg(&script).output().expect("runs");
            let names = String::from_utf8(run.stdout).expect("text");
            assert!(names.split_whitespace().count() > 100, "{runtime}: {names}");
            let known = |name: &&str| global(name).is_some() || GLOBAL_OBJECTS.contains(name);
            let unknown: Vec<&str> = names.split_whitespace().filter(|name| !known(name)).collect();
            assert!(unknown.is_empty(), "{runtime} has {unknown:?}");
        }
    }
}
