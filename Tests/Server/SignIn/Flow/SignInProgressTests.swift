import Foundation
import KeyturnBase
import Model
import SignIn
import Testing

@Suite("The states of a sign-in")
struct SignInProgressTests {
    private static let now = UnixTime(rawValue: 1_800_000_000)
    private static let user = UserID(rawValue: "somebody")
    private static let sent = SignInProgress.Sent(at: now, destination: "a***@e***.com")
    private static let single = proven(["pwd"])
    private static let several = proven(["pwd", "totp", "mfa"])
    private static let byPasskey = proven(["pwd", "webauthn", "mfa"])

    private static func proven(_ methods: [String], _ user: UserID = user) -> SignInProgress.Proven {
        SignInProgress.Proven(
            User(id: user, createdAt: now, updatedAt: now),
            AuthenticationFacts(time: now, methods: methods, contextClass: "x"))
    }

    private static func demands(
        _ hasAuthenticator: Bool = false, _ needsSeveral: Bool = false, hasPasskey: Bool = false
    ) -> SignInProgress.Demands {
        SignInProgress.Demands(
            secondFactor: hasAuthenticator ? .totp : nil, needsSeveralFactors: needsSeveral, hasPasskey: hasPasskey)
    }

    /// One way through the pages.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var goal = SignInProgress.Goal.signIn
        let events: [SignInProgress.Event]
        let ends: SignInProgress.Step
        /// Methods that do not count on the page where it ends.
        var refused: [String] = []
    }

    static let ways = [
        Way(testDescription: "a password", events: [.proved(single, demands())], ends: .finished),
        Way(
            testDescription: "a password and an authenticator", events: [.proved(single, demands(true))],
            ends: .secondFactor(.totp)),
        Way(
            testDescription: "both", events: [.proved(single, demands(true)), .proved(several, demands(true))],
            ends: .finished),
        Way(
            testDescription: "a password and a mailbox stand for no authenticator",
            events: [.proved(proven(["pwd", "email", "mfa"]), demands(true))], ends: .secondFactor(.totp)),
        Way(
            testDescription: "a provider's word for two factors does",
            events: [.proved(proven(["fed", "mfa"]), demands(true))], ends: .finished),
        Way(
            testDescription: "a code from paper",
            events: [
                .codeSent(sent), .proved(single, demands(true)), .otherWaysWanted, .secondFactorChosen(.recoveryCode),
                .proved(proven(["pwd", "recovery", "mfa"]), demands(true)),
            ], ends: .finished),
        Way(
            testDescription: "the app wants two factors", events: [.proved(single, demands(false, true))],
            ends: .enrolment),
        Way(
            testDescription: "the app wants two factors, and there is a passkey",
            events: [.proved(single, demands(false, true, hasPasskey: true))], ends: .ways),
        Way(
            testDescription: "a passkey instead of the code from the app",
            events: [.proved(single, demands(true)), .otherWaysWanted, .proved(byPasskey, demands(true))],
            ends: .finished),
        Way(
            testDescription: "a passkey on the page of the code from the app",
            events: [.proved(single, demands(true)), .proved(byPasskey, demands(true))], ends: .finished),
        Way(
            testDescription: "an authenticator that is set up",
            events: [.proved(single, demands(false, true)), .proved(several, demands(true, true))], ends: .finished),
        Way(
            testDescription: "a passkey instead of the code from a message",
            events: [.codeSent(sent), .otherWaysWanted, .proved(several, demands())], ends: .finished),
        Way(
            testDescription: "a reset", goal: .passwordReset, events: [.codeSent(sent), .proved(single, demands())],
            ends: .newPassword),
        Way(
            testDescription: "89: a reset with an authenticator", goal: .passwordReset,
            events: [.codeSent(sent), .proved(single, demands(true))], ends: .secondFactor(.totp)),
        Way(
            testDescription: "89: a reset, with the authenticator", goal: .passwordReset,
            events: [.codeSent(sent), .proved(single, demands(true)), .proved(several, demands(true))],
            ends: .newPassword),
        Way(
            testDescription: "89: an authenticator that came about during a reset", goal: .passwordReset,
            events: [.codeSent(sent), .proved(single, demands()), .passwordChosen(demands(true), epoch: 1)],
            ends: .secondFactor(.totp)),
        Way(
            testDescription: "a lost authenticator, before the wait is over",
            events: [
                .proved(single, demands(true)), .factorLost, .lostCodeSent(sent, to: "a@example.com"),
                .lossProved(by: "email", isReady: false),
            ], ends: .lostWaiting),
        Way(
            testDescription: "a lost passkey, after the wait",
            events: [
                .proved(single, demands(false, true, hasPasskey: true)), .factorLost,
                .lossProved(by: "pwd", isReady: true), .factorsRemoved(epoch: 1),
                .proved(proven(["email", "pwd", "mfa"]), demands(false, true)),
            ], ends: .finished),
        Way(
            testDescription: "a passkey that is there after all",
            events: [.proved(single, demands(false, true, hasPasskey: true)), .factorLost, .factorFound], ends: .ways),
    ]

    @Test func `89: nothing leads around the second proof of a loss, nor around the wait`() throws {
        func isMisplaced(_ event: SignInProgress.Event, after events: [SignInProgress.Event]) throws -> Bool {
            var progress = SignInProgress(.signIn, loginID: "a@example.com", channel: "email", browser: "b")
            for event in events { try progress.apply(event) }
            let before = progress
            #expect(throws: SignInProgress.Misplaced.self) { try progress.apply(event) }
            return progress == before
        }
        let first = SignInProgress.Event.proved(Self.single, Self.demands(true))
        let several = SignInProgress.Event.proved(Self.several, Self.demands(true))
        let ready = SignInProgress.Event.lossProved(by: "email", isReady: true)
        #expect(try isMisplaced(.factorLost, after: []))
        #expect(try isMisplaced(ready, after: [first]))
        #expect(try isMisplaced(.lostCodeSent(Self.sent, to: "a@example.com"), after: [first]))
        #expect(try isMisplaced(several, after: [first, .factorLost]))
        let waiting = SignInProgress.Event.lossProved(by: "email", isReady: false)
        for event in [several, ready] {
            #expect(try isMisplaced(event, after: [first, .factorLost, waiting]))
        }
    }

    /// A page, and what it does not check: a link that is opened beside it, a code of another page.
    static let waits = [
        Way(
            testDescription: "the code from the app", events: [.proved(single, demands(true))],
            ends: .secondFactor(.totp), refused: ["email", "sms", "recovery", "approval", "oauth"]),
        Way(
            testDescription: "other methods", events: [.proved(single, demands(true)), .otherWaysWanted], ends: .ways,
            refused: ["email", "sms", "totp", "recovery", "approval", "oauth"]),
        Way(
            testDescription: "a passkey alone", events: [.proved(single, demands(false, true, hasPasskey: true))],
            ends: .ways, refused: ["email", "totp", "recovery", "approval", "oauth"]),
        Way(
            testDescription: "an authenticator is set up", events: [.proved(single, demands(false, true))],
            ends: .enrolment, refused: ["email", "webauthn", "recovery", "approval", "oauth"]),
        Way(
            testDescription: "a loss, proved by a code in the mailbox",
            events: [.proved(single, demands(true)), .factorLost, .lossProved(by: "email", isReady: true)],
            ends: .lostRemoval, refused: ["sms", "totp", "webauthn", "recovery", "approval"]),
    ]

    @Test(arguments: waits) func `a page takes no other factor than the one it asks for`(_ way: Way) throws {
        var progress = SignInProgress(way.goal, loginID: "a@example.com", channel: "email", browser: "b")
        for event in way.events { try progress.apply(event) }
        #expect(progress.step == way.ends && !progress.awaitsMessage)
        let before = progress
        for word in way.refused + ["no method"] {
            let new = Self.proven(["pwd", word, "mfa"])
            #expect(throws: SignInProgress.Misplaced.self, "\(word)") {
                try progress.apply(.proved(new, Self.demands()))
            }
            #expect(progress == before)
        }
    }

    @Test func `a message is waited for before the first factor alone`() throws {
        var progress = SignInProgress(.signIn, loginID: "a@example.com", channel: "email", browser: "b")
        #expect(!progress.awaitsMessage)
        for event in [SignInProgress.Event.codeSent(Self.sent), .linkSent(Self.sent)] {
            try progress.apply(event)
            #expect(progress.awaitsMessage)
        }
        try progress.apply(.proved(Self.single, Self.demands(true)))
        #expect(!progress.awaitsMessage)
    }

    @Test func `an approval goes on with the sign-in, with the reference of its request`() throws {
        let user = User(id: Self.user, createdAt: Self.now, updatedAt: Self.now)
        var progress = SignInProgress(.signIn, loginID: "a@example.com", channel: "email", browser: "b")
        try progress.apply(
            .approvalAsked(SignInProgress.Sent(at: Self.now, destination: "", number: "42", reference: "r")))
        try progress.apply(.proved(Self.proven(["approval"]), Self.demands(true)))
        #expect(progress.proven?.approval == "r" && progress.sent == nil)
        let second = SignInProgress.Proven(
            user, Self.proven(["approval", "totp", "mfa"]).facts, after: progress.proven, proving: nil)
        try progress.apply(.proved(second, Self.demands(true)))
        #expect(progress.step == .finished && progress.proven?.approval == "r")
    }

    @Test func `a removal begins another epoch, on its page alone`() throws {
        var progress = SignInProgress(.signIn, loginID: "a@example.com", channel: "email", browser: "b")
        try progress.apply(.proved(Self.single, Self.demands(true)))
        #expect(throws: SignInProgress.Misplaced.self) { try progress.apply(.factorsRemoved(epoch: 7)) }
        for event in [
            SignInProgress.Event.factorLost, .lossProved(by: "email", isReady: true), .factorsRemoved(epoch: 7),
        ] { try progress.apply(event) }
        #expect(progress.proven?.epoch == 7 && progress.step == .lostRemoval)
    }

    @Test(arguments: ways) func `the way leads there`(_ way: Way) throws {
        var progress = SignInProgress(way.goal, loginID: "a@example.com", channel: "email", browser: "b")
        for event in way.events { try progress.apply(event) }
        #expect(progress.step == way.ends)
    }

    /// What no page of that state can send.
    @Test func `nothing leads around a proof`() throws {
        let fresh = SignInProgress(.passwordReset, loginID: "a@example.com", channel: "email", browser: "b")
        for event in [
            SignInProgress.Event.passwordChosen(Self.demands(), epoch: 1), .secondFactorChosen(.totp),
            .secondFactorChosen(.recoveryCode),
            .otherWaysWanted, .linkSent(Self.sent),
        ] {
            var progress = fresh
            #expect(throws: SignInProgress.Misplaced.self) { try progress.apply(event) }
            #expect(progress == fresh)
        }
        var asked = fresh
        try asked.apply(.proved(Self.single, Self.demands(true)))
        for event in [
            SignInProgress.Event.passwordChosen(Self.demands(true), epoch: 1), .codeSent(Self.sent),
            .linkSent(Self.sent),
            .proved(Self.proven(["totp", "mfa"], UserID(rawValue: "somebody else")), Self.demands(true)),
        ] {
            var progress = asked
            #expect(throws: SignInProgress.Misplaced.self) { try progress.apply(event) }
            #expect(progress == asked)
        }
        var choosing = SignInProgress(.signIn, loginID: "andy", channel: "email", browser: "mark")
        try choosing.apply(.proved(Self.single, Self.demands(false, true, hasPasskey: true)))
        for event in [SignInProgress.Event.secondFactorChosen(.totp), .secondFactorChosen(.recoveryCode)] {
            #expect(throws: SignInProgress.Misplaced.self) { try choosing.apply(event) }
            #expect(choosing.step == .ways, "nobody goes around a passkey by another factor of their own")
        }
    }

    @Test func `the addresses that were proved go on with the sign-in`() throws {
        let user = User(id: Self.user, createdAt: Self.now, updatedAt: Self.now)
        let first = SignInProgress.Proven(user, Self.single.facts, after: nil, proving: "a@example.com")
        let second = SignInProgress.Proven(user, Self.several.facts, after: first, proving: nil)
        #expect(first.addresses == ["a@example.com"] && second.addresses == first.addresses)
        var progress = SignInProgress(.signIn, loginID: "a@example.com", channel: "email", browser: "b")
        for event in [
            SignInProgress.Event.proved(first, Self.demands(true)), .factorLost,
            .lostCodeSent(Self.sent, to: "b@example.com"), .lossProved(by: "email", isReady: false),
        ] { try progress.apply(event) }
        #expect(progress.proven?.addresses == ["a@example.com", "b@example.com"])
    }

    @Test func `what an earlier release sealed names no address`() throws {
        let sealed = try JSONEncoder().encode(Self.single)
        let text = String(decoding: sealed, as: UTF8.self)
        #expect(!text.contains("addresses") && !text.contains("approval"))
        #expect(try JSONDecoder().decode(SignInProgress.Proven.self, from: sealed) == Self.single)
    }

    @Test func `a first proof is good for a while`() throws {
        var progress = SignInProgress(.signIn, loginID: "a@example.com", channel: "email", browser: "b")
        try progress.apply(.proved(Self.single, Self.demands(true)))
        #expect(!progress.isStale(at: Self.now + Limits.secondFactorSeconds))
        #expect(progress.isStale(at: Self.now + Limits.secondFactorSeconds + 1))
    }
}
