internal import KeyturnBase
internal import Model

/// Which changes decide who can sign in as whom: the part of a connection that is an owner's.
extension Connection {
    /// The members (``ConnectionDocument``) by which a provider could speak for more users than before, or another
    /// provider for the same ones. What takes such power away is not among them.
    ///
    /// - Parameters:
    ///   - present: what it replaces; `nil`: it is new.
    ///   - actsByDefault: whether new users of the tenant act as others, by a role that all of them get.
    ///   - isOwners: whether a role of this name, in this tenant, is an owner's to give.
    func trust(
        over present: Connection?, actsByDefault: Bool, isOwners: (_ role: String, _ tenant: String?) -> Bool
    ) -> [String] {
        // One that is switched on again is as good as a new one.
        let present = present.flatMap { $0.isEnabled || !isEnabled ? $0 : nil }
        var members = present == nil ? ["id"] : []
        if !Set(domains).isSubset(of: present?.domains ?? []) { members.append("domains") }
        if tenantID == nil, present.map({ !isOnlyTurnedOff(from: $0) }) ?? true { members.append("tenant") }
        if trustsEmail, present?.trustsEmail != true { members.append("trust_email") }
        if !Set(strongContexts).isSubset(of: present?.strongContexts ?? []) { members.append("strong_contexts") }
        let added = roles.filter { present?.roles[$0.key] != $0.value }
        if added.values.contains(where: { isOwners($0, tenantID) }) { members.append("roles") }
        // The provider's users that are not known yet would get them, and who says so may be one of them.
        let givesMore = actsByDefault || roles.values.contains { isOwners($0, tenantID) }
        if createsUsers, present?.createsUsers == false, givesMore { members.append("create_users") }
        if let present { members += settings.providerMembers(over: present.settings) }
        return members
    }

    private func isOnlyTurnedOff(from present: Connection) -> Bool {
        var before = present
        before.isEnabled = false
        before.updatedAt = updatedAt
        return self == before
    }

    private var trustsEmail: Bool {
        switch settings {
        case .openID(let settings): settings.trustsEmail
        case .saml(let settings): settings.trustsEmail
        case .ldap(let settings): settings.trustsEmail
        }
    }
}

extension Connection.Settings {
    /// The members that say which provider speaks, with which keys, and by what it names users.
    fileprivate func providerMembers(over present: Self) -> [String] {
        switch (self, present) {
        case (.openID(let now), .openID(let before)): now.providerMembers(over: before)
        case (.saml(let now), .saml(let before)): now.providerMembers(over: before)
        case (.ldap(let now), .ldap(let before)): now.providerMembers(over: before)
        case (.openID, _), (.saml, _), (.ldap, _): ["type"]
        }
    }
}

extension OpenIDConnectionSettings {
    fileprivate func providerMembers(over present: Self) -> [String] {
        var names: [String] = []
        if preset != present.preset { names.append("preset") }
        if issuer != present.issuer { names.append("issuer") }
        // Tokens that the provider made for another application would count here.
        if clientID != present.clientID { names.append("client_id") }
        if !Set(nativeClientIDs).isSubset(of: present.nativeClientIDs) { names.append("native_client_ids") }
        if parameters != present.parameters { names.append("parameters") }
        names += endpoints.keys.filter { endpoints[$0] != present.endpoints[$0] }.sorted().map { "endpoints.\($0)" }
        names += present.endpoints.keys.filter { endpoints[$0] == nil }.sorted().map { "endpoints.\($0)" }
        if mapping != present.mapping { names.append("mapping") }
        return names
    }
}

extension SAMLConnectionSettings {
    fileprivate func providerMembers(over present: Self) -> [String] {
        var names: [String] = []
        if entityID != present.entityID { names.append("idp_entity_id") }
        if signOnURL != present.signOnURL { names.append("sso_url") }
        if !Set(certificates).isSubset(of: present.certificates) { names.append("certificates") }
        if metadataURL != present.metadataURL { names.append("metadata_url") }
        if nameIDFormat != present.nameIDFormat { names.append("name_id_format") }
        if subjectAttribute != present.subjectAttribute { names.append("subject_attribute") }
        if mapping != present.mapping { names.append("mapping") }
        return names
    }
}

extension LDAPConnectionSettings {
    fileprivate func providerMembers(over present: Self) -> [String] {
        let pairs: [(String, KeyPath<Self, String?>)] = [
            ("url", \.url.asOptional), ("base_dn", \.baseDN.asOptional), ("filter", \.filter.asOptional),
            ("subject_attribute", \.subjectAttribute.asOptional),
            ("certificate_authorities", \.certificateAuthorities), ("group_attribute", \.groupAttribute.asOptional),
            ("group_filter", \.groupFilter), ("group_base_dn", \.groupBaseDN),
        ]
        let names = pairs.filter { self[keyPath: $0.1] != present[keyPath: $0.1] }.map(\.0)
        return mapping == present.mapping ? names : names + ["mapping"]
    }
}

extension String {
    fileprivate var asOptional: String? { self }
}
