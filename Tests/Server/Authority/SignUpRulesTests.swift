import KeyturnWire
import KeyturnWire
import Testing

@testable import Authority

@Suite("Rulebook: who may open an account")
struct SignUpRulesTests {
    private static func denial(_ policy: SignUpPolicy, _ caller: Caller, _ evidence: Evidence = .none) -> Denial? {
        do throws(Denial) {
            try Rulebook(AuthorityPolicy(signUp: policy)).require(
                .createAccount, to: caller, on: .newUser, showing: evidence)
            return nil
        } catch { return error }
    }

    private static let domains = SignUpPolicy.domains(["example.com"])

    @Test func `open is open`() {
        #expect(Self.denial(.open, .anonymous) == nil)
        #expect(Self.denial(.open, .provider(tenant: nil)) == nil)
    }

    @Test(arguments: [SignUpPolicy.off, .invited, domains])
    func `a closed sign-up is closed to strangers and to providers of the whole project`(_ policy: SignUpPolicy) {
        for caller in [Caller.anonymous, .provider(tenant: nil)] {
            #expect(Self.denial(policy, caller, Evidence(addressIsProved: true, domain: "evil.example")) != nil)
        }
    }

    @Test func `an address of a listed or proven domain opens an account, once it is proved`() {
        #expect(Self.denial(Self.domains, .anonymous) == .missing(.addressProof))
        #expect(Self.denial(Self.domains, .anonymous, Evidence(domain: "example.com")) == nil)
        #expect(Self.denial(Self.domains, .anonymous, Evidence(domain: "acme.example", domainIsProven: true)) == nil)
        #expect(Self.denial(Self.domains, .anonymous, Evidence(domain: "sub.example.com")) == .refused(.signUp))
    }

    @Test func `an invited user completes the invitation`() {
        #expect(Self.denial(.invited, .anonymous, Evidence(isInvited: true)) == nil)
        #expect(Self.denial(Self.domains, .anonymous, Evidence(isInvited: true)) == nil)
        #expect(Self.denial(.off, .anonymous, Evidence(isInvited: true)) == .refused(.signUp))
    }

    @Test func `an organisation's provider makes accounts unless even that is off`() {
        #expect(Self.denial(.invited, .provider(tenant: "acme")) == nil)
        #expect(Self.denial(Self.domains, .provider(tenant: "acme")) == nil)
        #expect(Self.denial(.off, .provider(tenant: "acme")) == .refused(.signUp))
    }

    @Test(arguments: [SignUpPolicy.off, .invited, domains])
    func `directories, operators and the machine always may`(_ policy: SignUpPolicy) {
        for caller in [
            Caller.directory(tenant: "acme"), .managementKey, .machine(.transfer), .machine(.configuration),
            RulebookTests.operator(.operator),
        ] {
            #expect(Self.denial(policy, caller) == nil)
        }
    }
}
