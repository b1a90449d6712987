//! From the command line to a result.

mod serve;
mod tokens;
mod upkeep;

use facets_catalog::Migrate;
use facets_face::Shown;
use facets_registry::Registry;

use crate::args::{Args, Command, OwnerCommand, StorageArguments, TokenCommand};
use crate::config::{Sources, StorageSettings, check_environment};
use crate::error::ProgramError;
use crate::explain::{codes, explain};
use crate::opened::open_registry;
use crate::render::Renderer;

/// How results are to be shown.
pub(crate) fn renderer(args: &Args) -> Renderer {
    Renderer { format: args.output_format() }
}

/// Runs a command.
pub(crate) fn run(args: Args, renderer: &Renderer) -> Shown {
    let Args { storage, command, .. } = args;
    route(command, &storage, renderer).unwrap_or_else(|error| renderer.failure(&error))
}

fn route(
    command: Command,
    storage: &StorageArguments,
    renderer: &Renderer,
) -> Result<Shown, ProgramError> {
    Ok(match command {
        Command::Serve(arguments) => serve::serve(storage, &arguments)?,
        Command::Explain { code: Some(code) } => renderer.explanation(&explain(&code)?),
        Command::Explain { code: None } => renderer.codes(codes().all()),
        Command::Migrate => {
            let settings = read_storage(storage)?;
            renderer.migrated(&block_on(upkeep::migrate(&settings))?)
        }
        Command::Token(TokenCommand::Create { scopes, owner, note, expires_in }) => {
            let request = tokens::NewTokenRequest::parse(&scopes, &owner, note, expires_in)?;
            // A token is often made before the first start.
            let work = async |registry: &Registry| tokens::create(registry, &request).await;
            let (token, id) = with_registry(storage, Migrate::Yes, work)?;
            renderer.token(&token, &id)
        }
        Command::Token(TokenCommand::List) => {
            let work = async |registry: &Registry| tokens::list(registry).await;
            renderer.tokens(&with_registry(storage, Migrate::No, work)?)
        }
        Command::Token(TokenCommand::Revoke { id }) => {
            let work = async |registry: &Registry| tokens::revoke(registry, &id).await;
            with_registry(storage, Migrate::No, work)?;
            renderer.revoked(&id)
        }
        Command::Owner(OwnerCommand::Set { kind, name, owner }) => {
            let request = tokens::OwnerRequest::parse(kind, &name, &owner)?;
            let work = async |registry: &Registry| request.run(registry).await;
            let change = with_registry(storage, Migrate::No, work)?;
            renderer.owner(kind, (&name, &owner), change)
        }
        other => maintain(other, storage, renderer)?,
    })
}

/// Commands that look at everything that is stored.
fn maintain(
    command: Command,
    storage: &StorageArguments,
    renderer: &Renderer,
) -> Result<Shown, ProgramError> {
    Ok(match command {
        Command::Check => {
            let work = async |registry: &Registry| upkeep::check(registry).await;
            renderer.checked(&with_registry(storage, Migrate::No, work)?)
        }
        Command::Gc { older_than, dry_run } => {
            let options = upkeep::gc_options(&older_than, dry_run)?;
            let work = async |registry: &Registry| upkeep::collect(registry, &options).await;
            renderer.collected(&with_registry(storage, Migrate::No, work)?, &options)
        }
        Command::Backup { target } => {
            let work = async |registry: &Registry| upkeep::back_up(registry, &target).await;
            renderer.backed_up(&target, &with_registry(storage, Migrate::No, work)?)
        }
        Command::Audit { limit } => {
            let work = async |registry: &Registry| upkeep::audit(registry, limit).await;
            renderer.audit(&with_registry(storage, Migrate::No, work)?)
        }
        _ => return Err(ProgramError::Internal),
    })
}

fn read_storage(arguments: &StorageArguments) -> Result<StorageSettings, ProgramError> {
    check_environment()?;
    let environment = |name: &str| std::env::var_os(name);
    let sources = Sources::new(arguments.given(), arguments.config.as_deref(), &environment)?;
    StorageSettings::read(&sources)
}

/// Opens the registry, and does something with it.
fn with_registry<T>(
    arguments: &StorageArguments,
    migrate: Migrate,
    work: impl AsyncFnOnce(&Registry) -> Result<T, ProgramError>,
) -> Result<T, ProgramError> {
    let settings = read_storage(arguments)?;
    block_on(open_and_work(&settings, migrate, work))
}

async fn open_and_work<T>(
    settings: &StorageSettings,
    migrate: Migrate,
    work: impl AsyncFnOnce(&Registry) -> Result<T, ProgramError>,
) -> Result<T, ProgramError> {
    work(&open_registry(settings, migrate).await?).await
}

/// Runs a command that waits for catalog and blobs.
fn block_on<T>(work: impl Future<Output = Result<T, ProgramError>>) -> Result<T, ProgramError> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|source| ProgramError::Start { source })?.block_on(work)
}
