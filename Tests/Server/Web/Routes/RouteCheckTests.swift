import Foundation
import HTTPTypes
import Model
import ServerTesting
import Testing

@testable import Web

@Suite("Routes: what their checks refuse")
struct RouteCheckTests {
    /// Every row that demands it is called without it, with one that nobody gave out, and with one of somebody else's.
    @Test(arguments: Demand.Kind.allCases)
    func `each row refuses as its check declares`(_ kind: Demand.Kind) async throws {
        let walk = try await RouteWalk.start()
        if kind == .recentSignIn { walk.server.clock.advance(Limits.sensitiveSeconds) }
        var count = 0
        for row in walk.server.web.routes {
            for (index, demand) in row.demands.enumerated() where demand.kind == kind {
                for flaw in Demand.Flaw.allCases {
                    let refusal = try #require(demand.refusals[flaw])
                    let answer = try await walk.answer(row, row.demands[...index], flaw)
                    #expect(
                        answer.isRefusal(refusal) || refusal == .admitted && answer.status < 500,
                        "\(row.method) \(row.path), \(kind.rawValue) \(flaw): \(answer.status) \(answer.summary)")
                    count += 1
                }
            }
        }
        #expect(count > 0, "no row demands it")
        await walk.stop()
    }

    /// Otherwise a row that refuses everybody would pass.
    @Test(arguments: Demand.Kind.allCases)
    func `a request with everything that is demanded is not refused`(_ kind: Demand.Kind) async throws {
        let walk = try await RouteWalk.start()
        for row in walk.server.web.routes where row.demands.last?.kind == kind {
            let answer = try await walk.answer(row, row.demands[...], nil)
            let refusals = row.demands.flatMap(\.refusals.values)
            // RFC 7644 §3.11 wants 501 where the subject of the token is no user.
            // The walk's sign-in waits for no approval.
            let isOver = answer.status == 410 && row.path == SignInRoutes.approvalStatusPath
            let isDeliberate = isOver || answer.status == 501 && row.path == ProvisioningRoutes.base + "/Me"
            #expect(
                (isOver || !refusals.contains(where: answer.isRefusal)) && (answer.status < 500 || isDeliberate),
                "\(row.method) \(row.path): \(answer.status) \(answer.summary)")
        }
        await walk.stop()
    }

    @Test func `the table is the one that is written down`() async throws {
        let walk = try await RouteWalk.start()
        let rows = walk.server.web.routes
        let isFile = { @Sendable (row: Route) in
            row.path.hasPrefix("/assets/") || row.path.hasPrefix("/js/v1/passkeys-")
        }
        for row in rows where isFile(row) { #expect(row.openReason != nil) }
        let management = rows.filter { $0.path.contains("/mgmt/") }
        #expect(management.count > 50)
        for row in management {
            let isOperators = RouteList.operators["\(row.method.rawValue) \(row.path)"] != nil
            let demands = isOperators ? RouteList.managementOrOperator : RouteList.management
            #expect(row.line.hasSuffix(": \(demands)"), "\(row.line)")
        }
        let others = rows.filter { !isFile($0) && !$0.path.contains("/mgmt/") }.map(\.line)
        let written = Set(
            "\(RouteList.text)\n\(RouteList.console)\n\(RouteList.machines)".split(separator: "\n").map(String.init))
        for row in others where !written.contains(row) { Issue.record("not written down: \(row)") }
        for row in written.subtracting(others) { Issue.record("not in the table: \(row)") }
        #expect(Set(others).count == others.count, "a row is there twice")
        await walk.stop()
    }
}

extension Route {
    /// The row as ``RouteList`` writes it.
    fileprivate var line: String {
        let demands = demands.map(\.kind.rawValue).joined(separator: ", ")
        return "\(method.rawValue) \(path): \(openReason == nil ? demands : "open")"
    }
}

extension EndpointAnswer {
    fileprivate var summary: String { "\(headers["location"] ?? "") \(body.prefix(400))" }
}
