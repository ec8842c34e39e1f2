//! What the machine's own words mean: bounds to a person, nudges to a model.

/// The name of a bound ([`crate::End::Bounded`]) as a person reads it.
pub fn bound_in_words(why: &str) -> &str {
    match why {
        "repeats" => "the same call came again and again",
        "iterations" => "the limit of steps is reached",
        "tool calls" => "the limit of tool calls is reached",
        "time" => "the limit of time is reached",
        "limit" => "a limit on money is reached",
        "cost" => "the limit of money is reached",
        "tokens" => "the limit of tokens is reached",
        "length" => "the answer reached the model's limit of length",
        "empty" => "the model gave an empty answer",
        "withheld" => "the model, or a filter of its provider, broke the answer off, which is not complete",
        "unexplained" => {
            "the provider ended the answer for a reason that is not known, so it may not be complete"
        }
        other => other,
    }
}

/// What the model is told when the machine asks for a nudge ([`crate::Effect::Nudge`]).
pub fn reminder(why: &str) -> String {
    match why {
        "repeats" => "(You have made the same call with the same arguments several times in a row. Its result will not \
                      change. Use what you have, or do something else.)"
            .to_owned(),
        "empty" => "(Your last answer was empty. Go on: call a tool, or give your answer.)".to_owned(),
        other => format!("({other})"),
    }
}
