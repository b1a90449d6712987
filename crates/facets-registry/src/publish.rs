//! Publishing: an archive that was received becomes a version, or is refused.

use facets_catalog::ArtifactKind;

use crate::caller::Caller;
use crate::clock::now;
use crate::error::RegistryError;
use crate::publishing::PublishAnswer;
use crate::refusals;
use crate::registry::Registry;
use crate::upload::Upload;

impl Registry {
    /// Publishes an archive that was received completely: all of it or nothing. A server that is not probed soon
    /// is accepted, and its status says what becomes of it.
    pub async fn publish(
        &self,
        upload: Upload,
        caller: &Caller,
    ) -> Result<PublishAnswer, RegistryError> {
        let received = upload.finish().await?;
        caller.require_publish(&received.name)?;
        // A slow body must not outlive its token. The transaction that publishes looks once more.
        if let Some(end) = self.catalog().token_end(&caller.token_id, now()).await? {
            return Err(refusals::token_ended(end).into());
        }
        let facts = self.read_received(&received, &caller.owner).await?;
        if let Some(found) = self.find_same(&facts).await? {
            return self.publish_same(received, &facts, caller, found).await;
        }
        match facts.kind {
            ArtifactKind::Facet => self.publish_facet(&received, &facts, caller).await,
            ArtifactKind::Server => self.publish_server(received, &facts, caller).await,
        }
    }
}
