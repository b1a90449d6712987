//! Members of a message, as they are written.

use facets_digest::json::{self, Limits, RawMember, quoted};

/// The value of a member of an object; nothing if the text is no object that can be read.
#[must_use]
pub fn member<'t>(object: &'t str, name: &str, limits: Limits) -> Option<&'t str> {
    let members = json::split_object(object.as_bytes(), limits).ok()??;
    members.into_iter().find(|member| member.name == name).map(|member| member.value)
}

/// The value at a path of members.
#[must_use]
pub fn member_at<'t>(object: &'t str, path: &[&str], limits: Limits) -> Option<&'t str> {
    path.iter().try_fold(object, |object, name| member(object, name, limits))
}

/// The parameters of a message.
#[must_use]
pub fn params_of(message: &[u8], limits: Limits) -> Option<&str> {
    member(std::str::from_utf8(message).ok()?, "params", limits)
}

/// An object of members.
#[must_use]
pub fn object_of<'m>(members: impl IntoIterator<Item = &'m RawMember<'m>>) -> String {
    let written: Vec<String> = members
        .into_iter()
        .map(|member| format!("{}:{}", quoted(&member.name), member.value))
        .collect();
    format!("{{{}}}", written.join(","))
}

/// An object with another value for a member that it has.
#[must_use]
pub fn with_member(object: &str, name: &str, value: &str, limits: Limits) -> Option<String> {
    let mut members = json::split_object(object.as_bytes(), limits).ok()??;
    for member in members.iter_mut().filter(|member| member.name == name) {
        member.value = value;
    }
    Some(object_of(&members))
}
