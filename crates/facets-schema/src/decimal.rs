//! Doubles as the decimals that people write.

/// Nothing if the numbers are too large or too fine to tell.
pub(crate) fn is_multiple(number: f64, step: f64) -> Option<bool> {
    let (number, step) = (decimal(number)?, decimal(step)?);
    let places = number.1.max(step.1);
    Some(scaled(number, places)? % scaled(step, places)? == 0)
}

/// Digits, and how many of them stand behind the point.
pub(crate) type Decimal = (i128, u32);

/// The shortest decimal that reads as this double.
pub(crate) fn decimal(number: f64) -> Option<Decimal> {
    const MOST_DIGITS: usize = 25;
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    if whole.len() + fraction.len() > MOST_DIGITS {
        return None;
    }
    Some((format!("{whole}{fraction}").parse().ok()?, u32::try_from(fraction.len()).ok()?))
}

pub(crate) fn scaled((digits, places): Decimal, to: u32) -> Option<i128> {
    digits.checked_mul(10_i128.checked_pow(to.checked_sub(places)?)?)
}
