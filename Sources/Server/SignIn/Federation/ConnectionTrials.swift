internal import Foundation
public import KeyturnBase
public import Model

/// Operators try a connection before users do: a sign-in at the provider that makes no user, session or link, and tells what
/// the provider said and what would have come of it.
public struct ConnectionTrials: Sendable {
    private let states: FederationStates
    private let linking: LinkingFacts
    private let directory: AccessDirectory
    private let ambient: Ambient

    public init(
        stores: Stores, secrets: ServerSecrets, domains: any ProvenDomains, directory: AccessDirectory,
        ambient: Ambient
    ) {
        states = FederationStates(secrets, store: stores.federation, ambient: ambient)
        linking = LinkingFacts(stores: stores, domains: domains)
        self.directory = directory
        self.ambient = ambient
    }

    /// A trial that has begun.
    public struct Begun: Sendable {
        /// Part of the address that the operator opens, for ``Limits/federationSeconds``.
        public let ticket: String
        /// The result is asked for with it: only who began the trial has it.
        public let handle: String
    }

    /// Begins a trial. Nothing is kept until the browser comes back.
    public func begin(at connection: Connection) -> Begun {
        let handle = states.makeHandle()
        return Begun(ticket: states.seal(state(connection, .trial(handle))), handle: handle)
    }

    /// The connection and the purpose of a ticket; `nil` if it is none, or too old.
    public func opened(_ ticket: String) -> (connectionID: String, purpose: FederationState.Purpose)? {
        guard let state = states.open(ticket), case .trial = state.purpose else { return nil }
        return (state.connectionID, state.purpose)
    }

    /// Keeps a result. A second one under the same handle is not taken.
    public func keep(_ report: JSONValue, under handle: String, at connection: Connection) async throws(StoreError) {
        do throws(StoreError) {
            try await states.keep(
                state(connection, .tried(String(decoding: report.serialized, as: UTF8.self))), under: handle)
        } catch {
            guard error.code == .conflict else { throw error }
        }
    }

    /// The result; `nil`: there is none yet.
    public func result(_ handle: String) async throws(StoreError) -> JSONValue? {
        guard let state = try await states.peek(handle), case .tried(let text) = state.purpose else { return nil }
        return try? JSONValue(parsing: text.utf8)
    }

    /// What a failure at the provider is told as.
    public static func report(_ problem: ConnectionProblem, at connection: Connection) -> JSONValue {
        ["connection": .string(connection.id), "outcome": "failed", "problem": .string(problem.code)]
    }

    /// What the provider said, and what linking would decide: read only.
    public func report(_ profile: FederatedProfile, at connection: Connection) async throws(StoreError) -> JSONValue {
        // A connection is tried before it is turned on.
        var tried = connection
        tried.isEnabled = true
        let rules = try await linking.rules(profile, tried)
        var members: [String: JSONValue] = [
            "connection": .string(connection.id), "outcome": "vouched", "issuer": .string(profile.issuer),
            "subject": .string(profile.subject), "email_trust": .string(profile.emailTrust.rawValue),
            "claims": .object(profile.raw.isEmpty ? profile.claims : profile.raw),
            "mapped": .object(profile.claims), "roles": .array(roles(profile, connection)),
        ]
        members["email"] = profile.email.map(JSONValue.string)
        members["phone"] = profile.phone.map(JSONValue.string)
        members["groups"] = profile.groups.map { .array($0.prefix(1_000).map(JSONValue.string)) }
        members["context"] = profile.context.map(JSONValue.string)
        members["methods"] = profile.methods.isEmpty ? nil : .array(profile.methods.map(JSONValue.string))
        switch rules.decide() {
        case .signIn(let account): (members["decision"], members["user"]) = ("sign_in", Self.id(account))
        case .create, .release: members["decision"] = "create"
        case .link(let account), .occupy(let account):
            (members["decision"], members["user"]) = ("link", Self.id(account))
        case .reclaim(let account, _): (members["decision"], members["user"]) = ("reclaim", Self.id(account))
        case .ask: members["decision"] = "ask"
        case .refuse(let refusal):
            (members["decision"], members["refusal"]) = ("refuse", .string(refusal.rawValue))
        }
        return .object(members)
    }

    private func roles(_ profile: FederatedProfile, _ connection: Connection) -> [JSONValue] {
        let groups = Set(profile.groups ?? [])
        let named = Set(connection.roles.filter { groups.contains($0.key) }.values)
        return named.sorted().filter { directory.role(named: $0, in: connection.tenantID) != nil }
            .map(JSONValue.string)
    }

    private static func id(_ account: Account) -> JSONValue { .string(account.user.id.rawValue) }

    private func state(_ connection: Connection, _ purpose: FederationState.Purpose) -> FederationState {
        FederationState(
            connectionID: connection.id, purpose: purpose, browser: "", protocolState: "", startedAt: ambient.now())
    }
}
