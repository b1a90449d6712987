//! Numbers between bounds, multiples of some and not of others.

use crate::decimal::{decimal, is_multiple, scaled};
use crate::instance::Instance;
use crate::node::{Finite, Node};

use super::goal::{Answer, Literal, Solver};

/// Numbers that are tried one after the other.
const MOST_TRIES: usize = 5000;
/// Where between two bounds a number is looked for.
const PARTS: [f64; 8] = [0.05, 0.5, 0.25, 0.75, 0.123, 0.618, 0.9371, 0.2893];
/// Beyond this, not every integer is a double.
const EXACT: i128 = 1 << 53;

/// What is asked of a number.
#[derive(Default)]
struct Numbers {
    low: Option<(f64, bool)>,
    high: Option<(f64, bool)>,
    steps: Vec<f64>,
    no_steps: Vec<f64>,
    excluded: Vec<f64>,
}

pub(super) fn integer(solver: &Solver<'_>, literals: &[Literal]) -> Answer {
    Numbers::of(solver, literals).integer().unwrap_or_else(|| Answer::unknown("multipleOf"))
}

pub(super) fn fraction(solver: &Solver<'_>, literals: &[Literal]) -> Answer {
    Numbers::of(solver, literals).fraction().unwrap_or_else(|| Answer::unknown("multipleOf"))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

fn lcm(a: i128, b: i128) -> Option<i128> {
    (a / gcd(a, b)).checked_mul(b)
}

impl Numbers {
    fn of(solver: &Solver<'_>, literals: &[Literal]) -> Self {
        let mut numbers = Self::default();
        for literal in literals {
            match (solver.table.node(literal.node), literal.positive) {
                (Node::Minimum { bound, exclusive }, true)
                | (Node::Maximum { bound, exclusive }, false) => {
                    let exclusive = *exclusive == literal.positive;
                    numbers.raise(bound.0, exclusive);
                }
                (Node::Maximum { bound, exclusive }, true)
                | (Node::Minimum { bound, exclusive }, false) => {
                    let exclusive = *exclusive == literal.positive;
                    numbers.lower(bound.0, exclusive);
                }
                (Node::MultipleOf(Finite(step)), true) => numbers.steps.push(*step),
                (Node::MultipleOf(Finite(step)), false) => numbers.no_steps.push(*step),
                (Node::Enum(values), false) => {
                    numbers.excluded.extend(values.iter().filter_map(|value| {
                        match solver.table.value(*value) {
                            Instance::Number(number) => Some(*number),
                            _ => None,
                        }
                    }));
                }
                _ => {}
            }
        }
        numbers
    }

    fn raise(&mut self, bound: f64, exclusive: bool) {
        let stricter = |(old, was): (f64, bool)| bound > old || (bound >= old && exclusive && !was);
        if self.low.is_none_or(stricter) {
            self.low = Some((bound, exclusive));
        }
    }

    fn lower(&mut self, bound: f64, exclusive: bool) {
        let stricter = |(old, was): (f64, bool)| bound < old || (bound <= old && exclusive && !was);
        if self.high.is_none_or(stricter) {
            self.high = Some((bound, exclusive));
        }
    }

    fn integer(&self) -> Option<Answer> {
        let low = match self.low {
            Some((bound, open)) => Some(first_from(bound, open)?),
            None => None,
        };
        let high = match self.high {
            Some((bound, open)) => Some(-first_from(-bound, open)?),
            None => None,
        };
        let modulus = |step: &f64| {
            let (digits, places) = decimal(*step)?;
            Some(digits / gcd(digits, 10_i128.checked_pow(places)?))
        };
        let steps = self.steps.iter().map(modulus).collect::<Option<Vec<_>>>()?;
        let avoid = self.no_steps.iter().map(modulus).collect::<Option<Vec<_>>>()?;
        let whole = |number: &&f64| number.fract() == 0.0;
        let excluded = self.excluded.iter().filter(whole).filter_map(|n| Some(decimal(*n)?.0));
        let search = Search {
            low,
            high,
            step: steps.into_iter().try_fold(1, lcm)?,
            avoid,
            excluded: excluded.collect(),
        };
        #[expect(clippy::cast_precision_loss, reason = "doubles hold what the search gives")]
        search.run().answer(|number| number as f64)
    }

    fn fraction(&self) -> Option<Answer> {
        if self.steps.is_empty() {
            return Some(self.between());
        }
        let all = self.steps.iter().chain(&self.no_steps).chain(&self.excluded);
        let bounds = self.low.iter().chain(&self.high).map(|(bound, _)| bound);
        let decimals = all.chain(bounds).map(|n| decimal(*n)).collect::<Option<Vec<_>>>()?;
        let places = decimals.iter().map(|(_, places)| *places).max().unwrap_or_default();
        let one = 10_i128.checked_pow(places)?;
        let scale = |number: &f64| scaled(decimal(*number)?, places);
        let scale_all = |numbers: &[f64]| numbers.iter().map(scale).collect::<Option<Vec<_>>>();
        let low = match self.low {
            Some((bound, open)) => Some(scale(&bound)? + i128::from(open)),
            None => None,
        };
        let high = match self.high {
            Some((bound, open)) => Some(scale(&bound)? - i128::from(open)),
            None => None,
        };
        let mut avoid = scale_all(&self.no_steps)?;
        avoid.push(one);
        let step = scale_all(&self.steps)?.into_iter().try_fold(1, lcm)?;
        let excluded = scale_all(&self.excluded)?;
        let search = Search { low, high, step, avoid, excluded };
        #[expect(clippy::cast_precision_loss, reason = "the quotient is the nearest double")]
        search.run().answer(|number| number as f64 / one as f64)
    }

    /// Any number that is not whole.
    fn between(&self) -> Answer {
        if let (Some((low, low_open)), Some((high, high_open))) = (self.low, self.high) {
            let one = low >= high;
            if low > high || (one && (low_open || high_open || low.fract() == 0.0)) {
                return Answer::Nothing;
            }
            if one {
                let stays = self.fits(low);
                return if stays {
                    Answer::Found(Instance::Number(low))
                } else {
                    Answer::unknown("multipleOf")
                };
            }
        }
        let (low, high) = match (self.low, self.high) {
            (Some((low, _)), Some((high, _))) => (low, high),
            (Some((low, _)), None) => (low, low + 10.0),
            (None, Some((high, _))) => (high - 10.0, high),
            (None, None) => (0.0, 10.0),
        };
        let tries = PARTS.iter().flat_map(|part| {
            let number = low + (high - low) * part;
            [1.0, 10.0, 1000.0]
                .map(|unit| (number * unit).round() / unit)
                .into_iter()
                .chain([number])
        });
        match tries.into_iter().find(|number| self.fits(*number)) {
            Some(number) => Answer::Found(Instance::Number(number)),
            None => Answer::unknown("minimum"),
        }
    }

    fn fits(&self, number: f64) -> bool {
        let above = |(bound, open)| if open { number > bound } else { number >= bound };
        let below = |(bound, open)| if open { number < bound } else { number <= bound };
        number.fract() != 0.0
            && self.low.is_none_or(above)
            && self.high.is_none_or(below)
            && !self.excluded.contains(&number)
            && self.no_steps.iter().all(|step| is_multiple(number, *step) == Some(false))
    }
}

/// The first integer from a bound on; nothing if it is too large to count to.
fn first_from(bound: f64, open: bool) -> Option<i128> {
    const LARGEST: f64 = 1e30;
    let rounded = bound.ceil();
    #[expect(clippy::cast_possible_truncation, reason = "small enough")]
    let whole = (rounded.abs() < LARGEST).then_some(rounded as i128)?;
    Some(whole + i128::from(open && rounded <= bound))
}

/// A whole number in a range: a multiple of one, of none of others, and none of a list.
struct Search {
    low: Option<i128>,
    high: Option<i128>,
    step: i128,
    avoid: Vec<i128>,
    excluded: Vec<i128>,
}

/// What came of a search.
enum Outcome {
    Found(i128),
    Nothing,
    TooLong,
}

impl Outcome {
    fn answer(self, number: impl FnOnce(i128) -> f64) -> Option<Answer> {
        match self {
            Self::Found(found) => Some(Answer::Found(Instance::Number(number(found)))),
            Self::Nothing => Some(Answer::Nothing),
            Self::TooLong => None,
        }
    }
}

impl Search {
    fn run(&self) -> Outcome {
        if self.avoid.iter().any(|avoid| self.step % avoid == 0) {
            return Outcome::Nothing;
        }
        let from = self.low.unwrap_or(i128::MIN).max(0).min(self.high.unwrap_or(i128::MAX));
        let start = from - from.rem_euclid(self.step);
        match self.walk(start, self.step) {
            Outcome::Nothing => self.walk(start, -self.step),
            other => other,
        }
    }

    fn walk(&self, start: i128, step: i128) -> Outcome {
        let mut number = start;
        for _ in 0..MOST_TRIES + self.excluded.len() {
            let over = step > 0 && self.high.is_some_and(|high| number > high);
            let under = step < 0 && self.low.is_some_and(|low| number < low);
            if over || under {
                return Outcome::Nothing;
            }
            if number.abs() > EXACT {
                return Outcome::TooLong;
            }
            if self.fits(number) {
                return Outcome::Found(number);
            }
            match number.checked_add(step) {
                Some(next) => number = next,
                None => return Outcome::TooLong,
            }
        }
        Outcome::TooLong
    }

    fn fits(&self, number: i128) -> bool {
        self.low.is_none_or(|low| number >= low)
            && self.high.is_none_or(|high| number <= high)
            && self.avoid.iter().all(|avoid| number % avoid != 0)
            && !self.excluded.contains(&number)
    }
}
