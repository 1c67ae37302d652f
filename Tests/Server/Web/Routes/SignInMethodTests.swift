import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@testable import Web

@Suite("Sign-in methods: the registry and what reads it")
struct SignInMethodTests {
    private static let names = SignInMethods.types.map { $0.name }

    @Test func `each method has its pages and calls, and its name once`() {
        #expect(Set(Self.names).count == Self.names.count)
        #expect(SignInMethodPages.all.map { $0.method.name }.sorted() == Self.names.sorted())
    }

    @Test func `each authentication method is proved by a sign-in method or comes from elsewhere`() {
        let proved = SignInMethods.types.reduce(into: Set<AuthenticationMethod>()) { $0.formUnion($1.proves) }
        // A session on another device says so of itself.
        for method in AuthenticationMethod.allCases where method.factor != .elsewhere && method != .otherDevice {
            #expect(proved.contains(method), "\(method)")
        }
    }

    @Test func `each second factor has a page of its own and an entry among the other methods`() {
        let factors = SignInMethods.types.compactMap { $0 as? any SecondFactorMethod.Type }
        #expect(factors.count > 1)
        for factor in factors {
            #expect(SignInStepPage.of(.secondFactor(factor.factor)) != nil, "\(factor.name)")
            let pages = SignInMethodPages.all.first { $0.method.name == factor.name }
            #expect(pages?.ways.contains { $0.place == .second } == true, "\(factor.name)")
        }
    }

    /// Two methods of one factor count as one: a sign-in would ask for the second one for ever.
    @Test func `each second factor is of another kind than password, mailbox and telephone`() {
        for case let factor as any SecondFactorMethod.Type in SignInMethods.types {
            #expect(factor.factor.factor.isStrong, "\(factor.name)")
        }
    }

    @Test func `each step that is sealed has a page`() {
        var sealed: [SignInProgress.Step] = []
        var step = Self.step(after: .identify)
        while let next = step, next != .finished {
            sealed.append(next)
            step = Self.step(after: next)
        }
        #expect(sealed.count == 13 && step == .finished)
        for step in sealed { #expect(SignInStepPage.of(step) != nil, "\(step)") }
        #expect(Set(SignInStepPage.all.map(\.path)).count == SignInStepPage.all.count)
    }

    /// Every step after the other. A new step does not compile until it stands here, and so has its page looked for.
    private static func step(after step: SignInProgress.Step) -> SignInProgress.Step? {
        switch step {
        case .identify: .code
        case .code: .link
        case .link: .approval
        case .approval: .ways
        case .ways: .secondFactor(.totp)
        case .secondFactor: .lost
        case .lost: .lostCode
        case .lostCode: .lostWaiting
        case .lostWaiting: .lostRemoval
        case .lostRemoval: .enrolment
        case .enrolment: .newPassword
        case .newPassword: .expiredPassword
        case .expiredPassword: .journey("")
        case .journey: .finished
        case .finished: nil
        }
    }

    @Test func `entries and buttons stand where the method can, and are told apart`() {
        for pages in SignInMethodPages.all {
            for way in pages.ways { #expect(pages.method.places.contains(way.place), "\(way.value)") }
            if !pages.buttons.isEmpty { #expect(pages.method.places.contains(.first), "\(pages.method.name)") }
            if !pages.factorButtons.isEmpty { #expect(pages.method.places.contains(.second)) }
        }
        let ways = SignInMethodPages.all.flatMap(\.ways).map(\.value)
        #expect(Set(ways).count == ways.count)
        let buttons = SignInMethodPages.all.flatMap(\.buttons).map(\.action)
        #expect(Set(buttons).count == buttons.count)
    }

    @Test func `the settings have a section for each method that users set up`() {
        let sections = SettingsSection.all.flatMap(\.signInMethods).map { $0.name }
        #expect(sections.sorted() == SignInMethods.types.filter { $0.isSetUpByUser }.map { $0.name }.sorted())
    }

    @Test func `discovery lists the classes that the methods can reach`() async throws {
        #expect(SignInMethods.contextClasses == AuthenticationFacts.classes)
        let server = try await TestServer.start()
        let metadata = DiscoveryRoutes.metadata(of: server.services, Languages())
        #expect(metadata.acrValuesSupported == AuthenticationFacts.classes)
        await server.stop()
    }

    /// The words of one method, in both wires.
    @Test(arguments: [
        (AuthenticationMethod.email, "email", "otp"), (.sms, "sms", "sms"), (.whatsapp, "whatsapp", "otp"),
        (.voice, "voice", "tel"), (.totp, "totp", "otp"), (.password, "pwd", "pwd"), (.passkey, "webauthn", "hwk"),
        (.social, "oauth", "fed"), (.federated, "fed", "fed"), (.recoveryCode, "recovery", "otp"),
        (.approval, "approval", "mca"), (.directoryPassword, "ldap", "pwd"),
    ])
    func `a method has these words`(_ method: AuthenticationMethod, _ word: String, _ reference: String) {
        #expect(method.word == word && method.reference == reference)
        #expect(AuthenticationMethod(word: word) == method)
        #expect(method.claimWord == (method == .directoryPassword ? "pwd" : word))
        #expect(
            method.contextClass
                == (reference == "pwd" ? AuthenticationFacts.passwordClass : AuthenticationFacts.singleFactorClass))
    }

    @Test func `the facts of a browser session become methods as far as the words tell`() {
        let facts = AuthenticationFacts(
            time: UnixTime(rawValue: 1), methods: ["otp", "tel", "hwk", "fed", "sms", "pwd", "mfa", "x"],
            contextClass: AuthenticationFacts.severalFactorsClass)
        #expect(facts.inMethods.methods == ["email", "voice", "webauthn", "fed", "sms", "pwd", "mfa", "x"])
    }
}
