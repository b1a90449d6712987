//! Names that somebody may have meant.

/// Percent of neighbouring letters from which on two names look alike.
const SIMILAR: usize = 50;

/// The names that look like this one, the most similar first.
#[must_use]
pub fn similar_names<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    const MOST: usize = 5;
    let mut similar: Vec<(usize, &str)> = known
        .into_iter()
        .map(|candidate| (similarity(candidate, name), candidate))
        .filter(|(percent, _)| *percent >= SIMILAR)
        .collect();
    similar.sort_by_key(|(percent, _)| std::cmp::Reverse(*percent));
    similar.into_iter().take(MOST).map(|(_, candidate)| candidate).collect()
}

/// How much two names look alike, in percent.
fn similarity(left: &str, right: &str) -> usize {
    let plain = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    let (left, right) = (plain(left), plain(right));
    if is_one_slip(left.as_bytes(), right.as_bytes()) {
        return 100;
    }
    shared_pairs(left.as_bytes(), right.as_bytes())
}

/// How many of the pairs of neighbouring letters of two names they share, in percent.
fn shared_pairs(left: &[u8], right: &[u8]) -> usize {
    let pairs =
        |text: &[u8]| -> Vec<[u8; 2]> { text.windows(2).map(|pair| [pair[0], pair[1]]).collect() };
    let (left, right) = (pairs(left), pairs(right));
    let shared = left.iter().filter(|pair| right.contains(pair)).count();
    200 * shared / (left.len() + right.len()).max(1)
}

/// Whether one letter is missing, added or another, or two neighbours are swapped: in a short name that
/// leaves few pairs. Of two letters nobody can tell which were meant.
fn is_one_slip(left: &[u8], right: &[u8]) -> bool {
    const SHORTEST: usize = 3;
    if left.len().min(right.len()) < SHORTEST {
        return false;
    }
    let same = left.iter().zip(right).take_while(|(one, other)| one == other).count();
    let (left, right) = (&left[same..], &right[same..]);
    let is_swapped = left.len() == right.len()
        && left.len() >= 2
        && (left[0], left[1]) == (right[1], right[0])
        && left[2..] == right[2..];
    let (behind_left, behind_right) = (left.get(1..), right.get(1..));
    let is_another = behind_left.is_some() && behind_left == behind_right;
    is_swapped || is_another || behind_left == Some(right) || behind_right == Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_one_slip_is_found() {
        let known = ["calc", "memory", "s"];
        for typed in ["clac", "cal", "calcc", "cald", "Calc"] {
            assert_eq!(similar_names(typed, known), ["calc"], "{typed}");
        }
        assert_eq!(similar_names("memroy", known), ["memory"]);
        assert_eq!(similar_names("memory-server", known), ["memory"]);
    }

    #[test]
    fn other_names_are_not_offered() {
        let known = ["calc", "memory", "s"];
        for typed in ["t", "x", "nothing", "files", ""] {
            assert_eq!(similar_names(typed, known), [""; 0], "{typed}");
        }
    }

    #[test]
    fn the_most_similar_name_comes_first() {
        let known = ["files-old", "file", "files"];
        assert_eq!(similar_names("fiels", known), ["files"]);
        assert_eq!(similar_names("files-ol", known), ["files-old", "files", "file"]);
    }
}
