//! The part of ECMAScript's patterns that describes regular languages.

/// The largest code point.
pub(super) const LAST: u32 = 0x0010_FFFF;

/// Characters, as ranges in order.
pub(super) type Ranges = Vec<(u32, u32)>;

#[derive(Debug)]
pub(super) enum Tree {
    Empty,
    Start,
    End,
    Class(Ranges),
    Sequence(Vec<Tree>),
    Either(Vec<Tree>),
    Repeat { of: Box<Tree>, min: u32, max: Option<u32> },
}

/// Nothing if the pattern is not regular, not valid, or read differently by different engines.
pub(super) fn parse(source: &str) -> Option<Tree> {
    const LONGEST: usize = 2000;
    if source.len() > LONGEST {
        return None;
    }
    let characters: Vec<char> = source.chars().collect();
    let mut parser = Parser { characters: &characters, at: 0, depth: 0 };
    let tree = parser.either()?;
    (parser.at == characters.len()).then_some(tree)
}

struct Parser<'p> {
    characters: &'p [char],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += 1;
        Some(character)
    }

    fn eat(&mut self, text: &str) -> bool {
        let there = text
            .chars()
            .enumerate()
            .all(|(index, character)| self.characters.get(self.at + index) == Some(&character));
        if there {
            self.at += text.chars().count();
        }
        there
    }

    fn either(&mut self) -> Option<Tree> {
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        Some(if branches.len() == 1 { branches.remove(0) } else { Tree::Either(branches) })
    }

    fn sequence(&mut self) -> Option<Tree> {
        let mut parts = Vec::new();
        while let Some(character) = self.peek() {
            if character == '|' || character == ')' {
                break;
            }
            let part = self.atom()?;
            parts.push(self.repeated(part)?);
        }
        Some(if parts.is_empty() { Tree::Empty } else { Tree::Sequence(parts) })
    }

    fn atom(&mut self) -> Option<Tree> {
        Some(match self.next()? {
            '^' => Tree::Start,
            '$' => Tree::End,
            '.' => Tree::Class(invert(&[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])),
            '(' => return self.group(),
            '[' => Tree::Class(self.class()?),
            '\\' => Tree::Class(self.escape(false)?),
            // A brace that is no quantifier is a letter to some engines and an error to others.
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            character => Tree::Class(one(character)),
        })
    }

    fn group(&mut self) -> Option<Tree> {
        const DEEPEST: usize = 50;
        if self.eat("?") && !self.eat(":") {
            if !self.eat("<") || matches!(self.peek(), Some('=' | '!')) {
                return None;
            }
            while self.next()? != '>' {}
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let inner = self.either()?;
        self.depth -= 1;
        self.eat(")").then_some(inner)
    }

    fn repeated(&mut self, part: Tree) -> Option<Tree> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted(part),
            _ => return Some(part),
        };
        self.at += 1;
        self.finish(part, min, max)
    }

    fn counted(&mut self, part: Tree) -> Option<Tree> {
        self.at += 1;
        let min = self.digits()?;
        let max = if self.eat(",") {
            if self.peek() == Some('}') { None } else { Some(self.digits()?) }
        } else {
            Some(min)
        };
        if !self.eat("}") || max.is_some_and(|max| max < min) {
            return None;
        }
        self.finish(part, min, max)
    }

    /// A lazy quantifier finds other matches, and the same texts.
    fn finish(&mut self, part: Tree, min: u32, max: Option<u32>) -> Option<Tree> {
        self.eat("?");
        let twice = matches!(self.peek(), Some('*' | '+' | '?' | '{'));
        let assertion = matches!(part, Tree::Start | Tree::End);
        (!twice && !assertion).then(|| Tree::Repeat { of: Box::new(part), min, max })
    }

    fn digits(&mut self) -> Option<u32> {
        let start = self.at;
        while self.peek().is_some_and(|character| character.is_ascii_digit()) {
            self.at += 1;
        }
        let text: String = self.characters[start..self.at].iter().collect();
        text.parse().ok()
    }

    /// What stands behind a backslash.
    fn escape(&mut self, in_class: bool) -> Option<Ranges> {
        Some(match self.next()? {
            'd' => digits(),
            'D' => invert(&digits()),
            'w' => word(),
            'W' => invert(&word()),
            's' => space(),
            'S' => invert(&space()),
            'n' => one('\n'),
            'r' => one('\r'),
            't' => one('\t'),
            'f' => one('\u{c}'),
            'v' => one('\u{b}'),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => one('\0'),
            'x' => self.hex(2)?,
            'u' => self.unicode()?,
            '-' if in_class => one('-'),
            character if "^$\\.*+?()[]{}|/-".contains(character) => one(character),
            _ => return None,
        })
    }

    fn hex(&mut self, count: usize) -> Option<Ranges> {
        let mut code = 0;
        for _ in 0..count {
            code = code * 16 + self.next()?.to_digit(16)?;
        }
        char::from_u32(code).map(one)
    }

    fn unicode(&mut self) -> Option<Ranges> {
        if !self.eat("{") {
            return self.hex(4);
        }
        let mut code = 0_u32;
        loop {
            match self.next()? {
                '}' => return char::from_u32(code).map(one),
                digit => code = code.checked_mul(16)?.checked_add(digit.to_digit(16)?)?,
            }
        }
    }

    fn class(&mut self) -> Option<Ranges> {
        let negated = self.eat("^");
        let mut ranges = Ranges::new();
        if self.peek() == Some(']') {
            return None;
        }
        while !self.eat("]") {
            let first = self.member()?;
            let is_range = self.peek() == Some('-')
                && self.characters.get(self.at + 1).is_some_and(|next| *next != ']');
            if !is_range {
                ranges.extend(first);
                continue;
            }
            self.at += 1;
            let last = self.member()?;
            match (first.as_slice(), last.as_slice()) {
                ([(from, same)], [(to, alike)]) if from == same && to == alike && from <= to => {
                    ranges.push((*from, *to));
                }
                _ => return None,
            }
        }
        Some(if negated { invert(&ranges) } else { ranges })
    }

    fn member(&mut self) -> Option<Ranges> {
        match self.next()? {
            '\\' => self.escape(true),
            // Some engines have sets inside sets, and operators on them.
            '[' => None,
            character @ ('&' | '-' | '~') if self.peek() == Some(character) => None,
            character => Some(one(character)),
        }
    }
}

fn one(character: char) -> Ranges {
    vec![(u32::from(character), u32::from(character))]
}

fn span(first: char, last: char) -> (u32, u32) {
    (u32::from(first), u32::from(last))
}

fn digits() -> Ranges {
    vec![span('0', '9')]
}

fn word() -> Ranges {
    vec![span('0', '9'), span('A', 'Z'), span('_', '_'), span('a', 'z')]
}

fn space() -> Ranges {
    vec![
        (0x09, 0x0D),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x2000, 0x200A),
        (0x2028, 0x2029),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
        (0xFEFF, 0xFEFF),
    ]
}

fn invert(ranges: &[(u32, u32)]) -> Ranges {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let mut out = Ranges::new();
    let mut next = 0;
    for (first, last) in sorted {
        if first > next {
            out.push((next, first - 1));
        }
        next = next.max(last + 1);
    }
    if next <= LAST {
        out.push((next, LAST));
    }
    out
}
