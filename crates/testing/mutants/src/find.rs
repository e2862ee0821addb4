//! Finds the places where a fault can be planted.

use std::collections::BTreeSet;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, Attribute, Block, Expr, ExprCall, Field, FnArg, GenericArgument, ImplItemFn, Item, ItemFn,
    ItemImpl, ItemMod, Pat, Stmt, TraitItemFn, Type,
};

use crate::cfg::is_built;
use crate::faults::constant;
use crate::site::{FaultForm, FaultSite};

/// The fault sites and functions of a file.
#[derive(Debug, Default)]
pub struct FileFaults {
    /// The fault sites.
    pub sites: Vec<FaultSite>,
    /// The lines with code of functions, counted from 1, except error texts and code that only formats.
    pub lines: BTreeSet<usize>,
    /// The functions that are `const`, which a function with faults cannot stay.
    pub constants: Vec<ConstFunction>,
    /// The modules that are separate files.
    pub modules: Vec<String>,
}

/// A `const` function.
#[derive(Clone, Debug)]
pub struct ConstFunction {
    /// The bytes of the word `const`.
    pub word: Range<usize>,
    /// The function's name.
    pub name: String,
    /// The function's body.
    pub body: Range<usize>,
}

/// Finds the fault sites of a file, in a build with these features.
///
/// Returns the parser's error if the file is not valid Rust.
pub fn find(source: &str, features: &[&str]) -> syn::Result<FileFaults> {
    let file = syn::parse_file(source)?;
    let mut finder = FaultFinder {
        source,
        features,
        found: FileFaults::default(),
        names: Vec::new(),
        inside: false,
    };
    if is_built(&file.attrs, features) {
        finder.visit_file(&file);
    }
    Ok(finder.found)
}

pub(crate) struct FaultFinder<'a> {
    pub(crate) source: &'a str,
    pub(crate) features: &'a [&'a str],
    pub(crate) found: FileFaults,
    /// The enclosing types, modules and functions.
    pub(crate) names: Vec<String>,
    /// Whether it is in the body of a function.
    pub(crate) inside: bool,
}

impl<'ast> Visit<'ast> for FaultFinder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            // Constant evaluation cannot ask which fault is active.
            Item::Const(_)
            | Item::Static(_)
            | Item::Enum(_)
            | Item::Struct(_)
            | Item::Macro(_)
            | Item::Use(_) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_built(&item.attrs, self.features) {
            return;
        }
        if item.content.is_none() {
            self.found.modules.push(item.ident.to_string());
        }
        visit::visit_item_mod(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.attrs, &item.sig, body);
        }
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_field(&mut self, _: &'ast Field) {}
    fn visit_fn_arg(&mut self, _: &'ast FnArg) {}
    fn visit_generic_argument(&mut self, _: &'ast GenericArgument) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let shows = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        let shows = shows
            .is_some_and(|last| ["Display", "Debug"].contains(&last.ident.to_string().as_str()));
        if !is_built(&item.attrs, self.features) || shows {
            return;
        }
        let name = match &*item.self_ty {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.names.push(name.unwrap_or_else(|| self.text(item.self_ty.span()).to_owned()));
        visit::visit_item_impl(self, item);
        self.names.pop();
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let attributes: &[Attribute] = match statement {
            Stmt::Local(local) => &local.attrs,
            Stmt::Item(_) | Stmt::Expr(..) | Stmt::Macro(_) => &[],
        };
        if !is_built(attributes, self.features) {
            return;
        }
        if !matches!(statement, Stmt::Item(_)) {
            self.line(statement.span());
            self.statement(statement);
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.line(arm.pat.span());
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard, true, true);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.line(expr.span());
        match expr {
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) if !matches!(unary.op, syn::UnOp::Deref(_)) => {
                let text = format!("({})", self.text(unary.expr.span()));
                self.replace("negation", expr, text);
            }
            Expr::Lit(literal) => self.literal(expr, &literal.lit),
            Expr::Path(path) => {
                let segments = &path.path.segments;
                let reason = segments.len() > 1 && segments[segments.len() - 2].ident == "Reason";
                if reason {
                    let whole = self.text(expr.span()).to_owned();
                    let prefix = whole.rfind("::").map_or("", |at| &whole[..at]);
                    let other = if whole.ends_with("::InvalidArgument") {
                        "Truncated"
                    } else {
                        "InvalidArgument"
                    };
                    self.replace("reason", expr, format!("{prefix}::{other}"));
                } else if constant(expr) {
                    let text = self.text(expr.span()).to_owned();
                    self.replace("constant", expr, format!("({text} + 1)"));
                    self.replace("constant", expr, format!("({text} - 1)"));
                }
            }
            Expr::If(branch) => {
                // Any honest proof detects a check that always fails.
                let refuses = branch.else_branch.is_none() && leaves(&branch.then_branch);
                self.condition(&branch.cond, !refuses, true);
            }
            Expr::While(branch) => self.condition(&branch.cond, false, true),
            Expr::ForLoop(branch) if !matches!(*branch.expr, Expr::Range(_)) => {
                let text = ".into_iter().skip({at})".to_owned();
                let over = branch.expr.span();
                let to = format!("{}.skip(1)", self.text(over));
                self.add(FaultForm::Adapter, "left out", over.byte_range(), text, over, &to);
            }
            Expr::Range(range) => {
                if let Some(start) = &range.start {
                    self.bound(start, &["+ 1"]);
                }
                if let Some(end) = &range.end {
                    self.bound(end, &["- 1", "+ 1"]);
                }
            }
            Expr::Match(branches) => {
                if let Some((last, others)) = branches.arms.split_last()
                    && catches_all(last)
                {
                    for arm in others.iter().filter(|arm| arm.guard.is_none()) {
                        let end = arm.pat.span().byte_range().end;
                        self.add(
                            FaultForm::Guard,
                            "arm left out",
                            end..end,
                            String::new(),
                            arm.pat.span(),
                            "(left out)",
                        );
                    }
                }
            }
            Expr::Struct(literal) => self.swap_fields(literal),
            Expr::Array(array) => self.swap(array.span(), &array.elems),
            Expr::Tuple(tuple) => self.swap(tuple.span(), &tuple.elems),
            Expr::Call(call) if is_error(call) => {
                // The other arguments are text.
                if let Some(reason) = call.args.first() {
                    self.visit_expr(reason);
                }
                return;
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::Repeat(repeat) => return self.visit_expr(&repeat.expr),
            Expr::Const(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

/// Whether a call constructs an error: a reason, and texts.
fn is_error(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let names: Vec<_> =
        path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names == ["Error", "new"]
}

/// Whether a block ends by leaving the function.
fn leaves(block: &Block) -> bool {
    matches!(block.stmts.last(), Some(Stmt::Expr(Expr::Return(_), _)))
}

/// Whether an arm matches everything; a capitalised name is a constant or a variant.
fn catches_all(arm: &Arm) -> bool {
    let name = match &arm.pat {
        Pat::Wild(_) => return arm.guard.is_none(),
        Pat::Ident(pattern) if pattern.subpat.is_none() => pattern.ident.to_string(),
        _ => return false,
    };
    arm.guard.is_none() && name.starts_with(|first: char| first.is_lowercase())
}
