//! Decides which requests the rules of a host permit, and the headers that they set. Pure.
//!
//! [`path`] has the patterns of paths, [`template`] those of headers, and [`named_host`] checks which host a
//! request names. [`headers`] removes and sets headers, and [`query`] finds a method in a query.

pub mod headers;
pub mod named_host;
pub mod path;
pub mod query;
pub mod template;

use hyper::header::HeaderName;

use crate::sandbox::network::allow::{AllowedDestination, allows};
use crate::sandbox::network::destination::Destination;
use crate::sandbox::protocol::intercept::messages::{HostRule, RequestRefusal, ScopePlan};
use path::PathPattern;
use template::Template;

/// An entry of the allowed hosts, compiled.
#[derive(Clone, Debug)]
pub struct CompiledRule {
    destination: AllowedDestination,
    pub headers: Vec<CompiledHeader>,
    methods: Option<Vec<String>>,
    paths: Option<Vec<PathPattern>>,
    /// Whether responses are masked.
    pub masks: bool,
    is_plain: bool,
}

/// A header that a rule sets.
#[derive(Clone, Debug)]
pub struct CompiledHeader {
    pub name: HeaderName,
    pub template: Template,
    /// The position of the secret.
    pub secret: u32,
}

/// The rules of one host and port, in their order.
#[derive(Clone, Debug, Default)]
pub struct HostRules(Vec<CompiledRule>);

/// A request, as far as rules look at it.
#[derive(Clone, Copy, Debug)]
pub struct AskedRequest<'a> {
    pub method: &'a str,
    /// The path without the query.
    pub path: &'a str,
    pub query: Option<&'a str>,
    pub is_encrypted: bool,
}

/// Compiles the rules of a scope.
///
/// # Errors
///
/// The host whose rule is wrong, and what was expected.
pub fn compile(plan: &ScopePlan) -> Result<Vec<CompiledRule>, String> {
    let count = plan.secrets.len();
    let compiled =
        |rule: &HostRule| compile_rule(rule, count).map_err(|error| format!("{}: {error}", rule.destination));
    plan.rules.iter().map(compiled).collect()
}

fn compile_rule(rule: &HostRule, secrets: usize) -> Result<CompiledRule, String> {
    let headers = rule.headers.iter().map(|header| {
        if header.secret as usize >= secrets {
            return Err(format!("no secret {}", header.secret));
        }
        let name = headers::settable(&header.name)?;
        Ok(CompiledHeader { name, template: Template::parse(&header.template)?, secret: header.secret })
    });
    let headers = headers.collect::<Result<Vec<_>, _>>()?;
    let paths = rule.paths.as_ref();
    let paths = paths.map(|all| all.iter().map(|text| PathPattern::parse(text)).collect()).transpose()?;
    Ok(CompiledRule {
        destination: rule.destination.clone(),
        headers,
        methods: rule.methods.clone(),
        paths,
        masks: rule.masks,
        is_plain: rule.is_plain,
    })
}

impl HostRules {
    /// Selects the rules of a host and port.
    #[must_use]
    pub fn of(rules: &[CompiledRule], host: &Destination, port: u16) -> Self {
        let is_meant = |rule: &&CompiledRule| allows(std::slice::from_ref(&rule.destination), host, port);
        Self(rules.iter().filter(is_meant).cloned().collect())
    }

    /// Returns the first rule that permits a request.
    ///
    /// # Errors
    ///
    /// Why the request is refused.
    pub fn permit(&self, request: AskedRequest<'_>) -> Result<&CompiledRule, RequestRefusal> {
        if request.method.eq_ignore_ascii_case("TRACE") {
            return Err(RequestRefusal::Trace);
        }
        if self.have_paths() && path::is_ambiguous(request.path) {
            return Err(RequestRefusal::AmbiguousPath);
        }
        if self.have_methods() && request.query.is_some_and(query::names_method) {
            return Err(RequestRefusal::AmbiguousMethod);
        }
        let mut permitting = self.0.iter().filter(|rule| rule.permits(request)).peekable();
        if permitting.peek().is_none() {
            return Err(RequestRefusal::NotInRules);
        }
        let is_sendable =
            |rule: &&CompiledRule| request.is_encrypted || rule.is_plain || rule.headers.is_empty();
        // A rule without headers behind one with them would let a request pass without its account.
        permitting.next().filter(is_sendable).ok_or(RequestRefusal::NotEncrypted)
    }

    /// Returns the headers that any of the rules sets. A command can set none of them.
    pub fn header_names(&self) -> impl Iterator<Item = &HeaderName> {
        self.0.iter().flat_map(|rule| rule.headers.iter().map(|header| &header.name))
    }

    /// Returns whether a rule names paths, so that headers that name another path are removed.
    #[must_use]
    pub fn have_paths(&self) -> bool {
        self.0.iter().any(|rule| rule.paths.is_some())
    }

    /// Returns whether a rule names methods, so that headers that name another method are removed.
    #[must_use]
    pub fn have_methods(&self) -> bool {
        self.0.iter().any(|rule| rule.methods.is_some())
    }
}

impl CompiledRule {
    fn permits(&self, request: AskedRequest<'_>) -> bool {
        let has_method = |methods: &Vec<String>| methods.iter().any(|method| method == request.method);
        let has_path = |paths: &Vec<PathPattern>| paths.iter().any(|path| path.matches(request.path));
        self.methods.as_ref().is_none_or(has_method) && self.paths.as_ref().is_none_or(has_path)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{AskedRequest, Destination, HostRules, RequestRefusal, compile};
    use crate::sandbox::network::allow::AllowedDestination;
    use crate::sandbox::protocol::intercept::messages::{HeaderRule, HostRule, ScopePlan, SecretPlan};

    pub(in super::super) fn rule(
        host: &str,
        header: Option<&str>,
        methods: &[&str],
        paths: &[&str],
    ) -> HostRule {
        let texts = |all: &[&str]| {
            (!all.is_empty()).then(|| all.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
        };
        let header = header.map(|template| HeaderRule {
            name: "Authorization".to_owned(),
            template: template.to_owned(),
            secret: 0,
        });
        HostRule {
            destination: AllowedDestination::parse(host).expect("a host"),
            headers: header.into_iter().collect(),
            methods: texts(methods),
            paths: texts(paths),
            masks: true,
            is_plain: false,
        }
    }

    fn compiled(rules: Vec<HostRule>) -> Result<HostRules, String> {
        let secrets = vec![SecretPlan { name: "x".to_owned(), value: None }];
        let plan = ScopePlan { rules, secrets, roots: Vec::new() };
        let host = Destination::parse("a.example").expect("a host");
        compile(&plan).map(|rules| HostRules::of(&rules, &host, 443))
    }

    pub(in super::super) fn rules(rules: Vec<HostRule>) -> HostRules {
        compiled(rules).expect("rules")
    }

    /// Returns the template of the header that is set, or why a request is refused.
    fn permitted(rules: &HostRules, method: &str, path: &str) -> Result<Option<String>, RequestRefusal> {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let request = AskedRequest { method, path, query, is_encrypted: true };
        rules.permit(request).map(|rule| rule.headers.first().map(|header| header.template.fill("!")))
    }

    #[test]
    fn the_first_rule_that_permits_a_request_sets_its_headers() {
        let rules = rules(vec![
            rule("a.example:443", Some("one {}"), &["GET"], &["/one/**"]),
            rule("a.example:443", Some("two {}"), &[], &["/one/x", "/two/*"]),
            rule("*.example:443", None, &["HEAD"], &[]),
            rule("b.example:443", Some("other {}"), &[], &[]),
            rule("a.example:80", Some("port {}"), &[], &[]),
        ]);
        assert_eq!(permitted(&rules, "GET", "/one/x"), Ok(Some("one !".to_owned())));
        assert_eq!(permitted(&rules, "PUT", "/one/x"), Ok(Some("two !".to_owned())));
        assert_eq!(permitted(&rules, "HEAD", "/else"), Ok(None));
        for (method, path) in [("PUT", "/one/y"), ("GET", "/else"), ("get", "/one/y"), ("POST", "/")] {
            assert_eq!(permitted(&rules, method, path), Err(RequestRefusal::NotInRules), "{method} {path}");
        }
        assert_eq!(permitted(&rules, "HEAD", "/a/../b"), Err(RequestRefusal::AmbiguousPath));
    }

    #[test]
    fn a_method_in_the_query_is_refused_where_a_rule_names_methods() {
        let limited = rules(vec![rule("a.example:443", None, &["POST"], &[])]);
        assert_eq!(permitted(&limited, "POST", "/x?_method=DELETE"), Err(RequestRefusal::AmbiguousMethod));
        assert_eq!(permitted(&limited, "POST", "/x?method=DELETE"), Ok(None));
        let free = rules(vec![rule("a.example:443", None, &[], &["/**"])]);
        assert_eq!(permitted(&free, "POST", "/x?_method=DELETE"), Ok(None));
    }

    #[test]
    fn a_host_without_rules_refuses_everything() {
        let rules = rules(vec![rule("b.example:443", None, &[], &[])]);
        assert_eq!(permitted(&rules, "GET", "/"), Err(RequestRefusal::NotInRules));
    }

    #[test]
    fn trace_is_refused_by_each_rule() {
        let rules = rules(vec![rule("a.example:443", None, &[], &[])]);
        assert_eq!(permitted(&rules, "TRACE", "/"), Err(RequestRefusal::Trace));
        assert_eq!(permitted(&rules, "GET", "/a/../b"), Ok(None));
    }

    #[test]
    fn a_header_is_set_without_tls_only_where_the_rule_says_so() {
        let plain = AskedRequest { method: "GET", path: "/", query: None, is_encrypted: false };
        let mut one = rule("a.example:443", Some("{}"), &[], &[]);
        let behind = rule("a.example:443", None, &[], &[]);
        let refused = rules(vec![one.clone(), behind.clone()]);
        assert_eq!(refused.permit(plain).map(|_| ()), Err(RequestRefusal::NotEncrypted));
        one.is_plain = true;
        assert!(rules(vec![one]).permit(plain).is_ok());
        assert!(rules(vec![behind]).permit(plain).is_ok());
    }

    #[test]
    fn a_rule_that_can_not_be_used_is_named_with_its_host() {
        let wrong = |rule| compiled(vec![rule]).expect_err("it is refused");
        let pattern = wrong(rule("a.example:443", None, &[], &["x"]));
        assert_eq!(pattern, "a.example:443: 'x': expected a path that begins with '/'");
        assert!(wrong(rule("a.example:443", Some("none"), &[], &[])).starts_with("a.example:443: 'none'"));
        let mut unknown = rule("a.example:443", Some("{}"), &[], &[]);
        unknown.headers[0].secret = 1;
        assert_eq!(wrong(unknown.clone()), "a.example:443: no secret 1");
        unknown.headers[0].secret = 0;
        unknown.headers[0].name = "Content-Length".to_owned();
        assert!(wrong(unknown).contains("Content-Length"));
    }
}
