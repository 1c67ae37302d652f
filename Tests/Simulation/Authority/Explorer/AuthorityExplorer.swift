import Account
import Authority
import Foundation
import KeyturnBase
import KeyturnWire
import Model
import SignIn
import StoreValues

/// Does every act in every state, breadth first, up to a number of acts, and stops at the first forbidden state.
struct AuthorityExplorer {
    let model: AuthorityModel
    let server: AuthorityServer
    let judge: AuthorityJudge

    /// What came of it.
    struct Report: Sendable {
        /// How many different states were reached.
        var stateCount = 1
        /// How many acts were done to reach them.
        var actCount = 0
        /// The longest way.
        var depth = 0
        /// The problem, and a shortest way to it.
        var violation: (text: String, steps: [String])?
        /// The acts that were done at least once without being refused.
        var performed: Set<String> = []
        /// Problems that did not end it, each with an act that led to it.
        var known: [String: String] = [:]
        /// The refusals of each act, and how often.
        var refusals: [String: [String: Int]] = [:]
    }

    init(_ model: AuthorityModel) async throws {
        self.model = model
        server = try await AuthorityServer(model.settings)
        judge = AuthorityJudge(server: server)
    }

    private struct Node {
        let state: AuthorityState
        let index: Int
    }

    /// - Parameters:
    ///   - statesMax: the exploration ends when there are so many.
    ///   - isKnown: a problem that does not end it; nothing is done in such a state.
    func explore(
        depth: Int, statesMax: Int = 1_000_000, except isKnown: @Sendable (String) -> Bool = { _ in false }
    ) async throws -> Report {
        var report = Report()
        var start = try await model.start(server)
        try await judge.observe(&start)
        start.past.excused = Self.possessions(of: start)
        var known: Set<Fingerprint> = [Fingerprint(start)]
        var parents: [(parent: Int, label: String)] = [(-1, "start")]
        var frontier = [Node(state: start, index: 0)]
        for level in 1...max(1, depth) where !frontier.isEmpty {
            var following: [Node] = []
            for node in frontier {
                for act in model.acts where node.state.done[act.label, default: 0] < act.timesMax {
                    guard act.isPossible(node.state), let (next, problem) = try await step(act, node.state, &report)
                    else { continue }
                    if let problem, isKnown(problem) {
                        report.known[problem, default: act.label] = act.label
                        continue
                    }
                    guard problem != nil || known.insert(Fingerprint(next)).inserted else { continue }
                    parents.append((node.index, act.label))
                    report.stateCount = known.count
                    report.depth = level
                    if let problem {
                        report.violation = (problem, Self.path(to: parents.count - 1, parents))
                        return report
                    }
                    guard known.count < statesMax else { return report }
                    following.append(Node(state: next, index: parents.count - 1))
                }
            }
            frontier = following
        }
        return report
    }

    /// - Returns: the state after an act, and what is wrong with it; `nil`: nothing changed.
    private func step(_ act: AuthorityAct, _ before: AuthorityState, _ report: inout Report) async throws
        -> (AuthorityState, String?)?
    {
        let count = before.done[act.label, default: 0]
        report.actCount += 1
        let outcome = try await server.perform(act, in: before, "\(count)")
        var after = outcome.state
        if let error = outcome.error {
            if error is NothingToDo { return nil }
            guard let refusal = Self.refusal(error) else { return (before, "\(act.label) failed: \(error)") }
            report.refusals[act.label, default: [:]][refusal, default: 0] += 1
        } else {
            report.performed.insert(act.label)
        }
        // Most acts are refused, and change nothing.
        if after.stores != before.stores || after.holdings != before.holdings || after.now != before.now {
            try await judge.observe(&after)
            after.note(act, since: before)
        }
        let problem = try await judge.problem(
            act, outcome.scene, from: before, to: after, told: outcome.messages)
        let isChanged = after != before || after.stores.connections != before.stores.connections
        guard problem != nil || isChanged else { return nil }
        after.done[act.label] = count + 1
        return (after, problem)
    }

    /// The word for a refusal; `nil`: the act did not end as one that is refused.
    static func refusal(_ error: any Error) -> String? {
        switch error {
        case let problem as MethodProblem: problem.missing?.rawValue ?? problem.message ?? problem.description
        case let problem as OAuthProblem: problem.code.rawValue
        case let denial as Denial: "\(denial)"
        case let denial as ConnectionDenial: denial.members.joined(separator: " ")
        case let refusal as ConnectionRefusal: "\(refusal.mistakes)"
        case let refusal as ClientRefusal: "\(refusal)"
        case let refusal as Refused: refusal.reason
        case is CodeWasUsed: "a code that was used"
        case let error as StoreError where error.code != .unavailable: "\(error.code)"
        default: nil
        }
    }

    /// The ways in that there are at the beginning.
    private static func possessions(of state: AuthorityState) -> Set<Possession> {
        state.ways.values.reduce(into: []) { $0.formUnion($1) }
    }

    private static func path(to last: Int, _ parents: [(parent: Int, label: String)]) -> [String] {
        var steps: [String] = []
        var index = last
        while index >= 0 {
            steps.append(parents[index].label)
            index = parents[index].parent
        }
        return steps.reversed()
    }
}

/// Two hashes of a state, which are compared in its place.
private struct Fingerprint: Hashable {
    let first: Int
    let second: Int

    init(_ state: AuthorityState) {
        var one = Hasher()
        one.combine(state)
        var two = one
        two.combine(1)
        first = one.finalize()
        second = two.finalize()
    }
}

extension AuthorityState {
    /// Puts what may be used into the mailboxes.
    mutating func take(_ messages: [OutgoingMessage]) {
        for message in messages where !message.isDecoy {
            guard let to = Person.reading(message.to) else { continue }
            let link = message.kind == .invitation ? nil : message.links.first.flatMap(Self.token)
            guard message.code != nil || link != nil else { continue }
            letters.append(Letter(to: to, kind: message.kind, code: message.code, link: link))
        }
    }

    private static func token(of link: String) -> String? {
        guard let mark = link.range(of: "t=") else { return nil }
        return String(link[mark.upperBound...].prefix { $0 != "&" })
    }

    /// Remembers who made the accounts that are new.
    mutating func note(_ act: AuthorityAct, since before: AuthorityState) {
        for account in accounts where before.account(account.user.id) == nil {
            past.makers[account.user.id] = act.person
        }
        guard act.person == .olga else { return }
        past.consoleRoles = [:]
        for account in accounts { past.consoleRoles[account.user.id] = account.consoleRole?.rawValue }
    }
}
