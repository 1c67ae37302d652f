internal import Authority
public import KeyturnWire
public import Model

extension MethodProblem {
    /// `project.sign_up` admits no new account. The answer is the same whether there is one.
    public static let signUpClosed = MethodProblem(Denial.refused(.signUp))
}

extension SignInMethods {
    /// Whether users can open accounts by themselves at all.
    public var opensAccounts: Bool { codes.core.signUp.isOpen }

    /// Whether a user who proves this address can open an account. It does not depend on who has one.
    public func mayOpenAccount(proving address: Identifier) async throws(StoreError) -> Bool {
        try await codes.core.signUp.admits(.anonymous, proving: address)
    }
}

extension VerificationCore {
    /// For sign-ups that prove no address.
    ///
    /// - Throws: ``MethodProblem/signUpClosed``, or that an address must be proved, before anything is looked up;
    ///   ``StoreError``.
    func requireSignUp() async throws {
        if let denial = try await signUp.denial(.anonymous, proving: nil) { throw MethodProblem(denial) }
    }
}
