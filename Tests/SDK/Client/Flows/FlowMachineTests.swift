import KeyturnBase
import Testing

@testable import Keyturn

@Suite("Flows: states and loading")
struct FlowMachineTests {
    /// Every event in every state: the state that follows, or none.
    @Test func `each state has its events, and nothing follows an end`() {
        let paths: [FlowState: [FlowMachine.Event]] = [
            .initial: [], .started: [.started], .ready: [.started, .becameReady],
            .finished: [.started, .becameReady, .finished], .failed: [.started, .failed],
            .cancelled: [.started, .cancelled],
        ]
        let followers: [FlowState: [FlowMachine.Event: FlowState]] = [
            .initial: [.started: .started, .cancelled: .cancelled],
            .started: [.becameReady: .ready, .finished: .finished, .failed: .failed, .cancelled: .cancelled],
            .ready: [.finished: .finished, .failed: .failed, .cancelled: .cancelled],
        ]
        #expect(paths.count == FlowState.allCases.count)
        for (state, path) in paths {
            var machine = FlowMachine()
            for event in path { _ = machine.apply(event) }
            #expect(machine.state == state)
            for event in FlowMachine.Event.allCases {
                var next = machine
                let follower = followers[state]?[event]
                #expect(next.apply(event) == (follower != nil), "\(event) in \(state)")
                #expect(next.state == follower ?? state)
            }
        }
    }

    @Test func `a busy server is asked again a little later each time, for ten seconds`() {
        var loading = FlowLoading(at: 1_000)
        #expect(loading.failed(.status(503), at: 1_000) == .retry(afterMilliseconds: 1_250))
        #expect(loading.failed(.transport, at: 2_250) == .retry(afterMilliseconds: 2_500))
        #expect(loading.failed(.status(500), at: 4_750) == .retry(afterMilliseconds: 3_750))
        #expect(loading.failed(.status(500), at: 8_500) == .giveUp, "5 seconds do not fit any more")
        var last = FlowLoading(at: 0)
        #expect(last.failed(.transport, at: 8_750) == .retry(afterMilliseconds: 1_250))
        var late = FlowLoading(at: 0)
        #expect(late.failed(.transport, at: 8_751) == .giveUp)
    }

    @Test func `a refusal and a later page are not asked for again, and a replaced page is no failure`() {
        var loading = FlowLoading(at: 0)
        #expect(loading.failed(.superseded, at: 0) == .ignore)
        #expect(loading.failed(.status(404), at: 0) == .giveUp)
        #expect(loading.failed(.status(499), at: 0) == .giveUp)
        loading.loaded()
        #expect(loading.failed(.status(503), at: 0) == .giveUp)
    }
}
