internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// What one row says of a user.
struct UserRow: Sendable {
    var user: ImportedUser
    /// In clear text, as the configuration file has it; hashed before it is stored.
    var password: Secret?
    /// Of an authenticator that the user has already; sealed before it is stored.
    var authenticator: TOTPSecret?
}

/// Reads rows: the names of the configuration's `users:` and OpenID Connect's claims.
///
/// What it says of a row never quotes the row's values.
struct UserRowReader: Sendable {
    static let keys =
        [
            "sub", "login_ids", "password", "password_hash", "totp_secret", "status", "test", "roles", "tenants",
            "claims",
            "attributes", "created_at", "others_at", "operators_at", "disputed_at",
        ] + StandardClaims.all

    let access: AccessDirectory
    let ambient: Ambient

    func read(_ members: [String: JSONValue]) throws(Refusal) -> UserRow {
        var row = UserRow(user: ImportedUser(newID: .make(ambient)))
        for (name, value) in members where !Self.isEmpty(value) {
            try read(name, value, into: &row)
        }
        row.user.identifiers = try UserIdentifiers.read(members["login_ids"], claims: row.user.claims)
        guard row.user.id != nil || !row.user.identifiers.isEmpty else {
            throw Refusal("nothing identifies this user", "Give login_ids, email, phone_number or sub.")
        }
        guard row.password == nil || row.user.passwordHash == nil else {
            throw Refusal("it has both password and password_hash", "Keep one of them.")
        }
        return row
    }

    /// Null and empty texts, lists and objects say nothing.
    static func isEmpty(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        default: false
        }
    }

    private func read(_ name: String, _ value: JSONValue, into row: inout UserRow) throws(Refusal) {
        switch name {
        case "login_ids": break
        case "sub": row.user.id = UserID(rawValue: try RowText.checked(name, value, TextRules.subject))
        case "password":
            let text = try RowText.plain(name, value)
            guard text.utf8.count <= Limits.passwordBytesMax, !text.utf8.contains(0) else {
                throw Refusal(
                    "password: it holds a NUL, or more than \(Limits.passwordBytesMax) bytes", "Leave it out.")
            }
            row.password = Secret(text)
        case "password_hash": row.user.passwordHash = try ImportedHash.read(value)
        case "totp_secret":
            guard let secret = TOTPSecret(typed: Secret(try RowText.plain(name, value))) else {
                let sizes = "\(Limits.authenticatorSecretBytesMin) to \(Limits.authenticatorSecretBytesMax)"
                throw Refusal(
                    "totp_secret: it is not the key of an authenticator, in base32, of \(sizes) bytes",
                    "Leave it out: the user sets one up at sign-in.")
            }
            row.authenticator = secret
        case "status": row.user.status = try Self.status(RowText.plain(name, value))
        case "test": row.user.isTest = try RowText.boolean(name, value)
        case "created_at": row.user.createdAt = try RowTime.read(name, value)
        case "updated_at": row.user.updatedAt = try RowTime.read(name, value)
        case "others_at": row.user.othersAt = try RowTime.read(name, value)
        case "operators_at": row.user.operatorsAt = try RowTime.read(name, value)
        case "disputed_at": row.user.disputedAt = try RowTime.read(name, value)
        case "roles": row.user.roles = try MembershipReader(access: access).roles(value, in: nil)
        case "tenants": row.user.tenants = try MembershipReader(access: access).tenants(value)
        case "claims": try readCustomClaims(value, into: &row.user)
        case "attributes": row.user.attributes = try Self.attributes(value)
        default: row.user.claims[name] = try RowClaims.read(name, value)
        }
    }

    private static func status(_ word: String) throws(Refusal) -> User.Status {
        if let status = User.Status(rawValue: word) ?? User.Status(wireName: word) { return status }
        throw Refusal(
            "status: it is none that Keyturn knows",
            "Choose one of: \(User.Status.allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    private func readCustomClaims(_ value: JSONValue, into user: inout ImportedUser) throws(Refusal) {
        guard let members = value.objectValue else { throw RowText.expected("claims", "an object") }
        for (name, value) in members where value != .null {
            guard !UserClaims.protocolClaims.contains(name) else {
                throw Refusal("claims: the server makes \"\(Printable.text(name))\" itself", "Choose another name.")
            }
            guard !StandardClaims.all.contains(name) else {
                throw Refusal("claims: \"\(name)\" is a standard claim", "Move it one level up, beside \"claims\".")
            }
            user.claims[name] = value
        }
    }

    private static func attributes(_ value: JSONValue) throws(Refusal) -> [String: JSONValue] {
        guard let members = value.objectValue else { throw RowText.expected("attributes", "an object") }
        guard value.serialized.count <= Limits.attributesBytesMax else {
            throw Refusal(
                "attributes: they are longer than \(Limits.attributesBytesMax) bytes", "Leave out what nobody needs.")
        }
        return members.filter { $0.value != .null }
    }
}

/// The claims that OpenID Connect names (Core §5.1), each with its own type.
enum RowClaims {
    private static let names = Set(StandardClaims.all)

    static func read(_ name: String, _ value: JSONValue) throws(Refusal) -> JSONValue {
        switch name {
        case "email_verified", "phone_number_verified": return .bool(try RowText.boolean(name, value))
        case "address": return try address(value)
        case "profile", "picture", "website": return .string(try RowText.checked(name, value, URIRules.page))
        case "email": return .string(try RowText.checked(name, value, TextRules.email))
        case "phone_number": return .string(try RowText.checked(name, value, phone))
        default: break
        }
        guard names.contains(name) else { throw unknown(name) }
        return .string(try RowText.checked(name, value))
    }

    private static func address(_ value: JSONValue) throws(Refusal) -> JSONValue {
        guard let members = value.objectValue else { throw RowText.expected("address", "an object") }
        var result: [String: JSONValue] = [:]
        for (name, value) in members where !UserRowReader.isEmpty(value) {
            guard StandardClaims.addressMembers.contains(name) else { throw unknown("address.\(name)") }
            result[name] = .string(try RowText.checked("address.\(name)", value))
        }
        return .object(result)
    }

    private static func phone(_ text: String) -> Refusal? {
        text.hasPrefix("+")
            && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) || " -()/.".utf8.contains($0) }
            ? nil
            : Refusal(
                "it does not begin with + and the country", "Write +4512345678; spreadsheets like to change that.")
    }

    private static func unknown(_ name: String) -> Refusal {
        let hint = Suggestion.nearest(to: name, among: UserRowReader.keys).map { "Did you mean \"\($0)\"?" }
        return Refusal(
            "\"\(Printable.text(name))\" is no name that Keyturn knows",
            hint ?? "Put it into \"attributes\" to keep it, or leave it out.")
    }
}
