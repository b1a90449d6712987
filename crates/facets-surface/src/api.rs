use facets_digest::json::{Value, compare_utf16, write_string};
use facets_digest::{Digest, Hasher};

use crate::Definition;
use crate::schema::write_schema;

/// The API surface hash (spec 5.3): what seed documents call the structural contract.
#[must_use]
pub fn api_surface<'d>(tools: impl IntoIterator<Item = &'d Definition>) -> Digest {
    let mut sorted: Vec<&Definition> = tools.into_iter().collect();
    sorted.sort_by(|a, b| compare_utf16(a.name(), b.name()));
    let mut hasher = Hasher::with_domain("api-surface");
    let mut form = Vec::from(*b"{\"tools\":[");
    for (index, tool) in sorted.into_iter().enumerate() {
        if index > 0 {
            form.push(b',');
        }
        write_tool(&tool.value(), &mut form);
        hasher.drain(&mut form);
    }
    form.extend_from_slice(b"]}");
    hasher.drain(&mut form);
    hasher.finish()
}

/// The three members in canonical order, each as sent, or left out if it was not sent.
fn write_tool(tool: &Value<'_>, out: &mut Vec<u8>) {
    let Value::Object(tool) = tool else { return };
    let mut separator = b'{';
    for name in ["description", "inputSchema", "name"] {
        let Some(value) = tool.get(name) else { continue };
        out.push(separator);
        separator = b',';
        write_string(name, out);
        out.push(b':');
        if name == "inputSchema" { write_schema(value, out) } else { value.write_canonical(out) }
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn hash(tools: &[&str]) -> Digest {
        let tools: Vec<_> =
            tools.iter().map(|raw| Definition::parse(Kind::Tool, raw).unwrap()).collect();
        api_surface(&tools)
    }

    fn schema(schema: &str) -> Digest {
        hash(&[&format!(r#"{{"name":"t","inputSchema":{schema}}}"#)])
    }

    #[test]
    fn the_preimage_is_what_the_specification_says() {
        let form = b"facets:api-surface:v1\n{\"tools\":[{\"description\":\"d\",\"inputSchema\":{\"required\":[\"a\",\"b\"]},\"name\":\"t\"}]}";
        let tool = r#"{"title":"x","inputSchema":{"required":["b","a","b"]},"name":"t","description":"d","annotations":{}}"#;
        assert_eq!(hash(&[tool]), Digest::of(form));
        assert_eq!(hash(&[]), Digest::of(b"facets:api-surface:v1\n{\"tools\":[]}"));
    }

    #[test]
    fn required_is_a_set_at_schema_positions_only() {
        let same = [
            (r#"{"required":["a","b"]}"#, r#"{"required":["b","a","a"]}"#),
            ("{}", r#"{"required":[]}"#),
            (
                r#"{"properties":{"p":{"required":["a","b"]}}}"#,
                r#"{"properties":{"p":{"required":["b","a"]}}}"#,
            ),
            (r#"{"items":[{"required":["a","b"]}]}"#, r#"{"items":[{"required":["b","a"]}]}"#),
            (r#"{"items":{"required":["a","b"]}}"#, r#"{"items":{"required":["b","a"]}}"#),
            (
                r#"{"anyOf":[{"not":{"required":["a","b"]}}]}"#,
                r#"{"anyOf":[{"not":{"required":["b","a"]}}]}"#,
            ),
            (
                r#"{"dependencies":{"x":{"required":["a","b"]}}}"#,
                r#"{"dependencies":{"x":{"required":["b","a"]}}}"#,
            ),
        ];
        for (left, right) in same {
            assert_eq!(schema(left), schema(right), "{left} {right}");
        }
        let different = [
            (r#"{"const":{"required":["a","b"]}}"#, r#"{"const":{"required":["b","a"]}}"#),
            (r#"{"enum":[{"required":["a","b"]}]}"#, r#"{"enum":[{"required":["b","a"]}]}"#),
            (r#"{"default":{"required":["a","b"]}}"#, r#"{"default":{"required":["b","a"]}}"#),
            (
                r#"{"examples":[{"required":["a","b"]}]}"#,
                r#"{"examples":[{"required":["b","a"]}]}"#,
            ),
            (
                r#"{"properties":{"required":["a","b"]}}"#,
                r#"{"properties":{"required":["b","a"]}}"#,
            ),
            (r#"{"dependencies":{"x":["a","b"]}}"#, r#"{"dependencies":{"x":["b","a"]}}"#),
            (r#"{"required":["a",1]}"#, r#"{"required":[1,"a"]}"#),
            (r#"{"required":true}"#, "{}"),
            (r#"{"x":{"required":["a","b"]}}"#, r#"{"x":{"required":["b","a"]}}"#),
            (r#"{"allOf":{"required":["a","b"]}}"#, r#"{"allOf":{"required":["b","a"]}}"#),
            (
                r#"{"prefixItems":{"required":["a","b"]}}"#,
                r#"{"prefixItems":{"required":["b","a"]}}"#,
            ),
            (r#"{"maximum":9007199254740992}"#, r#"{"maximum":9007199254740993}"#),
            ("true", "{}"),
            ("null", "{}"),
        ];
        for (left, right) in different {
            assert_ne!(schema(left), schema(right), "{left} {right}");
        }
    }

    #[test]
    fn absent_null_and_empty_differ() {
        let tools = [
            r#"{"name":"t"}"#,
            r#"{"name":"t","description":null}"#,
            r#"{"name":"t","description":""}"#,
            r#"{"name":"t","inputSchema":{}}"#,
        ];
        for (index, left) in tools.iter().enumerate() {
            for right in &tools[index + 1..] {
                assert_ne!(hash(&[left]), hash(&[right]));
            }
        }
    }

    #[test]
    fn the_order_of_tools_and_members_does_not_matter() {
        let (a, b) = (r#"{"name":"a","description":"1"}"#, r#"{"description":"2","name":"b"}"#);
        assert_eq!(hash(&[a, b]), hash(&[b, a]));
    }
}
