//! What the members of the runtimes' own objects give.

use super::gives::Gives::{self, AnyCode, Nothing, One, Two, Unknown};
use crate::Category::{Crypto, Environment, Filesystem, Network, Subprocess};

pub(super) fn process_member(name: &str) -> Gives {
    #[rustfmt::skip]
    const PLAIN: &[&str] = &[
        "abort", "addListener", "allowedNodeEnvironmentFlags", "arch", "argv", "argv0",
        "availableMemory", "browser", "channel", "chdir", "config", "connected",
        "constrainedMemory", "cpuUsage", "cwd", "debugPort", "disconnect", "domain", "emit",
        "emitWarning", "eventNames", "execArgv", "execPath", "exit", "exitCode", "features",
        "getActiveResourcesInfo", "getMaxListeners", "getegid", "geteuid", "getgid", "getgroups",
        "getuid", "hasUncaughtExceptionCaptureCallback", "hrtime", "listenerCount", "listeners",
        "memoryUsage", "nextTick", "noDeprecation", "off", "on", "once", "pid", "platform", "ppid",
        "prependListener", "prependOnceListener", "release", "removeAllListeners", "removeListener",
        "resourceUsage", "send", "setMaxListeners", "setSourceMapsEnabled",
        "setUncaughtExceptionCaptureCallback", "stderr", "stdin", "stdout", "threadCpuUsage",
        "throwDeprecation", "title", "traceDeprecation", "type", "umask", "unref", "uptime", "version",
        "versions", "pkg", "isBun", "noAsar", "resourcesPath", "defaultApp", "ref", "sourceMapsEnabled",
        "traceProcessWarnings", "permission", "finalization", "stdio", "default",
    ];
    match name {
        "env" => One(Environment),
        "binding" | "_linkedBinding" | "dlopen" => AnyCode,
        "kill" | "_kill" | "_debugProcess" | "execve" => One(Subprocess),
        "loadEnvFile" => Two(Filesystem, Environment),
        "report" => One(Filesystem),
        _ if PLAIN.contains(&name) => Nothing,
        _ => Unknown,
    }
}

pub(super) fn bun_member(name: &str) -> Gives {
    match name {
        "file" | "write" | "stdin" | "stdout" | "stderr" | "Glob" | "mmap" | "FileSystemRouter"
        | "resolveSync" | "resolve" | "TOML" | "indexHTML" | "embeddedFiles" => One(Filesystem),
        "serve" | "connect" | "listen" | "udpSocket" | "dns" | "fetch" | "sql" | "SQL"
        | "postgres" | "redis" | "RedisClient" | "s3" | "S3Client" | "WebSocket" => One(Network),
        "spawn" | "spawnSync" | "$" => One(Subprocess),
        "CryptoHasher" | "password" | "hash" | "sha" | "SHA1" | "SHA224" | "SHA256" | "SHA384"
        | "SHA512" | "SHA512_256" | "MD4" | "MD5" | "CSRF" | "secrets" | "randomUUIDv7"
        | "randomUUIDv5" => One(Crypto),
        "plugin" | "build" | "Transpiler" | "ffi" => AnyCode,
        "env" => One(Environment),
        "version"
        | "revision"
        | "main"
        | "argv"
        | "isMainThread"
        | "sleep"
        | "sleepSync"
        | "which"
        | "peek"
        | "nanoseconds"
        | "deepEquals"
        | "deepMatch"
        | "escapeHTML"
        | "inspect"
        | "stringWidth"
        | "stripANSI"
        | "semver"
        | "color"
        | "gzipSync"
        | "gunzipSync"
        | "deflateSync"
        | "inflateSync"
        | "zstdCompress"
        | "zstdCompressSync"
        | "zstdDecompress"
        | "zstdDecompressSync"
        | "readableStreamToText"
        | "readableStreamToJSON"
        | "readableStreamToBytes"
        | "readableStreamToArrayBuffer"
        | "readableStreamToBlob"
        | "readableStreamToArray"
        | "readableStreamToFormData"
        | "ArrayBufferSink"
        | "fileURLToPath"
        | "pathToFileURL"
        | "concatArrayBuffers"
        | "allocUnsafe"
        | "gc"
        | "enableANSIColors"
        | "YAML"
        | "Cookie"
        | "CookieMap"
        | "indexOfLine" => Nothing,
        _ => Unknown,
    }
}

pub(super) fn deno_member(name: &str) -> Gives {
    match name {
        "Command" | "run" | "spawn" | "spawnAndWait" | "kill" => One(Subprocess),
        "connect" | "connectTls" | "connectQuic" | "listen" | "listenTls" | "listenDatagram"
        | "serve" | "serveHttp" | "startTls" | "resolveDns" | "createHttpClient"
        | "upgradeWebSocket" | "networkInterfaces" => One(Network),
        "openKv" | "open" | "openSync" | "create" | "createSync" | "readFile" | "readFileSync"
        | "readTextFile" | "readTextFileSync" | "writeFile" | "writeFileSync" | "writeTextFile"
        | "writeTextFileSync" | "readDir" | "readDirSync" | "readLink" | "readLinkSync"
        | "mkdir" | "mkdirSync" | "remove" | "removeSync" | "rename" | "renameSync"
        | "copyFile" | "copyFileSync" | "stat" | "statSync" | "lstat" | "lstatSync"
        | "realPath" | "realPathSync" | "truncate" | "truncateSync" | "chmod" | "chmodSync"
        | "chown" | "chownSync" | "link" | "linkSync" | "symlink" | "symlinkSync"
        | "makeTempDir" | "makeTempDirSync" | "makeTempFile" | "makeTempFileSync" | "watchFs"
        | "utime" | "utimeSync" | "FsFile" => One(Filesystem),
        "dlopen" => AnyCode,
        "env" => One(Environment),
        "args"
        | "exit"
        | "exitCode"
        | "pid"
        | "ppid"
        | "version"
        | "build"
        | "cwd"
        | "chdir"
        | "execPath"
        | "mainModule"
        | "noColor"
        | "stdin"
        | "stdout"
        | "stderr"
        | "errors"
        | "inspect"
        | "isatty"
        | "consoleSize"
        | "hostname"
        | "osRelease"
        | "osUptime"
        | "memoryUsage"
        | "loadavg"
        | "uid"
        | "gid"
        | "addSignalListener"
        | "removeSignalListener"
        | "permissions"
        | "refTimer"
        | "unrefTimer"
        | "customInspect" => Nothing,
        _ => Unknown,
    }
}
