//! Blobs that are stored, but belong to no version yet.

use std::collections::BTreeSet;
use std::time::Duration;

use facets_digest::Digest;

use crate::catalog::Catalog;
use crate::database::{Ending, Operation, Transaction, Trouble};
use crate::error::CatalogError;
use crate::moment::Moment;
use crate::owner::Owner;

/// How long a blob stays condemned: longer than its removal can take, even if what removes it is killed.
const CONDEMNED_FOR: Duration = Duration::from_mins(10);

/// Blobs that are about to be stored.
#[derive(Clone, Debug)]
pub struct NewUpload {
    /// A random name. The same one again moves the end of its upload.
    pub id: String,
    /// The blobs.
    pub digests: Vec<Digest>,
    /// Who uploads.
    pub owner: Owner,
    /// When the blobs may be removed, unless a version or a job needs them.
    pub expires: Moment,
}

/// Whether blobs can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadStart {
    /// They are safe from now on.
    Started,
    /// One of them is being removed at this moment: wait and try again.
    Condemned,
}

/// Whether a blob may be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condemned {
    /// A version or an upload needs it, or it is being removed already.
    No,
    /// Nothing needs it, and nothing will until it is absolved.
    Yes,
}

impl Catalog {
    /// Keeps blobs from being removed. Comes before the first byte is stored.
    pub async fn begin_upload(
        &self,
        upload: &NewUpload,
        now: Moment,
    ) -> Result<UploadStart, CatalogError> {
        self.database.write(&BeginUpload { upload, now }).await
    }

    /// Lets the blobs of an upload go.
    pub async fn end_upload(&self, id: &str) -> Result<(), CatalogError> {
        self.database.write(&EndUpload { id }).await
    }

    /// Whether a version or an upload needs a blob.
    pub async fn is_referenced(&self, digest: &Digest, now: Moment) -> Result<bool, CatalogError> {
        let row = self.database.fetch_first(IS_NEEDED, &[digest.into(), now.into()]).await?;
        let needed = row.map(|row| row.cells().integer()).transpose()?;
        Ok(needed.is_some_and(|needed| needed > 0))
    }

    /// Lets a blob be removed, if nothing needs it. What removes it has ten minutes, and absolves it then.
    pub async fn condemn(&self, digest: &Digest, now: Moment) -> Result<Condemned, CatalogError> {
        self.database.write(&Condemning { digest, now }).await
    }

    /// The blob is removed, and may be stored again.
    pub async fn absolve(&self, digest: &Digest) -> Result<(), CatalogError> {
        self.database.write(&Absolving { digest }).await
    }
}

const IS_NEEDED: &str = "SELECT CASE WHEN EXISTS (SELECT 1 FROM blob_uses WHERE digest = $1) \
     OR EXISTS (SELECT 1 FROM upload_blobs b JOIN uploads u ON u.id = b.upload \
     WHERE b.digest = $1 AND (u.expires_at > $2 OR EXISTS (SELECT 1 FROM jobs j \
     WHERE j.upload = u.id AND j.state IN ('queued', 'running')))) \
     THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END";

/// Uploads and removals of one blob come one after the other.
async fn lock_blob(transaction: &mut Transaction<'_>, digest: &Digest) -> Result<(), Trouble> {
    transaction.lock(&format!("blob {digest}")).await
}

/// Whether a blob is being removed at this moment.
async fn is_condemned(
    transaction: &mut Transaction<'_>,
    digest: &Digest,
    now: Moment,
) -> Result<bool, Trouble> {
    const FIND: &str = "SELECT condemned_at FROM condemned WHERE digest = $1 AND condemned_at > $2";
    let since = now.minus(CONDEMNED_FOR);
    let row = transaction.fetch_first(FIND, &[digest.into(), since.into()]).await?;
    Ok(row.is_some())
}

struct BeginUpload<'a> {
    upload: &'a NewUpload,
    now: Moment,
}

impl Operation for BeginUpload<'_> {
    type Output = UploadStart;

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<UploadStart>, Trouble> {
        const INSERT: &str = "INSERT INTO uploads (id, owner, expires_at) VALUES ($1, $2, $3) \
             ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at";
        const INSERT_BLOB: &str = "INSERT INTO upload_blobs (upload, digest) VALUES ($1, $2) \
             ON CONFLICT (digest, upload) DO NOTHING";
        let NewUpload { id, digests, owner, expires } = self.upload;
        // In their order, so that two uploads never wait for each other.
        let digests: BTreeSet<&Digest> = digests.iter().collect();
        for digest in &digests {
            lock_blob(transaction, digest).await?;
            if is_condemned(transaction, digest, self.now).await? {
                return Ok(Ending::Discard(UploadStart::Condemned));
            }
        }
        transaction.execute(INSERT, &[id.into(), owner.into(), (*expires).into()]).await?;
        for digest in digests {
            transaction.execute(INSERT_BLOB, &[id.into(), digest.into()]).await?;
        }
        Ok(Ending::Commit(UploadStart::Started))
    }
}

struct EndUpload<'a> {
    id: &'a str,
}

impl Operation for EndUpload<'_> {
    type Output = ();

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<()>, Trouble> {
        transaction.execute("DELETE FROM uploads WHERE id = $1", &[self.id.into()]).await?;
        Ok(Ending::Commit(()))
    }
}

struct Condemning<'a> {
    digest: &'a Digest,
    now: Moment,
}

impl Operation for Condemning<'_> {
    type Output = Condemned;

    /// An expired upload is ended first, and a publish needs its upload to be there: whichever comes first, the
    /// other one notices, whatever their clocks say.
    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<Condemned>, Trouble> {
        const EXPIRE: &str = "DELETE FROM uploads WHERE expires_at <= $2 \
             AND id IN (SELECT upload FROM upload_blobs WHERE digest = $1) \
             AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.upload = uploads.id \
             AND j.state IN ('queued', 'running'))";
        const USES: &str = "SELECT what FROM blob_uses WHERE digest = $1 \
             UNION ALL SELECT upload FROM upload_blobs WHERE digest = $1 LIMIT 1";
        const CONDEMN: &str = "INSERT INTO condemned (digest, condemned_at) VALUES ($1, $2) \
             ON CONFLICT (digest) DO UPDATE SET condemned_at = excluded.condemned_at";
        lock_blob(transaction, self.digest).await?;
        if is_condemned(transaction, self.digest, self.now).await? {
            return Ok(Ending::Discard(Condemned::No));
        }
        transaction.execute(EXPIRE, &[self.digest.into(), self.now.into()]).await?;
        if transaction.fetch_first(USES, &[self.digest.into()]).await?.is_some() {
            return Ok(Ending::Commit(Condemned::No));
        }
        transaction.execute(CONDEMN, &[self.digest.into(), self.now.into()]).await?;
        Ok(Ending::Commit(Condemned::Yes))
    }
}

struct Absolving<'a> {
    digest: &'a Digest,
}

impl Operation for Absolving<'_> {
    type Output = ();

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<()>, Trouble> {
        const ABSOLVE: &str = "DELETE FROM condemned WHERE digest = $1";
        transaction.execute(ABSOLVE, &[self.digest.into()]).await?;
        Ok(Ending::Commit(()))
    }
}
