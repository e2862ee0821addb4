//! Decides which code is part of a build.

use syn::{Attribute, Meta, Token, punctuated::Punctuated};

/// Whether an item with these attributes is in a build for this machine with these features, without tests.
///
/// Unknown conditions count as true: faults in code that is not compiled are merely never reached.
pub(crate) fn is_built(attributes: &[Attribute], features: &[&str]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).all(|attribute| {
        attribute.parse_args::<Meta>().map_or(true, |predicate| holds(&predicate, features))
    })
}

fn holds(predicate: &Meta, features: &[&str]) -> bool {
    match predicate {
        Meta::Path(path) => !path.is_ident("test"),
        Meta::NameValue(pair) if pair.path.is_ident("feature") => {
            features.contains(&string(&pair.value).as_str())
        }
        Meta::NameValue(pair) if pair.path.is_ident("target_family") => {
            string(&pair.value) == "unix"
        }
        Meta::NameValue(pair) => !pair.path.is_ident("target_feature"),
        Meta::List(list) => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            let parts = parts.unwrap_or_default();
            match list.path.get_ident().map(ToString::to_string).as_deref() {
                Some("not") => !parts.iter().any(|part| holds(part, features)),
                Some("any") => parts.iter().any(|part| holds(part, features)),
                _ => parts.iter().all(|part| holds(part, features)),
            }
        }
    }
}

fn string(value: &syn::Expr) -> String {
    match value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => text.value(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn features_tests_and_targets() {
        let cases: [(Attribute, bool); 7] = [
            (parse_quote!(#[cfg(test)]), false),
            (parse_quote!(#[cfg(feature = "chain")]), true),
            (parse_quote!(#[cfg(feature = "prover")]), false),
            (parse_quote!(#[cfg(any(test, feature = "prover"))]), false),
            (parse_quote!(#[cfg(not(all(feature = "std", not(target_family = "wasm"))))]), true),
            (parse_quote!(#[cfg(all(target_family = "wasm", target_feature = "simd128"))]), false),
            (parse_quote!(#[must_use]), true),
        ];
        for (at, (attribute, expected)) in cases.into_iter().enumerate() {
            assert_eq!(is_built(&[attribute], &["chain"]), expected, "case {at}");
        }
    }
}
