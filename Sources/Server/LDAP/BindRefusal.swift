/// Why a directory refused a password. Users are told one sentence for all of them; the audit log has the word.
enum BindRefusal: String, Hashable, Sendable, CaseIterable {
    case wrong
    case unknownUser = "unknown_user"
    case notNow = "not_at_this_time"
    case expired = "password_expired"
    case disabled
    case accountExpired = "account_expired"
    case mustChange = "must_change_password"
    case locked

    /// What Active Directory writes behind `data` in the text of result 49.
    private static let activeDirectory: [String: BindRefusal] = [
        "52e": .wrong, "525": .unknownUser, "530": .notNow, "531": .notNow, "532": .expired, "533": .disabled,
        "701": .accountExpired, "773": .mustChange, "775": .locked,
    ]

    /// The refusal of a bind; `nil`: the code is none, and the bind failed for another reason.
    ///
    /// - Parameters:
    ///   - code: the result code of RFC 4511 §4.1.9.
    ///   - diagnostic: the text beside it.
    init?(code: Int32, diagnostic: String) {
        switch code {
        // invalidCredentials
        case 49:
            let words = diagnostic.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
            let data = words.firstIndex(of: "data").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
            self = data.flatMap { Self.activeDirectory[$0] } ?? .wrong
        // noSuchObject, inappropriateAuthentication, invalidDNSyntax, insufficientAccessRights, unwillingToPerform: the
        // entry is gone, has no password, or may not be used to bind.
        case 32, 34, 48, 50, 53: self = .wrong
        default: return nil
        }
    }
}
