public import Authority
public import KeyturnWire

extension MethodProblem {
    /// The rulebook's answer in the words of the methods' wire: 403 `E011003`, with `missing` where something would help.
    public init(_ denial: Denial) {
        switch denial {
        case .missing(let step): self = .missing(step, Self.sentence(step))
        case .refused(let reason):
            self = MethodProblem(
                code: Self.invalidRequest.code, description: Self.invalidRequest.description,
                message: Self.sentence(reason), status: 403)
        }
    }

    private static func sentence(_ step: MissingStep) -> String {
        switch step {
        case .recentSignIn: "The session's sign-in is too old for this, or not good enough: sign in again"
        case .secondFactor: "The account has a second factor: verify it in this session first, with mfa"
        case .secondFactorSetup: "The account needs a second factor: set one up first"
        case .addressProof: "The address must be proved first: enter the code that is sent there"
        case .owner: "This needs an operator with the role owner"
        case .consent: "This needs the user's consent"
        }
    }

    private static func sentence(_ reason: Denial.Reason) -> String {
        switch reason {
        case .notAllowed: "This is not allowed here"
        case .notOwner: "A session that is held in the name of another user cannot change how that user signs in"
        case .role(let role): "This needs the role \(role.rawValue)"
        case .foreignTenant: "The user belongs to another tenant"
        case .signUp: "No accounts are opened here: ask the operator for an invitation"
        case .overtaken: "The account has changed meanwhile: begin again"
        case .switchedOff: "A setting of the server does not allow this"
        }
    }
}
