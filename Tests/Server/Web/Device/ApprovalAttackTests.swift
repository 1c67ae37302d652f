import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Approvals on another device under attack")
struct ApprovalAttackTests {
    private typealias Pages = ApprovalSignInTests

    private static let till = TestClients.make(
        "till", method: "client_secret_basic", secret: TestClients.webSecret, firstParty: true
    ) { $0.grantTypes = [GrantType.ciba.rawValue] }

    /// A desktop that an approval signed in.
    private static func approved(_ server: TestServer) async throws -> ScriptedBrowser {
        let (telephone, desktop) = (server.browser(), server.browser())
        _ = try await server.visit(Pages.path, in: telephone)
        let waiting = try await Pages.ask(server, desktop)
        let page = try await telephone.open(Pages.path)
        _ = try await telephone.submit(page, ["action": "allow", "number": try Pages.number(waiting)])
        _ = try await desktop.open(waiting.url)
        return desktop
    }

    @Test func `B-7: a request costs the same statements whoever is asked`() async throws {
        let statements = ServerStatements()
        let server = try await Pages.start(clients: [Self.till], onStatement: { statements.add($0) })
        _ = try await server.visit(Pages.path, in: server.browser())
        try await server.addBea()
        var counts: [Int] = []
        func count(_ work: () async throws -> Void) async throws {
            _ = try await server.services.auditLog.flush()
            _ = statements.take()
            try await work()
            counts.append(statements.take().count { !$0.contains("audit_event") })
        }
        let approvals = server.services.methods.approvals
        let names = [TestServer.username, "bea@example.com", "unknown@example.com"]
        for (index, name) in names.enumerated() {
            let loginID = try #require(Identifier(loginID: name))
            try await count {
                _ = try await approvals.ask(
                    loginID, clientID: "", device: nil, from: NetworkAddress("198.51.100.\(index)"))
            }
        }
        #expect(Set(counts).count == 1 && counts[0] > 5, "\(counts)")
        counts = []
        for name in names {
            let form = FormParameters(["scope": "openid", "login_hint": name])
            try await count {
                let answer = try await server.post("/oauth2/bc-authorize", form, as: Self.till)
                #expect(answer.status == 200)
            }
        }
        #expect(Set(counts).count == 1 && counts[0] > 5, "\(counts)")
        await server.stop()
    }

    @Test func `B-13: a session of an approval changes nothing about how its user signs in`() async throws {
        let server = try await Pages.start()
        let desktop = try await Self.approved(server)
        #expect(try await desktop.open("/settings").page == "settings", "it may look")
        for path in ["/settings/password", "/settings/authenticators", "/settings/delete"] {
            var screen = try await desktop.open(path)
            if screen.page != "login" { screen = try await desktop.submit(screen, ["action": "add"]) }
            #expect(screen.page == "login", "\(path)")
        }
        let screen = try await server.visit("/settings/password", in: desktop)
        #expect(screen.page == "settings-password")
        await server.stop()
    }

    @Test func `B-14: requests that are not shown use up no message about those that are`() async throws {
        let server = try await Pages.start()
        _ = try await server.visit(Pages.path, in: server.browser())
        let approvals = server.services.methods.approvals
        let andy = try #require(Identifier(loginID: TestServer.username))
        for number in 0..<Limits.approvalsPerNameMax {
            let network = NetworkAddress("198.51.100.\(number)")
            _ = try await approvals.ask(andy, clientID: "", device: nil, from: network)
        }
        let before = try await server.messageCount(to: TestServer.username)
        #expect(before == Int(Limits.approvalsPerUserMax))
        // The network of the user's own sign-in has limits of its own.
        _ = try await approvals.ask(andy, clientID: "", device: nil, from: NetworkAddress("127.0.0.1"))
        #expect(try await server.messageCount(to: TestServer.username) == before + 1)
        await server.stop()
    }

    @Test func `B-14: a network that has used up its limit uses up no other's`() async throws {
        let server = try await Pages.start()
        let approvals = server.services.methods.approvals
        let (attacker, other) = (NetworkAddress("198.51.100.1"), NetworkAddress("203.0.113.1"))
        let andy = try #require(Identifier(loginID: TestServer.username))
        for number in 0..<Limits.approvalsPerNetworkMax {
            let name = try #require(Identifier(loginID: "user\(number)@example.com"))
            _ = try await approvals.ask(name, clientID: "", device: nil, from: attacker)
        }
        for _ in 0...Limits.approvalsPerNameMax {
            await #expect(throws: MethodProblem.self) {
                _ = try await approvals.ask(andy, clientID: "", device: nil, from: attacker)
            }
        }
        _ = try await approvals.ask(andy, clientID: "", device: nil, from: other)

        let codes = server.services.methods.codes
        func send(_ name: String, from address: NetworkAddress?) async throws {
            _ = try await codes.send(VerificationRequest(.signIn, loginID: name, method: .email, from: address))
        }
        for number in 0..<Limits.sendsPerNetworkMax { try await send("user\(number)@example.com", from: attacker) }
        for _ in 0...Limits.sendsPerAccountMax {
            await #expect(throws: MethodProblem.self) { try await send(TestServer.username, from: attacker) }
        }
        for number in 0..<Limits.sendsPerAccountMax {
            try await send(TestServer.username, from: NetworkAddress("203.0.113.\(number)"))
        }
        await server.stop()
    }
}
