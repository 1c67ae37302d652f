import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

@testable import Federation

/// Providers: what an operator changes about connections to them, and what they say of users.
enum ProviderActs {
    /// A provider's word about who signs in.
    struct Word: Sendable {
        var subject: String
        var email: String?
        var isEmailVerified: Bool? = true
        /// `nil`: it says nothing of groups.
        var groups: [String]? = []
        var methods: [String] = []
    }

    /// Where an attacker's provider is.
    static let evil = "https://evil.example"

    static func add(_ person: Person, _ id: String, _ members: [String: JSONValue], as name: String) -> AuthorityAct {
        ConsoleActs.act(person, "adds the connection \(id), \(name)", for: .changeConnection) { scene, actor in
            var members = members
            members["id"] = .string(id)
            _ = try await scene.editor.add(members, by: actor)
        }
    }

    static func change(_ person: Person, _ id: String, _ members: [String: JSONValue], as name: String) -> AuthorityAct
    {
        ConsoleActs.act(person, "changes the connection \(id): \(name)", for: .changeConnection) { scene, actor in
            _ = try await scene.editor.change(id, members, by: actor)
        }
    }

    /// A sign-in at a provider: with its own sheet, or, at an organisation's, in the browser.
    ///
    /// - Parameters:
    ///   - person: who sits in front of it.
    ///   - isEvil: the attacker speaks for the provider: only where the connection leads to the attacker's.
    static func signIn(
        _ person: Person, at id: String, saying word: Word, isEvil: Bool = false, tenant: String? = nil
    ) -> AuthorityAct {
        var name = "signs in at \(id) as \(word.subject)"
        if let email = word.email { name += ", \(email)\(word.isEmailVerified == true ? "" : " not verified")" }
        if let groups = word.groups, !groups.isEmpty { name += ", of \(groups.joined(separator: " "))" }
        if word.groups == nil { name += ", of groups that it does not name" }
        return AuthorityAct(
            name: name, person: person, timesMax: 2, traits: AuthorityAct.Traits(tenant: tenant)
        ) { scene in
            let services = scene.services
            guard let connection = services.connections.connection(id), connection.isEnabled,
                case .openID(let settings) = connection.settings
            else { throw NothingToDo() }
            guard !isEvil || settings.leadsToEvil else { throw NothingToDo() }
            let profile = try scene.profile(word, connection, settings)
            let key = "\(id)/\(word.subject)"
            // A provider that has more groups than it names says nothing of them.
            let roles = word.groups.map { groups in Set(groups.compactMap { connection.roles[$0] }) }
            let proof: CompletedVerification
            do {
                proof =
                    connection.tenantID == nil
                    ? try await scene.brought(profile, at: connection)
                    : try await scene.redirected(profile, at: connection)
            } catch let refused as Refused where refused.reason == FederationRefusal.disabled.rawValue {
                // The word may count later, once the directory lets the person in again.
                if let roles { scene.state.past.groups[key, default: []].formUnion(roles) }
                throw refused
            }
            if let roles { scene.state.past.groups[key] = roles }
            if let tenant = connection.tenantID { scene.state.past.removed[scene.person]?.remove(tenant) }
            try await scene.open(proof)
        }
    }

    /// The owner of an account links an identity in the settings.
    static func link(_ person: Person, at id: String, _ word: Word) -> AuthorityAct {
        PageActs.settings(person, "links \(word.subject) at \(id)") { scene, _, owner in
            let services = scene.services
            guard owner.mayChangeFactors, let connection = services.connections.connection(id),
                case .openID(let settings) = connection.settings
            else { throw Refused("state") }
            let profile = try scene.profile(word, connection, settings)
            let linking = try await services.federation.link(profile, at: connection, to: owner)
            guard [.linked, .present].contains(linking) else { throw Refused("\(linking)") }
        }
    }
}

extension ProviderActs {
    /// The owner takes the identities at a connection out of the account; a mailbox stays.
    static func unlink(_ person: Person, at id: String) -> AuthorityAct {
        PageActs.settings(person, "unlinks the identity at \(id)") { scene, _, owner in
            let services = scene.services
            let identities = try await services.stores.identities.identities(of: owner.userID)
            guard let key = identities.first(where: { $0.key.connectionID == id })?.key else { throw NothingToDo() }
            let ways = SignInWays(passwords: true, passkeys: true, reached: [.email], connections: [])
            let result = try await services.federation.unlink(key, of: owner, leaving: ways)
            guard result == .unlinked else { throw Refused("\(result)") }
            scene.state.past.groups["\(id)/\(key.subject)"] = nil
        }
    }
}

extension Scene {
    /// The provider's own sheet brings its word (`NativeSocialRoutes`).
    fileprivate func brought(_ profile: FederatedProfile, at connection: Connection) async throws
        -> CompletedVerification
    {
        let federation = MethodFederation(services.federation, core: services.methods.codes.core)
        let (stateID, _) = try await federation.startNative(.none, presented: nil, at: connection)
        let native = try await federation.native(stateID, at: connection)
        try await federation.spend(native)
        switch try await services.federation.complete(profile, at: connection, from: network) {
        case .refused(let refusal): throw Refused(refusal.rawValue)
        case .ask: throw Refused("ask")
        case .user(let account, let isNew):
            return try await federation.finish(
                native, account, at: connection, shown: nil, isFirst: isNew, by: profile)
        }
    }

    /// The browser comes back from an organisation's provider (`FederationArrival`, `DescopeFederationRoutes`).
    fileprivate func redirected(_ profile: FederatedProfile, at connection: Connection) async throws
        -> CompletedVerification
    {
        let federation = MethodFederation(services.federation, core: services.methods.codes.core)
        let asked = try federation.asked(
            .sso, redirectURL: AuthorityServer.issuer + "/link", options: .none, presented: nil, loginHint: nil)
        switch try await services.federation.admit(
            profile, at: connection.admitting(newUsers: asked.allowsSignUp), from: network)
        {
        case .refused(let refusal): throw Refused(refusal.rawValue)
        case .ask: throw Refused("ask")
        case .user(let account, let isNew):
            let location = try await federation.finishAtRedirect(
                asked, account, at: connection, isFirst: isNew, by: profile)
            guard let code = location.split(separator: "=").last.map(String.init) else { throw Refused("no code") }
            let connections = services.connections
            return try await federation.redeem(Secret(code), .sso, shown: nil) { connections.connection($0) }
        }
    }

    var editor: ConnectionEditor {
        let services = server.services
        return ConnectionEditor(
            connections: services.connections, access: services.directory, protocols: ConnectionProtocols(),
            rules: ConnectionRules(issuer: services.project.issuer), domains: services.stores.tenantDomains,
            rulebook: services.project.rulebook, audit: services.auditLog,
            ambient: services.ambient)
    }

    /// What this server makes of a provider's claims (`OpenIDProtocol`).
    fileprivate func profile(
        _ word: ProviderActs.Word, _ connection: Connection, _ settings: OpenIDConnectionSettings
    ) throws -> FederatedProfile {
        guard let preset = ProviderPreset.of(settings) else { throw NothingToDo() }
        var claims: [String: JSONValue] = [
            "iss": .string(settings.issuer ?? ""), "sub": .string(word.subject),
            "amr": .array(word.methods.map(JSONValue.string)),
        ]
        claims["email"] = word.email.map(JSONValue.string)
        claims["email_verified"] = word.isEmailVerified.map(JSONValue.bool)
        claims["groups"] = word.groups.map { .array($0.map(JSONValue.string)) }
        if word.groups == nil { claims["hasgroups"] = true }
        if fault == .wordOfAnotherClaim { claims["email_verified"] = true }
        var profile = try ProfileClaims(claims: .object(claims), settings: settings, preset: preset)
            .profile(names: [:]).vouched(for: connection, settings, preset).bounded()
        // A list that is not there, or is empty, was taken for no word about groups.
        if fault == .lastGroupStays, profile.groups == [] { profile.groups = nil }
        return profile
    }
}

extension OpenIDConnectionSettings {
    /// Whether the attacker's server speaks for the provider.
    fileprivate var leadsToEvil: Bool {
        issuer?.hasPrefix(ProviderActs.evil) == true
            || endpoints.values.contains { $0.hasPrefix(ProviderActs.evil) }
    }
}
