use super::{Value, write_string};

impl Value<'_> {
    /// Appends the value for people to read: canonical spelling and order, two spaces a level.
    /// `depth` is that of the line it begins on.
    pub fn write_pretty(&self, depth: usize, out: &mut Vec<u8>) {
        match self {
            Self::Array(items) => write_pretty_list(['[', ']'], items, depth, out, |item, out| {
                item.write_pretty(depth + 1, out);
            }),
            Self::Object(object) => {
                write_pretty_list(['{', '}'], object.members(), depth, out, |member, out| {
                    write_string(&member.name, out);
                    out.extend_from_slice(b": ");
                    member.value.write_pretty(depth + 1, out);
                });
            }
            scalar => scalar.write_canonical(out),
        }
    }
}

/// Appends items between brackets, each on a line of its own; empty lists stay together.
pub fn write_pretty_list<T>(
    [start, end]: [char; 2],
    items: &[T],
    depth: usize,
    out: &mut Vec<u8>,
    write: impl Fn(&T, &mut Vec<u8>),
) {
    let new_line = |depth: usize, out: &mut Vec<u8>| {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', depth * 2));
    };
    out.push(start as u8);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        new_line(depth + 1, out);
        write(item, out);
    }
    if !items.is_empty() {
        new_line(depth, out);
    }
    out.push(end as u8);
}

#[cfg(test)]
mod tests {
    use crate::json::{self, Limits, Provenance};

    #[test]
    fn indents_two_spaces_a_level_and_keeps_empty_lists_together() {
        let text = br#"{"b":[],"a":[1,[2],{"c":null}],"d":{}}"#;
        let value = json::parse(text, Provenance::Authored, Limits::DOCUMENT).unwrap();
        let mut out = Vec::new();
        value.write_pretty(0, &mut out);
        let expected = r#"{
  "a": [
    1,
    [
      2
    ],
    {
      "c": null
    }
  ],
  "b": [],
  "d": {}
}"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn begins_on_a_line_of_the_depth_it_is_told() {
        let value = json::parse(b"[1]", Provenance::Authored, Limits::DOCUMENT).unwrap();
        let mut out = Vec::new();
        value.write_pretty(2, &mut out);
        assert_eq!(out, b"[\n      1\n    ]");
    }
}
