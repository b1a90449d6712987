//! Arguments of calls that the pinned schemas accept (spec 11.4: `arguments=pinned`).

use facets_guard::ArgumentCheck;
use facets_surface::{Also, Definition, Kind, Surface};
use facets_validator::ArgumentSchemas;

/// The pinned input schemas of a server.
#[derive(Debug)]
pub(crate) struct PinnedArguments(ArgumentSchemas);

impl PinnedArguments {
    /// Of all that is pinned, for whichever client, and of what was approved on this machine.
    pub(crate) fn of(surface: &Surface, variant: Option<&Also>) -> Self {
        let mut schemas = ArgumentSchemas::default();
        let also = surface.also.items.iter();
        let also = also.chain(variant.into_iter().flat_map(|variant| &variant.items));
        let tools = surface.items(Kind::Tool).iter().chain(also);
        for tool in tools.filter(|item| item.kind() == Kind::Tool) {
            add(tool, &mut schemas);
        }
        Self(schemas)
    }
}

fn add(tool: &Definition, schemas: &mut ArgumentSchemas) {
    let value = tool.value();
    schemas.add(tool.name(), value.member("inputSchema"));
}

impl ArgumentCheck for PinnedArguments {
    fn refuse(&self, tool: &str, arguments: &str) -> Option<String> {
        self.0.refuse(tool, arguments)
    }
}
