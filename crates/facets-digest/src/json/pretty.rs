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
