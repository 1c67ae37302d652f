import KeyturnBase
import KeyturnWire
import Model
import SignIn
import Testing

@Suite("What a password that a directory checked counts for")
struct DirectoryFactorTests {
    private let now = UnixTime(rawValue: 1_800_000_000)

    private func facts(_ methods: AuthenticationMethod...) throws -> AuthenticationFacts {
        var facts: AuthenticationFacts?
        for method in methods {
            facts = try SecondFactor.combine(method, with: facts, mustCombine: false, at: now)
        }
        return try #require(facts)
    }

    @Test func `it is a provider's word, and a password to apps`() throws {
        let facts = try facts(.directoryPassword)
        #expect(facts.isOfProvider && facts.inMethods.isOfProvider && !facts.holdsStrongFactor)
        #expect(facts.inClaims.methods == ["pwd"] && facts.inReferences.methods == ["pwd"])
        #expect(facts.contextClass == AuthenticationFacts.passwordClass)
        #expect(!AuthenticationFacts.password(at: now).isOfProvider)
        #expect(!AuthenticationFacts.password(at: now).inMethods.isOfProvider)
    }

    @Test(arguments: [AuthenticationMethod.password, .social, .federated])
    func `it is no second factor beside a password or another provider`(other: AuthenticationMethod) throws {
        for both in [try facts(other, .directoryPassword), try facts(.directoryPassword, other)] {
            #expect(!both.methods.contains(AuthenticationMethod.severalFactors), "\(both.methods)")
        }
    }

    @Test(arguments: [AuthenticationMethod.totp, .passkey, .email])
    func `a factor of the user's own makes two with it`(other: AuthenticationMethod) throws {
        let both = try facts(.directoryPassword, other)
        #expect(both.methods == ["ldap", other.word, AuthenticationMethod.severalFactors])
        #expect(!both.isOfProvider)
    }

    @Test func `a journey takes it where it takes a password`() throws {
        var journey = JourneyFacts()
        journey.add(try facts(.directoryPassword), since: now)
        #expect(journey.satisfies(JourneyProof([.password])))
        #expect(!journey.satisfies(JourneyProof([.federated, .social])))
    }
}
