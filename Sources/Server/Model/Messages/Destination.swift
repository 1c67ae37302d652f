package import KeyturnWire

/// Where a code or link is sent, and whether its reader can be trusted to be the user.
package enum Destination {
    /// The address of an account that messages of `method` may go to; `nil`: there is none, which is not revealed.
    ///
    /// The login ID itself, if it is such an address; otherwise one of the account. One that was never verified counts
    /// only as long as the account has no verified one: then no user can lose anything by it. A login ID that was never
    /// verified beside one that was gets a message nevertheless, since its reader can take it out of the account: see
    /// ``VerificationCompletion/release(_:from:_:)``.
    ///
    /// - Parameter isOwner: whether a session of the account asks, which must not lead to another account.
    package static func address(of account: Account, loginID: Identifier, method: DeliveryMethod, isOwner: Bool = false)
        -> Identifier?
    {
        guard account.user.status == .active || account.user.status == .invited else { return nil }
        let kind = kind(of: method)
        let hasVerified = account.hasProvenAddress
        if loginID.kind == kind {
            return account.identifiers[loginID] == .verified || !hasVerified || !isOwner ? loginID : nil
        }
        let (text, isVerified) =
            method.isPhone ? (account.phone, account.isPhoneVerified) : (account.email, account.isEmailVerified)
        guard let address = text.flatMap(Identifier.init(loginID:)), address.kind == kind else { return nil }
        return isVerified || !hasVerified ? address : nil
    }

    /// The address of a sign-up: the one in its details, or the login ID itself.
    package static func address(of details: SignUpDetails, loginID: Identifier, method: DeliveryMethod) -> Identifier? {
        let named = method.isPhone ? details.phone : details.email
        let address = named.map(Identifier.init(loginID:)) ?? loginID
        return address?.kind == kind(of: method) ? address : nil
    }

    package static func kind(of method: DeliveryMethod) -> Identifier.Kind {
        method.isPhone ? .phone : .email
    }

    /// A text with most of it hidden: what a response may show of an address that was typed.
    package static func mask(_ text: String) -> String {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            if text.hasPrefix("+") { return "+\(stars(text.count - 3))\(text.suffix(2))" }
            return text.prefix(1) + stars(text.count - 1)
        }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        let host = labels.dropLast().map { $0.prefix(1) + stars($0.count - 1) } + labels.suffix(1).map(String.init)
        return parts[0].prefix(1) + stars(parts[0].count - 1) + "@" + host.joined(separator: ".")
    }

    /// As many as were hidden, but only up to a few.
    private static func stars(_ count: Int) -> String {
        String(repeating: "*", count: min(max(count, 1), 8))
    }

    /// The calling code of a telephone number (ITU-T E.164), by which toll fraud is counted.
    package static func callingCode(of phone: String) -> String {
        let digits = phone.drop { $0 == "+" }
        guard let first = digits.first else { return "none" }
        if first == "1" || first == "7" { return String(first) }
        let two = String(digits.prefix(2))
        return twoDigits.contains(two) ? two : String(digits.prefix(3))
    }

    private static let twoDigits: Set<String> = Set(
        "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98"
            .split(separator: " ").map(String.init))
}
