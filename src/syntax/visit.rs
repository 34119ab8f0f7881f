//! A walk over a whole tree: every command, including those in substitutions, functions and here-documents.

use super::tree::{
    AndOrList, Assignment, Command, Compound, CompoundKind, List, Parameter, Redirection, Simple, Word,
    WordPart,
};

/// Receives the nodes of a tree in the order of the text, each node before its children.
pub trait Visitor {
    /// Receives a simple command.
    fn simple(&mut self, _simple: &Simple) {}
    /// Receives the kind of a compound command.
    fn kind(&mut self, _kind: &CompoundKind) {}
    /// Receives a redirection.
    fn redirection(&mut self, _redirection: &Redirection) {}
    /// Receives a parameter expansion.
    fn parameter(&mut self, _parameter: &Parameter) {}
    /// Receives an expression: arithmetic, a subscript, or an offset.
    fn expression(&mut self, _word: &Word) {}
}

pub fn visit_list(list: &List, visitor: &mut dyn Visitor) {
    for AndOrList { first, rest, .. } in &list.items {
        for pipeline in std::iter::once(first).chain(rest.iter().map(|(_, pipeline)| pipeline)) {
            for stage in &pipeline.stages {
                visit_command(stage, visitor);
            }
        }
    }
}

fn visit_command(command: &Command, visitor: &mut dyn Visitor) {
    match command {
        Command::Simple(simple) => {
            visitor.simple(simple);
            for assignment in &simple.assignments {
                visit_assignment(assignment, visitor);
            }
            visit_words(&simple.words, visitor);
            visit_redirections(&simple.redirections, visitor);
        }
        Command::Compound(compound) => visit_compound(compound, visitor),
        Command::Function { body, .. } => visit_compound(body, visitor),
    }
}

fn visit_compound(Compound { kind, redirections }: &Compound, visitor: &mut dyn Visitor) {
    visitor.kind(kind);
    match kind {
        CompoundKind::Subshell(list) | CompoundKind::Group(list) => visit_list(list, visitor),
        CompoundKind::If(arms, otherwise) => {
            for (condition, body) in arms {
                visit_list(condition, visitor);
                visit_list(body, visitor);
            }
            if let Some(list) = otherwise {
                visit_list(list, visitor);
            }
        }
        CompoundKind::Loop(condition, body) => {
            visit_list(condition, visitor);
            visit_list(body, visitor);
        }
        CompoundKind::For(_, words, body) => {
            visit_words(words.as_deref().unwrap_or_default(), visitor);
            visit_list(body, visitor);
        }
        CompoundKind::ArithmeticFor(header, body) => {
            visit_expression(header, visitor);
            visit_list(body, visitor);
        }
        CompoundKind::Case(subject, arms) => {
            visit_word(subject, visitor);
            for (patterns, body) in arms {
                visit_words(patterns, visitor);
                visit_list(body, visitor);
            }
        }
        CompoundKind::Arithmetic(word) => visit_expression(word, visitor),
        CompoundKind::Test(words) => visit_words(words, visitor),
        CompoundKind::Coprocess(command) => visit_command(command, visitor),
    }
    visit_redirections(redirections, visitor);
}

fn visit_assignment(assignment: &Assignment, visitor: &mut dyn Visitor) {
    if let Some(subscript) = &assignment.subscript {
        visit_expression(subscript, visitor);
    }
    visit_words(&assignment.values, visitor);
}

fn visit_redirections(redirections: &[Redirection], visitor: &mut dyn Visitor) {
    for redirection in redirections {
        visitor.redirection(redirection);
        visit_word(&redirection.target, visitor);
        if let Some(body) = redirection.body.as_ref().and_then(|body| body.get()) {
            visit_word(body, visitor);
        }
    }
}

fn visit_words(words: &[Word], visitor: &mut dyn Visitor) {
    for word in words {
        visit_word(word, visitor);
    }
}

fn visit_expression(word: &Word, visitor: &mut dyn Visitor) {
    visitor.expression(word);
    visit_word(word, visitor);
}

fn visit_word(word: &Word, visitor: &mut dyn Visitor) {
    for piece in &word.pieces {
        match &piece.part {
            WordPart::Text(_) => {}
            WordPart::Parameter(parameter) => {
                visitor.parameter(parameter);
                for expression in parameter.subscript.iter().chain(parameter.offset()) {
                    visit_expression(expression, visitor);
                }
                if parameter.offset().is_none() {
                    visit_words(parameter.operand.as_slice(), visitor);
                }
            }
            WordPart::Substitution(list) | WordPart::Process(list) => visit_list(list, visitor),
            WordPart::Arithmetic(word) => visit_expression(word, visitor),
        }
    }
}
