public import KeyturnBase
public import Model
public import SignIn

extension RecoveryCodes {
    /// Codes for a user, as if the user had just used the authenticator.
    public func make(for user: UserID) async throws(StoreError) -> [Secret] {
        try await make(
            for: user,
            after: AuthenticationFacts(
                time: UnixTime(rawValue: 0), methods: [AuthenticationMethod.totp.word],
                contextClass: AuthenticationFacts.singleFactorClass))
    }
}
