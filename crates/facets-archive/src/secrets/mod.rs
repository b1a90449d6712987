//! Files that look like secrets, by their names and by what is in them.
//!
//! A private key in a published archive cannot be taken back. A file that only looks like one costs a flag.

mod content;
mod names;
mod shapes;
mod tokens;

pub(crate) use content::SecretScanner;
pub(crate) use names::secret_name;
