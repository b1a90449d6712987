//! One job: its archive is probed, and becomes a version or is refused.

use std::sync::PoisonError;

use bytes::Bytes;
use facets_blobs::BlobError;
use facets_catalog::{
    AssetCounts, AuditWho, ClaimedJob, NewVersion, PublishOutcome, ServerRecord, VersionRecord,
};

use crate::blocking::blocking;
use crate::clock::now;
use crate::error::RegistryError;
use crate::job_document::JobDocument;
use crate::probe_folder::ProbeFolder;
use crate::probe_runtime::installed_runtime;
use crate::probing::{InstalledProgram, ProbeAnswer, ProbeFailure, ProbeRequest, probe};
use crate::problem::RegistryProblem;
use crate::refusals;
use crate::registry::Registry;
use crate::server_record::server_record;

/// Why a job is not finished, through no fault of its server.
pub(crate) enum JobTrouble {
    /// The worker could not do its work.
    Worker {
        /// What it said.
        reason: String,
        /// Whether it did its work for the server before this one, so that this one may be the cause.
        worked_before: bool,
    },
    /// The registry has no disk, catalog, store or runtime.
    Registry(RegistryError),
    /// The process ends, and has ended the probe.
    Stopped,
}

impl JobTrouble {
    /// For the operator.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Worker { reason, .. } => format!("the probe worker failed: {reason}"),
            Self::Registry(error) => error.to_string(),
            Self::Stopped => "the registry stops".to_owned(),
        }
    }
}

impl From<RegistryError> for JobTrouble {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

/// What a probe says about a server.
enum ProbeVerdict {
    Accepted { server: ServerRecord, surface_file: String },
    Refused(RegistryProblem),
}

impl Registry {
    /// Works on a job until it is published or refused. If the lease was lost meanwhile, nothing happens.
    pub(crate) async fn finish_job(&self, job: &ClaimedJob) -> Result<(), JobTrouble> {
        let problem = match self.probe_job(job).await? {
            ProbeVerdict::Refused(problem) => Some(problem),
            ProbeVerdict::Accepted { server, surface_file } => {
                self.publish_probed(job, server, surface_file).await?
            }
        };
        if let Some(problem) = problem {
            let refused = self.catalog().refuse_job(&job.claim, &problem.to_json(), now()).await;
            refused.map_err(RegistryError::from)?;
        }
        Ok(())
    }

    async fn probe_job(&self, job: &ClaimedJob) -> Result<ProbeVerdict, JobTrouble> {
        let probes = self.places().probes.clone();
        let folder = blocking(move || ProbeFolder::make(&probes)).await?;
        match self.blobs().copy_to_file(&job.content_hash, &folder.archive()).await {
            Ok(_) => {}
            Err(BlobError::Absent { .. } | BlobError::Damaged { .. }) => {
                return Ok(ProbeVerdict::Refused(refusals::archive_lost()));
            }
            Err(error) => return Err(RegistryError::from(error).into()),
        }
        let (registry, job) = (self.clone(), job.clone());
        let most = self.limits().surface_bytes;
        // One thread for all of it: the folder is removed there, too, and the runtime is not collected meanwhile.
        let (answer, runtime) = blocking(move || registry.run_probe(&job, &folder)).await?;
        let surface_file = match answer {
            Ok(ProbeAnswer { surface_file }) => surface_file,
            // Whatever it says: the signal that ends the registry may have ended the server, too.
            Err(_) if self.is_stopping() => return Err(JobTrouble::Stopped),
            Err(ProbeFailure::Broken(reason)) => {
                let worked_before = self.note_worker(false);
                return Err(JobTrouble::Worker { reason, worked_before });
            }
            Err(ProbeFailure::Refused { code, error, printed }) => {
                self.note_worker(true);
                let problem = refusals::server_failed(&code, &error, &printed);
                return Ok(ProbeVerdict::Refused(problem));
            }
        };
        self.note_worker(true);
        if surface_file.len() as u64 > most {
            let error = format!("the server declares more than {most} bytes");
            let problem = refusals::server_failed("surface-too-large", &error, "");
            return Ok(ProbeVerdict::Refused(problem));
        }
        Ok(self.judge_surface(surface_file, runtime).await?)
    }

    /// Blocks.
    fn run_probe(
        &self,
        job: &ClaimedJob,
        folder: &ProbeFolder,
    ) -> Result<(Result<ProbeAnswer, ProbeFailure>, String), RegistryError> {
        let lock = self.runtime_lock().lock().unwrap_or_else(PoisonError::into_inner);
        let installed = installed_runtime(&self.places().store)?;
        drop(lock);
        let path = installed.program_for_start();
        let path = path.map_err(|error| RegistryError::internal(error.to_string()))?;
        let runtime = InstalledProgram { path, version: installed.runtime().to_string() };
        let request = ProbeRequest {
            archive: &folder.archive(),
            content_hash: job.content_hash,
            integrity: job.integrity,
            scratch: &folder.scratch(),
            runtime: &runtime,
            program: self.program(),
        };
        let answer = probe(&request, &|| self.is_stopping());
        Ok((answer, runtime.version))
    }

    async fn judge_surface(
        &self,
        surface_file: String,
        runtime: String,
    ) -> Result<ProbeVerdict, RegistryError> {
        let slot = self.reader_slot().await?;
        blocking(move || {
            let _slot = slot;
            Ok(match server_record(&surface_file, &runtime) {
                Ok(server) => ProbeVerdict::Accepted { server, surface_file },
                Err(error) => {
                    let error = format!("its surface cannot be stored: {error}");
                    ProbeVerdict::Refused(refusals::server_failed("surface-invalid", &error, ""))
                }
            })
        })
        .await
    }

    /// Stores the surface and makes the version visible; or says why it is refused.
    async fn publish_probed(
        &self,
        job: &ClaimedJob,
        server: ServerRecord,
        surface_file: String,
    ) -> Result<Option<RegistryProblem>, RegistryError> {
        let surface = server.surface_file;
        let Some(document) = JobDocument::from_json(&job.document) else {
            return Err(RegistryError::internal("a job was queued by another kind of registry"));
        };
        if let Some(problem) = self.refuse_changed_surface(job, &surface).await? {
            return Ok(Some(problem));
        }
        let upload = self.hold_blobs(&job.owner, vec![job.content_hash, surface]).await?;
        let audit = AuditWho { owner: job.owner.clone(), token_id: Some(document.token.clone()) };
        let new = NewVersion {
            record: record_of(job, document, server),
            upload: upload.clone(),
            job: Some(job.claim.clone()),
            audit,
        };
        let outcome = self.store_surface(&new, surface_file).await;
        if !matches!(outcome, Ok(PublishOutcome::Inserted)) {
            self.release_blobs(&upload).await;
        }
        Ok(match outcome? {
            PublishOutcome::Inserted | PublishOutcome::SameExists(_) | PublishOutcome::JobLost => {
                None
            }
            PublishOutcome::OtherExists(found) => {
                let artifact = (job.kind, &job.name, &job.version);
                Some(refusals::version_exists(artifact, &found.integrity, &job.integrity))
            }
            PublishOutcome::NotOwner { .. } => Some(refusals::not_owner(job.kind, &job.name)),
            PublishOutcome::LookalikeOf { name } => Some(refusals::too_similar(&job.name, &name)),
            PublishOutcome::TokenEnded(end) => Some(refusals::token_ended(end)),
        })
    }

    /// The blob first, then the one transaction that makes it visible.
    async fn store_surface(
        &self,
        new: &NewVersion,
        surface_file: String,
    ) -> Result<PublishOutcome, RegistryError> {
        if let Some(server) = &new.record.server {
            self.blobs().put_bytes(&server.surface_file, Bytes::from(surface_file)).await?;
        }
        Ok(self.catalog().publish(new, new.record.published_at).await?)
    }
}

fn record_of(job: &ClaimedJob, document: JobDocument, server: ServerRecord) -> VersionRecord {
    VersionRecord {
        kind: job.kind,
        name: job.name.clone(),
        version: job.version.clone(),
        content_hash: job.content_hash,
        integrity: job.integrity,
        size: job.size,
        manifest: document.manifest,
        description: document.description,
        author: document.author,
        assets: AssetCounts::default(),
        owner: job.owner.clone(),
        published_at: now(),
        yanked: None,
        server: Some(server),
    }
}
