//! Letters that stand for other letters: what an eye, or a model, takes them for.

/// How a letter relates to plain Latin ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A to z, with or without an accent.
    Latin,
    /// A letter of another script with the shape of a Latin one.
    Twin,
    /// A Latin letter in its wide form.
    Wide,
    /// A Latin letter drawn as a symbol: mathematical, in a circle, a small capital.
    Styled,
    /// A letter of a script that has such twins, and is none itself.
    Foreign,
    /// Anything else.
    Other,
}

/// What a character is taken for, in lower case; itself in lower case if for nothing else.
pub(crate) fn plain(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    if let Some(letter) = drawn(character).or_else(|| twin(character)) {
        return letter;
    }
    if character.is_whitespace() {
        return ' ';
    }
    let lower = lower_case(character);
    accented(lower).unwrap_or(lower)
}

/// How a letter relates to plain Latin ones.
pub(crate) fn look(character: char) -> Look {
    match character {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{17f}' => Look::Latin,
        '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => Look::Wide,
        _ if twin(character).is_some() => Look::Twin,
        '\u{370}'..='\u{58f}' => Look::Foreign,
        _ if drawn(character).is_some() => Look::Styled,
        _ => Look::Other,
    }
}

/// A mark that is drawn over the letter before it.
pub(crate) fn is_combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// A letter or digit of an alphabet that has marks of its own, which tell words apart.
pub(crate) fn bears_marks(character: char) -> bool {
    let has_marks = matches!(character, '\u{590}'..='\u{10ff}' | '\u{1700}'..='\u{1c7f}'
        | '\u{3040}'..='\u{30ff}' | '\u{a800}'..='\u{ab2f}' | '\u{abc0}'..='\u{abff}'
        | '\u{10a00}'..='\u{11fff}' | '\u{1e100}'..='\u{1e95f}');
    has_marks && character.is_alphanumeric()
}

/// A character that is written without blanks between words.
pub(crate) fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{20000}'..='\u{323af}')
}

pub(crate) fn lower_case(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}

/// Blocks in which the alphabet stands in order, and letters that stand elsewhere.
pub(crate) fn drawn(character: char) -> Option<char> {
    let code = u32::from(character);
    match code {
        0xff01..=0xff5e => char::from_u32(code - 0xfee0).map(|wide| wide.to_ascii_lowercase()),
        0x1d400..=0x1d6a3 => letter((code - 0x1d400) % 26),
        0x1d7ce..=0x1d7ff => char::from_digit((code - 0x1d7ce) % 10, 10),
        0x249c..=0x24b5 => letter(code - 0x249c),
        0x24b6..=0x24e9 => letter((code - 0x24b6) % 26),
        0x1f110..=0x1f129 => letter(code - 0x1f110),
        0x1f130..=0x1f149 => letter(code - 0x1f130),
        0x1f150..=0x1f169 => letter(code - 0x1f150),
        0x1f170..=0x1f189 => letter(code - 0x1f170),
        _ => symbol(character),
    }
}

fn letter(index: u32) -> Option<char> {
    char::from_u32(u32::from('a') + index)
}

/// Letters of other scripts that look like Latin ones.
pub(crate) fn twin(character: char) -> Option<char> {
    Some(match character {
        '\u{391}' | '\u{3b1}' | '\u{410}' | '\u{430}' => 'a',
        '\u{392}' | '\u{412}' => 'b',
        '\u{3f2}' | '\u{3f9}' | '\u{421}' | '\u{441}' => 'c',
        '\u{501}' => 'd',
        '\u{395}' | '\u{3b5}' | '\u{415}' | '\u{435}' => 'e',
        '\u{581}' => 'g',
        '\u{397}' | '\u{41d}' | '\u{4bb}' | '\u{570}' => 'h',
        '\u{399}' | '\u{3b9}' | '\u{406}' | '\u{456}' | '\u{457}' => 'i',
        '\u{37f}' | '\u{3f3}' | '\u{408}' | '\u{458}' => 'j',
        '\u{39a}' | '\u{3ba}' | '\u{41a}' | '\u{43a}' => 'k',
        '\u{4c0}' | '\u{4cf}' => 'l',
        '\u{39c}' | '\u{3fa}' | '\u{41c}' => 'm',
        '\u{39d}' | '\u{578}' => 'n',
        '\u{39f}' | '\u{3bf}' | '\u{41e}' | '\u{43e}' | '\u{555}' | '\u{585}' => 'o',
        '\u{3a1}' | '\u{3c1}' | '\u{420}' | '\u{440}' => 'p',
        '\u{51a}' | '\u{51b}' => 'q',
        '\u{405}' | '\u{455}' => 's',
        '\u{3a4}' | '\u{3c4}' | '\u{422}' => 't',
        '\u{3c5}' | '\u{54d}' | '\u{57d}' => 'u',
        '\u{3bd}' | '\u{475}' => 'v',
        '\u{461}' | '\u{51c}' | '\u{51d}' => 'w',
        '\u{3a7}' | '\u{3c7}' | '\u{425}' | '\u{445}' => 'x',
        '\u{3a5}' | '\u{3b3}' | '\u{423}' | '\u{443}' | '\u{4ae}' | '\u{4af}' => 'y',
        '\u{396}' => 'z',
        _ => return None,
    })
}

/// Latin letters drawn as symbols that stand in no regular block.
fn symbol(character: char) -> Option<char> {
    Some(match character {
        '\u{251}' | '\u{1d00}' => 'a',
        '\u{299}' | '\u{212c}' => 'b',
        '\u{1d04}' | '\u{2102}' | '\u{212d}' => 'c',
        '\u{1d05}' => 'd',
        '\u{1d07}' | '\u{212f}' | '\u{2130}' => 'e',
        '\u{2131}' | '\u{a730}' => 'f',
        '\u{261}' | '\u{262}' | '\u{210a}' => 'g',
        '\u{29c}' | '\u{210b}' | '\u{210c}' | '\u{210d}' | '\u{210e}' => 'h',
        '\u{269}' | '\u{26a}' | '\u{2110}' | '\u{2111}' => 'i',
        '\u{1d0a}' => 'j',
        '\u{1d0b}' => 'k',
        '\u{29f}' | '\u{2112}' | '\u{2113}' => 'l',
        '\u{1d0d}' | '\u{2133}' => 'm',
        '\u{274}' | '\u{2115}' => 'n',
        '\u{1d0f}' | '\u{2134}' => 'o',
        '\u{1d18}' | '\u{2119}' => 'p',
        '\u{211a}' => 'q',
        '\u{280}' | '\u{211b}' | '\u{211c}' | '\u{211d}' => 'r',
        '\u{a731}' => 's',
        '\u{1d1b}' => 't',
        '\u{1d1c}' => 'u',
        '\u{1d20}' => 'v',
        '\u{1d21}' => 'w',
        '\u{28f}' => 'y',
        '\u{1d22}' | '\u{2124}' | '\u{2128}' => 'z',
        _ => return None,
    })
}

/// Latin letters with an accent.
pub(crate) fn accented(character: char) -> Option<char> {
    Some(match character {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' | 'ĉ' | 'ċ' => 'c',
        'ď' | 'đ' | 'ð' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ĥ' | 'ħ' => 'h',
        'ì' | 'í' | 'î' | 'ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => 'i',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' | 'ŉ' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' | 'ß' | 'ſ' => 's',
        'ţ' | 'ť' | 'ŧ' | 'ț' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ŵ' => 'w',
        'ý' | 'ÿ' | 'ŷ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        _ => return None,
    })
}

/// Letters that are two in one.
pub(crate) fn two_letters(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{e6}' => "ae",
        '\u{c6}' => "AE",
        '\u{153}' => "oe",
        '\u{152}' => "OE",
        '\u{df}' => "ss",
        '\u{1e9e}' => "SS",
        '\u{2a6}' => "ts",
        '\u{a74f}' => "oo",
        '\u{a74e}' => "OO",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_taken_for_what_they_look_like() {
        for (from, to) in ["ｉgnоrЕ", "𝐢𝒈𝓷𝔬𝕣𝖾", "ⒾⒼⓝⓄ🅡🅴", "ɪɢɴᴏʀᴇ", "ÌGÑÖRÉ", "Ιgnοrε"]
            .map(|word| (word.chars().map(plain).collect::<String>(), "ignore"))
        {
            assert_eq!(from, to);
        }
    }
}
