/// The roles that a user has by the word of one provider. They end with it; roles that the user has otherwise, from an
/// operator, another provider or a directory, stay.
public struct ProvidedRoles: Hashable, Sendable {
    /// In which tenant they count; `nil`: everywhere.
    public let tenantID: String?
    /// Those that the connection maps any group to, by their identifiers.
    public let mapped: Set<String>
    /// Those of the user's groups; `nil`: the groups are unknown.
    public let wanted: Set<String>?

    public init(tenantID: String?, mapped: Set<String>, wanted: Set<String>?) {
        self.tenantID = tenantID
        self.mapped = mapped
        self.wanted = wanted.map(mapped.intersection)
    }

    /// Gives and takes roles.
    ///
    /// - Parameters:
    ///   - before: those that the provider gave until now; `nil`: an earlier release did not record it. Then those that are
    ///     mapped count as the provider's.
    ///   - elsewhere: those that another provider or a group of the directory gives.
    /// - Returns: those that the provider gives from now on, in order.
    public func apply(to memberships: inout Memberships, before: [String]?, elsewhere: Set<String>) -> [String] {
        let held = Set(memberships.roles(in: tenantID))
        let own = before.map(Set.init) ?? held.intersection(mapped)
        let wanted = wanted ?? own.intersection(mapped)
        for role in own.subtracting(wanted).subtracting(elsewhere) { memberships.remove(role: role, in: tenantID) }
        for role in wanted.subtracting(held).sorted() { memberships.add(role: role, in: tenantID) }
        let now = Set(memberships.roles(in: tenantID))
        // A role that an operator gave before is not the provider's to take.
        return wanted.intersection(now).filter { own.contains($0) || !held.contains($0) || elsewhere.contains($0) }
            .sorted()
    }
}

extension Connection {
    /// The identifier of the role that each group leads to; a role that does not exist is none.
    public func mappedRoles(_ access: AccessDirectory) -> [String: String] {
        roles.compactMapValues { access.role(named: $0, in: tenantID)?.id }
    }
}
