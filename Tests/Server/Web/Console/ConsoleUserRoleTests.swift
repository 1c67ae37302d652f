import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Console: who may change which user")
struct ConsoleUserRoleTests {
    private static let path = "/admin/users/user"

    @Test func `a role that is too low is refused, whatever the form says`() async throws {
        let server = try await TestServer.start()
        let andy = TestServer.subject.rawValue
        let rows: [(ConsoleRole, String, String)] = [
            (.viewer, "/sessions", "disable"), (.viewer, "/sessions", "end-all"), (.viewer, "", "reset"),
            (.viewer, "", "remove-factor"), (.viewer, "/change", "delete"), (.support, "/change", "delete"),
            (.support, "/change", "profile"), (.support, "/change", "roles"), (.support, "/change", "impersonate"),
        ]
        for (role, path, action) in rows {
            let browser = try await server.console(as: role)
            let page = try await browser.open("\(Self.path)?id=\(andy)")
            #expect(page.status == 200)
            let answer = try await browser.post(
                Self.path + path, FormParameters(["id": andy, "action": action, "confirm": TestServer.username]))
            #expect(answer.status == 403, "\(role) \(action)")
        }
        let support = try await server.console(as: .support)
        #expect(try await support.open("\(Self.path)/change?id=\(andy)").status == 403)
        #expect(try await server.account(TestServer.username)?.user.status == .active)
        #expect(try await server.messages(.passwordReset).isEmpty)
        await server.stop()
    }

    @Test func `an operator does not change one with as much to say, and an owner changes everyone`() async throws {
        let server = try await TestServer.start()
        let roles: [ConsoleRole] = [.viewer, .support, .operator, .owner]
        var targets: [ConsoleRole: Account] = [:]
        for role in roles {
            let account = try await server.made("\(role.rawValue)@example.com")
            _ = try await server.services.stores.consoleOperators.set(
                role, of: account.user.id, by: "test", keepingOwner: false, at: server.clock.now)
            targets[role] = account
        }
        let andy = TestServer.subject.rawValue
        for own in [ConsoleRole.support, .operator, .owner] {
            let browser = try await server.console(as: own)
            let any = try await browser.open("\(Self.path)?id=\(andy)")
            for role in roles {
                let target = try #require(targets[role])
                let id = target.user.id.rawValue
                let mayChange = own == .owner || role < own
                let page = try await browser.open("\(Self.path)?id=\(id)")
                #expect(page.status == 200)
                #expect((page.mark(of: Self.path) != nil) == mayChange, "\(own) sees actions for \(role)")
                #expect(page.body.contains("Only an owner") == !mayChange)
                let reset = try await server.act(any, at: Self.path, in: browser, ["id": id, "action": "reset"])
                #expect(reset.status == (mayChange ? 200 : 403), "\(own) resets \(role)")
                let disabled = try await server.act(
                    any, at: "\(Self.path)/sessions", in: browser, ["id": id, "action": "disable"])
                #expect(disabled.status == (mayChange ? 200 : 403), "\(own) disables \(role)")
                #expect(
                    try await server.services.stores.users.account(target.user.id)?.user.status
                        == (mayChange ? .disabled : .active))
                if mayChange {
                    _ = try await server.act(
                        any, at: "\(Self.path)/sessions", in: browser, ["id": id, "action": "enable"])
                }
                guard own >= .operator else { continue }
                let change = try await browser.open("\(Self.path)/change?id=\(id)")
                #expect(change.status == (mayChange ? 200 : 403))
                let form = try await browser.open("\(Self.path)/change?id=\(andy)")
                let renamed = try await server.act(
                    form, at: "\(Self.path)/change", in: browser,
                    ["id": id, "action": "profile", "displayName": "Renamed", "email": target.email ?? ""])
                #expect(renamed.status == (mayChange ? 200 : 403))
            }
        }
        await server.stop()
    }

    @Test func `an operator does not merge away one with as much to say`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.console(as: .operator)
        _ = try await server.console(as: .operator, name: "peer@example.com")
        let andy = TestServer.subject.rawValue
        let form = try await browser.open("\(Self.path)/change?id=\(andy)")
        let merged = try await server.act(
            form, at: "\(Self.path)/change", in: browser,
            ["id": andy, "action": "merge", "other": "peer@example.com"])
        #expect(merged.status == 403)
        #expect(try await server.account("peer@example.com")?.user.id.rawValue != andy)
        await server.stop()
    }

    @Test func `an owner neither disables nor deletes the own account`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.console(as: .owner)
        let own = try #require(try await server.account(TestServer.operatorName)?.user.id.rawValue)
        let page = try await browser.open("\(Self.path)?id=\(TestServer.subject.rawValue)")
        let disabled = try await server.act(
            page, at: "\(Self.path)/sessions", in: browser, ["id": own, "action": "disable"])
        #expect(disabled.status == 422 && disabled.hasProblem)
        let change = try await browser.open("\(Self.path)/change?id=\(TestServer.subject.rawValue)")
        let deleted = try await server.act(
            change, at: "\(Self.path)/change", in: browser,
            ["id": own, "action": "delete", "confirm": TestServer.operatorName])
        #expect(deleted.status == 422)
        let merged = try await server.act(
            change, at: "\(Self.path)/change", in: browser,
            ["id": TestServer.subject.rawValue, "action": "merge", "other": TestServer.operatorName])
        #expect(merged.status == 422)
        #expect(try await server.account(TestServer.operatorName)?.user.status == .active)
        await server.stop()
    }
}
