//! Tests which faults are found in which code, and that the rendered source is valid Rust.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_mutants::{FileFaults, find, render};

fn found(source: &str) -> FileFaults {
    find(source, &["chain"]).unwrap()
}

/// `operator: replacement`, in the order of the sites.
fn faults(source: &str) -> Vec<String> {
    let sites = found(source).sites;
    let all = sites.iter().flat_map(|site| &site.variants);
    all.map(|fault| format!("{}: {}", fault.operator, fault.text)).collect()
}

fn body(body: &str) -> Vec<String> {
    faults(&format!("fn f() {{ {body} }}"))
}

#[test]
fn comparisons_move_their_bound() {
    assert_eq!(body("g(a < b);")[1..], ["comparison: (a) <= (b)", "comparison: (a) >= (b)"]);
    assert_eq!(body("g(a == b);")[1..], ["comparison: (a) != (b)"]);
}

#[test]
fn a_check_is_left_out() {
    let source = "if is_bad(a) { return Err(Error::new(Reason::Truncated, 1, 2)); }";
    assert_eq!(
        body(source),
        ["condition: false", "negation: !(is_bad(a))", "reason: Reason::InvalidArgument"]
    );
    assert_eq!(body("check(a)?;"), ["statement left out: "]);
    assert!(body("if a { b } else { c };").contains(&"condition: true".to_owned()));
}

#[test]
fn each_part_of_a_condition_is_left_out() {
    let parts: Vec<_> = body("if a && b && let Some(c) = d { return; }");
    assert_eq!(parts, ["condition: true", "condition: true"]);
    assert!(body("g(a || b);").contains(&"condition: false".to_owned()));
}

#[test]
fn constants_are_one_more_or_less() {
    assert_eq!(body("g(3u8);")[1..], ["constant: 4u8", "constant: 2u8"]);
    assert_eq!(body("g(0);")[1..], ["constant: 1"]);
    assert_eq!(body("g(MAX);")[1..], ["constant: (MAX + 1)", "constant: (MAX - 1)"]);
    assert_eq!(body(r#"g(b"ab");"#)[1..], [r#"constant: b"ac""#]);
}

#[test]
fn arguments_change_places() {
    assert_eq!(body("let h = hash(left, right);"), ["swap: hash(right, left)"]);
    assert_eq!(body("let h = Node { left: a, right };"), ["swap: Node { left: right, right: a }"]);
    assert_eq!(body("let h = [a, a];"), [""; 0]);
}

#[test]
fn calls_and_elements_are_left_out() {
    let texts = body("let h = hasher.chain(once(a).chain(b));");
    assert!(texts.contains(&"call left out: hasher".to_owned()), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("left out: .into_iter().take(")), "{texts:?}");
    let texts = body("for a in b { g(a); }");
    assert!(texts.contains(&"left out: .into_iter().skip({at})".to_owned()), "{texts:?}");
    assert_eq!(body("g(&a[..n]);")[1..], ["bound: (n - 1)", "bound: (n + 1)"]);
}

#[test]
fn a_function_says_at_once_what_is_hoped_for() {
    assert_eq!(faults("fn f() -> Result<()> { g }"), ["returns at once: Ok(())"]);
    assert_eq!(faults("fn f() -> bool { g }").len(), 2);
    assert_eq!(faults("fn f() -> Tree { g }"), [""; 0]);
}

#[test]
fn an_arm_is_left_out_only_if_another_takes_its_place() {
    assert_eq!(body("match a { 1 => b, _ => c };"), ["arm left out: "]);
    assert_eq!(body("match a { Some(b) => b, None => c };"), [""; 0]);
}

#[test]
fn nothing_is_changed_outside_of_functions_in_tests_in_texts_and_in_other_builds() {
    for source in [
        "const A: usize = 1 + 2; static B: [u8; 3] = [0; 3]; enum C { D = 4 }",
        "#[cfg(test)] mod tests { fn f() -> bool { 1 < 2 } }",
        "#[cfg(feature = \"prover\")] fn f() -> bool { 1 < 2 }",
        "impl fmt::Display for A { fn fmt(&self) -> bool { 1 < 2 } }",
        "fn f() { let a: [u8; 4] = [b; 5]; g::<6>; }",
        "fn f() -> Error { Error::new(a, b < c, 7) }",
    ] {
        assert_eq!(faults(source), [""; 0], "{source}");
    }
    assert_eq!(faults("#[cfg(feature = \"chain\")] fn f() -> bool { g }").len(), 2);
}

#[test]
fn lines_are_those_of_code() {
    let source = "/// Text.\nfn f() -> bool {\n    // why\n    if a {\n        return b;\n    }\n    Error::new(\n        c,\n        d,\n    )\n}\n";
    assert!(found(source).lines.into_iter().eq([2, 4, 5, 7, 8]));
}

#[test]
fn what_is_rendered_is_rust_and_keeps_the_original() {
    let source = "const fn f(a: &[u8]) -> bool { for b in a { if !g(*b, 1 + 2) { continue; } } match a { [] => x < 1, _ => h(a)?.chain(c) } }";
    let FileFaults { sites, constants, .. } = found(source);
    let first: Vec<u32> = sites
        .iter()
        .scan(1, |next, site| {
            Some(std::mem::replace(next, *next + u32::try_from(site.variants.len()).unwrap()))
        })
        .collect();
    let all: Vec<Vec<usize>> =
        sites.iter().map(|site| (0..site.variants.len()).collect()).collect();
    let blank: Vec<_> = constants.into_iter().map(|one| one.word).collect();
    let rendered = render(source, &sites, &first, &all, &blank);
    syn::parse_file(&rendered.text).unwrap();
    assert_eq!(rendered.variants.len(), all.iter().map(Vec::len).sum::<usize>());
    for ((site, variant), range) in &rendered.variants {
        let text = &sites[*site].variants[*variant].text;
        let shown = &rendered.text[range.clone()];
        assert!(shown.contains(text) || text.contains("{at}"), "{text} is not {shown}");
    }
    assert!(!rendered.text.contains("const fn"));

    let none = vec![Vec::new(); sites.len()];
    assert_eq!(render(source, &sites, &first, &none, &[]).text, source);
}
