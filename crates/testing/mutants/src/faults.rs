//! The faults of each kind of code.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{
    Attribute, Block, Expr, ExprBinary, ExprCall, ExprMethodCall, Lit, ReturnType, Signature, Stmt,
};

use crate::cfg::is_built;
use crate::find::{ConstFunction, FaultFinder};
use crate::operators::{PREDICATE_METHODS, arithmetic, can_be_left_out, comparisons, twin};
use crate::site::{FaultForm, FaultSite, FaultVariant};

impl FaultFinder<'_> {
    pub(crate) fn text(&self, span: Span) -> &str {
        &self.source[span.byte_range()]
    }

    pub(crate) fn line(&mut self, span: Span) {
        if self.inside {
            self.found.lines.insert(span.start().line);
        }
    }

    /// Adds a fault that replaces `whole`; reports show it as a change of `part`.
    pub(crate) fn add(
        &mut self,
        form: FaultForm,
        operator: &'static str,
        whole: Range<usize>,
        text: String,
        part: Span,
        to: &str,
    ) {
        if !self.inside {
            return;
        }
        let variant = FaultVariant { operator, text, part: part.byte_range(), to: to.to_owned() };
        let same = |site: &&mut FaultSite| {
            form == FaultForm::Expression && site.form == form && site.range == whole
        };
        if let Some(site) = self.found.sites.iter_mut().find(same) {
            if site.variants.iter().all(|other| other.text != variant.text) {
                site.variants.push(variant);
            }
            return;
        }
        let function = self.names.join("::");
        self.found.sites.push(FaultSite { range: whole, form, function, variants: vec![variant] });
    }

    /// Adds a fault that replaces an expression by another.
    pub(crate) fn replace(&mut self, operator: &'static str, expr: &Expr, text: impl Into<String>) {
        let text = text.into();
        self.add(
            FaultForm::Expression,
            operator,
            expr.span().byte_range(),
            text.clone(),
            expr.span(),
            &text,
        );
    }

    pub(crate) fn function(
        &mut self,
        attributes: &[Attribute],
        signature: &Signature,
        body: &Block,
    ) {
        let name = signature.ident.to_string();
        if !is_built(attributes, self.features) || name == "fmt" {
            return;
        }
        if let Some(word) = &signature.constness {
            let (word, body) = (word.span().byte_range(), body.span().byte_range());
            self.found.constants.push(ConstFunction { word, name: name.clone(), body });
        }
        self.names.push(name);
        let outside = std::mem::replace(&mut self.inside, true);
        self.returns(signature, body);
        self.visit_block(body);
        self.inside = outside;
        self.names.pop();
    }

    /// The function immediately returns a successful result.
    pub(crate) fn returns(&mut self, signature: &Signature, body: &Block) {
        let ReturnType::Type(_, of) = &signature.output else { return };
        let start = body.brace_token.span.open().byte_range().end;
        let whole = self.text(of.span()).replace(char::is_whitespace, "");
        let texts: &[&str] = match whole.as_str() {
            "bool" => &["true", "false"],
            "Result<()>" => &["Ok(())"],
            "Result<bool>" => &["Ok(true)", "Ok(false)"],
            option if option.starts_with("Option<") => &["None"],
            option if option.starts_with("Result<Option<") => &["Ok(None)"],
            number if ["u8", "u16", "u32", "u64", "usize"].contains(&number) => &["0"],
            _ => &[],
        };
        let variants: Vec<_> = texts
            .iter()
            .map(|text| FaultVariant {
                operator: "returns at once",
                text: (*text).to_owned(),
                part: start..start,
                to: format!(" return {text};"),
            })
            .collect();
        if !variants.is_empty() {
            let function = self.names.join("::");
            self.found.lines.insert(signature.ident.span().start().line);
            self.found.sites.push(FaultSite {
                range: start..start,
                form: FaultForm::Start,
                function,
                variants,
            });
        }
    }

    pub(crate) fn condition(&mut self, condition: &Expr, can_be_true: bool, can_be_false: bool) {
        if has_let(condition) {
            return;
        }
        if can_be_false {
            self.replace("condition", condition, "false");
        }
        if can_be_true {
            self.replace("condition", condition, "true");
        }
        if !matches!(condition, Expr::Binary(_) | Expr::Unary(_) | Expr::Lit(_)) {
            let text = format!("!({})", self.text(condition.span()));
            self.replace("negation", condition, text);
        }
    }

    /// Swaps neighbours in a list of arguments or elements.
    pub(crate) fn swap<'e>(&mut self, whole: Span, parts: impl IntoIterator<Item = &'e Expr>) {
        let parts: Vec<Span> = parts.into_iter().map(Spanned::span).collect();
        if parts.len() > 8 {
            return;
        }
        for pair in parts.windows(2) {
            let (a, b) = (pair[0].byte_range(), pair[1].byte_range());
            let (first, second) = (&self.source[a.clone()], &self.source[b.clone()]);
            if first == second {
                continue;
            }
            let between = &self.source[a.end..b.start];
            let to = format!("{second}{between}{first}");
            let range = whole.byte_range();
            let text = format!(
                "{}{to}{}",
                &self.source[range.start..a.start],
                &self.source[b.end..range.end]
            );
            let part = pair[0].join(pair[1]).unwrap_or(pair[0]);
            self.add(FaultForm::Expression, "swap", range, text, part, &to);
        }
    }

    /// Swaps neighbours in a struct literal.
    pub(crate) fn swap_fields(&mut self, literal: &syn::ExprStruct) {
        let fields: Vec<_> = literal.fields.iter().collect();
        for pair in fields.windows(2) {
            let (a, b) = (pair[0].span(), pair[1].span());
            let name = |at: usize| self.text(pair[at].member.span());
            let value = |at: usize| self.text(pair[at].expr.span());
            if value(0) == value(1) {
                continue;
            }
            let to = format!("{}: {}, {}: {}", name(0), value(1), name(1), value(0));
            let range = literal.span().byte_range();
            let before = &self.source[range.start..a.byte_range().start];
            let text = format!("{before}{to}{}", &self.source[b.byte_range().end..range.end]);
            self.add(FaultForm::Expression, "swap", range, text, a.join(b).unwrap_or(a), &to);
        }
    }

    pub(crate) fn bound(&mut self, bound: &Expr, operators: &[&str]) {
        if matches!(bound, Expr::Lit(_)) || constant(bound) {
            return;
        }
        for operator in operators {
            let text = format!("({} {operator})", self.text(bound.span()));
            self.replace("bound", bound, text);
        }
    }

    pub(crate) fn literal(&mut self, expr: &Expr, literal: &Lit) {
        match literal {
            Lit::Bool(value) => self.replace("constant", expr, (!value.value).to_string()),
            Lit::Int(value) => {
                let Ok(number) = value.base10_parse::<u128>() else { return };
                let suffix = value.suffix();
                self.replace("constant", expr, format!("{}{suffix}", number + 1));
                if number > 0 {
                    self.replace("constant", expr, format!("{}{suffix}", number - 1));
                }
            }
            Lit::Byte(value) => self.replace("constant", expr, format!("{}u8", value.value() ^ 1)),
            Lit::ByteStr(value) => {
                let mut bytes = value.value();
                let Some(last) = bytes.last_mut() else { return };
                *last ^= 1;
                let escaped: String = bytes.escape_ascii().to_string();
                self.replace("constant", expr, format!("b\"{escaped}\""));
            }
            _ => {}
        }
    }

    pub(crate) fn binary(&mut self, binary: &ExprBinary) {
        let (left, right) = (self.text(binary.left.span()), self.text(binary.right.span()));
        let (left, right) = (left.to_owned(), right.to_owned());
        let range = binary.span().byte_range();
        let others = comparisons(&binary.op).iter().map(|other| ("comparison", *other));
        let all = others.chain(arithmetic(&binary.op).map(|other| ("arithmetic", other)));
        for (operator, other) in all.collect::<Vec<_>>() {
            let text = format!("({left}) {other} ({right})");
            self.add(FaultForm::Expression, operator, range.clone(), text, binary.op.span(), other);
        }
        let neutral = match binary.op {
            syn::BinOp::And(_) => "true",
            syn::BinOp::Or(_) => "false",
            _ => "",
        };
        for side in [&binary.left, &binary.right] {
            let again = matches!(&**side, Expr::Binary(inner) if core::mem::discriminant(&inner.op) == core::mem::discriminant(&binary.op));
            if !neutral.is_empty() && !again && !has_let(side) {
                self.replace("condition", side, neutral);
            }
        }
    }

    pub(crate) fn call(&mut self, call: &ExprCall) {
        let callee = self.text(call.func.span()).to_owned();
        if let Expr::Path(path) = &*call.func
            && let Some(last) = path.path.segments.last()
            && let Some(other) = twin(&last.ident.to_string())
        {
            self.rename(call.span(), last.ident.span(), other);
        }
        if !["Some", "Ok", "Err"].contains(&callee.as_str()) {
            self.swap(call.span(), &call.args);
        }
    }

    pub(crate) fn method(&mut self, call: &ExprMethodCall) {
        let name = call.method.to_string();
        self.line(call.method.span());
        if let Some(other) = twin(&name) {
            self.rename(call.span(), call.method.span(), other);
        }
        self.swap(call.span(), &call.args);
        if can_be_left_out(&name) {
            let receiver = self.text(call.receiver.span()).to_owned();
            let whole = call.span().byte_range();
            let part = call.dot_token.span().join(call.paren_token.span.close());
            self.add(
                FaultForm::Expression,
                "call left out",
                whole,
                receiver,
                part.unwrap_or(call.span()),
                "",
            );
        }
        if name == "chain"
            && let Some(second) = call.args.first()
        {
            let text = ".into_iter().take(if {at} == 0 { usize::MAX } else { 0 })".to_owned();
            let to = format!("{}.take(0)", self.text(second.span()));
            self.add(
                FaultForm::Adapter,
                "left out",
                second.span().byte_range(),
                text,
                second.span(),
                &to,
            );
        }
        if PREDICATE_METHODS.contains(&name.as_str())
            && let Some(Expr::Closure(closure)) = call.args.first()
            && !matches!(*closure.body, Expr::Block(_))
        {
            self.condition(&closure.body, true, true);
        }
    }

    pub(crate) fn rename(&mut self, whole: Span, name: Span, other: &str) {
        let (range, at) = (whole.byte_range(), name.byte_range());
        let text = format!(
            "{}{other}{}",
            &self.source[range.start..at.start],
            &self.source[at.end..range.end]
        );
        self.add(FaultForm::Expression, "another method", range, text, name, other);
    }

    pub(crate) fn statement(&mut self, statement: &Stmt) {
        let can_go = match statement {
            Stmt::Expr(Expr::ForLoop(_) | Expr::While(_), _) => true,
            Stmt::Expr(expr, Some(_)) => matches!(
                expr,
                Expr::MethodCall(_)
                    | Expr::Call(_)
                    | Expr::Try(_)
                    | Expr::Assign(_)
                    | Expr::Binary(_)
                    | Expr::Continue(_)
                    | Expr::Break(_)
            ),
            _ => false,
        };
        if can_go {
            let span = statement.span();
            self.add(
                FaultForm::Statement,
                "statement left out",
                span.byte_range(),
                String::new(),
                span,
                "",
            );
        }
    }
}

/// Whether an expression is a constant, judging by its name.
pub(crate) fn constant(expr: &Expr) -> bool {
    let Expr::Path(path) = expr else { return false };
    path.path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name.len() > 1
            && name.chars().all(|letter| {
                letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_'
            })
    })
}

pub(crate) fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}
