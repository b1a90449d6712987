//! A sample that stays the same while other code changes.

use super::cargo_mutants::Mutant;

/// Which sample it is.
const SEED: u64 = 20_261_117;

/// So many mutants of a crate: those whose names have the lowest hashes. An edit elsewhere
/// neither adds nor removes one.
pub(super) fn choose<'a>(all: &'a [Mutant], package: &str, count: usize) -> Vec<&'a Mutant> {
    let mut mutants: Vec<&Mutant> = all.iter().filter(|mutant| mutant.package == package).collect();
    mutants.sort_by_key(|mutant| (hash(&mutant.name()), &*mutant.full_name));
    mutants.truncate(count);
    mutants
}

/// FNV-1a with a last mixing, as names differ most at their ends.
fn hash(name: &str) -> u64 {
    let start = 0xCBF2_9CE4_8422_2325 ^ SEED;
    let sum = name
        .bytes()
        .fold(start, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
    let mixed = (sum ^ (sum >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(package: &str, line: usize, name: usize) -> Mutant {
        let full_name = format!("src/lib.rs:{line}:5: replace + with - in function_{name}");
        Mutant { package: package.to_owned(), full_name }
    }

    #[test]
    fn a_sample_is_the_same_wherever_its_lines_are() {
        let before: Vec<Mutant> = (0..100).map(|name| mutant("a", name, name)).collect();
        let after: Vec<Mutant> = (0..100).rev().map(|name| mutant("a", name + 7, name)).collect();
        let names = |mutants: &[Mutant]| -> Vec<String> {
            choose(mutants, "a", 5).iter().map(|mutant| mutant.name()).collect()
        };
        assert_eq!(names(&before), names(&after));
        assert_eq!(names(&before).len(), 5);
    }

    #[test]
    fn a_sample_is_of_one_crate() {
        let all = [mutant("a", 1, 1), mutant("b", 2, 2)];
        assert_eq!(choose(&all, "b", 5), [&all[1]]);
    }
}
