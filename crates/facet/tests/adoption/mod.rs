//! What `facet adopt` says, asks and takes over, and where values come from afterwards.

mod asking;
mod seven_clients;
mod table;
mod values;
