public import KeyturnBase

/// Rules for a new password. Length protects; character classes are for operators who must require them.
public struct PasswordPolicy: Hashable, Sendable {
    /// Fewest characters.
    public var minLength: Int
    public var requiresLowercase: Bool
    public var requiresUppercase: Bool
    public var requiresNumber: Bool
    public var requiresNonAlphanumeric: Bool

    public init(
        minLength: Int = 8, requiresLowercase: Bool = false, requiresUppercase: Bool = false,
        requiresNumber: Bool = false, requiresNonAlphanumeric: Bool = false
    ) {
        self.minLength = minLength
        self.requiresLowercase = requiresLowercase
        self.requiresUppercase = requiresUppercase
        self.requiresNumber = requiresNumber
        self.requiresNonAlphanumeric = requiresNonAlphanumeric
    }

    /// Why a password is refused.
    public enum Flaw: Hashable, Sendable {
        case tooShort(minLength: Int)
        case tooLong
        case lacksLowercase, lacksUppercase, lacksNumber, lacksNonAlphanumeric
        /// Among the passwords that attackers try first.
        case common
        /// Known from a breach elsewhere, or on the operator's own list.
        case breached
        /// Made of the account's own name.
        case containsIdentifier
        case containsNUL
    }

    /// Every flaw of `password` for an account of these identifiers.
    ///
    /// - Parameter breached: the operator's list, if there is one. It is a file: code that must not block calls
    ///   ``Passwords/flaws(in:policy:identifiers:breached:)`` instead.
    public func flaws(
        in password: Secret, identifiers: [Identifier] = [], breached: BreachedPasswords? = nil
    ) -> [Flaw] {
        // Both as it is typed, before any step that takes quadratic time, and as it is hashed.
        guard password.exposed().utf8.count <= Limits.passwordBytesMax else { return [.tooLong] }
        let text = PasswordForm.normalized(password)
        var flaws: [Flaw] = []
        if text.count < minLength { flaws.append(.tooShort(minLength: minLength)) }
        if text.utf8.count > Limits.passwordBytesMax { flaws.append(.tooLong) }
        if text.utf8.contains(0) { flaws.append(.containsNUL) }
        if requiresLowercase && !text.contains(where: \.isLowercase) { flaws.append(.lacksLowercase) }
        if requiresUppercase && !text.contains(where: \.isUppercase) { flaws.append(.lacksUppercase) }
        if requiresNumber && !text.contains(where: \.isNumber) { flaws.append(.lacksNumber) }
        if requiresNonAlphanumeric && text.allSatisfy({ $0.isLetter || $0.isNumber }) {
            flaws.append(.lacksNonAlphanumeric)
        }
        let lowercase = text.lowercased()
        if CommonPasswords.contains(lowercase) { flaws.append(.common) }
        if let breached, breached.contains(password) { flaws.append(.breached) }
        if identifiers.contains(where: { Self.isMadeOf($0, lowercase) }) { flaws.append(.containsIdentifier) }
        return flaws
    }

    private static func isMadeOf(_ identifier: Identifier, _ lowercase: String) -> Bool {
        let name = identifier.value.split(separator: "@").first.map(String.init) ?? identifier.value
        guard name.count >= 4 else { return lowercase == identifier.value }
        return lowercase.contains(name) && lowercase.count < name.count + 6 || lowercase == identifier.value
    }
}
