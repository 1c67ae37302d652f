internal import KeyturnBase
internal import KeyturnVerify

extension Service {
    /// Whose users may sign in at a provider with many tenants, such as Microsoft Entra at `common` and
    /// `organizations`.
    ///
    /// A list in brackets is one of them: `tenants: ["72f988bf-86f1-41af-91ab-2d7cd011db47"]`.
    public enum Tenants: Hashable, Sendable, ExpressibleByArrayLiteral {
        /// Those of every tenant that the provider lets in; at `common`, owners of personal accounts too.
        case anyTenant
        /// Those of the tenants with these identifiers: GUIDs, at least one.
        case only(Set<String>)

        /// The tenants with these identifiers, as ``only(_:)``.
        public init(arrayLiteral identifiers: String...) {
            self = .only(Set(identifiers))
        }
    }
}

extension Service.Tenants {
    /// In lower case; `nil`: every tenant.
    var identifiers: Set<String>? {
        switch self {
        case .anyTenant: nil
        case .only(let identifiers): Set(identifiers.map { $0.lowercased() })
        }
    }

    /// The form in which a session remembers them.
    var stored: String { identifiers.map { $0.sorted().joined(separator: " ") } ?? Self.all }

    /// Reads what ``stored`` wrote.
    init(stored: String) {
        self = stored == Self.all ? .anyTenant : .only(Set(stored.split(separator: " ").map(String.init)))
    }

    private static let all = "*"
}

extension Service {
    /// Makes sure that the metadata can be asked for and judged as the app says.
    ///
    /// - Throws: `configuration.invalid` for a discovery address that requests must not go to, for tenants that are
    ///   named by anything but GUIDs, and for an empty list.
    func checkDiscovery() throws(AuthError) {
        if let discoveryURL, !URLText.isAcceptableEndpoint(discoveryURL) {
            throw AuthError(
                .misconfigured,
                "the discovery address \(Exchange.clean(discoveryURL, max: 256) ?? "") must be an https URL in ASCII "
                    + "without fragment or user")
        }
        guard let identifiers = tenants?.identifiers else { return }
        guard !identifiers.isEmpty, identifiers.allSatisfy(IssuerTemplate.isTenant) else {
            throw AuthError(
                .misconfigured, "name tenants by their identifiers, which are GUIDs, one at least; or say .anyTenant")
        }
    }
}
