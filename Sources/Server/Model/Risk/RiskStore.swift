public import KeyturnBase

/// Devices and countries that users signed in on and from, and disputed sign-ins.
public protocol RiskStore: Sendable {
    /// A user's past sign-ins, the last first: at most ``Limits/pastSignInsMax`` that are trusted and as many others, none
    /// older than ``Limits/pastSignInSeconds``. One statement.
    func past(of user: UserID, at now: UnixTime) async throws(StoreError) -> [PastSignIn]

    /// Remembers a sign-in, in the place of the one on the same device and from the same country, and forgets the oldest
    /// beyond ``Limits/pastSignInsMax``. One that is not trusted takes the place of no trusted one. One transaction.
    /// Nothing is written for a user who is gone.
    func remember(_ signIn: PastSignIn, of user: UserID) async throws(StoreError)

    /// Whether a dispute was carried out, or can be. Changes nothing.
    func state(of dispute: SignInDispute) async throws(StoreError) -> SignInDispute.State

    /// The login IDs that a dispute would bring back, as ``FormerIdentifiers`` says, whether others have them or not; none
    /// if it would do nothing, or others than the user named addresses of the account. Changes nothing.
    func restorable(_ dispute: SignInDispute) async throws(StoreError) -> Set<Identifier>

    /// Carries out a dispute, in one transaction: of any number of calls one does.
    ///
    /// All sessions and grants end that began with the disputed sign-in or after it. Passkeys, second factors,
    /// biometric keys and links to identity providers that were added since it began are removed, biometric keys also if
    /// they were used since, and devices are forgotten that were first seen since. Addresses and names are again what they
    /// were, as ``FormerIdentifiers`` says. The password is removed, and kept as an earlier one. Everything ends that
    /// could become a session.
    ///
    /// - Returns: `false` if it was carried out before, or is void. Nothing is written then.
    func dispute(_ dispute: SignInDispute, event: AuditEvent, at now: UnixTime) async throws(StoreError) -> Bool
}
