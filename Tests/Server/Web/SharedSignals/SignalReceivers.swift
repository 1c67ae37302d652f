import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

extension TestServer {
    /// A client that may have streams of security events, or look at them.
    static func receiver(_ id: String, scope: String = Scope.signalsManage) -> Client {
        TestClients.make(id, method: "client_secret_post", secret: TestClients.webSecret) {
            $0.grantTypes = [GrantType.clientCredentials.rawValue]
            $0.scope = scope
        }
    }

    /// A token that the client gets for itself.
    func ownToken(of id: String, scope: String = Scope.signalsManage) async throws -> String {
        let answer = try await send(
            "POST", "/oauth2/token", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: """
                grant_type=client_credentials&client_id=\(id)&client_secret=\(TestClients.webSecret)&scope=\(scope)
                """)
        return try #require(answer.json["access_token"]?.stringValue, "\(answer.body)")
    }
}
