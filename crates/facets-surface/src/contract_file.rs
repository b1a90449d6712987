//! Contracts as documents: one, or several by name.

use facets_digest::json::{JsonError, Object, Value, write_string};

use crate::contract::Contract;
use crate::declared::{write_actions, write_set};
use crate::part::{Part, write_object};
use crate::schema::string_set;
use crate::{EntitlementVerdict, InflationRisk};

/// Why a document is no contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {
    /// Not JSON that can be hashed.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// Something that should be an object is not.
    #[error("{place} is not an object")]
    NotAnObject {
        /// What.
        place: String,
    },
    /// A member that is always there is missing.
    #[error("{place} is missing")]
    Missing {
        /// Which.
        place: String,
    },
    /// A member that no contract has.
    #[error("unknown member {place}")]
    Unknown {
        /// Which.
        place: String,
    },
    /// A member has a value that it cannot have.
    #[error("{place} is not {expected}")]
    Value {
        /// Which.
        place: String,
        /// What it can be.
        expected: &'static str,
    },
}

/// What a document holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contracts {
    /// One contract.
    One(Contract),
    /// Those of a server.
    Server(Vec<Contract>),
}

/// Reads contracts (spec 6.1). Nothing may be missing and nothing may be added; sets may be
/// written in any order.
pub fn parse_contracts(document: &Value<'_>) -> Result<Contracts, ContractError> {
    let root = object(document, "the document")?;
    if is_contract(root) {
        return contract(root, "").map(Contracts::One);
    }
    let tools = root.members().iter().map(|member| {
        let place = format!("{:?}.", member.name);
        let contract = contract(object(&member.value, &format!("{:?}", member.name))?, &place)?;
        if contract.name() == member.name {
            return Ok(contract);
        }
        Err(ContractError::Value {
            place: format!("{place}surface.name"),
            expected: "the same as the key of the contract",
        })
    });
    tools.collect::<Result<_, _>>().map(Contracts::Server)
}

/// A server may have a tool called `surface`; what stands there then has no name.
pub(crate) fn is_contract(root: &Object<'_>) -> bool {
    let named = |value: &Value<'_>| match value {
        Value::Object(surface) => surface.get("name").is_some(),
        _ => false,
    };
    root.get("surface").is_some_and(named)
}

fn contract(root: &Object<'_>, place: &str) -> Result<Contract, ContractError> {
    let names = Part::ALL.map(Part::name);
    no_others(root, &names, place)?;
    let mut parts = [const { Vec::new() }; 4];
    let mut tool = String::new();
    for part in Part::ALL {
        let here = format!("{place}{}", part.name());
        let value =
            root.get(part.name()).ok_or_else(|| ContractError::Missing { place: here.clone() })?;
        let members = object(value, &here)?;
        check_members(part, members, &format!("{here}."))?;
        if let (Part::Surface, Some(Value::String(name))) = (part, members.get("name")) {
            tool = name.to_string();
        }
        parts[part as usize] = write_part(part, members);
    }
    Ok(Contract::from_parts(tool, parts))
}

fn write_part(part: Part, members: &Object<'_>) -> Vec<u8> {
    write_object(part, |name, out| match name {
        "tags" | "affordances" | "presenters" | "raw" => write_set(members.get(name), out),
        "actions" => write_actions(members.get(name), out),
        _ => match members.get(name) {
            Some(Value::String(text)) => write_string(text, out),
            value => value.unwrap_or(&Value::Null).write_canonical(out),
        },
    })
}

fn object<'v, 'a>(value: &'v Value<'a>, place: &str) -> Result<&'v Object<'a>, ContractError> {
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(ContractError::NotAnObject { place: place.to_owned() }),
    }
}

fn no_others(object: &Object<'_>, known: &[&str], place: &str) -> Result<(), ContractError> {
    let other = object.members().iter().find(|member| !known.contains(&&*member.name));
    other.map_or(Ok(()), |member| {
        Err(ContractError::Unknown { place: format!("{place}{}", member.name) })
    })
}

fn check_members(part: Part, members: &Object<'_>, place: &str) -> Result<(), ContractError> {
    no_others(members, part.members(), place)?;
    for name in part.members() {
        let here = format!("{place}{name}");
        let Some(value) = members.get(name) else {
            return Err(ContractError::Missing { place: here });
        };
        if let Some(expected) = refused(part, name, value) {
            return Err(ContractError::Value { place: here, expected });
        }
    }
    Ok(())
}

/// What would be right, where it is not.
fn refused(part: Part, name: &str, value: &Value<'_>) -> Option<&'static str> {
    let text = match value {
        Value::String(text) => Some(&**text),
        _ => None,
    };
    let is_null = matches!(value, Value::Null);
    let (fits, expected) = match (part, name) {
        (Part::Surface, "name") => (text.is_some(), "a string"),
        (Part::Surface, "inputSchema") | (Part::Behavior, "outputSchema") => {
            (is_null || text.is_some_and(is_hash), "a hash of 64 digits, or null")
        }
        (Part::Behavior, "systemRules") => (text.is_some_and(is_fingerprint), "a fingerprint"),
        (Part::TokenEconomics, "declarationTokens") => (is_count(value), "a count"),
        (Part::TokenEconomics, "outputFields") => (is_null || is_count(value), "a count, or null"),
        (Part::TokenEconomics, "unboundedCollection") => {
            (is_null || matches!(value, Value::Bool(_)), "true, false or null")
        }
        (Part::TokenEconomics, "inflationRisk") => (
            text.is_some_and(|word| InflationRisk::from_name(word).is_some()),
            "unknown, low, medium, high or critical",
        ),
        (Part::Entitlements, "raw") => (string_set(value).is_some(), "an array of strings"),
        (Part::Entitlements, _) => (
            text.is_some_and(|word| EntitlementVerdict::from_name(word).is_some()),
            "yes, no or unknown",
        ),
        _ => (true, ""),
    };
    (!fits).then_some(expected)
}

fn is_count(value: &Value<'_>) -> bool {
    let Value::Number(number) = value else { return false };
    let mut digits = Vec::new();
    number.write_to(&mut digits);
    digits.iter().all(u8::is_ascii_digit)
}

/// `none`, or hashes of rules by their kinds (spec 6.4).
fn is_fingerprint(text: &str) -> bool {
    let known = |part: &str| {
        part.split_once(':').is_some_and(|(kind, hash)| {
            ["static", "dynamic", "unverifiable"].contains(&kind) && is_hash(hash)
        })
    };
    text == "none" || text.split('+').all(known)
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
