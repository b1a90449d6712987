//! `serve`: from the settings to the end of the process.

use std::io::Write as _;
use std::sync::Arc;

use facets_catalog::Migrate;
use facets_face::{Exit, Shown};

use crate::args::{ServeArguments, StorageArguments};
use crate::config::{ServeSettings, Sources, StorageSettings, check_environment};
use crate::error::ProgramError;
use crate::opened::open_registry;
use crate::web::{
    App, AppSetup, Bound, EndSignals, Ending, ReachedBy, RequestLog, acceptor, serve as answer,
};

/// How long threads that wait for a disk hold up the end.
const LAST_THREADS: std::time::Duration = std::time::Duration::from_secs(1);

/// Serves until a signal ends it.
pub(super) fn serve(
    storage: &StorageArguments,
    arguments: &ServeArguments,
) -> Result<Shown, ProgramError> {
    check_environment()?;
    let environment = |name: &str| std::env::var_os(name);
    let flags = storage.given().into_iter().chain(arguments.given()).collect();
    let sources = Sources::new(flags, storage.config.as_deref(), &environment)?;
    let (storage, settings) = (StorageSettings::read(&sources)?, ServeSettings::read(&sources)?);
    let failed = |source| ProgramError::Start { source };
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if settings.threads > 0 {
        builder.worker_threads(settings.threads);
    }
    let runtime = builder.enable_all().build().map_err(failed)?;
    let (log, writer) = RequestLog::start(settings.log).map_err(failed)?;
    log_defects(log.clone());
    let ending = runtime.block_on(run(&storage, &settings, log));
    runtime.shutdown_timeout(LAST_THREADS);
    drop(writer);
    let exit = match ending? {
        Ending::Finished => Exit::Yes,
        Ending::TimedOut => Exit::No,
        // As a shell reports a process that a signal ended.
        Ending::Killed => Exit::Code(130),
    };
    Ok(Shown::exact(Vec::<u8>::new()).with_exit(exit))
}

async fn run(
    storage: &StorageSettings,
    settings: &ServeSettings,
    log: RequestLog,
) -> Result<Ending, ProgramError> {
    // Before anything is opened, so that no signal ends the process in the middle of it.
    let signals = EndSignals::listen().map_err(|source| ProgramError::Start { source })?;
    let tls = settings.tls.as_ref().map(acceptor).transpose()?;
    let registry = open_registry(storage, Migrate::Yes).await?;
    let bound = Bound::bind(&settings.listen, tls).await?;
    let app = App::new(AppSetup {
        registry,
        log: log.clone(),
        access: settings.access,
        reached: ReachedBy {
            scheme: bound.scheme(),
            proxy: settings.proxy,
            public: settings.public_url.clone(),
        },
        rates: settings.rates,
        connections: settings.connections,
    });
    let url = bound.url();
    log.event("info", "listening", &url);
    // Connections wait in the queue of the socket until they are accepted.
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "listening on {url}").and_then(|()| stdout.flush());
    Ok(answer(Arc::new(app), bound, signals, settings.shutdown_wait).await)
}

/// A defect is a line of the log, with its place and without what it said: that may be anything.
fn log_defects(log: RequestLog) {
    std::panic::set_hook(Box::new(move |defect| {
        let place = defect.location().map_or_else(String::new, ToString::to_string);
        log.event("error", "defect", &place);
    }));
}
