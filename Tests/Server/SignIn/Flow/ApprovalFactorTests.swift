import KeyturnBase
import Model
import SignIn
import Testing

@Suite("B-9: what an approval counts for beside other methods")
struct ApprovalFactorTests {
    private let now = UnixTime(rawValue: 1_800_000_000)

    private func facts(_ first: AuthenticationMethod, _ second: AuthenticationMethod) throws -> AuthenticationFacts {
        let before = try SecondFactor.combine(first, with: nil, mustCombine: false, at: now)
        return try SecondFactor.combine(second, with: before, mustCombine: true, at: now + 1)
    }

    @Test(arguments: [AuthenticationMethod.password, .email, .sms, .social, .federated, .approval])
    func `it may rest on the same method, and is no second factor`(other: AuthenticationMethod) throws {
        for (first, second) in [(AuthenticationMethod.approval, other), (other, .approval)] {
            let methods = try facts(first, second).methods
            #expect(!methods.contains(AuthenticationMethod.severalFactors), "\(first) \(second)")
        }
    }

    @Test(arguments: [AuthenticationMethod.totp, .passkey])
    func `an authenticator app or a passkey after it makes two`(second: AuthenticationMethod) throws {
        let facts = try facts(.approval, second)
        #expect(facts.methods == ["approval", second.word, AuthenticationMethod.severalFactors])
        #expect(facts.inReferences.methods.first == "mca")
    }
}
