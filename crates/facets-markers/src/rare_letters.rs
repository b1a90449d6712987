//! Letters that look like Latin ones beside an original, and stand in honest words of their own
//! language. They make a skeleton, and no marker.

use crate::letters::lower_case;

/// The letter or digit that a rare one looks like.
pub(crate) fn rare_twin(character: char) -> Option<char> {
    let code = u32::from(character);
    match code {
        0x13a0..=0x13f4 => in_row(CHEROKEE, code - 0x13a0),
        // The small letters are the capitals in small.
        0xab70..=0xabbf => in_row(CHEROKEE, code - 0xab70),
        0xa4d0..=0xa4f4 => in_row(LISU, code - 0xa4d0),
        0x014a | 0x014b | 0x0180..=0x02af | 0xa781 => latin(lower_case(character)),
        _ => greek_or_cyrillic(character).or_else(|| elsewhere(character)),
    }
}

/// Whether a letter is of a script that few people read and many letters of which look Latin.
pub(crate) fn is_rare_script(character: char) -> bool {
    matches!(character, '\u{13a0}'..='\u{13ff}' | '\u{ab70}'..='\u{abbf}' | '\u{a4d0}'..='\u{a4ff}'
        | '\u{2c80}'..='\u{2cff}')
}

/// By place in the block; a `.` is like nothing.
const CHEROKEE: &str =
    "drt..i...yaje......w...m...h.y..g.hz..........4b..r.ws...vs...lc..p...kd......6....gb";
const LISU: &str = "bp.dt.gk.jc.zf.mnlsr..vh..wxy.a.e.iou";

fn in_row(row: &str, index: u32) -> Option<char> {
    let letter = *row.as_bytes().get(usize::try_from(index).ok()?)?;
    (letter != b'.').then_some(char::from(letter))
}

/// Letters with a bar, a hook or a tail.
fn latin(character: char) -> Option<char> {
    Some(match character {
        '\u{2c65}' => 'a',
        '\u{180}' | '\u{183}' | '\u{253}' => 'b',
        '\u{188}' | '\u{23c}' | '\u{255}' => 'c',
        '\u{18c}' | '\u{256}' | '\u{257}' => 'd',
        '\u{247}' | '\u{25b}' => 'e',
        '\u{192}' => 'f',
        '\u{1e5}' | '\u{260}' => 'g',
        '\u{266}' => 'h',
        '\u{268}' => 'i',
        '\u{237}' | '\u{249}' => 'j',
        '\u{199}' => 'k',
        '\u{19a}' | '\u{1c0}' | '\u{26b}' | '\u{26c}' | '\u{26d}' | '\u{a781}' => 'l',
        '\u{271}' => 'm',
        '\u{14b}' | '\u{19e}' | '\u{272}' | '\u{273}' => 'n',
        '\u{275}' => 'o',
        '\u{1a5}' => 'p',
        '\u{24b}' | '\u{2a0}' => 'q',
        '\u{24d}' | '\u{27c}' | '\u{27d}' | '\u{27e}' => 'r',
        '\u{23f}' | '\u{282}' => 's',
        '\u{1ab}' | '\u{1ad}' | '\u{288}' | '\u{2c66}' => 't',
        '\u{289}' | '\u{28a}' | '\u{28b}' => 'u',
        '\u{1b4}' | '\u{24f}' | '\u{263}' => 'y',
        '\u{1b6}' | '\u{225}' | '\u{240}' | '\u{290}' => 'z',
        _ => return None,
    })
}

fn greek_or_cyrillic(character: char) -> Option<char> {
    Some(match character {
        '\u{432}' | '\u{3b2}' => 'b',
        '\u{500}' => 'd',
        '\u{4bd}' => 'e',
        '\u{50c}' => 'g',
        '\u{43d}' | '\u{4ba}' => 'h',
        '\u{43c}' => 'm',
        '\u{3b7}' | '\u{43f}' => 'n',
        '\u{3c3}' => 'o',
        '\u{433}' => 'r',
        '\u{442}' => 't',
        '\u{3c9}' | '\u{460}' => 'w',
        '\u{474}' => 'v',
        _ => return None,
    })
}

/// Armenian, Coptic, and digits of other scripts.
fn elsewhere(character: char) -> Option<char> {
    Some(match character {
        '\u{237a}' => 'a',
        '\u{2c82}' | '\u{1472}' | '\u{15af}' => 'b',
        '\u{146f}' => 'd',
        '\u{212e}' => 'e',
        '\u{a799}' | '\u{ab35}' => 'f',
        '\u{1d83}' => 'g',
        '\u{2ca4}' | '\u{2ca5}' => 'c',
        '\u{2c92}' | '\u{2c93}' => 'i',
        '\u{575}' => 'j',
        '\u{138}' | '\u{2c94}' => 'k',
        '\u{53c}' | '\u{56c}' | '\u{5c0}' | '\u{627}' | '\u{2223}' | '\u{2d4f}' => 'l',
        '\u{2c98}' | '\u{2c99}' => 'm',
        '\u{57c}' | '\u{2c9a}' | '\u{2c9b}' => 'n',
        '\u{2c9e}' | '\u{2c9f}' | '\u{665}' | '\u{6c1}' | '\u{d20}' | '\u{101d}' => 'o',
        '\u{2374}' | '\u{2ca2}' | '\u{2ca3}' => 'p',
        '\u{566}' => 'q',
        '\u{1d26}' | '\u{ab47}' => 'r',
        '\u{54f}' | '\u{10448}' => 's',
        '\u{2ca6}' => 't',
        '\u{561}' => 'w',
        '\u{d7}' | '\u{2cf}' | '\u{166e}' | '\u{2cac}' | '\u{2cad}' => 'x',
        '\u{10e7}' | '\u{1eff}' => 'y',
        // Most scripts draw a zero as a circle, and Arabic its one as a line.
        '\u{966}' | '\u{9e6}' | '\u{a66}' | '\u{ae6}' | '\u{b66}' | '\u{be6}' | '\u{c66}'
        | '\u{ce6}' | '\u{d66}' | '\u{e50}' | '\u{ed0}' | '\u{1040}' => '0',
        '\u{661}' | '\u{6f1}' => '1',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_place() {
        for (character, letter) in [
            ('\u{13a0}', 'd'),
            ('\u{13aa}', 'a'),
            ('\u{13b7}', 'm'),
            ('\u{13c3}', 'z'),
            ('\u{13da}', 's'),
            ('\u{13df}', 'c'),
            ('\u{13e2}', 'p'),
            ('\u{13f4}', 'b'),
            ('\u{ab7a}', 'a'),
            ('\u{a4d0}', 'b'),
            ('\u{a4df}', 'm'),
            ('\u{a4f4}', 'u'),
        ] {
            assert_eq!(rare_twin(character), Some(letter), "{character:?}");
        }
    }
}
