//! Arguments of the commands about the store.

use facets_ops::OpsError;
use facets_ops::cache::{CachePruneRequest, list_cache, prune_cache, verify_cache};

use crate::args::CacheCommand;
use crate::progress::Bar;
use crate::render::Renderer;
use facets_face::Shown;

pub(crate) fn run_cache(
    command: Option<CacheCommand>,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    match command.unwrap_or_default() {
        CacheCommand::List => Ok(renderer.cached(&list_cache()?)),
        CacheCommand::Verify => {
            let bar = Bar::without_end(renderer.is_quiet());
            let report = verify_cache(&bar)?;
            drop(bar);
            Ok(renderer.cache_verified(&report))
        }
        CacheCommand::Prune { max_size } => {
            let request = CachePruneRequest { bound: max_size };
            Ok(renderer.cache_pruned(&prune_cache(&request)?, request))
        }
    }
}
