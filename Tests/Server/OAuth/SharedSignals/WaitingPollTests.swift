import Testing

@testable import OAuth

@Suite("Polls of shared signals that wait")
struct WaitingPollTests {
    @Test func `so many of one client wait, and another client's are not counted with them`() {
        let polls = WaitingPolls()
        #expect(polls.begin("one", max: 2) && polls.begin("one", max: 2))
        #expect(!polls.begin("one", max: 2) && polls.begin("two", max: 2))
        polls.end("one")
        #expect(polls.begin("one", max: 2) && !polls.begin("one", max: 2))
    }
}
