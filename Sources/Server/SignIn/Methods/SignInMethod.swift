public import KeyturnBase
internal import KeyturnWire
public import Model

/// A way in which users prove who they are.
///
/// To add one: a folder beside this file with a type that conforms, and its line in ``SignInMethods/registry``. Its pages
/// and its calls for apps are in a folder of the same name in the web module, with a line there.
public protocol SignInMethod: Sendable {
    /// By which registries find it.
    static var name: String { get }
    /// What a success can prove: discovery lists the classes that follow.
    static var proves: Set<AuthenticationMethod> { get }
    /// Where in a sign-in it can stand.
    static var places: Set<SignInPlace> { get }
    /// Whether users set it up in the settings; a test compares that with their sections.
    static var isSetUpByUser: Bool { get }
    /// Whether this server offers it, as it is configured.
    var isOffered: Bool { get }
}

extension SignInMethod {
    public static var isSetUpByUser: Bool { false }
    public var isOffered: Bool { true }
}

/// Where in a sign-in a method can stand.
public enum SignInPlace: Hashable, Sendable {
    /// It begins a session.
    case first
    /// It is added to a session, or to a sign-in, that another method began.
    case second
    /// It is two factors at once.
    case both
}

/// A method whose code the user enters after a first factor, on a page of its own.
public protocol SecondFactorMethod: SignInMethod {
    /// What it proves, by which the step of its page is named.
    static var factor: AuthenticationMethod { get }
    /// Whether the user has set it up, so that no sign-in is complete without a second factor.
    func isRequired(for user: UserID) async throws(StoreError) -> Bool
    /// Checks a code. Its failures are counted separately from those of first factors: otherwise an attacker with the
    /// password could clear them with another first sign-in.
    ///
    /// - Throws: ``MethodProblem/wrongCode``; ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    func verifySecond(_ code: Secret, of account: Account, from address: NetworkAddress?) async throws
        -> CompletedVerification
    /// Whether the code was right, and was used before.
    func wasUsed(_ code: Secret, by user: UserID) async throws(StoreError) -> Bool
}

extension Account {
    /// One of the user's login IDs, always the same.
    ///
    /// - Throws: ``MethodProblem/wrongCode`` for a user without one.
    var someLoginID: String {
        get throws(MethodProblem) {
            guard let loginID = identifiers.keys.map(\.value).min() else { throw .wrongCode }
            return loginID
        }
    }
}

extension SecondFactorMethod {
    public static var proves: Set<AuthenticationMethod> { [factor] }
    public func isRequired(for user: UserID) async throws(StoreError) -> Bool { false }
    public func wasUsed(_ code: Secret, by user: UserID) async throws(StoreError) -> Bool { false }
}
