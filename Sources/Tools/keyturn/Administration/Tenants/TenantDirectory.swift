internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model
internal import SCIM
internal import SignIn

/// What a command knows of a tenant's directory: the domains that count, and the tenant's own connections.
struct TenantDirectory {
    let tenantID: String
    let domains: Set<String>
    let connections: [String]

    init(of tenant: String, _ options: AdministrationOptions, _ stores: Stores) async throws {
        let configuration = try options.configuration()
        // Without the server's secrets the connections of the file count alone.
        let present = try? SecretsFile.present(for: configuration)
        guard let secrets = ServerSecrets(present ?? [ServerSecrets.random(.live)]) else {
            throw CommandFailure.refused("secrets: list one to \(Limits.secretsMax) secrets of 32 bytes each.")
        }
        let directory = ConnectionDirectory(
            configured: configuration.connections, store: stores.connections,
            seal: ConnectionSeal(secrets, ambient: .live))
        try await directory.reload()
        tenantID = tenant
        domains = try await TenantDomains(connections: directory, store: stores.tenantDomains).names(of: tenant)
        connections = directory.connections(of: tenant).map(\.id)
    }

    /// Looks again at who the directory's users are, after a domain was proven.
    ///
    /// - Returns: how many have another account or a login ID now.
    func rejoin(_ stores: Stores, at now: UnixTime) async throws -> Int {
        try await ProvisionedPeople(
            resources: stores.provisioned, users: stores.provisionedUsers, tenantID: tenantID,
            caller: Operator.actor.caller, provenDomains: domains, connections: connections
        ).rejoinAll(at: now)
    }
}
