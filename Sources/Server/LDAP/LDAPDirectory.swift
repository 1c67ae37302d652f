public import KeyturnBase
public import Model
public import SignIn

/// Asks directories over LDAP, on threads of its own.
///
/// One question opens one connection: a search with the service's name, or a bind with a user's. Nothing is kept of a
/// password.
public final class LDAPDirectory: PasswordDirectory {
    private let threads: DirectoryThreads
    private let breaker = CircuitBreaker()
    private let ambient: Ambient
    private let patience: Duration

    public init(ambient: Ambient) {
        self.ambient = ambient
        threads = DirectoryThreads(
            threadsMax: Limits.directoryThreadsMax, backlogMax: Limits.directoryBacklogMax)
        patience = .milliseconds(Limits.directoryMilliseconds)
    }

    public func find(_ name: String, at connection: Connection) async throws(ConnectionProblem) -> DirectoryEntry? {
        guard (1...Limits.directoryLoginBytesMax).contains(name.utf8.count) else { return nil }
        return try await ask(connection) { settings, deadline throws(LDAPFault) in
            try Self.entry(
                LDAPFilter.filled(settings.filter, LDAPFilter.login, with: name), connection, settings, deadline)
        }
    }

    public func find(subject: String, at connection: Connection) async throws(ConnectionProblem) -> DirectoryEntry? {
        try await ask(connection) { settings, deadline throws(LDAPFault) in
            guard let value = Self.value(ofSubject: subject, settings.subjectAttribute) else { return nil }
            return try Self.entry(
                "(\(settings.subjectAttribute)=\(LDAPFilter.escaped(value)))", connection, settings, deadline)
        }
    }

    public func check(_ password: Secret, of entry: DirectoryEntry?, at connection: Connection)
        async throws(ConnectionProblem) -> DirectoryVerdict
    {
        let text = password.exposed()
        guard !text.isEmpty, !text.utf8.contains(0), text.utf8.count <= Limits.passwordBytesMax else {
            return .wrong(reason: BindRefusal.wrong.rawValue)
        }
        let invented = ambient.randomToken(byteCount: 16)
        return try await ask(connection) { settings, deadline throws(LDAPFault) in
            let handle = try LDAPHandle(settings, until: deadline)
            do throws(LDAPFault) {
                // Without an entry the same is asked about one that cannot be there: an unknown name takes as long as
                // a wrong password.
                try handle.bind(entry?.name ?? "cn=\(invented),\(settings.baseDN)", password)
            } catch {
                guard case .result(let code, let diagnostic) = error,
                    let refusal = BindRefusal(code: code, diagnostic: diagnostic)
                else { throw error }
                return .wrong(reason: entry == nil ? BindRefusal.unknownUser.rawValue : refusal.rawValue)
            }
            guard let entry else { return .wrong(reason: BindRefusal.unknownUser.rawValue) }
            return entry.isDisabled ? .wrong(reason: BindRefusal.disabled.rawValue) : .right
        }
    }

    /// Runs a question on the threads, unless the directory was silent lately.
    private func ask<Answer: Sendable>(
        _ connection: Connection,
        _ question: @escaping @Sendable (LDAPConnectionSettings, ContinuousClock.Instant) throws(LDAPFault) -> Answer
    ) async throws(ConnectionProblem) -> Answer {
        guard case .ldap(let settings) = connection.settings else {
            throw ConnectionProblem(.misconfigured, code: "ldap_kind")
        }
        guard breaker.admits(connection.id, at: ambient.now()) else {
            throw ConnectionProblem(.unavailable, code: "ldap_paused")
        }
        let deadline = ContinuousClock.now + patience
        let result: Result<Answer, LDAPFault>? = await threads.run(patience: patience) {
            do throws(LDAPFault) {
                return .success(try question(settings, deadline))
            } catch {
                return .failure(error)
            }
        }
        switch result ?? .failure(.overdue) {
        case .success(let answer):
            breaker.answered(connection.id)
            return answer
        case .failure(let fault):
            if fault.isTrouble {
                breaker.failed(connection.id, at: ambient.now())
            } else {
                breaker.answered(connection.id)
            }
            throw ConnectionProblem(fault.isTrouble ? .unavailable : .misconfigured, code: fault.word)
        }
    }

    /// The one entry that a filter finds; none if there are several, or it only points at another.
    private static func entry(
        _ filter: String, _ connection: Connection, _ settings: LDAPConnectionSettings,
        _ deadline: ContinuousClock.Instant
    ) throws(LDAPFault) -> DirectoryEntry? {
        let handle = try LDAPHandle(settings, until: deadline)
        do throws(LDAPFault) {
            try handle.bind(settings.bindDN, Secret(settings.bindPassword))
        } catch {
            throw error.isTrouble || error == .settings("empty_password") ? error : .settings("service_bind")
        }
        let reader = DirectoryProfile(settings: settings, mapsGroups: !connection.roles.isEmpty)
        let found = try handle.search(settings.baseDN, filter, attributes: reader.attributes, limit: 2)
        guard found.entries.count == 1, !found.isCut, let entry = found.entries.first, !entry.isPointer else {
            return nil
        }
        let groups = try groups(of: entry, connection, settings, handle)
        return DirectoryEntry(
            name: entry.name, isDisabled: entry.isDisabled,
            profile: try reader.profile(of: entry, groups: groups))
    }

    /// The groups of a user by the names in the connection; `nil`: they are not asked for, or too many to know.
    private static func groups(
        of entry: LDAPEntry, _ connection: Connection, _ settings: LDAPConnectionSettings, _ handle: LDAPHandle
    ) throws(LDAPFault) -> [String]? {
        guard !connection.roles.isEmpty, !entry.isCut(settings.groupAttribute) else { return nil }
        var names = entry.texts(settings.groupAttribute)
        if let template = settings.groupFilter {
            let found = try handle.search(
                settings.groupBaseDN ?? settings.baseDN,
                LDAPFilter.filled(template, LDAPFilter.entry, with: entry.name),
                // No attributes (RFC 4511 §4.5.1.8).
                attributes: ["1.1"], limit: Int32(Limits.directoryValuesMax))
            guard !found.isCut else { return nil }
            names += found.entries.map(\.name)
        }
        guard names.count < Limits.directoryValuesMax else { return nil }
        return DistinguishedName.spelled(names, as: connection.roles.keys)
    }

    /// A subject as it stands in a filter; `nil` if the attribute cannot have such a value.
    private static func value(ofSubject subject: String, _ attribute: String) -> [UInt8]? {
        guard attribute.lowercased() == "objectguid" else { return Array(subject.utf8) }
        guard let bytes = Base16.decode(subject.filter { $0 != "-" }), bytes.count == 16 else { return nil }
        return [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map { bytes[$0] }
    }
}
