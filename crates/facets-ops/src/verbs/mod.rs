//! One file per verb. A verb imports no other verb: what several share has a module of its own
//! beside this folder.

pub mod add;
pub mod adopt;
pub mod approvals;
pub mod approve;
pub mod build;
pub mod build_check;
pub mod cache;
pub mod check;
pub mod connect;
pub mod data;
pub mod diff;
pub mod digest_archive;
pub mod digest_contract;
pub mod digest_file;
pub mod digest_json;
pub mod digest_surface;
pub mod doctor;
pub mod explain;
pub mod grant;
pub mod init;
pub mod inspect;
pub mod list;
pub mod login;
pub mod publish;
pub mod remove;
pub mod run;
pub mod runtime;
pub mod scan;
pub mod sessions;
pub mod show;
pub mod unpack;
pub mod verify;
pub mod verify_file;
pub mod whoami;
pub mod yank;
