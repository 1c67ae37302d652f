import Authority
import KeyturnBase
import KeyturnWire
import Model

/// The server answered with a refusal that is no error.
struct Refused: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension AuthorityServer {
    /// What came of one act.
    struct Outcome {
        var state: AuthorityState
        let scene: Scene
        let messages: [OutgoingMessage]
        let error: (any Error)?
    }

    /// Does an act in a state. What it wrote before it was refused stays, as on a real server.
    ///
    /// - Parameter occasion: tells one doing of the act from another.
    func perform(_ act: AuthorityAct, in before: AuthorityState, _ occasion: String) async throws -> Outcome {
        try await enter(before, "\(act.label) \(occasion)")
        var scene = Scene(
            server: self, person: act.person, isNetworkShared: settings.isNetworkShared, state: before)
        var failure: (any Error)?
        do {
            try await act.run(&scene)
        } catch {
            failure = error
        }
        var after = scene.state
        let messages = try await leave(&after)
        after.take(messages)
        return Outcome(state: after, scene: scene, messages: messages, error: failure)
    }
}

/// What happened before an exploration begins: acts that must succeed, one after the other.
struct Story {
    let server: AuthorityServer
    private(set) var state: AuthorityState
    private var count = 0

    init(_ server: AuthorityServer) {
        self.server = server
        state = server.empty
    }

    mutating func tell(_ acts: AuthorityAct...) async throws {
        for act in acts {
            count += 1
            let outcome = try await server.perform(act, in: state, "in the story, \(count)")
            if let error = outcome.error { throw StoryProblem(act: act.label, error: error) }
            var after = outcome.state
            try await AuthorityJudge(server: server).observe(&after)
            after.note(act, since: state)
            state = after
        }
    }

    /// Sets what no act makes.
    mutating func set(_ change: (inout AuthorityState) -> Void) { change(&state) }

    /// The state in which the exploration begins: no letter is unread, and no act was done.
    mutating func ended() async throws -> AuthorityState {
        var state = state
        state.letters = []
        state.done = [:]
        for account in state.accounts { state.past.consoleRoles[account.user.id] = account.consoleRole?.rawValue }
        return state
    }
}

/// An act of a story was refused.
struct StoryProblem: Error {
    let act: String
    let error: any Error
}
