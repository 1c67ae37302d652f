internal import Authority
internal import KeyturnBase
internal import Model

/// A user's data in other tables, each as one JSON text, so that one statement is enough. In the statement, the user is
/// `u` and the password `p`.
enum AccountColumns {
    static func list(_ sql: any SQLFragments) -> String {
        let identifier = sql.jsonList(sql.jsonArray("i.kind", "i.value", "i.verified"))
        let tenant = sql.jsonList(sql.jsonArray("m.tenant_id", sql.json("m.roles")))
        return """
            p.hash, (SELECT \(identifier) FROM identifier i WHERE i.user_id = u.id) AS identifiers,
            (SELECT \(tenant) FROM membership m WHERE m.user_id = u.id) AS tenants,
            EXISTS (SELECT 1 FROM authenticator a WHERE a.user_id = u.id AND a.confirmed = 1) AS has_authenticator,
            EXISTS (SELECT 1 FROM passkey k WHERE k.user_id = u.id AND k.active = 1) AS has_passkey,
            (SELECT o.role FROM console_operator o WHERE o.user_id = u.id) AS console_role,
            \(ActingRoles.held(by: "u.id", roles: "u.roles", sql)) AS acts_as_others
            """
    }
}

/// The columns of a user, in statements with the user as `u`.
enum UserColumns {
    static let list =
        """
        u.id, u.status, u.claims, u.attributes, u.accepted, u.is_test, u.anonymous_at, u.created_at, u.updated_at,
        u.epoch, u.others_at, u.operators_at, u.sessions_ended_at, u.disputed_at
        """

    /// The columns beside those of other tables: ``SQLRow/user(prefix:)`` reads them with `u_`.
    static let prefixed = """
        u.id AS u_id, u.status AS u_status, u.claims AS u_claims, u.attributes AS u_attributes,
        u.accepted AS u_accepted,
        u.is_test AS u_is_test, u.anonymous_at AS u_anonymous_at, u.epoch AS u_epoch,
        u.created_at AS u_created_at, u.updated_at AS u_updated_at, u.others_at AS u_others_at,
        u.operators_at AS u_operators_at, u.sessions_ended_at AS u_sessions_ended_at,
        u.disputed_at AS u_disputed_at
        """
}

extension SQLRow {
    func user(prefix: String = "") throws -> User {
        guard let status = User.Status(rawValue: self["\(prefix)status"]) else {
            throw SQLProblem.damagedRow
        }
        return User(
            id: UserID(rawValue: self["\(prefix)id"]), status: status, claims: try members("\(prefix)claims"),
            attributes: try members("\(prefix)attributes"),
            acceptances: try members("\(prefix)accepted").compactMapValues(Acceptance.init),
            isTest: self["\(prefix)is_test"], anonymousAt: optionalTime("\(prefix)anonymous_at"),
            othersAt: optionalTime("\(prefix)others_at"), operatorsAt: optionalTime("\(prefix)operators_at"),
            disputedAt: optionalTime("\(prefix)disputed_at"), createdAt: time("\(prefix)created_at"),
            updatedAt: time("\(prefix)updated_at"),
            epoch: self["\(prefix)epoch"], endedAt: optionalTime("\(prefix)sessions_ended_at"))
    }

    /// A user from a row with the columns of ``AccountColumns/list`` and the column `roles`.
    func account(user: User) throws -> Account {
        var identifiers: [Identifier: Account.IdentifierState] = [:]
        for parts in try tuples("identifiers") {
            guard parts.count == 3, let value = parts[1].stringValue,
                let kind = parts[0].stringValue.flatMap(Identifier.Kind.init(rawValue:))
            else { throw SQLProblem.damagedRow }
            identifiers[Identifier(kind: kind, storedValue: value)] =
                parts[2].integerValue == 1 ? .verified : .unverified
        }
        var memberships = Memberships(roles: try list("roles"))
        for parts in try tuples("tenants") {
            guard parts.count == 2, let tenant = parts[0].stringValue, let roles = parts[1].stringArrayValue else {
                throw SQLProblem.damagedRow
            }
            memberships.tenants[tenant] = roles
        }
        return Account(
            user: user, identifiers: identifiers, passwordHash: self["hash"], memberships: memberships,
            hasAuthenticator: self["has_authenticator"], hasPasskey: self["has_passkey"],
            consoleRole: (self["console_role"] as String?).flatMap(ConsoleRole.init),
            actsAsOthers: self["acts_as_others"])
    }

    private func tuples(_ column: String) throws -> [[JSONValue]] {
        let tuples = try? JSONValue(parsing: (self[column] as String).utf8, limits: .stored).arrayValue?
            .compactMap(\.arrayValue)
        guard let tuples else { throw SQLProblem.damagedRow }
        return tuples
    }
}

extension Acceptance {
    fileprivate init?(_ json: JSONValue) {
        guard let version = json["version"]?.stringValue, let at = json["at"]?.integerValue else { return nil }
        self.init(version: version, at: UnixTime(rawValue: at))
    }
}

extension User {
    /// ``acceptances``, as their column keeps them.
    var acceptancesText: String {
        JSONValue.object(
            acceptances.mapValues { .object(["version": .string($0.version), "at": .integer($0.at.rawValue)]) }
        ).columnText
    }
}
