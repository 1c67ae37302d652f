import Authority
import Foundation
import HTTPTypes
import Identity
import KeyturnBase
import Model
import ServerTesting
import Testing

@testable import Web

@Suite("The console: roles, sign-ins and forms")
struct ConsoleRoleTests {
    /// Each row of the console is called by each role, and by a user without one.
    @Test func `a row admits the roles from its own on, and no other`() async throws {
        let walk = try await RouteWalk.start()
        let rows = walk.server.web.routes.filter { row in row.demands.contains { $0.kind == .consoleRole } }
        #expect(rows.count >= 20)
        for row in rows {
            #expect(row.path == "/admin" || row.path.hasPrefix("/admin/"), "\(row.path)")
            let needed = try #require(row.consoleRole, "\(row.path)")
            if row.method == .post { #expect(needed > .viewer, "\(row.path) changes something") }
            for role in [nil] + ConsoleRole.allCases.map(Optional.some) {
                let answer = try await walk.answer(row, as: role)
                let isRefused = answer.status == 403 && answer.body.contains("asks for the role")
                #expect(
                    isRefused == (role.map { $0 < needed } ?? true),
                    "\(row.method) \(row.path) as \(role?.rawValue ?? "none"): \(answer.status)")
            }
        }
        #expect(!walk.server.web.routes.contains { $0.path.hasPrefix("/admin") && $0.consoleRole == nil })
        await walk.stop()
    }

    @Test func `a first sign-in sets up a second factor, and returns to the page that was asked for`() async throws {
        let server = try await TestServer.start()
        try await server.makeOperator(.viewer)
        let browser = server.browser()
        let login = try await browser.open("/admin/audit?action=sign_in.failed")
        let screen = try await browser.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        #expect(screen.body.contains("data-page=\"totp-setup\""))
        await server.stop()
    }

    @Test func `an operator signs in again after half a day`() async throws {
        let clock = VirtualClock()
        let server = try await TestServer.start(clock: clock)
        let cookie = try await server.operatorCookie(.owner)
        #expect(try await server.console("/admin", cookie).status == 200)
        clock.advance(Limits.consoleSeconds)
        let late = try await server.console("/admin", cookie)
        #expect(late.status == 303 && late.headers["location"]?.hasPrefix("/login?transaction=") == true)
        await server.stop()
    }

    @Test func `pages are framed by no site, are stored nowhere, and load from this server alone`() async throws {
        let server = try await TestServer.start()
        let cookie = try await server.operatorCookie(.owner)
        for section in ConsoleSection.all {
            let answer = try await server.console(section.path, cookie)
            #expect(answer.status == 200, "\(section.path)")
            let policy = answer.headers["content-security-policy"] ?? ""
            #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"))
            #expect(answer.headers["cache-control"] == "no-store" && answer.headers["x-frame-options"] == "DENY")
        }
        await server.stop()
    }
}

extension Route {
    /// The role that its check names; `nil`: it asks for none.
    fileprivate var consoleRole: ConsoleRole? {
        guard case .page(_, let text)? = demands.first(where: { $0.kind == .consoleRole })?.refusals[.missing]
        else { return nil }
        return ConsoleRole.allCases.first { PageProblem.consoleRole($0).detail == text }
    }
}

extension RouteWalk {
    /// A row with everything that it demands, from an operator of this role.
    fileprivate func answer(_ row: Route, as role: ConsoleRole?) async throws -> EndpointAnswer {
        try await answer(row, row.demands[...], nil) {
            _ = try await server.services.stores.consoleOperators.set(
                role, of: TestServer.subject, by: "test", keepingOwner: false, at: server.clock.ambient.now())
        }
    }
}
