import KeyturnBase
import KeyturnWire
import Model
import Testing

@testable import SignIn

@Suite("What a link that was opened on another device counts for")
struct LetInFactorTests {
    private let now = UnixTime(rawValue: 1_800_000_000)

    private func linked(_ method: AuthenticationMethod = .email) throws -> AuthenticationFacts {
        try SecondFactor.combine(method, with: nil, mustCombine: false, at: now).letIn
    }

    @Test(arguments: [AuthenticationMethod.email, .sms])
    func `alone it is as an approval, and says so once`(method: AuthenticationMethod) throws {
        let facts = try linked(method)
        #expect(facts.methods == [method.word, "approval"] && facts.letIn == facts)
        #expect(facts.isOfApproval && !facts.mayChangeSignIn(at: now + 1))
        #expect(facts.inReferences.isOfApproval)
    }

    @Test(arguments: [AuthenticationMethod.totp, .passkey])
    func `a second factor that was used here makes the session its user's own`(second: AuthenticationMethod) throws {
        let facts = try SecondFactor.combine(second, with: try linked(), mustCombine: true, at: now + 1)
        #expect(facts.methods.contains(AuthenticationMethod.severalFactors))
        #expect(!facts.isOfApproval && facts.mayChangeSignIn(at: now + 1))
    }

    @Test(arguments: [AuthenticationMethod.email, .sms])
    func `the mailbox that it was in is no factor beside a password`(method: AuthenticationMethod) throws {
        let facts = try SecondFactor.combine(.password, with: try linked(method), mustCombine: true, at: now + 1)
        #expect(!facts.methods.contains(AuthenticationMethod.severalFactors))
        #expect(facts.isOfApproval)
    }

    @Test func `a journey that asks for an approval takes no such link`() throws {
        var journey = JourneyFacts()
        journey.add(try linked(), since: now)
        #expect(journey.satisfies(JourneyProof([.email])) && !journey.satisfies(JourneyProof([.approval])))
    }

    @Test func `where it was opened is noted for the browser that waits for this link alone`() throws {
        let (own, other) = (Secret("own"), Secret("other"))
        var progress = SignInProgress(.signIn, loginID: "andy@example.com", channel: "email", browser: "b")
        let sent = SignInProgress.Sent(at: now, destination: "a***", number: "12", reference: own.exposed())
        try progress.apply(.linkSent(sent))
        progress.noteOpenedHere(SecretDigest(of: other))
        #expect(progress.sent?.isOpenedHere == nil)
        progress.noteOpenedHere(SecretDigest(of: own))
        #expect(progress.sent?.isOpenedHere == true)
    }
}
